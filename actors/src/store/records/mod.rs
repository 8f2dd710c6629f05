//! The records as they are stored: one frozen struct for each version of each kind, and its way from and to the
//! type that the rest of the service uses.
//!
//! What always holds: fields are plain (ids are 16 bytes, instants milliseconds, words numbers that never change),
//! in an order that never changes; what was read has passed the same checks as what was made. A test per kind pins
//! its bytes.

mod alert;
mod appointment;
mod audit;
mod budget;
mod business;
mod call;
mod catalog;
mod clock;
mod contact;
mod diary;
mod erasure;
mod hours;
mod idempotency;
mod installation;
mod key;
mod knowledge;
mod mail;
mod membership;
mod message;
mod names;
mod person;
mod retention;
mod round;
#[cfg(test)]
mod testing;
mod webhook;

use chrono_tz::Tz;
use uuid::Uuid;

pub use self::audit::AuditRecord;
pub use self::call::CallRow;
pub use self::clock::{Boot, ClockRecord};
pub use self::erasure::{ErasingRecord, ErasureRecord, WipeRecord};
pub use self::idempotency::{IdempotencyRecord, ShownAnew};
pub use self::installation::{MetaRecord, STORE_FORMAT, STORE_FORMAT_IN_UPGRADE};
pub use self::mail::mail_kind_number;
pub use self::message::status_number;
pub use self::names::NamesRecord;
pub use self::round::RoundRecord;
use super::StoreError;
use crate::domain::{
    AlertEmail, AlertKind, AlertScope, AppointmentStatus, BlockedSource, BookingMode, BudgetKind,
    CalendarSyncStatus, CallOutcome, CallStatus, Day, DeliveryStatus, Direction, DisabledReason, EventType,
    LinkKind, Locale, MailKind, MailStatus, MembershipStatus, MessageStatus, ResourceId, Role, Source,
    Timestamp, Urgency, WebhookStatus,
};

/// A word with a number that never changes.
trait Numbered: Sized {
    /// Its number.
    fn number(self) -> u8;
    /// The word with this number.
    fn from_number(number: u8) -> Option<Self>;
}

/// Numbers the words of an enum. A word left out does not compile; a number used twice is an unreachable arm.
macro_rules! numbers {
    ($($type:ident { $($variant:ident = $number:literal),* $(,)? })*) => {$(
        impl Numbered for $type {
            fn number(self) -> u8 {
                match self {
                    $(Self::$variant => $number,)*
                }
            }

            #[deny(unreachable_patterns)]
            fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

numbers! {
    AlertEmail { Now = 1, Daily = 2, Off = 3 }
    AlertKind {
        WebhookDisabled = 1, UrgentMessage = 2, MessageTaken = 3, AppointmentRequested = 4, AppointmentBooked = 5,
        AppointmentRescheduled = 6, AppointmentCancelled = 7, CallMissed = 8,
    }
    AlertScope { All = 1, Mine = 2 }
    AppointmentStatus { Pending = 1, Confirmed = 2, Declined = 3, Cancelled = 4 }
    BlockedSource { TimeOff = 1 }
    BookingMode { Instant = 1, Request = 2, Off = 3 }
    BudgetKind {
        Services = 1, Staff = 2, Keys = 3, Contacts = 4, Appointments = 5, Calls = 6, Messages = 7, Knowledge = 8,
        WaitingDeliveries = 9,
    }
    CalendarSyncStatus { NotConnected = 1, Pending = 2, Synced = 3, Failed = 4 }
    CallOutcome {
        AppointmentBooked = 1, AppointmentRescheduled = 2, AppointmentCancelled = 3, MessageTaken = 4,
        QuestionAnswered = 5, Transferred = 6, Voicemail = 7, Spam = 8, Hangup = 9, Other = 10,
    }
    CallStatus { Completed = 1, Missed = 2, Failed = 3 }
    Day { Sunday = 0, Monday = 1, Tuesday = 2, Wednesday = 3, Thursday = 4, Friday = 5, Saturday = 6 }
    DeliveryStatus { Pending = 1, Delivered = 2, Failed = 3, Missed = 4 }
    DisabledReason { Failures = 1, Api = 2, Operator = 3 }
    EventType {
        CallCompleted = 1, AppointmentBooked = 2, AppointmentRescheduled = 3, AppointmentCancelled = 4, MessageTaken = 5,
        ContactCreated = 6,
    }
    Direction { Inbound = 1, Outbound = 2 }
    LinkKind { Invitation = 1, Reset = 2, Enter = 3, Email = 4 }
    Locale { En = 1, Fr = 2 }
    MembershipStatus { Invited = 1, Active = 2, Disabled = 3 }
    MailKind {
        Alert = 1, Gathered = 2, Daily = 3, Invitation = 4, Reset = 5, EmailChange = 6, EmailChanged = 7,
        Offer = 8,
    }
    MailStatus { Pending = 1, Sent = 2, Failed = 3 }
    MessageStatus { New = 1, Read = 2, Resolved = 3 }
    Role { Owner = 1, Admin = 2, Member = 3 }
    Source { Voice = 1, Sms = 2, Website = 3, Dashboard = 4, Api = 5, Mcp = 6 }
    WebhookStatus { Enabled = 1, Disabled = 2 }
    Urgency { Normal = 1, Urgent = 2 }
}

/// An id as it is stored.
type IdBytes = [u8; 16];

fn bytes_of(id: impl ResourceId) -> IdBytes {
    id.uuid().into_bytes()
}

fn id_of<I: ResourceId>(bytes: IdBytes) -> I {
    Uuid::from_bytes(bytes).into()
}

/// The word with this number.
fn word<W: Numbered>(record: &'static str, number: u8) -> Result<W, StoreError> {
    W::from_number(number)
        .ok_or_else(|| StoreError::damaged(record, format!("no word has the number {number}")))
}

/// The instant so many milliseconds after 1970.
fn instant(record: &'static str, millis: i64) -> Result<Timestamp, StoreError> {
    let instant = Timestamp::from_millis(millis);
    if instant.millis() == millis {
        Ok(instant)
    } else {
        Err(StoreError::damaged(record, "an instant lies outside the years 0000 to 9999"))
    }
}

/// The zone with this name in the IANA database.
fn zone(record: &'static str, name: &str) -> Result<Tz, StoreError> {
    name.parse().map_err(|_| StoreError::damaged(record, "no time zone has its name"))
}
