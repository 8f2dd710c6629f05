//! The section `webhooks` of the document: the events that the service sends.

use std::borrow::Cow;

use domain::EventType;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};
use view::{AppointmentView, CallView, ContactView, Event, MessageView};

use super::examples;
use super::operations::component;
use crate::http::schemas::Schemas;

const ABOUT: &str = "The service sends the event at once to every enabled endpoint that subscribes to it, and retries on a \
    schedule until the endpoint accepts it. An event may arrive more than once, always with the same `webhook-id` and the \
    same bytes, and events may arrive in any order. Verify the signature over the bytes as they arrived.";

/// The tag of the events. No operation has this tag. Some client generators write one file per tag, and would lose the
/// operations that had the same tag as the events.
pub(super) const TAG: &str = "Events";

pub(super) fn all(schemas: &mut Schemas) -> Value {
    let events =
        EventType::ALL.iter().map(|event| (event.to_string(), json!({"post": operation(*event, schemas)})));
    Value::Object(events.collect())
}

fn summary(event: EventType) -> &'static str {
    match event {
        EventType::CallCompleted => "A call ended and its summary and outcome were saved",
        EventType::AppointmentBooked => {
            "An appointment was booked: its status became `confirmed` for the first time"
        }
        EventType::AppointmentRescheduled => {
            "An appointment was moved to a new time after its booking was announced"
        }
        EventType::AppointmentCancelled => "An appointment was cancelled after its booking was announced",
        EventType::MessageTaken => "The receptionist took a message for the team",
        EventType::ContactCreated => "A contact was created",
    }
}

/// The schema name of the record in the event, and the schema of an event with a record of this kind.
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

/// The schema name of an event: `AppointmentBookedEvent` for `appointment.booked`.
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
            "schema": component("schemas", &name), "example": examples::event(event, &shown)}}},
        "responses": {
            "2XX": {"description": "Accepted. The endpoint must answer within 10 seconds. The service does not follow redirects."},
            "default": {"description": "Not accepted. The service sends the event again later."},
        },
    })
}

/// The headers of every delivery, as Standard Webhooks defines them.
fn headers() -> Value {
    let header = |name: &str, required: bool, schema: Value, about: &str| json!({"name": name, "in": "header", "required": required, "schema": schema, "description": about});
    json!([
        header(
            "webhook-id",
            true,
            json!({"type": "string", "format": "uuid"}),
            "The event's id. Store the ids of processed events and ignore an event whose id you have already stored."
        ),
        header(
            "webhook-timestamp",
            true,
            json!({"type": "integer", "minimum": 0}),
            "The Unix time in seconds of this attempt. Reject a request that is older than five minutes."
        ),
        header(
            "webhook-signature",
            true,
            json!({"type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=$"}),
            "`v1,` followed by the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the endpoint's secret."
        ),
        header(
            "webhook-test",
            false,
            json!({"type": "string", "enum": ["true"]}),
            "Present if this is a test event that the team requested. No record has changed."
        ),
    ])
}
