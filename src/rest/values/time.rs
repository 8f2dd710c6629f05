//! Instants, days, times of day, zones, and the opening hours of a week.

use actors::domain::{Day, DayHours, LocalTime, Timestamp, WeeklyHours};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::http::describe::Describe;
use crate::http::json::Json;
use crate::http::problems::{Path, Problems};
use crate::http::read::{FromJson, FromText, items};
use crate::http::schemas::Schemas;
use crate::json_object;

/// The greatest number of characters of a time zone's name.
pub(crate) const ZONE_CHARS_MAX: usize = 80;

/// The greatest number of windows in the opening hours of a week.
const HOURS_ITEMS_MAX: usize = 7;

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

json_object! {
    /// The opening hours of one day.
    struct OpeningHours {
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
        let OpeningHours { day, open, close } = OpeningHours::from_json(json, at, problems)?;
        Some(Self { day, open, close })
    }
}

impl Describe for DayHours {
    fn describe(schemas: &mut Schemas) -> Value {
        OpeningHours::describe(schemas)
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
        json!({"type": "array", "items": OpeningHours::describe(schemas), "maxItems": HOURS_ITEMS_MAX})
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
    fn a_week_has_at_most_seven_windows() {
        let read = |count: usize| {
            let mut problems = Problems::of_request_in("US");
            let json = Json::Array(vec![Json::Null; count]);
            assert!(WeeklyHours::from_json(&json, &Path::Root, &mut problems).is_none());
            format!("{problems:?}").matches("Problem {").count()
        };
        assert_eq!((read(HOURS_ITEMS_MAX), read(HOURS_ITEMS_MAX + 1)), (7, 1));
    }
}
