//! One example for each body and each resource, by schema name. A test validates the examples and reports
//! missing ones.

use std::sync::LazyLock;

use domain::EventType;
use serde_json::{Map, Value, json};

static EXAMPLES: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).expect("the examples are JSON"));

pub(super) fn example(name: &str) -> Option<Value> {
    EXAMPLES.get(name).cloned()
}

/// The example of an event whose record has the schema `shown`.
pub(super) fn event(event: EventType, shown: &str) -> Value {
    let mut data = example(shown).unwrap_or_default();
    if event == EventType::AppointmentCancelled {
        data["status"] = json!("cancelled");
    }
    json!({"id": "019c8f3e-8888-7000-8b8b-8b8b8b8b8b8b", "type": event, "api_version": "v1",
        "created_at": "2026-02-24T08:30:00.000Z", "business_id": "019c8f3e-0000-7000-a5a5-5a5a5a5a5a5a", "data": data})
}
