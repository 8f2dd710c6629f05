//! Valid bodies of contacts, calls, messages and knowledge, and helpers to send them.

use serde_json::{Value, json};

use super::{Answer, Salon};

/// Every possible outcome of a call.
pub(crate) const OUTCOMES: [&str; 10] = [
    "appointment_booked",
    "appointment_rescheduled",
    "appointment_cancelled",
    "message_taken",
    "question_answered",
    "transferred",
    "voicemail",
    "spam",
    "hangup",
    "other",
];

pub(crate) fn id(resource: &Value) -> &str {
    resource["id"].as_str().unwrap()
}

/// Adds the properties of `more` to the properties of `base`. If both have a property, the value is from
/// `more`.
pub(crate) fn merged(mut base: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("the properties must be an object") };
    base.as_object_mut().unwrap().extend(more);
    base
}

/// Converts a contact, appointment, call or message from the form of the public API to the form of the
/// operator API. The record must have no values that only the team sees, such as notes.
pub(crate) fn for_the_team(seen: Value) -> Value {
    let has = |name| seen.get(name).is_some();
    let more = if has("starts_at") {
        json!({ "notes": null, "customer_note": null, "booked_as": null, "attendance": null })
    } else if has("direction") {
        json!({ "handled_at": null })
    } else if has("urgency") {
        json!({ "notes": null, "snoozed_until": null })
    } else {
        json!({ "notes": null, "alert": null })
    };
    merged(seen, more)
}

/// Converts a call or message from the form of the operator API to the form of the public API.
pub(crate) fn for_integrations(mut seen: Value) -> Value {
    for name in ["handled_at", "notes", "snoozed_until"] {
        seen.as_object_mut().unwrap().remove(name);
    }
    seen
}

/// The records at these indexes.
pub(crate) fn pick(made: &[Value], places: &[usize]) -> Vec<Value> {
    places.iter().map(|place| made[*place].clone()).collect()
}

/// Texts of exactly `count` characters, in different scripts.
pub(crate) fn of_characters(count: usize) -> Vec<String> {
    let scripts = [
        "السلام عليكم ",
        "您好,我想预约。",
        "👩‍👩‍👧‍👦🏳️‍🌈👍🏽",
        "e\u{301}o\u{308}\u{304}ệ",
        "नमस्ते\u{200d}\u{200c}",
        "\u{202e}\"\\\n\t\r\u{1}\u{7f}\u{feff}",
    ];
    scripts.iter().map(|script| format!("x{}", script.repeat(count)).chars().take(count).collect()).collect()
}

/// A valid call.
fn a_call() -> Value {
    json!({
        "direction": "inbound",
        "status": "completed",
        "outcome": "other",
        "started_at": "2026-03-02T05:00:00Z",
        "ended_at": "2026-03-02T05:01:30Z",
    })
}

impl Salon {
    pub(crate) async fn try_contact(&self, body: Value) -> Answer {
        self.api.post("/contacts", &body).await
    }

    pub(crate) async fn contact(&self, body: Value) -> Value {
        self.try_contact(body).await.created()
    }

    pub(crate) async fn try_patch_contact(&self, contact: &Value, body: Value) -> Answer {
        self.api.patch(&format!("/contacts/{}", id(contact)), &body).await
    }

    pub(crate) async fn patch_contact(&self, contact: &Value, body: Value) -> Value {
        self.try_patch_contact(contact, body).await.is(200).data()
    }

    pub(crate) async fn try_call(&self, more: Value) -> Answer {
        self.operator.post("/calls", &merged(a_call(), more)).await
    }

    /// Records a call. Returns the call in the form of the public API.
    pub(crate) async fn record_call(&self, more: Value) -> Value {
        for_integrations(self.try_call(more).await.created())
    }

    pub(crate) async fn try_message(&self, more: Value) -> Answer {
        self.operator.post("/messages", &merged(json!({ "body": "Please call back." }), more)).await
    }

    /// Records a message. Returns the message in the form of the public API.
    pub(crate) async fn message(&self, more: Value) -> Value {
        for_integrations(self.try_message(more).await.created())
    }

    pub(crate) async fn try_patch_message(&self, message: &Value, body: Value) -> Answer {
        self.operator.patch(&format!("/messages/{}", id(message)), &body).await
    }

    /// Changes a message. Returns the message in the form of the public API.
    pub(crate) async fn patch_message(&self, message: &Value, body: Value) -> Value {
        for_integrations(self.try_patch_message(message, body).await.is(200).data())
    }
}
