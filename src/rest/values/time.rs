//! Parsing of instants, dates, times of day, time zones, opening hours and breaks.

use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::{DayHours, DayWindows, HoursProblem, LocalWindow, ProblemCode, TextError, Week, WeeklyBreaks};
use schemars::JsonSchema;

use crate::http::json::Json;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{FromJson, FromText, Properties, items};

/// The maximum length of a time zone's name, in characters.
pub(crate) const ZONE_CHARS_MAX: usize = 80;

/// A time zone with the exact name in the IANA database. This type exists because `Tz` has no schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Zone(#[schemars(with = "String", length(min = 1, max = ZONE_CHARS_MAX))] Tz);

impl Zone {
    pub(crate) fn get(self) -> Tz {
        self.0
    }
}

impl FromText for Zone {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        if !(1..=ZONE_CHARS_MAX).contains(&text.chars().count()) {
            return Err(TextError::Length { min: 1, max: ZONE_CHARS_MAX }.into());
        }
        text.parse().map(Self).map_err(|_| ProblemCode::NotATimeZone)
    }
}

/// Whether the text has this shape, in which `d` is a digit.
pub(crate) fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(byte, wanted): (u8, u8)| if wanted == b'd' { byte.is_ascii_digit() } else { byte == wanted };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

impl FromText for NaiveDate {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        // The shape is checked, since chrono also accepts signs, white space and missing zeros.
        let date = has_shape(text, "dddd-dd-dd").then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok());
        date.flatten().ok_or(ProblemCode::NotADate)
    }
}

impl FromJson for DayHours {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        day_window(json, &["day", "open", "close"], at, problems)
    }
}

/// Parses one window of a weekday. `names` contains the names of its three properties: the weekday, the start and the
/// end.
fn day_window(
    json: &Json,
    names: &'static [&'static str; 3],
    at: &FieldPath<'_>,
    problems: &mut Problems,
) -> Option<DayHours> {
    let properties = Properties::sort(json, names, at, problems)?;
    let day = properties.read(names[0], at, problems);
    let [open, close] = [names[1], names[2]].map(|name| properties.read(name, at, problems));
    Some(DayHours { day: day?, open: open?, close: close? })
}

impl<const PER_DAY: usize> FromJson for Week<PER_DAY> {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let days = items(json, (0, Self::WINDOWS_MAX), at, problems, DayHours::from_json)?;
        Self::new(days).map_err(|found| add(found, at, problems)).ok()
    }
}

impl FromJson for WeeklyBreaks {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let pause = |json: &Json, at: &FieldPath<'_>, problems: &mut Problems| {
            day_window(json, &["day", "from", "to"], at, problems)
        };
        let breaks = items(json, (0, Self::BREAKS_MAX), at, problems, pause)?;
        Self::new(breaks).map_err(|found| add(found, at, problems)).ok()
    }
}

impl FromJson for LocalWindow {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let properties = Properties::sort(json, &["open", "close"], at, problems)?;
        let [open, close] = ["open", "close"].map(|name| properties.read(name, at, problems));
        Some(Self { open: open?, close: close? })
    }
}

impl FromJson for DayWindows {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let windows = items(json, (0, Self::WINDOWS_MAX), at, problems, LocalWindow::from_json)?;
        Self::new(windows).map_err(|found| add(found, at, problems)).ok()
    }
}

fn add(found: Vec<HoursProblem>, at: &FieldPath<'_>, problems: &mut Problems) {
    for problem in found {
        problems.add(&at.item(problem.index).property(problem.field), problem.code);
    }
}

#[cfg(test)]
mod tests {
    use domain::WeeklyHours;

    use super::*;
    use crate::http::reading::Reading;

    fn text<T: FromText>(text: &str) -> Result<T, ProblemCode> {
        T::from_text(text)
    }

    #[test]
    fn a_zone_has_a_name_of_the_iana_database() {
        assert_eq!(text("Europe/Paris"), Ok(Zone(Tz::Europe__Paris)));
        assert_eq!(text("UTC"), Ok(Zone(Tz::UTC)));
        for bad in ["Mars/Base", "+01:00", "europe/paris", " UTC", &"x".repeat(ZONE_CHARS_MAX)] {
            assert_eq!(text::<Zone>(bad).unwrap_err(), ProblemCode::NotATimeZone, "{bad}");
        }
        for bad in ["", &"x".repeat(ZONE_CHARS_MAX + 1)] {
            assert_eq!(text::<Zone>(bad).unwrap_err(), TextError::Length { min: 1, max: 80 }.into());
        }
    }

    #[test]
    fn a_date_has_four_two_and_two_digits_and_must_exist() {
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
            let mut problems = Problems::new(Reading::PLAIN);
            let json = Json::Array(vec![Json::Null; count]);
            assert!(WeeklyHours::from_json(&json, &FieldPath::Root, &mut problems).is_none());
            format!("{problems:?}").matches("Problem {").count()
        };
        assert_eq!((read(WeeklyHours::WINDOWS_MAX), read(WeeklyHours::WINDOWS_MAX + 1)), (7, 1));
    }
}
