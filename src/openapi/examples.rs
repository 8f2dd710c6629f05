//! One example of each body and each resource, by the name of its schema. A test holds them against the schemas and
//! says where one is missing.

use serde_json::{Value, json};

const APPOINTMENT: &str = "019c8f3e-7a10-7000-8c11-0a1b2c3d4e5f";
const BUSINESS: &str = "019c8f3e-0000-7000-a5a5-5a5a5a5a5a5a";
const CONTACT: &str = "019c8f3e-6f00-7000-b000-00000000c0de";
const KEY: &str = "019c8f3e-1111-7000-9a9a-1f1f1f1f1f1f";
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
        "BusinessPatch" => json!({"website_url": null,
            "hours": [{"day": "monday", "open": "09:00", "close": "18:00"}]}),
        "Me" => json!({"api_key": {"id": KEY, "name": "booking page", "prefix": "rcpt_QdkSNMHQ",
            "scopes": ["appointments:read", "appointments:write"], "created_at": THEN},
            "business": {"id": BUSINESS, "name": "Salon Lumière"}}),
        "RescheduleBody" => json!({"starts_at": "2026-03-03T14:30:00Z"}),
        "Service" => json!({"id": SERVICE, "name": "Coupe", "description": "Shampooing, coupe, coiffage",
            "duration_minutes": 30, "created_at": THEN, "updated_at": THEN}),
        "Slot" => json!({"starts_at": "2026-03-02T09:00:00.000Z", "ends_at": "2026-03-02T09:30:00.000Z"}),
        "Staff" => json!({"id": STAFF, "name": "Camille", "active": true, "timezone": "Europe/Paris",
            "service_ids": [SERVICE], "created_at": THEN, "updated_at": THEN}),
        _ => return None,
    };
    Some(example)
}
