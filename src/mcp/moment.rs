//! Times as people say them, on the wall clock of the business.

use actors::domain::{Day, Timestamp, day_bounds};
use chrono::{DateTime, Datelike, LocalResult, NaiveDate, SecondsFormat, TimeZone, Timelike};
use chrono_tz::Tz;

use super::refused::Refused;
use super::values::{DayOrTime, Weekday, When};
use crate::local_time::{self, WallClockError};

/// Which end of a stretch of time a date stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

/// The clock on the wall of a business.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallClock(pub(super) Tz);

impl WallClock {
    /// What it shows at an instant.
    pub(super) fn at(self, instant: Timestamp) -> DateTime<Tz> {
        instant.utc().with_timezone(&self.0)
    }

    /// `2026-11-24T10:00`.
    pub(super) fn local(self, instant: Timestamp) -> String {
        self.at(instant).format("%Y-%m-%dT%H:%M").to_string()
    }

    /// The day of the week.
    pub(super) fn weekday(self, instant: Timestamp) -> &'static str {
        weekday(self.at(instant).date_naive()).as_str()
    }

    /// `10:30`, with its offset where the clock shows it twice that day.
    pub(super) fn time(self, instant: Timestamp) -> String {
        let shown = self.at(instant);
        let time = shown.format("%H:%M").to_string();
        match self.0.from_local_datetime(&shown.naive_local()) {
            LocalResult::Ambiguous(..) => format!("{time}{}", shown.format("%:z")),
            _ => time,
        }
    }

    /// `10:00 on Tuesday 24 November`.
    pub(super) fn spoken(self, instant: Timestamp) -> String {
        format!("{} on {}", self.time(instant), spoken_day(self.at(instant).date_naive()))
    }

    /// The instant that a text means.
    ///
    /// # Errors
    /// When the clock never shows it, or twice.
    pub(super) fn instant(self, argument: &str, when: When) -> Result<Timestamp, Refused> {
        let wall = match when {
            When::Instant(instant) => return Ok(instant),
            When::Wall(wall) => wall,
        };
        let form = |instant: &DateTime<Tz>| instant.to_rfc3339_opts(SecondsFormat::Secs, true);
        let told = || format!("{} on {}", wall.format("%H:%M"), spoken_day(wall.date()));
        match local_time::instant(wall, self.0) {
            Ok(instant) => Ok(Timestamp::from(instant.to_utc())),
            Err(WallClockError::Skipped(earlier, later)) => Err(Refused::told(format!(
                "There is no {} in {}: the clocks are set forward past it. Send {argument} {} or {}, whichever is \
                 meant.",
                told(),
                self.0,
                form(&earlier),
                form(&later)
            ))),
            Err(WallClockError::Twice(first, second)) => Err(Refused::told(format!(
                "{} comes twice in {}: the clocks are set back over it. Ask which one is meant, then send {argument} \
                 {} for the first or {} for the second.",
                told(),
                self.0,
                form(&first),
                form(&second)
            ))),
        }
    }

    /// The same of a day or a time: a day is its first instant, or as the last one the first after it.
    ///
    /// # Errors
    /// As [`Self::instant`].
    pub(super) fn edge(self, argument: &str, given: DayOrTime, end: End) -> Result<Timestamp, Refused> {
        match given {
            DayOrTime::Time(when) => self.instant(argument, when),
            DayOrTime::Day(day) => {
                let bounds = day_bounds(self.0, day);
                Ok(if end == End::First { bounds.start } else { bounds.end })
            }
        }
    }

    /// Makes sure that an instant falls on the day of the week that somebody has in mind.
    ///
    /// # Errors
    /// When it falls on another one.
    pub(super) fn check_weekday(self, instant: Timestamp, named: Option<Weekday>) -> Result<(), Refused> {
        let Some(Weekday(named)) = named else { return Ok(()) };
        let date = self.at(instant).date_naive();
        if weekday(date) == named {
            return Ok(());
        }
        Err(Refused::told(format!(
            "{date} is a {}, not a {}. Ask which is meant, and send a date and a weekday that fit.",
            capital(weekday(date).as_str()),
            capital(named.as_str())
        )))
    }
}

/// The day of the week of a date.
pub(super) fn weekday(date: NaiveDate) -> Day {
    Day::ALL[date.weekday().num_days_from_sunday() as usize]
}

/// `Tuesday 24 November`.
pub(super) fn spoken_day(date: NaiveDate) -> String {
    format!("{} {} {}", capital(weekday(date).as_str()), date.day(), date.format("%B"))
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The hour that the clock shows.
pub(super) fn hour(shown: &DateTime<Tz>) -> u32 {
    shown.hour()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::read::FromText;

    const PARIS: WallClock = WallClock(Tz::Europe__Paris);

    fn instant(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn resolved(text: &str) -> Result<Timestamp, String> {
        PARIS.instant("starts_at", When::from_text(text).unwrap()).map_err(|refused| match refused {
            Refused::Told(text) => text,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_wall_time_is_an_instant_of_the_business() {
        assert_eq!(resolved("2026-11-24T10:00"), Ok(instant("2026-11-24T09:00:00Z")));
        assert_eq!(resolved("2026-07-01T10:00"), Ok(instant("2026-07-01T08:00:00Z")));
        assert_eq!(resolved("2026-11-24T10:00:00+05:00"), Ok(instant("2026-11-24T05:00:00Z")));
    }

    #[test]
    fn what_the_clocks_skip_or_show_twice_is_asked_back() {
        let skipped = resolved("2026-03-29T02:30").unwrap_err();
        assert!(skipped.contains("no 02:30 on Sunday 29 March in Europe/Paris"), "{skipped}");
        assert!(skipped.contains("2026-03-29T01:30:00+01:00 or 2026-03-29T03:30:00+02:00"), "{skipped}");
        let twice = resolved("2026-10-25T02:30").unwrap_err();
        assert!(twice.contains("2026-10-25T02:30:00+02:00 for the first"), "{twice}");
        assert!(twice.contains("2026-10-25T02:30:00+01:00 for the second"), "{twice}");
    }

    #[test]
    fn times_are_said_with_their_day_and_with_an_offset_only_where_they_come_twice() {
        assert_eq!(PARIS.spoken(instant("2026-11-24T09:00:00Z")), "10:00 on Tuesday 24 November");
        assert_eq!(PARIS.local(instant("2026-11-24T09:00:00Z")), "2026-11-24T10:00");
        assert_eq!(PARIS.weekday(instant("2026-11-23T23:00:00Z")), "tuesday");
        assert_eq!(PARIS.time(instant("2026-10-25T00:30:00Z")), "02:30+02:00");
        assert_eq!(PARIS.time(instant("2026-10-25T01:30:00Z")), "02:30+01:00");
        assert_eq!(PARIS.time(instant("2026-10-25T02:30:00Z")), "03:30");
    }

    #[test]
    fn a_weekday_must_fit_its_date() {
        let at = instant("2026-11-24T09:00:00Z");
        assert!(PARIS.check_weekday(at, None).is_ok());
        assert!(PARIS.check_weekday(at, Some(Weekday(Day::Tuesday))).is_ok());
        let refused = PARIS.check_weekday(at, Some(Weekday(Day::Monday))).unwrap_err();
        let Refused::Told(text) = refused else { panic!("{refused:?}") };
        assert!(text.contains("2026-11-24 is a Tuesday, not a Monday"), "{text}");
    }
}
