//! The exact fields of every resource, and their types.

use hyper::Method;

use super::fields::Kind::{
    self, Attempts, Bool, Breaks, Changes, Events, Hours, Instant, Object, Objects, OneOf, OptHours,
    OptInstant, OptObject, OptText, OptUuid, OptWhole, Scopes, Text, Texts, Uuid, Uuids, Whole, Wholes,
    Windows,
};
use super::fields::Shape;

const CREATED: (&str, Kind) = ("created_at", Instant);
const UPDATED: (&str, Kind) = ("updated_at", Instant);
/// The field in the response to a change. It lists the appointments that are now outside the bookable times.
const AFFECTED: (&str, Kind) = ("affected", Object(&[("count", Whole), ("ids", Uuids)]));

macro_rules! business {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("name", Text),
            ("timezone", Text),
            ("locale", OneOf(&["en", "fr"])),
            ("website_url", OptText),
            ("booking_mode", OneOf(&["instant", "request", "off"])),
            ("hours", Hours),
            CREATED,
            UPDATED,
            $($more),*
        ]
    };
}

macro_rules! service {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("name", Text),
            ("description", Text),
            ("duration_minutes", Whole),
            CREATED,
            UPDATED,
            $($more),*
        ]
    };
}

macro_rules! operator_service {
    ($($more:expr),*) => {
        service!(
            ("active", Bool),
            ("buffer_before_minutes", Whole),
            ("buffer_after_minutes", Whole),
            ("min_notice_minutes", Whole),
            ("max_advance_days", OptWhole),
            ("price_cents", OptWhole),
            ("currency", OptText),
            ("category", OptText),
            ("position", Whole),
            ("color", OptWhole)
            $(, $more)*
        )
    };
}

macro_rules! staff {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("name", Text),
            ("active", Bool),
            ("timezone", Text),
            ("service_ids", Uuids),
            CREATED,
            UPDATED,
            $($more),*
        ]
    };
}

macro_rules! special_day {
    ($($more:expr),*) => {
        &[
            ("date", Text),
            ("closed", Bool),
            ("windows", Windows),
            ("note", OptText),
            CREATED,
            UPDATED,
            $($more),*
        ]
    };
}

macro_rules! time_off {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("staff_id", Uuid),
            ("starts_at", Instant),
            ("ends_at", Instant),
            ("note", OptText),
            CREATED,
            $($more),*
        ]
    };
}

macro_rules! key {
    ($($more:expr),*) => {
        &[("id", Uuid), ("name", Text), ("prefix", Text), ("scopes", Scopes), CREATED, $($more),*]
    };
}

macro_rules! appointment {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("status", OneOf(&["pending", "confirmed", "declined", "cancelled"])),
            ("starts_at", Instant),
            ("ends_at", Instant),
            ("timezone", Text),
            ("service_id", Uuid),
            ("service_name", Text),
            ("staff_id", Uuid),
            ("staff_name", Text),
            ("contact_id", OptUuid),
            ("contact_name", OptText),
            ("contact_phone", OptText),
            ("source", OneOf(&["voice", "sms", "website", "dashboard", "api", "mcp"])),
            ("calendar_sync_status", OneOf(&["not_connected", "pending", "synced", "failed"])),
            CREATED,
            UPDATED,
            $($more,)*
        ]
    };
}

macro_rules! contact {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("name", OptText),
            ("phone", OptText),
            ("email", OptText),
            ("locale", OptText),
            ("timezone", OptText),
            CREATED,
            UPDATED,
            $($more,)*
        ]
    };
}

const BUSINESS: Shape = business!();
macro_rules! operator_business {
    ($($more:expr),*) => {
        business!(
            ("phone_region", Text),
            ("suspended", Bool),
            ("breaks", Breaks),
            ("customer_word", OneOf(&["client", "patient", "guest"])),
            ("grid_minutes", Whole)
            $(, $more)*
        )
    };
}

const OPERATOR_BUSINESS: Shape = operator_business!();
const CHANGED_BUSINESS: Shape = operator_business!(AFFECTED);
const SERVICE: Shape = service!();
const OPERATOR_SERVICE: Shape = operator_service!();
const CHANGED_SERVICE: Shape = operator_service!(AFFECTED);
const STAFF: Shape = staff!();
const OPERATOR_STAFF: Shape = staff!(("hours", OptHours), ("position", Whole), ("color", OptWhole));
const CHANGED_STAFF: Shape = staff!(("hours", OptHours), ("position", Whole), ("color", OptWhole), AFFECTED);
const SERVICE_STAFF: Shape = &[("service_id", Uuid), ("staff_ids", Uuids), AFFECTED];
const SPECIAL_DAY: Shape = special_day!();
const CHANGED_SPECIAL_DAY: Shape = special_day!(AFFECTED);
const TIME_OFF: Shape = time_off!();
const NEW_TIME_OFF: Shape = time_off!(AFFECTED);
const APPOINTMENT: Shape = appointment!();
const OPERATOR_APPOINTMENT: Shape = appointment!(
    ("notes", OptText),
    ("customer_note", OptText),
    ("booked_as", OptObject(BOOKED_AS)),
    ("attendance", OptText)
);
const LOCALE: (&str, Kind) = ("locale", OneOf(&["en", "fr"]));
const BOOKED_AS: Shape =
    &[("name", OptText), ("phone", OptText), ("email", OptText), LOCALE, ("texts", Bool)];
const CONTACT: Shape = contact!();
const OPERATOR_CONTACT: Shape = contact!(("notes", OptText), ("alert", OptText));
const CONTACT_WITH_VISITS: Shape =
    contact!(("notes", OptText), ("alert", OptText), ("visits", Object(VISITS)));
const VISITS: Shape = &[
    ("next_at", OptInstant),
    ("last_at", OptInstant),
    ("confirmed", Whole),
    ("cancelled", Whole),
    ("no_show", Whole),
    ("usual_service_id", OptUuid),
    ("usual_staff_id", OptUuid),
];
const CONTACTS_IMPORTED: Shape = &[
    ("created", Whole),
    (
        "skipped",
        Objects(&[
            ("line", Whole),
            ("reason", OneOf(&["phone_exists", "email_exists", "phone_repeated", "email_repeated"])),
        ]),
    ),
];
const INSIGHTS: Shape = &[
    ("from", Text),
    ("to", Text),
    ("by", OneOf(&["week", "month"])),
    ("timezone", Text),
    ("periods", Objects(PERIOD)),
];
const PERIOD: Shape = &[
    ("from", Text),
    ("to", Text),
    ("bookings", Whole),
    ("cancellations", Whole),
    ("no_shows", Whole),
    ("new_customers", Whole),
    ("returning_customers", Whole),
    ("unknown_customers", Whole),
    ("lead_time_minutes", OptWhole),
    ("calls", Whole),
    ("calls_answered", Whole),
    ("calls_converted", Whole),
    (
        "staff",
        Objects(&[
            ("staff_id", Uuid),
            ("staff_name", Text),
            ("booked_minutes", Whole),
            ("utilisation", OptWhole),
        ]),
    ),
];
macro_rules! call {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("direction", OneOf(&["inbound", "outbound"])),
            ("status", OneOf(&["completed", "missed", "failed"])),
            ("outcome", OneOf(&super::OUTCOMES)),
            ("from_number", OptText),
            ("to_number", OptText),
            ("contact_id", OptUuid),
            ("contact_name", OptText),
            ("started_at", Instant),
            ("ended_at", Instant),
            ("duration_seconds", Whole),
            ("locale", OptText),
            ("summary", OptText),
            ("recording_url", OptText),
            ("appointment_id", OptUuid),
            ("message_id", OptUuid),
            CREATED,
            UPDATED,
            $($more,)*
        ]
    };
}

macro_rules! message {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("call_id", OptUuid),
            ("contact_id", OptUuid),
            ("caller_name", OptText),
            ("caller_phone", OptText),
            ("body", Text),
            ("urgency", OneOf(&["normal", "urgent"])),
            ("staff_id", OptUuid),
            ("status", OneOf(&["new", "read", "resolved"])),
            CREATED,
            UPDATED,
            $($more,)*
        ]
    };
}

const CALL: Shape = call!();
const OPERATOR_CALL: Shape = call!(("handled_at", OptInstant));
const MESSAGE: Shape = message!();
const OPERATOR_MESSAGE: Shape = message!(("notes", OptText), ("snoozed_until", OptInstant));
const KNOWLEDGE: Shape = &[
    ("id", Uuid),
    ("title", Text),
    ("content", Text),
    ("source_url", OptText),
    ("locale", OptText),
    CREATED,
    UPDATED,
];
const SLOT: Shape = &[("starts_at", Instant), ("ends_at", Instant)];
const KEY: Shape = key!();
const LISTED_KEY: Shape =
    key!(("created_by", CREATED_BY), ("last_used_at", OptInstant), ("revoked_at", OptInstant));
const CREATED_BY: Kind =
    Object(&[("type", OneOf(&["operator", "person"])), ("id", OptUuid), ("name", OptText)]);
const NEW_KEY: Shape = key!(("created_by", CREATED_BY), ("key", OptText));
const DETAIL: Kind = OneOf(&["times", "services", "contacts"]);
const NEW_FEED: Shape = &[
    ("id", Uuid),
    ("staff_id", OptUuid),
    ("detail", DETAIL),
    ("created_by", CREATED_BY),
    CREATED,
    ("url", OptText),
];
const LISTED_FEED: Shape = &[
    ("id", Uuid),
    ("staff_id", OptUuid),
    ("detail", DETAIL),
    ("created_by", CREATED_BY),
    CREATED,
    ("last_fetched_at", OptInstant),
    ("revoked_at", OptInstant),
];
const CALENDAR_APPOINTMENT: Shape = &[
    ("appointment_id", Uuid),
    ("status", OneOf(&["pending", "synced", "failed"])),
    ("reason", OptText),
    ("attempts", Whole),
    ("next_attempt_at", OptInstant),
    ("event_starts_at", OptInstant),
    ("event_ends_at", OptInstant),
];
const CALENDAR: Shape = &[
    ("id", Uuid),
    ("staff_id", Uuid),
    ("name", Text),
    ("kind", OneOf(&["caldav", "ics"])),
    ("host", Text),
    ("username", OptText),
    ("calendar", OptText),
    ("busy", Bool),
    ("write", Bool),
    ("detail", DETAIL),
    ("all_day", OneOf(&["busy", "free"])),
    ("own_addresses", Texts),
    ("created_by", CREATED_BY),
    CREATED,
    UPDATED,
    ("status", OneOf(&["connecting", "connected", "failing", "stopped", "disconnecting"])),
    ("last_read_at", OptInstant),
    ("last_attempt_at", OptInstant),
    ("error", OptObject(&[("code", Text), ("message", Text)])),
    ("events", Whole),
    ("unreadable_events", Whole),
    ("warnings", Texts),
];
const ME: Shape = &[("api_key", Object(KEY)), ("business", Object(&[("id", Uuid), ("name", Text)]))];
const ACTOR: Shape = &[
    ("type", OneOf(&["api_key", "operator", "person", "system", "customer", "receptionist"])),
    ("id", OptUuid),
];
const AUDIT: Shape = &[
    ("id", Uuid),
    ("at", Instant),
    ("actor", Object(ACTOR)),
    ("action", Text),
    ("resource_type", Text),
    ("resource_id", Uuid),
    ("changes", Changes),
];
macro_rules! webhook {
    ($($more:expr),*) => {
        &[
            ("id", Uuid),
            ("url", Text),
            ("events", Events),
            ("description", Text),
            ("status", OneOf(&["enabled", "disabled"])),
            ("disabled_reason", OptText),
            ("disabled_at", OptInstant),
            CREATED,
            UPDATED,
            $($more),*
        ]
    };
}

const WEBHOOK: Shape = webhook!();
const OPERATOR_WEBHOOK: Shape = webhook!(("failing_since", OptInstant));
const NEW_WEBHOOK: Shape = webhook!(("secret", Text));
/// The response to a repeated request contains no secret, so `secret` is optional.
const OPERATOR_NEW_WEBHOOK: Shape = webhook!(("secret", OptText));
const TESTED: Shape = &[
    ("event_id", Uuid),
    ("type", Text),
    ("delivered", Bool),
    ("response_status", OptWhole),
    ("error", OptText),
    ("duration_ms", Whole),
];
const DELIVERY: Shape = &[
    ("event_id", Uuid),
    ("type", Text),
    ("status", OneOf(&["pending", "delivered", "failed", "missed"])),
    ("attempts_made", Whole),
    ("attempts", Attempts),
    ("last_response_status", OptWhole),
    ("last_response_body", OptText),
    ("last_error", OptText),
    ("last_attempt_at", OptInstant),
    ("next_attempt_at", OptInstant),
    CREATED,
];
const USED: Kind = Object(&[("rows_max", Whole), ("bytes_max", Whole), ("rows", Whole), ("bytes", Whole)]);
const BUDGET: Shape = &[
    ("services", USED),
    ("staff", USED),
    ("keys", USED),
    ("contacts", USED),
    ("appointments", USED),
    ("calls", USED),
    ("messages", USED),
    ("knowledge", USED),
    ("waiting_deliveries", USED),
    ("waiting_notices", USED),
    ("conversations", USED),
];
const NOTIFICATION: Kind = Object(&[
    ("email", OneOf(&["now", "daily", "off"])),
    ("in_app", Bool),
    ("scope", OneOf(&["all", "mine"])),
]);
const NOTIFICATIONS: Shape = &[
    ("webhook_disabled", NOTIFICATION),
    ("urgent_message", NOTIFICATION),
    ("message_taken", NOTIFICATION),
    ("appointment_requested", NOTIFICATION),
    ("appointment_booked", NOTIFICATION),
    ("appointment_rescheduled", NOTIFICATION),
    ("appointment_cancelled", NOTIFICATION),
    ("call_missed", NOTIFICATION),
    ("webhook_failing", NOTIFICATION),
    ("calendar_failed", NOTIFICATION),
    ("calendar_event_changed", NOTIFICATION),
];
const PERSON: Shape = &[
    ("id", Uuid),
    ("email", Text),
    ("name", Text),
    ("locale", OneOf(&["en", "fr"])),
    ("role", OneOf(&["owner", "admin", "member"])),
    ("status", OneOf(&["invited", "active", "disabled"])),
    ("staff_id", OptUuid),
    ("created_at", Instant),
    ("updated_at", Instant),
    ("last_sign_in_at", OptInstant),
    ("clock", OneOf(&["auto", "12", "24"])),
    ("week_start", OneOf(&["auto", "monday", "sunday", "saturday"])),
];
const NEW_PERSON: Shape = &[
    ("id", Uuid),
    ("email", Text),
    ("name", Text),
    ("locale", OneOf(&["en", "fr"])),
    ("role", OneOf(&["owner", "admin", "member"])),
    ("status", OneOf(&["invited", "active", "disabled"])),
    ("staff_id", OptUuid),
    ("created_at", Instant),
    ("updated_at", Instant),
    ("last_sign_in_at", OptInstant),
    ("clock", OneOf(&["auto", "12", "24"])),
    ("week_start", OneOf(&["auto", "monday", "sunday", "saturday"])),
    ("link", OptText),
    ("link_expires_at", OptInstant),
    ("no_link_reason", OptText),
];
const LINK: Shape =
    &[("kind", OneOf(&["invitation", "reset", "enter"])), ("link", OptText), ("expires_at", Instant)];
const MANIFEST: Shape = &[
    ("format", Whole),
    ("version", Text),
    ("sequence", Whole),
    ("taken_at", Instant),
    ("rows", Whole),
    ("bytes", Whole),
    ("chunks", Whole),
    ("sha256", Text),
];
const BACKUP: Shape = &[
    ("id", Uuid),
    ("status", OneOf(&["running", "done", "failed"])),
    ("to", Text),
    ("rows", Whole),
    ("bytes", Whole),
    ("started_at", Instant),
    ("ended_at", OptInstant),
    ("error", OptText),
    ("manifest", OptObject(MANIFEST)),
];

const MAIL_TEST: Shape = &[("sent", Bool), ("answer", OptText), ("error", OptText), ("duration_ms", Whole)];
const IMPORTED: Shape = &[
    ("businesses", Whole),
    ("records", Whole),
    ("exported_at", Instant),
    ("dry_run", Bool),
    ("lost_slugs", Texts),
];

/// The fields of a successful response of this endpoint.
pub(super) fn of(method: &Method, path: &str) -> Shape {
    let path = path.split('?').next().unwrap_or(path);
    if path == "/admin/v1/audit" {
        return AUDIT;
    }
    if path.starts_with("/admin/v1/backup") {
        return if method == Method::POST { &[("id", Uuid)] } else { BACKUP };
    }
    if path == "/admin/v1/mail/test" {
        return MAIL_TEST;
    }
    if path == "/admin/v1/import" {
        return IMPORTED;
    }
    let operator = path.strip_prefix("/admin/v1/businesses");
    let rest = match operator {
        Some(rest) => rest.split('/').nth(2).unwrap_or_default(),
        None => path.split('/').nth(2).unwrap_or_default(),
    };
    let changes = method == Method::PATCH;
    match (rest, operator.is_some()) {
        ("", true) if method == Method::DELETE => &[("id", Uuid)],
        ("", true) if changes => CHANGED_BUSINESS,
        ("", true) => OPERATOR_BUSINESS,
        ("retention", true) => RETENTION,
        ("search", true) => FOUND,
        ("website", true) => WEBSITE,
        ("notices", true) if path.contains("/log") => NOTICE,
        ("contacts", true) if path.ends_with("/consent") => CONSENT,
        ("notices", true) => NOTICES,
        ("receptionist", true) if path.ends_with("/gaps") => GAP,
        ("receptionist", true) => RECEPTIONIST,
        ("conversations", true) if method == Method::POST && path.ends_with("/conversations") => TURNS_TAKEN,
        ("conversations", true) if path.ends_with("/turns") => TURNS_TAKEN,
        ("conversations", true) if path.ends_with("/conversations") => CONVERSATION,
        ("conversations", true) => CONVERSATION_WITH_TURNS,
        ("services", true) if changes => CHANGED_SERVICE,
        ("services", true) if path.ends_with("/staff") => SERVICE_STAFF,
        ("staff", true) if path.ends_with("/time-off") && method == Method::POST => NEW_TIME_OFF,
        ("staff", true) if path.ends_with("/time-off") => TIME_OFF,
        ("staff", true) if changes => CHANGED_STAFF,
        ("staff", true) => OPERATOR_STAFF,
        ("special-days", true) if method == Method::PUT => CHANGED_SPECIAL_DAY,
        ("special-days", true) if method == Method::DELETE => &[("date", Text), AFFECTED],
        ("special-days", true) => SPECIAL_DAY,
        ("me", false) => ME,
        ("business", false) => BUSINESS,
        ("services", true) => OPERATOR_SERVICE,
        ("services", false) => SERVICE,
        ("staff", _) => STAFF,
        ("availability", _) => SLOT,
        ("appointments", true) => OPERATOR_APPOINTMENT,
        ("appointments", false) => APPOINTMENT,
        ("contacts", true) if method == Method::GET && !path.ends_with("/contacts") => CONTACT_WITH_VISITS,
        ("insights", true) => INSIGHTS,
        ("contacts", true) if path.ends_with("/import") => CONTACTS_IMPORTED,
        ("contacts", true) => OPERATOR_CONTACT,
        ("contacts", false) => CONTACT,
        ("calls", true) => OPERATOR_CALL,
        ("calls", false) => CALL,
        ("messages", true) => OPERATOR_MESSAGE,
        ("messages", false) => MESSAGE,
        ("knowledge", _) => KNOWLEDGE,
        ("keys", true) if method == Method::POST => NEW_KEY,
        ("keys", true) => LISTED_KEY,
        ("feeds", true) if method == Method::POST => NEW_FEED,
        ("feeds", true) => LISTED_FEED,
        ("calendars", true) if path.contains("/appointments") => CALENDAR_APPOINTMENT,
        ("calendars", true) => CALENDAR,
        ("webhooks", _) if path.ends_with("/test") => TESTED,
        ("webhooks", _) if path.ends_with("/deliveries") => DELIVERY,
        ("webhooks", _) if path.ends_with("/resend") || path.ends_with("/try-now") => &[("event_id", Uuid)],
        ("webhooks", _) if path.ends_with("/resend-missed") => &[("resent", Whole)],
        ("webhooks", _) if path.ends_with("/rotate-secret") => &[("secret", OptText)],
        ("webhooks", true) if method == Method::POST && path.ends_with("/webhooks") => OPERATOR_NEW_WEBHOOK,
        ("webhooks", false) if method == Method::POST && path.ends_with("/webhooks") => NEW_WEBHOOK,
        ("webhooks", true) if method == Method::GET => OPERATOR_WEBHOOK,
        ("webhooks", _) => WEBHOOK,
        ("people", true) if path.ends_with("/link") => LINK,
        ("people", true) if path.ends_with("/notifications") => NOTIFICATIONS,
        ("people", true) if method == Method::POST => NEW_PERSON,
        ("people", true) => PERSON,
        ("budget", true) => BUDGET,
        ("audit", true) => AUDIT,
        _ => panic!("no fields are defined for {method} {path}"),
    }
}

const FOUND: Shape = &[
    ("kind", OneOf(&["contact", "appointment", "call", "message"])),
    ("id", Uuid),
    ("title", Text),
    ("subtitle", Text),
    ("at", OptInstant),
];

const RETENTION: Shape = &[
    ("calls_days", OptWhole),
    ("messages_days", OptWhole),
    ("audit_days", OptWhole),
    ("appointments_days", OptWhole),
];

const RECEPTIONIST: Shape = &[
    ("channels", Object(&[("voice", Bool), ("sms", Bool), ("website", Bool)])),
    ("greeting", Object(&[("en", OptText), ("fr", OptText)])),
    ("instructions", OptText),
    ("handoff_number", OptText),
    ("team_first_seconds", Whole),
    ("blocked_numbers", Texts),
    ("knowledge_public", Bool),
    ("tokens_per_day", Whole),
];
const GAP: Shape =
    &[("id", Uuid), ("question", Text), ("asked_at", Instant), ("count", Whole), ("conversation_id", Uuid)];
const TURN: Shape = &[
    ("seq", Whole),
    ("at", Instant),
    ("by", OneOf(&["caller", "receptionist", "team"])),
    ("input", OptText),
    ("text", Text),
    ("heard", OptText),
    ("effects", Objects(&[("kind", Text), ("resource_type", OptText), ("resource_id", OptUuid)])),
    ("dropped", Objects(&[("rule", Text), ("text", Text)])),
];
const TURNS_TAKEN: Shape = &[
    ("id", Uuid),
    ("turns", Objects(TURN)),
    ("choices", Objects(&[("id", Text), ("label", Text)])),
    ("ended", Bool),
];
const CONVERSATION: Shape = &[
    ("id", Uuid),
    ("channel", OneOf(&["voice", "sms", "website", "assistant"])),
    ("status", OneOf(&["open", "ended"])),
    ("mode", OneOf(&["model", "guided"])),
    ("locale", OneOf(&["en", "fr"])),
    ("contact_id", OptUuid),
    ("from", OptText),
    ("to", OptText),
    ("verified", Bool),
    ("started_at", Instant),
    ("ended_at", OptInstant),
    ("ended_by", OptText),
    ("outcome", OptText),
    ("summary", OptText),
    ("call_id", OptUuid),
    ("appointment_ids", Uuids),
    ("message_ids", Uuids),
    ("turn_count", Whole),
    ("created_at", Instant),
    ("updated_at", Instant),
];
const CONVERSATION_WITH_TURNS: Shape = &[
    ("id", Uuid),
    ("channel", OneOf(&["voice", "sms", "website", "assistant"])),
    ("status", OneOf(&["open", "ended"])),
    ("mode", OneOf(&["model", "guided"])),
    ("locale", OneOf(&["en", "fr"])),
    ("contact_id", OptUuid),
    ("from", OptText),
    ("to", OptText),
    ("verified", Bool),
    ("started_at", Instant),
    ("ended_at", OptInstant),
    ("ended_by", OptText),
    ("outcome", OptText),
    ("summary", OptText),
    ("call_id", OptUuid),
    ("appointment_ids", Uuids),
    ("message_ids", Uuids),
    ("turn_count", Whole),
    ("created_at", Instant),
    ("updated_at", Instant),
    ("turns", Objects(TURN)),
];

const WEBSITE: Shape = &[
    ("enabled", Bool),
    ("slug", OptText),
    ("url", OptText),
    ("origins", Texts),
    ("color", OptText),
    ("phone", OptText),
    ("email", OptText),
    ("address", OptText),
    ("change_by_caller", Bool),
    ("change_notice_minutes", OptWhole),
    ("show_prices", Bool),
];
const NOTICE: Shape = &[
    ("id", Uuid),
    ("appointment_id", Uuid),
    ("kind", OneOf(&["requested", "confirmed", "moved", "cancelled", "declined", "reminder"])),
    ("channel", OneOf(&["email", "text"])),
    ("to", OptText),
    ("status", OneOf(&["waiting", "sent", "failed", "dropped"])),
    ("reason", OptText),
    ("attempts", Whole),
    ("last_error", OptText),
    ("next_attempt_at", OptInstant),
    ("created_at", Instant),
    ("updated_at", Instant),
];
const CONSENT: Shape = &[("email", OptText), ("texts", OptText)];
const SCOPE: Kind = OneOf(&["off", "online", "all"]);
const NOTICES: Shape = &[("email", SCOPE), ("text", SCOPE), ("reminder_hours", Wholes)];
