//! One example for each body and each resource, by schema name. A test validates the examples and reports
//! missing ones.

use domain::{AlertKind, BudgetKind, EventType};
use serde_json::{Value, json};

const APPOINTMENT: &str = "019c8f3e-7a10-7000-8c11-0a1b2c3d4e5f";
const BACKUP: &str = "019c8f3e-9999-7000-8a8a-9a9a9a9a9a9a";
const BUSINESS: &str = "019c8f3e-0000-7000-a5a5-5a5a5a5a5a5a";
const CALL: &str = "019c8f3e-4444-7000-8c8c-4c4c4c4c4c4c";
const CONTACT: &str = "019c8f3e-6f00-7000-b000-00000000c0de";
const KEY: &str = "019c8f3e-1111-7000-9a9a-1f1f1f1f1f1f";
const KNOWLEDGE: &str = "019c8f3e-5555-7000-8e8e-5b5b5b5b5b5b";
const EVENT: &str = "019c8f3e-8888-7000-8b8b-8b8b8b8b8b8b";
const MESSAGE: &str = "019c8f3e-6666-7000-8f8f-6a6a6a6a6a6a";
const LINK: &str = "https://desk.example.com/dashboard/enter/m4nJx1XK1c2rU5yY6m3o9Qw8b7v6t5s4r3q2p1o0n-A";
const PERSON: &str = "019c8f3e-aaaa-7000-8d8d-8d8d8d8d8d8d";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const SERVICE: &str = "019c8f3e-2222-7000-8888-2e2e2e2e2e2e";
const STAFF: &str = "019c8f3e-3333-7000-9999-3d3d3d3d3d3d";
const THEN: &str = "2026-02-24T08:30:00.000Z";

pub(super) fn example(name: &str) -> Option<Value> {
    let example = match name {
        "Appointment" => {
            json!({"id": APPOINTMENT, "status": "confirmed", "starts_at": "2026-03-02T09:00:00.000Z",
            "ends_at": "2026-03-02T09:30:00.000Z", "timezone": "Europe/Paris", "service_id": SERVICE,
            "service_name": "Coupe", "staff_id": STAFF, "staff_name": "Camille", "contact_id": CONTACT,
            "contact_name": "Ada Lovelace", "contact_phone": "+33612345680", "source": "api",
            "calendar_sync_status": "not_connected", "created_at": THEN, "updated_at": THEN})
        }
        "Backup" => {
            json!({"id": BACKUP, "status": "done", "to": "/backup/2026-02-24", "rows": 1200, "bytes": 240_000,
            "started_at": THEN, "ended_at": THEN, "error": null, "manifest": {"format": 3, "version": "0.1.0",
            "sequence": 4711, "taken_at": THEN, "rows": 1200, "bytes": 240_000, "chunks": 1,
            "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
            "problems": [], "problem_count": 0})
        }
        "BackupProblem" => {
            json!({"business_id": BUSINESS, "kind": "appointments", "recorded": 1200, "found": 1187})
        }
        "BackupBegun" => json!({"id": BACKUP}),
        "BackupBody" => json!({"to": "/backup/2026-02-24"}),
        "Imported" => json!({"businesses": 1, "records": 210, "exported_at": THEN, "dry_run": false}),
        "BookBody" => json!({"service_id": SERVICE, "starts_at": "2026-03-02T10:00:00+01:00",
            "contact": {"name": "Ada Lovelace", "phone": "+33 6 12 34 56 80", "locale": "fr"}}),
        "Business" => {
            json!({"id": BUSINESS, "name": "Salon Lumière", "timezone": "Europe/Paris", "locale": "fr",
            "website_url": "https://salon-lumiere.example", "booking_mode": "instant",
            "hours": [{"day": "monday", "open": "09:00", "close": "18:00"},
                {"day": "friday", "open": "18:00", "close": "02:00"}], "created_at": THEN, "updated_at": THEN})
        }
        "PhoneCall" => {
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
        "CallerIdentity" => json!({"api_key": {"id": KEY, "name": "booking page", "prefix": "rcpt_QdkSNMHQ",
            "scopes": ["appointments:read", "appointments:write"], "created_at": THEN},
            "business": {"id": BUSINESS, "name": "Salon Lumière"}}),
        "MailTestBody" => json!({"to": "owner@salon-lumiere.example"}),
        "MailTestResult" => {
            json!({"sent": true, "answer": "250 2.0.0 queued as 4711", "error": null, "duration_ms": 84})
        }
        "TakenMessage" => {
            json!({"id": MESSAGE, "call_id": CALL, "contact_id": CONTACT, "caller_name": "Ada Lovelace",
            "caller_phone": "+33612345680", "body": "Please send me a quotation.", "urgency": "normal",
            "staff_id": null, "status": "new", "created_at": THEN, "updated_at": THEN})
        }
        "NewContactBody" => json!({"name": "Ada Lovelace", "phone": "+33 6 12 34 56 80"}),
        "RescheduleBody" => json!({"starts_at": "2026-03-03T14:30:00Z"}),
        "Service" => json!({"id": SERVICE, "name": "Coupe", "description": "Shampooing, coupe, coiffage",
            "duration_minutes": 30, "created_at": THEN, "updated_at": THEN}),
        "Slot" => json!({"starts_at": "2026-03-02T09:00:00.000Z", "ends_at": "2026-03-02T09:30:00.000Z"}),
        "StaffMember" => json!({"id": STAFF, "name": "Camille", "active": true, "timezone": "Europe/Paris",
            "service_ids": [SERVICE], "created_at": THEN, "updated_at": THEN}),
        "Webhook" => webhook(),
        "NewWebhook" => {
            let mut created = webhook();
            created["secret"] = json!(SECRET);
            created
        }
        "WebhookBody" => json!({"url": "https://hooks.salon-lumiere.example/events",
            "events": ["appointment.booked", "appointment.cancelled"], "description": "booking page"}),
        "WebhookPatch" => json!({"status": "enabled"}),
        "WebhookTestBody" => json!({"type": "appointment.booked"}),
        "WebhookTestResult" => {
            json!({"event_id": APPOINTMENT, "type": "appointment.booked", "delivered": true, "response_status": 204,
            "error": null, "duration_ms": 87})
        }
        "ApiKey" => api_key(),
        "AuditEntry" => json!({"id": "019c8f3e-7777-7000-8a8a-7a7a7a7a7a7a", "at": THEN,
            "actor": {"type": "operator", "id": null}, "action": "service.updated", "resource_type": "service",
            "resource_id": SERVICE, "changes": [{"field": "duration_minutes", "from": 30, "to": 45}]}),
        "Budget" => {
            let kinds = BudgetKind::ALL.iter().map(|kind| {
                let used = json!({"rows_max": 1000, "bytes_max": 16_777_216, "rows": 12, "bytes": 4096});
                (kind.to_string(), used)
            });
            Value::Object(kinds.collect())
        }
        "BudgetPatch" => json!({"contacts": {"rows_max": 50_000}, "calls": {"bytes_max": null}}),
        "CallBody" => json!({"direction": "inbound", "status": "completed", "outcome": "message_taken",
            "from_number": "+33 6 12 34 56 80", "contact_name": "Ada Lovelace",
            "started_at": "2026-02-24T08:27:10Z", "ended_at": "2026-02-24T08:30:00Z", "locale": "fr",
            "summary": "Asks for a quotation."}),
        "Delivery" => {
            json!({"event_id": EVENT, "type": "appointment.booked", "status": "pending", "attempts": 1,
            "last_response_status": 503, "last_response_body": "try later", "last_error": null,
            "last_attempt_at": THEN, "next_attempt_at": "2026-02-24T08:30:30.000Z", "created_at": THEN})
        }
        "EndedBusiness" => json!({"id": BUSINESS}),
        "KeyBody" => json!({"name": "booking page", "scopes": ["appointments:read", "appointments:write"]}),
        "MessageBody" => json!({"caller_name": "Ada Lovelace", "caller_phone": "+33 6 12 34 56 80",
            "body": "Please send me a quotation."}),
        "KnowledgePatchBody" => json!({"title": "Parking and bicycles", "locale": null}),
        "MessagePatch" => json!({"status": "resolved", "staff_id": STAFF}),
        "NewApiKey" => with(
            api_key(),
            &json!({"created_by": {"type": "operator", "id": null, "name": null}, "key": "rcpt_QdkSNMHQ_4c6f72656d20697073756d20646f6c6f72"}),
        ),
        "NewBusinessBody" => json!({"name": "Salon Lumière", "timezone": "Europe/Paris", "locale": "fr",
            "hours": [{"day": "monday", "open": "09:00", "close": "18:00"}], "phone_region": "FR"}),
        "OperatorApiKey" => with(
            api_key(),
            &json!({"created_by": {"type": "person", "id": PERSON,
            "name": "Ada Lovelace"}, "last_used_at": THEN, "revoked_at": null}),
        ),
        "OperatorAppointment" => {
            with(example("Appointment").unwrap_or_default(), &json!({"notes": "Brings a dog"}))
        }
        "AppointmentPatchBody" => json!({"notes": "Brings a dog"}),
        "OperatorContact" => {
            with(example("Contact").unwrap_or_default(), &json!({"notes": "Prefers Camille"}))
        }
        "OperatorContactPatchBody" => json!({"notes": "Prefers Camille"}),
        "OperatorBusiness" => {
            let more = json!({"phone_region": "FR", "suspended": false,
                "breaks": [{"day": "monday", "from": "12:00", "to": "13:00"}]});
            with(example("Business").unwrap_or_default(), &more)
        }
        "OperatorBusinessChange" => affecting("OperatorBusiness"),
        "OperatorBusinessPatch" => json!({"booking_mode": "request", "suspended": false}),
        "OperatorService" => {
            let more = json!({"active": true, "buffer_before_minutes": 0, "buffer_after_minutes": 10,
                "min_notice_minutes": 120, "max_advance_days": 90, "price_cents": 4550, "currency": "EUR"});
            with(example("Service").unwrap_or_default(), &more)
        }
        "OperatorServiceChange" => affecting("OperatorService"),
        "OperatorStaffMember" => {
            let hours = json!({"hours": [{"day": "monday", "open": "09:00", "close": "13:00"}]});
            with(example("StaffMember").unwrap_or_default(), &hours)
        }
        "OperatorStaffMemberChange" => affecting("OperatorStaffMember"),
        "SpecialDay" => {
            json!({"date": "2026-12-24", "closed": false, "windows": [{"open": "09:00", "close": "12:00"}],
            "note": "Christmas Eve", "created_at": THEN, "updated_at": THEN})
        }
        "SpecialDayBody" => {
            json!({"windows": [{"open": "09:00", "close": "12:00"}], "note": "Christmas Eve"})
        }
        "SpecialDayChange" => affecting("SpecialDay"),
        "SpecialDayRemoved" => json!({"date": "2026-12-24", "affected": affected()}),
        "TimeOff" => json!({"id": "019c8f3e-abab-7000-8d8d-8d8d8d8d8d8d", "staff_id": STAFF,
            "starts_at": "2026-08-02T22:00:00.000Z", "ends_at": "2026-08-16T22:00:00.000Z", "note": "holiday",
            "created_at": THEN}),
        "TimeOffBody" => json!({"from": "2026-08-03", "to": "2026-08-16", "note": "holiday"}),
        "TimeOffChange" => affecting("TimeOff"),
        "OperatorWebhookPatch" => json!({"status": "enabled"}),
        "ResentDeliveries" => json!({"resent": 7}),
        "ResentDelivery" => json!({"event_id": EVENT}),
        "Retention" => {
            json!({"calls_days": 365, "messages_days": 365, "audit_days": 730, "appointments_days": null})
        }
        "RetentionPatch" => json!({"calls_days": 365, "appointments_days": null}),
        "ServiceBody" => json!({"name": "Coupe", "duration_minutes": 30}),
        "ServicePatch" => json!({"duration_minutes": 45, "max_advance_days": null}),
        "StaffBody" => json!({"name": "Camille", "service_ids": [SERVICE]}),
        "StaffPatch" => json!({"active": false}),
        "TeamBookBody" => json!({"service_id": SERVICE, "starts_at": "2026-03-02T10:00:00+01:00",
            "contact_id": CONTACT, "source": "dashboard"}),
        "TeamRescheduleBody" => json!({"starts_at": "2026-03-03T14:30:00Z"}),
        "LinkBody" => json!({"kind": "reset"}),
        "NewPerson" => with(
            person(),
            &json!({"link": LINK, "link_expires_at": "2026-03-03T08:30:00.000Z", "no_link_reason": null}),
        ),
        "Notifications" => {
            let kinds = AlertKind::ALL
                .iter()
                .map(|kind| (kind.to_string(), json!({"email": "now", "in_app": true, "scope": "all"})));
            Value::Object(kinds.collect())
        }
        "NotificationsPatch" => {
            json!({"message_taken": {"email": "daily"}, "call_missed": {"in_app": false}})
        }
        "Person" => person(),
        "PersonBody" => json!({"email": "ada@example.com", "name": "Ada Lovelace", "role": "admin"}),
        "PersonPatch" => json!({"role": "owner", "staff_id": null}),
        "SignInLink" => json!({"kind": "invitation", "link": LINK, "expires_at": "2026-03-03T08:30:00.000Z"}),
        "WebhookSecret" => json!({"secret": SECRET}),
        _ => return None,
    };
    Some(example)
}

/// The example of an event whose record has the schema `shown`.
pub(super) fn event(event: EventType, shown: &str) -> Value {
    let mut data = example(shown).unwrap_or_default();
    if event == EventType::AppointmentCancelled {
        data["status"] = json!("cancelled");
    }
    json!({"id": EVENT, "type": event, "api_version": "v1", "created_at": THEN, "business_id": BUSINESS, "data": data})
}

/// An example of a resource after a change that counts affected appointments.
fn affecting(resource: &str) -> Value {
    with(example(resource).unwrap_or_default(), &json!({"affected": affected()}))
}

fn affected() -> Value {
    json!({"count": 1, "ids": [APPOINTMENT]})
}

/// An example with additional properties.
fn with(mut example: Value, more: &Value) -> Value {
    if let (Value::Object(example), Value::Object(more)) = (&mut example, more) {
        example.extend(more.clone());
    }
    example
}

fn api_key() -> Value {
    json!({"id": KEY, "name": "booking page", "prefix": "rcpt_QdkSNMHQ",
        "scopes": ["appointments:read", "appointments:write"], "created_at": THEN})
}

fn person() -> Value {
    json!({"id": PERSON, "email": "ada@example.com", "name": "Ada Lovelace", "locale": "en", "role": "admin",
        "status": "invited", "staff_id": null, "created_at": THEN, "updated_at": THEN, "last_sign_in_at": null})
}

fn webhook() -> Value {
    json!({"id": "019c8f3e-4444-7000-9999-4f4f4f4f4f4f", "url": "https://hooks.salon-lumiere.example/events",
        "events": ["appointment.booked", "appointment.cancelled"], "description": "booking page", "status": "enabled",
        "disabled_reason": null, "disabled_at": null, "created_at": THEN, "updated_at": THEN})
}
