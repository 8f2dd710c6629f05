//! The parsers of value types in bodies and queries. This file contains the parsers of texts, ids and
//! enumerations.

pub(crate) mod grid;
pub(crate) mod phone;
pub(crate) mod search;
pub(crate) mod time;
pub(crate) mod web;

use std::str::FromStr;

use domain::{
    Address, AlertEmail, AlertScope, AllDay, AppointmentId, AppointmentStatus, Attendance, AttendanceFilter,
    BlockedTimeId, BookingMode, BusinessId, CalendarId, CalendarKind, CalendarSyncStatus, CallId,
    CallOutcome, CallStatus, Channel, ClockFormat, Color, ContactId, ConversationId, ConversationMode,
    ConversationStatus, Currency, CustomerWord, Day, DeliveryStatus, Direction, DisabledReason, EffectKind,
    EffectOn, Email, EmailConsent, EndedBy, EventId, EventType, FeedDetail, FeedId, GapId, GateRule,
    InputKind, InsightPeriod, KeyId, KnowledgeId, LocalTime, Locale, MailId, MessageId, MessageStatus, Named,
    NoticeChannel, NoticeKind, NoticeScope, NoticeStatus, PersonId, PersonName, ProblemCode, Refusal,
    ResourceId, Role, Scope, ServiceId, SiteOrigin, Slug, Source, Speaker, StaffId, Text, TextConsent,
    Timestamp, Urgency, WebhookId, WebhookStatus, WebhookUrl, WeekStart,
};

use crate::http::read::FromText;

impl<const MIN: usize, const MAX: usize> FromText for Text<MIN, MAX> {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Text::new(text.to_owned()).map_err(ProblemCode::from)
    }
}

/// Implements the reader of each value type with the parser of the type.
macro_rules! parsed {
    ($($type:ty: $parse:expr;)*) => {$(
        impl FromText for $type {
            fn from_text(text: &str) -> Result<Self, ProblemCode> {
                let parse = $parse;
                parse(text).map_err(ProblemCode::from)
            }
        }
    )*};
}

parsed! {
    PersonName: |text: &str| PersonName::new(text.to_owned());
    Address: Address::new;
    Email: Email::new;
    // The addresses of the host are checked later, when the endpoint is saved.
    WebhookUrl: WebhookUrl::parse;
    Slug: |text| Slug::new(text).ok_or(ProblemCode::NotASlug);
    SiteOrigin: |text| SiteOrigin::parse(text).ok_or(ProblemCode::NotAnOrigin);
    Color: |text| Color::parse(text).ok_or(ProblemCode::NotAColor);
    Currency: |text| Currency::parse(text).ok_or(ProblemCode::NotACurrency);
    Timestamp: |text| Timestamp::parse(text).map_err(|_| ProblemCode::NotAnInstant);
    LocalTime: |text| LocalTime::parse(text).ok_or(ProblemCode::NotALocalTime);
}

/// An id that a path can contain.
pub(crate) trait RecordId: ResourceId + FromStr + Send + 'static {
    /// The name of the path parameter.
    const PARAMETER: &'static str;
    const NAMED: Named;
    const NOT_FOUND: Refusal = Refusal::NotFound(Self::NAMED);
}

macro_rules! record_ids {
    ($($id:ty: $parameter:literal, $named:ident;)*) => {$(
        impl RecordId for $id {
            const PARAMETER: &'static str = $parameter;
            const NAMED: Named = Named::$named;
        }
    )*};
}

record_ids! {
    AppointmentId: "appointment_id", Appointment;
    // Only handlers that accept an unknown business take `Path<BusinessId>`. Other handlers take `Business`.
    BusinessId: "business_id", Business;
    CalendarId: "calendar_id", Calendar;
    CallId: "call_id", Call;
    ContactId: "contact_id", Contact;
    ConversationId: "conversation_id", Conversation;
    KnowledgeId: "knowledge_id", Knowledge;
    // The path of a delivery contains two ids: first the id of its endpoint, then the id of its event.
    EventId: "event_id", Delivery;
    FeedId: "feed_id", Feed;
    GapId: "gap_id", Gap;
    KeyId: "key_id", ApiKey;
    MailId: "notice_id", Notice;
    MessageId: "message_id", Message;
    PersonId: "person_id", Person;
    ServiceId: "service_id", Service;
    StaffId: "staff_id", Staff;
    BlockedTimeId: "time_off_id", TimeOff;
    WebhookId: "webhook_id", Webhook;
}

macro_rules! ids_from_text {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {$(
        impl FromText for domain::$id {
            fn from_text(text: &str) -> Result<Self, ProblemCode> {
                text.parse().map_err(|_| ProblemCode::NotAUuid)
            }
        }
    )*};
}

domain::each_id!(ids_from_text);

macro_rules! words_from_text {
    ($($words:ty),* $(,)?) => {$(
        impl FromText for $words {
            fn from_text(text: &str) -> Result<Self, ProblemCode> {
                Self::from_word(text).ok_or_else(|| {
                    ProblemCode::OneOf(Self::ALL.iter().map(|word| word.as_str()).collect())
                })
            }
        }
    )*};
}

words_from_text!(
    Channel,
    ConversationStatus,
    ConversationMode,
    EndedBy,
    Speaker,
    InputKind,
    EffectKind,
    EffectOn,
    GateRule,
    EmailConsent,
    AllDay,
    CalendarKind,
    FeedDetail,
    TextConsent,
    NoticeChannel,
    NoticeKind,
    NoticeStatus,
    AlertEmail,
    AlertScope,
    Role,
    DeliveryStatus,
    WebhookStatus,
    AppointmentStatus,
    Attendance,
    AttendanceFilter,
    BookingMode,
    CalendarSyncStatus,
    CallOutcome,
    CallStatus,
    ClockFormat,
    CustomerWord,
    Day,
    Direction,
    DisabledReason,
    EventType,
    InsightPeriod,
    Locale,
    MessageStatus,
    NoticeScope,
    Scope,
    Source,
    Urgency,
    WeekStart
);

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: FromText>(text: &str) -> Result<T, ProblemCode> {
        T::from_text(text)
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_known_words() {
        assert_eq!(text("request"), Ok(BookingMode::Request));
        let words = vec!["instant", "request", "off"];
        assert_eq!(text::<BookingMode>("Request").unwrap_err(), ProblemCode::OneOf(words));
    }
}
