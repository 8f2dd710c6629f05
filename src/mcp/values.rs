//! The value types of tools in addition to those of `/v1`.

use chrono::{NaiveDate, NaiveDateTime};
use domain::{Day, ProblemCode, Timestamp};
use schemars::JsonSchema;

use crate::http::idempotency::{IDEMPOTENCY_KEY_CHARS_MAX, is_key};
use crate::http::read::FromText;
use crate::rest::error::ApiError;
use crate::rest::values::RecordId;
use crate::rest::values::time::has_shape;

/// The maximum length of a name, in characters.
const NAME_CHARS_MAX: usize = 200;

/// A date in the business's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub(super) struct Date(pub(super) NaiveDate);

impl FromText for Date {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        NaiveDate::from_text(text.trim()).map(Self)
    }
}

/// An instant, or a local time without its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub(super) enum When {
    Instant(Timestamp),
    Wall(NaiveDateTime),
}

impl FromText for When {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        let text = text.trim();
        if let Some(wall) = wall(text) {
            return Ok(Self::Wall(wall));
        }
        // Results contain times without seconds, and a client may send such a time back. So an instant may omit its
        // seconds.
        let instant = match text.get(16..17) {
            Some("+" | "-" | "Z" | "z") => Timestamp::parse(&format!("{}:00{}", &text[..16], &text[16..])),
            _ => Timestamp::parse(text),
        };
        instant.map(Self::Instant).map_err(|_| ProblemCode::NotADateTime)
    }
}

fn wall(text: &str) -> Option<NaiveDateTime> {
    let text = text.replacen(['t', ' '], "T", 1);
    let forms = [("dddd-dd-ddTdd:dd", "%Y-%m-%dT%H:%M"), ("dddd-dd-ddTdd:dd:dd", "%Y-%m-%dT%H:%M:%S")];
    let (_, form) = forms.into_iter().find(|(shape, _)| has_shape(&text, shape))?;
    NaiveDateTime::parse_from_str(&text, form).ok()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub(super) enum DayOrTime {
    Day(NaiveDate),
    Time(When),
}

impl FromText for DayOrTime {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        if let Ok(Date(day)) = Date::from_text(text) {
            return Ok(Self::Day(day));
        }
        When::from_text(text).map(Self::Time).map_err(|_| ProblemCode::NotADateOrTime)
    }
}

/// The name or id of a service or staff member.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(with = "String")]
pub(super) struct Named(pub(super) String);

impl FromText for Named {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        let text = text.trim();
        if (1..=NAME_CHARS_MAX).contains(&text.chars().count()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ProblemCode::NotANameOrId(NAME_CHARS_MAX))
        }
    }
}

/// Parses an id. A malformed id is treated as unknown.
pub(super) fn id<I: RecordId>(text: &str) -> Result<I, ApiError> {
    text.trim().parse().map_err(|_| I::NOT_FOUND.into())
}

#[derive(Clone, Debug, JsonSchema)]
#[schemars(with = "String")]
pub(super) struct IdempotencyKey(pub(super) String);

impl FromText for IdempotencyKey {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        if is_key(text.as_bytes()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ProblemCode::VisibleAscii(IDEMPOTENCY_KEY_CHARS_MAX))
        }
    }
}

/// A day of the week, in any letter case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub(super) struct Weekday(pub(super) Day);

impl FromText for Weekday {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Day::from_text(&text.trim().to_lowercase()).map(Self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum PartOfDay {
    Morning,
    Afternoon,
    Evening,
}

impl PartOfDay {
    /// Whether this hour is in the part of the day.
    pub(super) fn holds(self, hour: u32) -> bool {
        match self {
            Self::Morning => hour < 12,
            Self::Afternoon => (12..17).contains(&hour),
            Self::Evening => hour >= 17,
        }
    }
}

impl FromText for PartOfDay {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        match text.trim().to_lowercase().as_str() {
            "morning" => Ok(Self::Morning),
            "afternoon" => Ok(Self::Afternoon),
            "evening" => Ok(Self::Evening),
            _ => Err(ProblemCode::OneOf(vec!["morning", "afternoon", "evening"])),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::english;

    fn wrong<T: FromText + Debug>(text: &str) -> String {
        english::problem(&T::from_text(text).unwrap_err())
    }

    #[test]
    fn a_time_is_a_local_time_or_an_instant() {
        let wall = |text: &str| When::Wall(text.parse().unwrap());
        let instant = |text: &str| When::Instant(Timestamp::parse(text).unwrap());
        for (text, expected) in [
            ("2026-11-24T10:00", wall("2026-11-24T10:00:00")),
            (" 2026-11-24 10:00:30 ", wall("2026-11-24T10:00:30")),
            ("2026-11-24T10:00:00+01:00", instant("2026-11-24T09:00:00Z")),
            ("2026-11-24T10:00+01:00", instant("2026-11-24T09:00:00Z")),
            ("2026-11-24T10:00Z", instant("2026-11-24T10:00:00Z")),
            ("2026-11-24T10:00:00.5Z", instant("2026-11-24T10:00:00.500Z")),
        ] {
            assert_eq!(When::from_text(text), Ok(expected), "{text}");
        }
        for bad in [
            "",
            "10:00",
            "2026-11-24",
            "2026-11-24T25:00",
            "2026-02-30T10:00",
            "tomorrow",
            "2026-11-24T1é:00",
        ] {
            assert!(wrong::<When>(bad).contains("2026-11-24T10:00"), "{bad}");
        }
    }

    #[test]
    fn a_day_may_have_spaces_around_it() {
        let day = "2026-12-17".parse().unwrap();
        assert_eq!(Date::from_text(" 2026-12-17 "), Ok(Date(day)));
        assert_eq!(DayOrTime::from_text("2026-12-17 "), Ok(DayOrTime::Day(day)));
        assert!(wrong::<Date>("17.12.2026").contains("YYYY-MM-DD"));
    }

    #[test]
    fn words_are_accepted_in_any_case() {
        assert_eq!(Weekday::from_text(" Tuesday"), Ok(Weekday(Day::Tuesday)));
        assert_eq!(PartOfDay::from_text("Evening"), Ok(PartOfDay::Evening));
        assert!(wrong::<Weekday>("mardi").contains("tuesday"));
        assert!(wrong::<PartOfDay>("noon").contains("morning"));
    }

    #[test]
    fn a_day_has_three_parts() {
        for (hour, part) in [
            (0, PartOfDay::Morning),
            (11, PartOfDay::Morning),
            (12, PartOfDay::Afternoon),
            (16, PartOfDay::Afternoon),
        ] {
            assert!(part.holds(hour));
        }
        assert!(PartOfDay::Evening.holds(17) && !PartOfDay::Afternoon.holds(17));
    }
}
