//! The encoding of each record: its fields in order, each with the version that added it.
//!
//! Invariants: ids are stored as 16 bytes, instants as milliseconds, and the variants of an enum as numbers
//! that never change. Decoding applies the same checks as the creation of a record. Tests check the bytes of
//! each record.

mod audit;
mod business;
mod calendars;
mod day;
mod people;
mod sending;
mod talk;
#[cfg(test)]
mod testing;
mod work;

use chrono::{Datelike, NaiveDate};
use chrono_tz::Tz;
use domain::{
    AlertEmail, AlertKind, AlertScope, AllDay, AppointmentStatus, Attendance, AuditAction, AuditedKind,
    BlockedSource, BookingMode, CalendarFault, CalendarKind, CalendarStatus, CalendarSyncStatus,
    CalendarTask, CalendarWarning, CallOutcome, CallStatus, Channel, ClockFormat, Color, ConversationMode,
    ConversationStatus, CustomerWord, Day, DeliveryStatus, Direction, DisabledReason, DropReason, EffectKind,
    EffectOn, Email, EmailConsent, EndedBy, EventType, FeedDetail, GateRule, InputKind, LinkKind, Locale,
    MailKind, MailStatus, MembershipStatus, MessageStatus, NoticeKind, NoticeScope, Phone, ResourceId, Role,
    SiteOrigin, Slug, Source, Speaker, SteadyTime, TextConsent, Timestamp, Urgency, WebhookStatus,
    WebhookUrl, WeekStart, WriteReason,
};
use uuid::Uuid;

pub use self::audit::AuditRecord;
pub use self::day::{CallRow, SearchRecord, set_sync_status, status_number};
pub use self::sending::{ConsentRecord, NoticeCountRecord, SentNotices, mail_kind_number};
pub use self::work::{
    Boot, ClockRecord, ErasingRecord, ErasureRecord, IdempotencyRecord, LinkRecord, LinksRecord, MetaRecord,
    RoundRecord, STORE_FORMAT, STORE_FORMAT_IN_UPGRADE, ShownAnew, WipeRecord,
};
use super::StoreError;
use super::codec::{Field, Fields, write_text};

trait Numbered: Sized {
    fn number(self) -> u8;
    fn from_number(number: u8) -> Option<Self>;
}

/// Assigns a number to each variant of an enum. The code does not compile if a variant is missing or a number is
/// repeated.
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

        impl Field for $type {
            fn write(&self, to: &mut Vec<u8>) {
                self.number().write(to);
            }

            fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
                let number = u8::read(from)?;
                Self::from_number(number).ok_or_else(|| from.damaged(format!("the number {number} is not known")))
            }
        }
    )*};
}

numbers! {
    AlertEmail { Now = 1, Daily = 2, Off = 3 }
    AlertKind {
        WebhookDisabled = 1, UrgentMessage = 2, MessageTaken = 3, AppointmentRequested = 4, AppointmentBooked = 5,
        AppointmentRescheduled = 6, AppointmentCancelled = 7, CallMissed = 8, WebhookFailing = 9,
        CalendarFailed = 10, CalendarEventChanged = 11,
    }
    AlertScope { All = 1, Mine = 2 }
    AllDay { Busy = 1, Free = 2 }
    AppointmentStatus { Pending = 1, Confirmed = 2, Declined = 3, Cancelled = 4 }
    Attendance { Arrived = 1, Completed = 2, NoShow = 3 }
    BlockedSource { TimeOff = 1 }
    BookingMode { Instant = 1, Request = 2, Off = 3 }
    CalendarFault {
        Unreachable = 1, Timeout = 2, Tls = 3, Credentials = 4, Forbidden = 5, NotFound = 6, OtherHost = 7,
        NotACalendar = 8, TooLarge = 9, ServerError = 10,
    }
    CalendarKind { Caldav = 1, Ics = 2 }
    CalendarStatus { Connecting = 1, Connected = 2, Failing = 3, Stopped = 4, Disconnecting = 5 }
    CalendarSyncStatus { NotConnected = 1, Pending = 2, Synced = 3, Failed = 4 }
    CalendarTask { Adopt = 1, Retry = 2, Leave = 3, Remove = 4, Resume = 5 }
    CalendarWarning { UnknownZone = 1, TooManyOccurrences = 2 }
    CallOutcome {
        AppointmentBooked = 1, AppointmentRescheduled = 2, AppointmentCancelled = 3, MessageTaken = 4,
        QuestionAnswered = 5, Transferred = 6, Voicemail = 7, Spam = 8, Hangup = 9, Other = 10,
    }
    CallStatus { Completed = 1, Missed = 2, Failed = 3 }
    Channel { Voice = 1, Sms = 2, Website = 3, Assistant = 4 }
    ClockFormat { Auto = 1, Twelve = 2, TwentyFour = 3 }
    ConversationMode { Model = 1, Guided = 2 }
    ConversationStatus { Open = 1, Ended = 2 }
    CustomerWord { Client = 1, Patient = 2, Guest = 3 }
    Day { Sunday = 0, Monday = 1, Tuesday = 2, Wednesday = 3, Thursday = 4, Friday = 5, Saturday = 6 }
    DeliveryStatus { Pending = 1, Delivered = 2, Failed = 3, Missed = 4 }
    DisabledReason { Failures = 1, Api = 2, Operator = 3 }
    DropReason { Superseded = 1, Limit = 2, OptedOut = 3, NoAddress = 4, Ended = 5 }
    EffectKind {
        Offered = 1, Booked = 2, Requested = 3, Moved = 4, Cancelled = 5, MessageTaken = 6, CodeSent = 7, Verified = 8,
        Answered = 9, Transferred = 10, Emergency = 11, Consent = 12, OptedOut = 13,
    }
    EffectOn { Appointment = 1, Message = 2, Contact = 3 }
    EmailConsent { All = 1, NoReminders = 2, None = 3 }
    EndedBy { Caller = 1, Receptionist = 2, Team = 3, Timeout = 4, Lost = 5 }
    EventType {
        CallCompleted = 1, AppointmentBooked = 2, AppointmentRescheduled = 3, AppointmentCancelled = 4, MessageTaken = 5,
        ContactCreated = 6,
    }
    Direction { Inbound = 1, Outbound = 2 }
    GateRule { Form = 1, Person = 2, Claim = 3, Time = 4, Fact = 5, Length = 6 }
    FeedDetail { Times = 1, Services = 2, Contacts = 3 }
    InputKind { Speech = 1, Keys = 2, Text = 3, Choice = 4 }
    LinkKind { Invitation = 1, Reset = 2, Enter = 3, Email = 4 }
    Locale { En = 1, Fr = 2 }
    MembershipStatus { Invited = 1, Active = 2, Disabled = 3 }
    MailKind {
        Alert = 1, Gathered = 2, Daily = 3, Invitation = 4, Reset = 5, EmailChange = 6, EmailChanged = 7,
        Offer = 8, Notice = 9,
    }
    MailStatus { Pending = 1, Sent = 2, Failed = 3, Dropped = 4 }
    MessageStatus { New = 1, Read = 2, Resolved = 3 }
    NoticeKind { Requested = 1, Confirmed = 2, Moved = 3, Cancelled = 4, Declined = 5, Reminder = 6 }
    NoticeScope { Off = 1, Online = 2, All = 3 }
    Role { Owner = 1, Admin = 2, Member = 3 }
    Source { Voice = 1, Sms = 2, Website = 3, Dashboard = 4, Api = 5, Mcp = 6 }
    Speaker { Caller = 1, Receptionist = 2, Team = 3 }
    TextConsent { Given = 1, Refused = 2, Unknown = 3 }
    WebhookStatus { Enabled = 1, Disabled = 2 }
    WriteReason { EventDeleted = 1, EventChanged = 2 }
    WeekStart { Auto = 1, Monday = 2, Sunday = 3, Saturday = 4 }
    Urgency { Normal = 1, Urgent = 2 }
}

impl Field for Uuid {
    fn write(&self, to: &mut Vec<u8>) {
        self.into_bytes().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        <[u8; 16]>::read(from).map(Self::from_bytes)
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {$(
        impl Field for domain::$id {
            fn write(&self, to: &mut Vec<u8>) {
                self.uuid().write(to);
            }

            fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
                Uuid::read(from).map(Self::from)
            }
        }
    )*};
}

domain::each_id!(ids);

/// An instant is stored as the number of milliseconds since 1970.
impl Field for Timestamp {
    fn write(&self, to: &mut Vec<u8>) {
        self.millis().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let millis = i64::read(from)?;
        let instant = Self::from_millis(millis);
        if instant.millis() == millis {
            Ok(instant)
        } else {
            Err(from.damaged("an instant is outside the years 0000 to 9999"))
        }
    }
}

/// A time of the steady clock is stored in milliseconds, with the same bounds as instants.
impl Field for SteadyTime {
    fn write(&self, to: &mut Vec<u8>) {
        self.millis().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Timestamp::read(from).map(|instant| Self::from_millis(instant.millis()))
    }
}

/// A date is stored as a number of days. Day 1 is 1 January of the year 1.
impl Field for NaiveDate {
    fn write(&self, to: &mut Vec<u8>) {
        self.num_days_from_ce().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Self::from_num_days_from_ce_opt(i32::read(from)?).ok_or_else(|| from.damaged("its date is invalid"))
    }
}

impl Field for Color {
    fn write(&self, to: &mut Vec<u8>) {
        write_text(&self.to_string(), to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let text = String::read(from)?;
        Self::parse(&text).ok_or_else(|| from.damaged("a colour is not valid"))
    }
}

macro_rules! parsed {
    ($($type:ty: $text:ident, $parse:expr, $reason:literal;)*) => {$(
        impl Field for $type {
            fn write(&self, to: &mut Vec<u8>) {
                write_text(self.$text(), to);
            }

            fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
                let text = String::read(from)?;
                $parse(text.as_str()).ok_or_else(|| from.damaged($reason))
            }
        }
    )*};
}

parsed! {
    AuditAction: as_str, Self::from_word, "its action is not known";
    AuditedKind: as_str, Self::from_word, "the kind of its resource is not known";
    Tz: name, |text: &str| text.parse().ok(), "its time zone is not known";
    Phone: as_str, |text: &str| Self::from_e164(text.to_owned()).ok(), "a phone number is not in E.164 form";
    Email: as_str, |text: &str| Self::new(text).ok().filter(|email| email.as_str() == text), "an email address is not valid";
    Slug: as_str, Self::new, "its slug is not valid";
    SiteOrigin: as_str, Self::parse, "an origin is not valid";
    WebhookUrl: as_str, |text: &str| Self::from_stored(text).ok(), "its URL is malformed";
}
