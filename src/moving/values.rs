//! The properties of export lines.

use std::convert::identity;
use std::hash::Hash;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::schema::Break;
use domain::{
    AppointmentStatus, Attendance, BookedAs, BookingMode, CalendarSyncStatus, CallOutcome, CallStatus,
    Channel, Color, ConversationMode, Currency, CustomerWord, DayWindows, Direction, DisabledReason, Email,
    EndedBy, ImportProblem, Locale, MessageStatus, NoticeScope, Phone, ProblemCode, REMINDER_HOURS_MAX,
    REMINDERS_MAX, Slug, Source, Text, Timestamp, Turn, Urgency, WebhookSecret, WebhookStatus, WebhookUrl,
    Week, WeeklyBreaks,
};
use schemars::JsonSchema;
use serde::Serialize;
use view::{BookedAsView, TurnView};

use super::SECRET_TAG;
use super::talk::{Numbers, Turns};
use crate::admin::budget::BudgetBound;
use crate::admin::receptionist::TeamFirst;
use crate::http::json::Json;
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{FromJson, FromText};
use crate::json_object;
use crate::rest::values::grid::GridMinutes;
use crate::rest::values::phone::PhoneRegion;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

/// The type of a property in an export line. [`Self::Field`] is the type of the corresponding field in the record.
pub(super) trait Property: FromJson {
    type Field;

    fn into_field(self) -> Self::Field;

    fn to_json(field: &Self::Field) -> impl Serialize;
}

impl<T: Property> Property for Option<T> {
    type Field = Option<T::Field>;

    fn into_field(self) -> Self::Field {
        self.map(T::into_field)
    }

    fn to_json(field: &Self::Field) -> impl Serialize {
        field.as_ref().map(T::to_json)
    }
}

/// Implements [`Property`]. Each row of the input contains the type of a property of an export line, its generic
/// parameters in brackets, the type of the record's field, the conversion of the property to the field, and the
/// conversion of the field to JSON.
macro_rules! properties {
    ($($type:ty $([$($generic:tt)*])? => $field:ty, $into_field:expr, $to_json:expr;)*) => {$(
        impl$(<$($generic)*>)? Property for $type {
            type Field = $field;

            fn into_field(self) -> $field {
                $into_field(self)
            }

            fn to_json(field: &$field) -> impl Serialize {
                $to_json(field)
            }
        }
    )*};
}

properties! {
    Text<MIN, MAX> [const MIN: usize, const MAX: usize] => String, Text::into_string, identity;
    Whole<MIN, MAX> [const MIN: u32, const MAX: u32] => u32, Whole::get, identity;
    DistinctList<T, MIN, MAX> [T: FromJson + Eq + Hash + Serialize, const MIN: usize, const MAX: usize]
        => Vec<T>, DistinctList::into_vec, identity;
    Week<PER_DAY> [const PER_DAY: usize] => Self, identity, Self::days;
    WeeklyBreaks => Self, identity, |breaks: &Self| {
        breaks.days().iter().map(Break::from).collect::<Vec<_>>()
    };
    DayWindows => Self, identity, Self::windows;
    NaiveDate => Self, identity, NaiveDate::to_string;
    Currency => Self, identity, Currency::as_str;
    Slug => Self, identity, Slug::as_str;
    Color => Self, identity, Color::to_string;
    GridMinutes => u32, GridMinutes::get, identity;
    ReminderHours => Vec<u8>, ReminderHours::into_vec, identity;
    BookedAsLine => BookedAs, BookedAs::from, |booked: &BookedAs| BookedAsView::from(booked);
    Zone => Tz, Zone::get, |zone: &Tz| zone.name();
    Email => Self, identity, Email::as_str;
    E164 => Phone, |phone: E164| phone.0, Phone::as_str;
    TeamFirst => u32, TeamFirst::get, identity;
    BudgetBound => u64, BudgetBound::get, identity;
    Numbers => Vec<Phone>, Numbers::into_vec, |numbers: &Vec<Phone>| {
        numbers.iter().map(|number| number.as_str().to_owned()).collect::<Vec<_>>()
    };
    Turns => Vec<Turn>, Turns::into_vec, |turns: &Vec<Turn>| {
        turns.iter().map(TurnView::from).collect::<Vec<_>>()
    };
    PhoneRegion => String, PhoneRegion::into_string, identity;
    WebsiteUrl => String, WebsiteUrl::into_string, identity;
    WebhookUrl => Self, identity, WebhookUrl::as_str;
    Secret => WebhookSecret, |secret: Secret| secret.0, |secret: &WebhookSecret| {
        format!("{SECRET_TAG}{}", STANDARD.encode(secret.bytes()))
    };
}

/// Implements [`Property`] for types that need no conversion: the property and the field of the record have the same
/// type.
macro_rules! fields {
    ($($type:ty),*) => {
        properties! { $($type => Self, identity, identity;)* }
    };
}

fields! {
    AppointmentStatus, Attendance, BookingMode, CalendarSyncStatus, CallOutcome, CallStatus, Channel, ConversationMode,
    CustomerWord, Direction, DisabledReason, EndedBy, Locale, MessageStatus, NoticeScope, Source, Timestamp, Urgency,
    WebhookStatus, bool
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {
        fields! { $(domain::$id),* }
    };
}
domain::each_id!(ids);

/// A phone number that must be in E.164 form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(inline)]
pub(super) struct E164(#[schemars(with = "String")] pub(super) Phone);

impl FromText for E164 {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Phone::from_e164(text.to_owned()).map(Self).map_err(|_| ImportProblem::NotE164.into())
    }
}

#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct ReminderHours(Vec<u8>);

impl ReminderHours {
    fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

impl FromJson for ReminderHours {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        type Hours = Whole<1, { REMINDER_HOURS_MAX as u32 }>;
        let hours = DistinctList::<Hours, 0, REMINDERS_MAX>::from_json(json, at, problems)?.into_vec();
        // The bounds of `Hours` fit into 8 bits.
        Some(Self(hours.into_iter().map(|hours| hours.get() as u8).collect()))
    }
}

json_object! {
    /// The data that the customer entered in the booking form.
    pub(super) struct BookedAsLine {
        /// The name.
        name: Option<Text<1, 200>>,
        /// The phone number.
        phone: Option<E164>,
        /// The email address.
        email: Option<Email>,
        /// The language of the page.
        locale: Locale,
        /// Whether the customer agreed to texts.
        texts: bool,
    }
}

impl From<BookedAsLine> for BookedAs {
    fn from(line: BookedAsLine) -> Self {
        let BookedAsLine { name, phone, email, locale, texts } = line;
        Self { name: name.map(Text::into_string), phone: phone.map(|phone| phone.0), email, locale, texts }
    }
}

#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct Secret(#[schemars(with = "String")] WebhookSecret);

impl FromText for Secret {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        let bytes = text.strip_prefix(SECRET_TAG).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        bytes.map(|bytes| Self(WebhookSecret::new(bytes))).ok_or(ImportProblem::NotASecret.into())
    }
}
