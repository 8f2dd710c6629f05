//! The types and rules of the domain: businesses, availability, appointments, contacts, people, keys.
//!
//! The rules are pure functions. A rule takes the state, a request, the current instant and new ids. It
//! returns the new state and the events to announce, or a [`Refusal`]. Invariants:
//!
//! - no input or output, clock, randomness or async code; the only crates are std, serde, chrono, chrono-tz,
//!   uuid, sha2 for the ids of memberships, url, http and ipnet for [`WebhookUrl`], and schemars in [`schema`];
//! - request types ([`Text`], [`Phone`], [`WeeklyHours`] …) have one constructor each, so rules receive valid
//!   values;
//! - an instant is a [`Timestamp`] in whole milliseconds of UTC; local time exists only in `calendar` and
//!   `wall`.

mod address;
mod alert;
mod alerting;
mod appointment;
mod attempt;
mod audit;
pub mod availability;
mod blocked;
pub mod booking;
mod budget;
mod budget_kind;
mod business;
mod busy;
mod calendar;
mod call;
mod catalog;
mod contact;
mod day;
pub mod diary;
mod event;
mod hours;
mod ids;
mod key;
mod knowledge;
mod link;
mod linking;
mod mail;
mod membership;
mod message;
mod password;
mod person;
mod problem;
mod public;
mod refusal;
mod retention;
mod role;
pub mod schema;
mod spans;
mod special;
mod taker;
mod text;
mod time;
mod wall;
mod webhook;
mod webhook_url;
mod words;

pub use address::{Address, fold_address};
pub use alert::{AlertChoice, AlertChoices, AlertEmail, AlertKind, AlertScope, AlertSetting, default_alert};
pub use alerting::{ALERTS_KEPT, Alert, AlertTrigger, AlertsRead};
pub use appointment::{Appointment, AppointmentStatus, CalendarSyncStatus, Source};
pub use attempt::{AttemptError, AttemptFailure};
pub use audit::{Actor, AuditAction, AuditEntry, AuditedKind, FieldChange};
pub use blocked::{BLOCKED_MAX, BLOCKED_PER_STAFF_MAX, Blocked, BlockedKey, BlockedSource, BlockedTime};
pub use budget::{Amount, BUDGET_MAX, Budget, Limit, Usage};
pub use budget_kind::BudgetKind;
pub use business::{BookingMode, Business, Locale};
pub use busy::{Busy, BusyCursor, BusyQuery, Clash, Hold};
pub use calendar::{Calendar, Timeline, day_bounds, next_at};
pub use call::{CallDetails, CallOutcome, CallRecord, CallStatus, Direction};
pub use catalog::{
    BUFFER_MINUTES_MAX, Buffers, Currency, MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, PRICE_CENTS_MAX, Price,
    SERVICE_MINUTES, Service, StaffMember,
};
pub use contact::{Contact, ContactDetails, ContactPatch, check_unique, fold_name};
pub use day::Day;
pub use event::EventType;
pub use hours::{
    DayHours, DayWindows, HoursProblem, LocalTime, LocalWindow, StaffHours, Week, WeeklyBreaks, WeeklyHours,
};
pub use ids::{
    AlertId, AppointmentId, AuditId, BackupId, BlockedTimeId, BusinessId, CallId, ContactId, ErasureId,
    EventId, IdMint, KeyId, KnowledgeId, MailId, MembershipId, MessageId, PersonId, ResourceId, ServiceId,
    SessionId, StaffId, WebhookId,
};
pub use key::{ApiKey, KeyCreator, Scope, Scopes};
pub use knowledge::{Knowledge, KnowledgeDetails, KnowledgePatch};
pub use link::{Link, LinkChannel, LinkKind};
pub use mail::{ABOUT_MAX, About, Mail, MailError, MailFault, MailKind, MailStatus, Subscription};
pub use membership::{
    Editor, Membership, MembershipPatch, MembershipStatus, Offer, PEOPLE_MAX, Team, check_membership,
    check_people, patched,
};
pub use message::{MessageDetails, MessageStatus, TakenMessage, Urgency};
pub use password::PasswordHint;
pub use person::{
    Begin, Client, Person, SESSIONS_MAX, Session, USE_WRITTEN_AFTER, USER_AGENT_CHARS_MAX, check_password_at,
};
pub use problem::{DirFault, ImportProblem, Named, Problem, ProblemCode, UrlRefusal, UsedBy, Wait};
pub use public::is_public;
pub use refusal::{Amendment, Conflict, Denied, Refusal, SlotReason, UnderWay};
pub use retention::{AUDIT_DAYS_MIN, RETENTION_DAYS, Retention, RetentionSet};
pub use role::{Access, Right, Role};
pub use spans::Spans;
pub use special::{SPECIAL_DAYS_MAX, SpecialDay, SpecialDays};
pub use text::{Email, PersonName, Phone, Text, TextError};
pub use time::{SteadyTime, Timestamp, TimestampError};
pub use webhook::{
    Delivery, DeliveryStatus, DisabledReason, ENDPOINTS_MAX, EventTypes, WebhookEndpoint, WebhookSecret,
    WebhookStatus,
};
pub use webhook_url::{Host, NOT_PUBLIC, WebhookUrl};
