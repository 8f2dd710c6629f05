//! The schemas of what stands in the views: words from their own tables, ids, instants and times of day. A type of
//! the domain that a view shows is listed here once, or the view's own schema does not compile.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::domain::{
    AppointmentId, AppointmentStatus, AuditId, BackupId, BookingMode, BusinessId, CalendarSyncStatus, CallId,
    CallOutcome, CallStatus, ContactId, Day, DeliveryStatus, Direction, DisabledReason, EventId, EventType,
    KeyId, KnowledgeId, LocalTime, Locale, MessageId, MessageStatus, Scope, ServiceId, Source, StaffId,
    Timestamp, Urgency, WebhookId, WebhookStatus,
};

/// A local time of day as the API writes it, as a regular expression.
pub const LOCAL_TIME_PATTERN: &str = "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$";

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::String))
}

fn formatted(format: &str) -> RefOr<Schema> {
    text().format(Some(SchemaFormat::Custom(format.into()))).build().into()
}

macro_rules! words {
    ($($words:ty),* $(,)?) => {$(
        impl PartialSchema for $words {
            fn schema() -> RefOr<Schema> {
                text().enum_values(Some(Self::ALL.iter().map(|word| word.as_str()))).build().into()
            }
        }

        impl ToSchema for $words {}
    )*};
}

words!(
    DeliveryStatus,
    DisabledReason,
    WebhookStatus,
    AppointmentStatus,
    BookingMode,
    CalendarSyncStatus,
    CallOutcome,
    CallStatus,
    Day,
    Direction,
    EventType,
    Locale,
    MessageStatus,
    Scope,
    Source,
    Urgency,
);

macro_rules! ids {
    ($($id:ty),* $(,)?) => {$(
        impl PartialSchema for $id {
            fn schema() -> RefOr<Schema> {
                formatted("uuid")
            }
        }

        impl ToSchema for $id {}
    )*};
}

ids!(
    BackupId,
    WebhookId,
    AppointmentId,
    AuditId,
    BusinessId,
    CallId,
    ContactId,
    EventId,
    KeyId,
    KnowledgeId,
    MessageId,
    ServiceId,
    StaffId,
);

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        formatted("date-time")
    }
}

impl ToSchema for Timestamp {}

impl PartialSchema for LocalTime {
    fn schema() -> RefOr<Schema> {
        text().pattern(Some(LOCAL_TIME_PATTERN)).build().into()
    }
}

impl ToSchema for LocalTime {}

/// Any JSON value.
pub struct Anything;

impl PartialSchema for Anything {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into()
    }
}

impl ToSchema for Anything {}
