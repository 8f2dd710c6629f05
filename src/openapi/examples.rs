//! One example of each body and each resource, by the name of its schema. A test holds them against the schemas and
//! says where one is missing.

use serde_json::{Value, json};

const APPOINTMENT: &str = "019c8f3e-7a10-7000-8c11-0a1b2c3d4e5f";
const BUSINESS: &str = "019c8f3e-0000-7000-a5a5-5a5a5a5a5a5a";
const CALL: &str = "019c8f3e-4444-7000-8c8c-4c4c4c4c4c4c";
const CONTACT: &str = "019c8f3e-6f00-7000-b000-00000000c0de";
const KEY: &str = "019c8f3e-1111-7000-9a9a-1f1f1f1f1f1f";
const KNOWLEDGE: &str = "019c8f3e-5555-7000-8e8e-5b5b5b5b5b5b";
const MESSAGE: &str = "019c8f3e-6666-7000-8f8f-6a6a6a6a6a6a";
const SERVICE: &str = "019c8f3e-2222-7000-8888-2e2e2e2e2e2e";
const STAFF: &str = "019c8f3e-3333-7000-9999-3d3d3d3d3d3d";
const THEN: &str = "2026-02-24T08:30:00.000Z";

/// The example of the schema of this name.
pub(super) fn of(name: &str) -> Option<Value> {
    let example = match name {
        "Appointment" => {
            json!({"id": APPOINTMENT, "status": "confirmed", "starts_at": "2026-03-02T09:00:00.000Z",
            "ends_at": "2026-03-02T09:30:00.000Z", "timezone": "Europe/Paris", "service_id": SERVICE,
            "service_name": "Coupe", "staff_id": STAFF, "staff_name": "Camille", "contact_id": CONTACT,
            "contact_name": "Ada Lovelace", "contact_phone": "+33612345680", "source": "api",
            "calendar_sync_status": "not_connected", "created_at": THEN, "updated_at": THEN})
        }
        "BookBody" => json!({"service_id": SERVICE, "starts_at": "2026-03-02T10:00:00+01:00",
            "contact": {"name": "Ada Lovelace", "phone": "+33 6 12 34 56 80", "locale": "fr"}}),
        "Business" => {
            json!({"id": BUSINESS, "name": "Salon Lumière", "timezone": "Europe/Paris", "locale": "fr",
            "website_url": "https://salon-lumiere.example", "booking_mode": "instant",
            "hours": [{"day": "monday", "open": "09:00", "close": "18:00"},
                {"day": "friday", "open": "18:00", "close": "02:00"}], "created_at": THEN, "updated_at": THEN})
        }
        "Call" => {
            json!({"id": CALL, "direction": "inbound", "status": "completed", "outcome": "message_taken",
            "from_number": "+33612345680", "to_number": "+33142000000", "contact_id": CONTACT,
            "contact_name": "Ada Lovelace", "started_at": "2026-02-24T08:27:10.000Z", "ended_at": THEN,
            "duration_seconds": 170, "locale": "fr", "summary": "Asks for a quotation.", "recording_url": null,
            "appointment_id": null, "message_id": MESSAGE, "created_at": THEN, "updated_at": THEN})
        }
        "Contact" => json!({"id": CONTACT, "name": "Ada Lovelace", "phone": "+33612345680",
            "email": "ada@example.com", "locale": "fr", "timezone": null, "created_at": THEN, "updated_at": THEN}),
        "ContactPatchBody" => json!({"email": "ada@example.com", "timezone": null}),
        "Knowledge" => {
            json!({"id": KNOWLEDGE, "title": "Parking", "content": "There is a car park behind the shop.",
            "source_url": null, "locale": "en", "created_at": THEN, "updated_at": THEN})
        }
        "KnowledgeBody" => json!({"title": "Parking", "content": "There is a car park behind the shop.",
            "locale": "en"}),
        "BusinessPatch" => json!({"website_url": null,
            "hours": [{"day": "monday", "open": "09:00", "close": "18:00"}]}),
        "Me" => json!({"api_key": {"id": KEY, "name": "booking page", "prefix": "rcpt_QdkSNMHQ",
            "scopes": ["appointments:read", "appointments:write"], "created_at": THEN},
            "business": {"id": BUSINESS, "name": "Salon Lumière"}}),
        "Message" => {
            json!({"id": MESSAGE, "call_id": CALL, "contact_id": CONTACT, "caller_name": "Ada Lovelace",
            "caller_phone": "+33612345680", "body": "Please send me a quotation.", "urgency": "normal",
            "staff_id": null, "status": "new", "created_at": THEN, "updated_at": THEN})
        }
        "NewContactBody" => json!({"name": "Ada Lovelace", "phone": "+33 6 12 34 56 80"}),
        "RescheduleBody" => json!({"starts_at": "2026-03-03T14:30:00Z"}),
        "Service" => json!({"id": SERVICE, "name": "Coupe", "description": "Shampooing, coupe, coiffage",
            "duration_minutes": 30, "created_at": THEN, "updated_at": THEN}),
        "Slot" => json!({"starts_at": "2026-03-02T09:00:00.000Z", "ends_at": "2026-03-02T09:30:00.000Z"}),
        "Staff" => json!({"id": STAFF, "name": "Camille", "active": true, "timezone": "Europe/Paris",
            "service_ids": [SERVICE], "created_at": THEN, "updated_at": THEN}),
        "Webhook" => webhook(),
        "NewWebhook" => {
            let mut created = webhook();
            created["secret"] = json!("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=");
            created
        }
        "WebhookBody" => json!({"url": "https://hooks.salon-lumiere.example/events",
            "events": ["appointment.booked", "appointment.cancelled"], "description": "booking page"}),
        "WebhookPatch" => json!({"status": "enabled"}),
        "WebhookTestBody" => json!({"type": "appointment.booked"}),
        "Test" => {
            json!({"event_id": APPOINTMENT, "type": "appointment.booked", "delivered": true, "response_status": 204,
            "error": null, "duration_ms": 87})
        }
        _ => return None,
    };
    Some(example)
}

fn webhook() -> Value {
    json!({"id": "019c8f3e-4444-7000-9999-4f4f4f4f4f4f", "url": "https://hooks.salon-lumiere.example/events",
        "events": ["appointment.booked", "appointment.cancelled"], "description": "booking page", "status": "enabled",
        "disabled_reason": null, "disabled_at": null, "created_at": THEN, "updated_at": THEN})
}
