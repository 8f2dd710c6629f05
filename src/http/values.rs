//! The value types of requests and their parsers, one each, for bodies and queries alike.

use std::collections::HashSet;
use std::hash::Hash;

use actors::domain::{
    AppointmentId, AppointmentStatus, AuditId, BUDGET_MAX, BookingMode, BusinessId, CalendarSyncStatus,
    CallId, CallOutcome, CallStatus, ContactId, Day, DayHours, DeliveryStatus, Direction, Email, EventId,
    EventType, KeyId, LocalTime, Locale, MessageId, MessageStatus, Phone, Scope, ServiceId, Source, StaffId,
    Text, TextError, Timestamp, Urgency, WebhookId, WebhookStatus, WeeklyHours,
};
use actors::net::WebhookUrl;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde_json::{Value, json};
use url::Url;

use super::describe::{Describe, Schemas};
use super::json::Json;
use super::query::FromQuery;
use super::read::{FromJson, FromText, Path, Problems, items};
use crate::json_object;

/// The greatest number of characters of a time zone's name.
pub const ZONE_CHARS_MAX: usize = 80;

/// The greatest number of characters of a web address.
pub const URL_CHARS_MAX: usize = 2000;

/// The greatest number of windows in the opening hours of a week.
pub const HOURS_ITEMS_MAX: usize = 7;

/// The greatest number of characters of a phone number as people write it.
const PHONE_CHARS_MAX: usize = 64;

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl Describe for String {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string"})
    }
}

impl<const MIN: usize, const MAX: usize> FromText for Text<MIN, MAX> {
    fn from_text(text: &str) -> Result<Self, String> {
        Text::new(text.to_owned()).map_err(|error| error.to_string())
    }
}

impl<const MIN: usize, const MAX: usize> Describe for Text<MIN, MAX> {
    fn describe(_: &mut Schemas) -> Value {
        match MIN {
            0 => json!({"type": "string", "maxLength": MAX}),
            // Not of white space only.
            _ => json!({"type": "string", "minLength": MIN, "maxLength": MAX, "pattern": "\\S"}),
        }
    }
}

/// The URL of a webhook endpoint, as far as its text tells; where its host leads is asked when it is saved.
impl FromText for WebhookUrl {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|refusal| refusal.to_string())
    }
}

impl Describe for WebhookUrl {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "format": "uri", "maxLength": actors::net::url::URL_CHARS_MAX, "pattern": "^[hH][tT][tT][pP][sS]://"})
    }
}

impl FromText for Email {
    fn from_text(text: &str) -> Result<Self, String> {
        Email::new(text).map_err(|error| error.to_string())
    }
}

impl Describe for Email {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "format": "email", "maxLength": Self::CHARS_MAX,
            "pattern": "^[^\\s@]+@[^\\s@]+$"})
    }
}

/// A number in E.164 form, or a national one of the region that the request is read in.
impl FromJson for Phone {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let text = String::from_json(json, at, problems)?;
        let phone = phone(&text, problems.phone_region());
        phone.map_err(|error| problems.add(at, error.to_string())).ok()
    }
}

/// As in a body.
impl FromQuery for Phone {
    fn from_query(text: &str, phone_region: &str) -> Result<Self, String> {
        phone(text, phone_region).map_err(|error| error.to_string())
    }
}

impl Describe for Phone {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "minLength": 1, "maxLength": PHONE_CHARS_MAX})
    }
}

/// Loads the numbering plans of all regions, which takes a tenth of a second that no request should wait.
pub(crate) fn load_numbering_plans() {
    let _ = phonenumber::parse(Some(phonenumber::country::Id::US), "+12015550123");
}

/// Reads a phone number as people write it: an international one as it stands, a national one by the region's plan.
fn phone(text: &str, region: &str) -> Result<Phone, TextError> {
    let text = text.trim();
    // The parser's work grows with the text, and no number is longer.
    if text.chars().count() > PHONE_CHARS_MAX {
        return Err(TextError::Phone);
    }
    if text.starts_with(['+', '＋']) {
        return international(text);
    }
    let region = region.parse().ok();
    let number = phonenumber::parse(region, text).map_err(|_| TextError::Phone)?;
    // A guess is not stored: the plan must know the number. Those of ten digits in the North American plan are taken
    // as they are, so that its fictional ones (555) can be used.
    let ten_digits = (1_000_000_000..10_000_000_000).contains(&number.national().value());
    let known = phonenumber::is_valid(&number) || (number.code().value() == 1 && ten_digits);
    if !known {
        return Err(TextError::Phone);
    }
    let zeros = "0".repeat(usize::from(number.national().zeros()));
    Phone::from_e164(format!("+{}{zeros}{}", number.code().value(), number.national().value()))
}

/// A number with its country code keeps every digit: the plans' own reading would strip what looks like a national
/// prefix. Only the `(0)` that some write behind the country code is no part of it.
fn international(text: &str) -> Result<Phone, TextError> {
    let mut kept = String::from("+");
    for c in text.replacen("(0)", "", 1).chars().skip(1) {
        match c {
            '0'..='9' => kept.push(c),
            ' ' | '\u{a0}' | '-' | '.' | '(' | ')' | '/' => {}
            _ => return Err(TextError::Phone),
        }
    }
    // The plans are asked only whether there is such a country code.
    phonenumber::parse(None, &kept).map_err(|_| TextError::Phone)?;
    Phone::from_e164(kept)
}

/// A region whose national phone numbers can be read, by its ISO 3166 code in capitals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneRegion(String);

impl PhoneRegion {
    /// The region of a business that names none.
    pub const DEFAULT: &'static str = "US";

    /// The code.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Default for PhoneRegion {
    fn default() -> Self {
        Self(Self::DEFAULT.to_owned())
    }
}

impl FromText for PhoneRegion {
    fn from_text(text: &str) -> Result<Self, String> {
        let shaped = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        match text.parse::<phonenumber::country::Id>() {
            Ok(_) if shaped => Ok(Self(text.to_owned())),
            _ => Err("must be an ISO 3166 region in capitals such as US".into()),
        }
    }
}

impl Describe for PhoneRegion {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "pattern": "^[A-Z]{2}$"})
    }
}

impl FromText for Timestamp {
    fn from_text(text: &str) -> Result<Self, String> {
        Timestamp::parse(text).map_err(|error| error.to_string())
    }
}

impl Describe for Timestamp {
    fn describe(schemas: &mut Schemas) -> Value {
        schemas.view::<Self>()
    }
}

/// Names are those of the IANA database, in its own case.
impl FromText for Tz {
    fn from_text(text: &str) -> Result<Self, String> {
        if !(1..=ZONE_CHARS_MAX).contains(&text.chars().count()) {
            return Err(format!("must have 1 to {ZONE_CHARS_MAX} characters"));
        }
        text.parse().map_err(|_| "must be an IANA time zone name such as Europe/Paris".into())
    }
}

impl Describe for Tz {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "minLength": 1, "maxLength": ZONE_CHARS_MAX})
    }
}

impl FromText for LocalTime {
    fn from_text(text: &str) -> Result<Self, String> {
        LocalTime::parse(text).ok_or_else(|| "must be a local time from 00:00 to 24:00, as HH:MM".into())
    }
}

impl Describe for LocalTime {
    fn describe(schemas: &mut Schemas) -> Value {
        schemas.view::<Self>()
    }
}

impl FromText for NaiveDate {
    fn from_text(text: &str) -> Result<Self, String> {
        // chrono also takes signs, white space and numbers without their zeros.
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let date = if shaped { NaiveDate::parse_from_str(text, "%Y-%m-%d").ok() } else { None };
        date.ok_or_else(|| "must be a date as YYYY-MM-DD".into())
    }
}

impl Describe for NaiveDate {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "format": "date"})
    }
}

macro_rules! ids_from_text {
    ($($id:ty),* $(,)?) => {$(
        impl FromText for $id {
            fn from_text(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| "must be a UUID".into())
            }
        }

        impl Describe for $id {
            fn describe(schemas: &mut Schemas) -> Value {
                schemas.view::<Self>()
            }
        }
    )*};
}

ids_from_text!(
    WebhookId,
    BusinessId,
    ServiceId,
    StaffId,
    AppointmentId,
    ContactId,
    CallId,
    MessageId,
    KeyId,
    EventId,
    AuditId
);

macro_rules! words_from_text {
    ($($words:ty),* $(,)?) => {$(
        impl FromText for $words {
            fn from_text(text: &str) -> Result<Self, String> {
                Self::from_word(text).ok_or_else(|| {
                    let words: Vec<_> = Self::ALL.iter().map(|word| word.as_str()).collect();
                    format!("must be one of {}", words.join(", "))
                })
            }
        }

        impl Describe for $words {
            fn describe(schemas: &mut Schemas) -> Value {
                schemas.view::<Self>()
            }
        }
    )*};
}

words_from_text!(
    DeliveryStatus,
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
    Urgency
);

/// An absolute `http` or `https` address of at most [`URL_CHARS_MAX`] characters, kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebsiteUrl(String);

impl WebsiteUrl {
    /// The address as it was given.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromText for WebsiteUrl {
    fn from_text(text: &str) -> Result<Self, String> {
        if text.chars().count() > URL_CHARS_MAX {
            return Err(format!("must have at most {URL_CHARS_MAX} characters"));
        }
        // The parser repairs what it can (white space, a missing slash); what is kept must need no repair.
        let scheme = text.get(..8).unwrap_or(text).to_ascii_lowercase();
        let absolute = scheme.starts_with("http://") || scheme.starts_with("https://");
        let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
        match Url::parse(text) {
            Ok(url) if absolute && clean && url.has_host() => Ok(Self(text.to_owned())),
            _ => Err("must be an absolute http or https URL".into()),
        }
    }
}

impl Describe for WebsiteUrl {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string", "format": "uri", "maxLength": URL_CHARS_MAX,
            "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"})
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Whole<MIN, MAX> {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }

    fn within(number: i128) -> Result<Self, String> {
        match u32::try_from(number) {
            Ok(number) if (MIN..=MAX).contains(&number) => Ok(Self(number)),
            _ => Err(Self::expected()),
        }
    }

    pub(crate) fn expected() -> String {
        format!("must be a whole number from {MIN} to {MAX}")
    }

    /// Reads decimal digits, as a query has them.
    pub(crate) fn from_digits(text: &str) -> Result<Self, String> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Self::within(number),
            _ => Err(Self::expected()),
        }
    }
}

impl<const MIN: u32, const MAX: u32> FromJson for Whole<MIN, MAX> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let read = json.as_whole().ok_or_else(Self::expected).and_then(Self::within);
        read.map_err(|message| problems.add(at, message)).ok()
    }
}

impl<const MIN: u32, const MAX: u32> Describe for Whole<MIN, MAX> {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "integer", "minimum": MIN, "maximum": MAX})
    }
}

/// How many rows or bytes of a kind are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetBound(u64);

impl BudgetBound {
    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl FromJson for BudgetBound {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let number = json.as_whole().and_then(|number| u64::try_from(number).ok());
        match number.filter(|number| *number <= BUDGET_MAX) {
            Some(number) => Some(Self(number)),
            None => {
                problems.add(at, format!("must be a whole number from 0 to {BUDGET_MAX}"));
                None
            }
        }
    }
}

impl Describe for BudgetBound {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "integer", "minimum": 0, "maximum": BUDGET_MAX})
    }
}

/// An array of `MIN` to `MAX` items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> List<T, MIN, MAX> {
    /// The items.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromJson, const MIN: usize, const MAX: usize> FromJson for List<T, MIN, MAX> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        items(json, (MIN, MAX), at, problems).map(Self)
    }
}

impl<T: Describe, const MIN: usize, const MAX: usize> Describe for List<T, MIN, MAX> {
    fn describe(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": T::describe(schemas), "minItems": MIN, "maxItems": MAX})
    }
}

/// An array of `MIN` to `MAX` items, none of them twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctList<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> DistinctList<T, MIN, MAX> {
    /// The items.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromJson + Eq + Hash, const MIN: usize, const MAX: usize> FromJson for DistinctList<T, MIN, MAX> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let items: Vec<T> = items(json, (MIN, MAX), at, problems)?;
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(item) {
                problems.add(&at.item(index), "is listed twice");
            }
        }
        (seen.len() == items.len()).then_some(Self(items))
    }
}

impl<T: Describe, const MIN: usize, const MAX: usize> Describe for DistinctList<T, MIN, MAX> {
    fn describe(schemas: &mut Schemas) -> Value {
        let mut list = List::<T, MIN, MAX>::describe(schemas);
        list["uniqueItems"] = json!(true);
        list
    }
}

json_object! {
    /// The opening hours of one day.
    struct Hours {
        /// The day on which they begin.
        day: Day,
        /// Local time, `HH:MM`, to `23:59`.
        open: LocalTime,
        /// Local time, `HH:MM`; earlier than `open` means on the next day.
        close: LocalTime,
    }
}

impl FromJson for DayHours {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let Hours { day, open, close } = Hours::from_json(json, at, problems)?;
        Some(Self { day, open, close })
    }
}

impl Describe for DayHours {
    fn describe(schemas: &mut Schemas) -> Value {
        Hours::describe(schemas)
    }
}

impl FromJson for WeeklyHours {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let days = items(json, (0, HOURS_ITEMS_MAX), at, problems)?;
        let found = match WeeklyHours::new(days) {
            Ok(hours) => return Some(hours),
            Err(found) => found,
        };
        for problem in found {
            problems.add(&at.item(problem.index).property(problem.field), problem.message);
        }
        None
    }
}

impl Describe for WeeklyHours {
    fn describe(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": Hours::describe(schemas), "maxItems": HOURS_ITEMS_MAX})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: FromText>(text: &str) -> Result<T, String> {
        T::from_text(text)
    }

    #[test]
    fn a_zone_is_a_name_of_the_iana_database() {
        assert_eq!(text("Europe/Paris"), Ok(Tz::Europe__Paris));
        assert_eq!(text("UTC"), Ok(Tz::UTC));
        for bad in ["Mars/Base", "+01:00", "europe/paris", " UTC", &"x".repeat(ZONE_CHARS_MAX)] {
            assert!(text::<Tz>(bad).unwrap_err().contains("IANA"), "{bad}");
        }
        for bad in ["", &"x".repeat(ZONE_CHARS_MAX + 1)] {
            assert_eq!(text::<Tz>(bad).unwrap_err(), "must have 1 to 80 characters");
        }
    }

    #[test]
    fn a_date_is_four_two_and_two_digits_of_a_day_that_exists() {
        assert_eq!(text("2024-02-29"), Ok(NaiveDate::from_ymd_opt(2024, 2, 29).unwrap()));
        for bad in
            ["", "2023-02-29", "2024-2-29", "24-02-29", "+2024-02-2", "2024-02-29 ", "2024/02/29", "٢٠٢٤"]
        {
            assert!(text::<NaiveDate>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_website_is_an_absolute_address_kept_as_given() {
        for good in ["https://example.com", "HTTP://example.com/a?b#c", "https://münchen.example/é"] {
            assert_eq!(text::<WebsiteUrl>(good).unwrap().into_string(), good);
        }
        for bad in [
            "",
            "example.com",
            "/a",
            "ftp://example.com",
            "javascript:alert(1)",
            "https://",
            "https:example.com",
            "https://a b/",
            " https://example.com",
            "https:\\\\example.com",
            "http://[::1",
        ] {
            assert!(text::<WebsiteUrl>(bad).is_err(), "{bad}");
        }
        let long = |chars: usize| format!("{:a<chars$}", "https://example.com/");
        assert!(text::<WebsiteUrl>(&long(URL_CHARS_MAX)).is_ok());
        assert!(text::<WebsiteUrl>(&long(URL_CHARS_MAX + 1)).is_err());
    }

    #[test]
    fn a_whole_number_lies_within_its_bounds() {
        let read = |body: &str| {
            let mut problems = Problems::of_request_in("US");
            let json = Json::parse(body.as_bytes()).unwrap();
            Whole::<5, 1440>::from_json(&json, &Path::Root, &mut problems).map(Whole::get)
        };
        for (body, number) in [("5", 5), ("1440", 1440), ("30.0", 30), ("3e1", 30)] {
            assert_eq!(read(body), Some(number), "{body}");
        }
        for bad in ["4", "1441", "-5", "5.5", "\"5\"", "null", "18446744073709551615", "1e300"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        for bad in ["", "+5", " 5", "5.0", "99999999999999999999999999999999999999999999"] {
            assert!(Whole::<5, 1440>::from_digits(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_week_has_at_most_seven_windows() {
        let read = |count: usize| {
            let mut problems = Problems::of_request_in("US");
            let json = Json::Array(vec![Json::Null; count]);
            assert!(WeeklyHours::from_json(&json, &Path::Root, &mut problems).is_none());
            format!("{problems:?}").matches("Problem {").count()
        };
        assert_eq!((read(HOURS_ITEMS_MAX), read(HOURS_ITEMS_MAX + 1)), (7, 1));
    }

    #[test]
    fn words_are_named_when_another_is_given() {
        assert_eq!(text("request"), Ok(BookingMode::Request));
        assert_eq!(text::<BookingMode>("Request").unwrap_err(), "must be one of instant, request, off");
    }

    #[test]
    fn an_international_number_keeps_every_digit_whatever_the_region() {
        for region in ["US", "FR", "GB", "RU", "IT", "DE"] {
            for (text, e164) in [
                ("+33 1 42 68 53 00", "+33142685300"),
                ("+86 138 1234 5678", "+8613812345678"),
                ("+49 1512 3456789", "+4915123456789"),
                ("+32 16 32 10 10", "+3216321010"),
                ("+43 1 5051234", "+4315051234"),
                ("+39 06 1234 5678", "+390612345678"),
                ("+7 812 123 45 67", "+78121234567"),
                ("+44 (0)20 7946 0018", "+442079460018"),
                ("+1 (555) 123-4567", "+15551234567"),
            ] {
                assert_eq!(phone(text, region).unwrap().as_str(), e164, "{region}");
            }
        }
    }

    #[test]
    fn a_national_number_is_read_by_the_plan_of_its_region_or_not_at_all() {
        for (region, text, e164) in [
            ("US", "(201) 555-0123", "+12015550123"),
            ("US", "1-201-555-0123", "+12015550123"),
            ("US", "555 123 4567", "+15551234567"),
            ("FR", "01 42 68 53 00", "+33142685300"),
            ("GB", "020 7946 0018", "+442079460018"),
            ("IT", "06 1234 5678", "+390612345678"),
        ] {
            assert_eq!(phone(text, region).as_ref().map(Phone::as_str), Ok(e164), "{text}");
        }
        for (region, text) in [
            ("US", "1234567"),
            ("US", "12"),
            ("US", "phone"),
            ("FR", "123"),
            ("US", "+"),
            ("US", "+999 123 4567"),
            ("US", "+1 abc 555"),
        ] {
            assert_eq!(phone(text, region), Err(TextError::Phone), "{text}");
        }
    }
}
