//! The events that are sent to webhook endpoints, as the document lists them.

use std::borrow::Cow;

use actors::domain::EventType;
use actors::view::{AppointmentView, CallView, ContactView, Event, MessageView};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::examples;
use super::parts::component;
use crate::http::schemas::Schemas;

/// What is to be known of every event.
const ABOUT: &str = "Sent at once to every enabled endpoint that subscribed to it, and again on a schedule until it is \
    taken. The same event may come more than once, always with the same `webhook-id` and the same bytes, and events may \
    come out of order. Verify the signature over the bytes as they came.";

/// The group of the calls. Generators of clients write one file for each group, so it is not that of any operation.
pub(super) const TAG: &str = "Events";

/// Every event.
pub(super) fn all(schemas: &mut Schemas) -> Value {
    let events =
        EventType::ALL.iter().map(|event| (event.to_string(), json!({"post": operation(*event, schemas)})));
    Value::Object(events.collect())
}

/// What happened, in a few words.
fn summary(event: EventType) -> &'static str {
    match event {
        EventType::CallCompleted => "A call ended and its summary and outcome were saved",
        EventType::AppointmentBooked => "An appointment was booked: it became confirmed for the first time",
        EventType::AppointmentRescheduled => "An announced appointment moved to a new time",
        EventType::AppointmentCancelled => "An announced appointment was cancelled",
        EventType::MessageTaken => "The receptionist took a message for the team",
        EventType::ContactCreated => "A new contact appeared",
    }
}

/// The name of what the event is about, and the schema of all events about it.
fn about(event: EventType, schemas: &mut Schemas) -> (Cow<'static, str>, Schema) {
    fn of<V: JsonSchema>(schemas: &mut Schemas) -> (Cow<'static, str>, Schema) {
        (V::schema_name(), schemas.nameless::<Event<V>>())
    }
    match event {
        EventType::CallCompleted => of::<CallView>(schemas),
        EventType::AppointmentBooked
        | EventType::AppointmentRescheduled
        | EventType::AppointmentCancelled => of::<AppointmentView>(schemas),
        EventType::MessageTaken => of::<MessageView>(schemas),
        EventType::ContactCreated => of::<ContactView>(schemas),
    }
}

/// The event's name as classes are called: `appointment.booked` is an `AppointmentBookedEvent`.
fn name(event: EventType) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    event.as_str().split('.').map(capital).collect::<String>() + "Event"
}

fn operation(event: EventType, schemas: &mut Schemas) -> Value {
    let (shown, mut schema) = about(event, schemas);
    schema.insert("description".into(), json!(format!("{}.", summary(event))));
    if let Some(Value::Object(kind)) = schema.pointer_mut("/properties/type") {
        kind.remove("$ref");
        kind.extend([("type".into(), json!("string")), ("const".into(), json!(event))]);
    }
    let name = name(event);
    schemas.add(&name, schema);
    json!({
        "operationId": format!("receive{name}"),
        "summary": summary(event),
        "description": ABOUT,
        "tags": [TAG],
        "security": [],
        "parameters": headers(),
        "requestBody": {"required": true, "content": {"application/json": {
            "schema": component("schemas", &name), "example": examples::of_event(event, &shown)}}},
        "responses": {
            "2XX": {"description": "Taken. Only this counts, within 10 seconds; redirects are not followed."},
            "default": {"description": "Not taken; it is sent again later."},
        },
    })
}

/// The headers of every delivery, those of Standard Webhooks.
fn headers() -> Value {
    let header = |name: &str, required: bool, schema: Value, about: &str| json!({"name": name, "in": "header", "required": required, "schema": schema, "description": about});
    json!([
        header(
            "webhook-id",
            true,
            json!({"type": "string", "format": "uuid"}),
            "The event's id: keep those that were taken, and pass over what comes again."
        ),
        header(
            "webhook-timestamp",
            true,
            json!({"type": "integer", "minimum": 0}),
            "When this attempt was made, in Unix seconds; refuse one older than five minutes."
        ),
        header(
            "webhook-signature",
            true,
            json!({"type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=$"}),
            "`v1,` and the base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, by the endpoint's secret."
        ),
        header(
            "webhook-test",
            false,
            json!({"type": "string", "enum": ["true"]}),
            "There when this is a sample that was asked for, and nothing has happened."
        ),
    ])
}
