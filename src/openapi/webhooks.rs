//! The events that are sent to webhook endpoints, as the document lists them.

use actors::domain::{BusinessId, EventId, EventType, Timestamp};
use actors::view::{AppointmentView, CallView, ContactView, MessageView};
use serde_json::{Map, Value, json};

use super::examples;
use super::parts::component;
use crate::http::describe::Describe;
use crate::http::schemas::Schemas;

/// What is to be known of every event.
const ABOUT: &str = "Sent at once to every enabled endpoint that subscribed to it, and again on a schedule until it is \
    taken. The same event may come more than once, always with the same `webhook-id` and the same bytes, and events may \
    come out of order. Verify the signature over the bytes as they came.";

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

/// The resource that the event is about, as it was then.
fn data(event: EventType, schemas: &mut Schemas) -> Value {
    match event {
        EventType::CallCompleted => schemas.view::<CallView>(),
        EventType::AppointmentBooked
        | EventType::AppointmentRescheduled
        | EventType::AppointmentCancelled => schemas.view::<AppointmentView>(),
        EventType::MessageTaken => schemas.view::<MessageView>(),
        EventType::ContactCreated => schemas.view::<ContactView>(),
    }
}

/// The event's name as classes are called: `appointment.booked` is an `AppointmentBookedEvent`.
fn name(event: EventType) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    event.as_str().split('.').map(capital).collect::<String>() + "Event"
}

fn operation(event: EventType, schemas: &mut Schemas) -> Value {
    let data = data(event, schemas);
    let shown = data["$ref"].as_str().and_then(|to| to.rsplit('/').next()).unwrap_or_default().to_owned();
    let described = |mut schema: Value, about: &str| {
        schema["description"] = json!(about);
        schema
    };
    let properties: Map<String, Value> = [
        ("id", described(EventId::describe(schemas), "The event's id, the same on every delivery of it.")),
        ("type", json!({"type": "string", "const": event, "description": "What happened."})),
        ("api_version", json!({"type": "string", "const": "v1", "description": "The version of `data`."})),
        ("created_at", described(Timestamp::describe(schemas), "When it happened.")),
        ("business_id", described(BusinessId::describe(schemas), "The business in which it happened.")),
        ("data", described(data, "What it is about, as it was then.")),
    ]
    .into_iter()
    .map(|(name, schema)| (name.to_owned(), schema))
    .collect();
    let required: Vec<&String> = properties.keys().collect();
    let schema = json!({"type": "object", "description": format!("{}.", summary(event)),
        "additionalProperties": false, "required": required, "properties": properties});
    let name = name(event);
    schemas.named(&name, schema);
    json!({
        "operationId": format!("receive{name}"),
        "summary": summary(event),
        "description": ABOUT,
        "tags": ["Webhooks"],
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
