//! Times in requests and results, in the time zone of the business.

use std::ops::Range;

use chrono::{DateTime, Datelike, LocalResult, NaiveDate, SecondsFormat, TimeZone};
use chrono_tz::Tz;
use domain::{Day, Timestamp, day_bounds};

use super::refused::Refused;
use super::values::{DayOrTime, Weekday, When};
use crate::local_time::{self, WallClockError};

#[derive(Clone, Copy, Debug)]
pub(super) struct WallClock(pub(super) Tz);

impl WallClock {
    pub(super) fn at(self, instant: Timestamp) -> DateTime<Tz> {
        instant.utc().with_timezone(&self.0)
    }

    pub(super) fn date(self, instant: Timestamp) -> NaiveDate {
        self.at(instant).date_naive()
    }

    /// `2026-11-24T10:00`, with the offset if that local time occurs twice.
    pub(super) fn local(self, instant: Timestamp) -> String {
        format!("{}T{}", self.at(instant).format("%Y-%m-%d"), self.time(instant))
    }

    pub(super) fn weekday(self, instant: Timestamp) -> &'static str {
        weekday(self.date(instant)).as_str()
    }

    /// `10:30`, with the offset if that time occurs twice on the day.
    pub(super) fn time(self, instant: Timestamp) -> String {
        let shown = self.at(instant);
        let time = shown.format("%H:%M").to_string();
        match self.0.from_local_datetime(&shown.naive_local()) {
            LocalResult::Ambiguous(..) => format!("{time}{}", shown.format("%:z")),
            _ => time,
        }
    }

    /// `10:00 on Tuesday 24 November`, with the year if it is not the current one.
    pub(super) fn spoken(self, instant: Timestamp, now: Timestamp) -> String {
        format!("{} on {}", self.time(instant), self.spoken_date(self.date(instant), now))
    }

    /// `Tuesday 24 November`, with the year if it is not the current one.
    pub(super) fn spoken_date(self, date: NaiveDate, now: Timestamp) -> String {
        let is_of_this_year = date.year() == self.at(now).year();
        let year = if is_of_this_year { String::new() } else { format!(" {}", date.year()) };
        format!("{}{year}", spoken_day(date))
    }

    /// The instants of a local time: two if a clock change repeats it. Fails if a clock change skips it.
    pub(super) fn readings(self, argument: &str, when: When) -> Result<Vec<Timestamp>, Refused> {
        if let When::Wall(wall) = when
            && let Err(WallClockError::Twice(first, second)) = local_time::instant(wall, self.0)
        {
            return Ok([first, second].map(|reading| Timestamp::from(reading.to_utc())).into());
        }
        Ok(vec![self.instant(argument, when)?])
    }

    /// The instant of a local time. Fails if a clock change skips or repeats it.
    pub(super) fn instant(self, argument: &str, when: When) -> Result<Timestamp, Refused> {
        let wall = match when {
            When::Instant(instant) => return Ok(instant),
            When::Wall(wall) => wall,
        };
        let form = |instant: &DateTime<Tz>| instant.to_rfc3339_opts(SecondsFormat::Secs, true);
        let told = || format!("{} on {}", wall.format("%H:%M"), spoken_day(wall.date()));
        match local_time::instant(wall, self.0) {
            Ok(instant) => Ok(Timestamp::from(instant.to_utc())),
            Err(WallClockError::Skipped(earlier, later)) => Err(Refused::with_text(format!(
                "There is no {} in {}, because the clocks are set forward then. Ask which time is meant, then send \
                 {argument} {} or {}.",
                told(),
                self.0,
                form(&earlier),
                form(&later)
            ))),
            Err(WallClockError::Twice(first, second)) => Err(Refused::with_text(format!(
                "{} occurs twice in {}, because the clocks are set back then. Ask which time is meant, then send \
                 {argument} {} for the first or {} for the second.",
                told(),
                self.0,
                form(&first),
                form(&second)
            ))),
        }
    }

    /// The instants of the start and the end of a range. Refuses an empty range.
    pub(super) fn between(
        self,
        (from, to): (Option<DayOrTime>, Option<DayOrTime>),
    ) -> Result<(Option<Timestamp>, Option<Timestamp>), Refused> {
        // A date as the start means the first instant of the date. A date as the end means the first instant after the
        // date.
        let edge =
            |argument: &str, given: Option<DayOrTime>, of_day: fn(Range<Timestamp>) -> Timestamp| match given
            {
                None => Ok(None),
                Some(DayOrTime::Time(when)) => self.instant(argument, when).map(Some),
                Some(DayOrTime::Day(day)) => Ok(Some(of_day(day_bounds(self.0, day)))),
            };
        let (first, last) = (edge("from", from, |day| day.start)?, edge("to", to, |day| day.end)?);
        if let (Some(from), Some(to), Some(first), Some(last)) = (from, to, first, last)
            && last <= first
        {
            let told = |given: DayOrTime, instant: Timestamp| match given {
                DayOrTime::Day(day) => day.to_string(),
                DayOrTime::Time(_) => self.local(instant),
            };
            return Err(Refused::with_text(format!(
                "`to` ({}) is not later than `from` ({}), so there is nothing between them. Send the earlier one as \
                 `from`.",
                told(to, last),
                told(from, first)
            )));
        }
        Ok((first, last))
    }

    /// Refuses an instant that is not on the given weekday.
    pub(super) fn check_weekday(self, instant: Timestamp, named: Option<Weekday>) -> Result<(), Refused> {
        let Some(Weekday(named)) = named else { return Ok(()) };
        let date = self.date(instant);
        if weekday(date) == named {
            return Ok(());
        }
        Err(Refused::with_text(format!(
            "{date} is a {}, not a {}. Ask which of them is meant, then send a date and a weekday that match.",
            capital(weekday(date).as_str()),
            capital(named.as_str())
        )))
    }
}

pub(super) fn weekday(date: NaiveDate) -> Day {
    Day::ALL[date.weekday().num_days_from_sunday() as usize]
}

fn spoken_day(date: NaiveDate) -> String {
    format!("{} {} {}", capital(weekday(date).as_str()), date.day(), date.format("%B"))
}

pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
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
    fn a_local_time_is_an_instant_in_the_zone_of_the_business() {
        assert_eq!(resolved("2026-11-24T10:00"), Ok(instant("2026-11-24T09:00:00Z")));
        assert_eq!(resolved("2026-07-01T10:00"), Ok(instant("2026-07-01T08:00:00Z")));
        assert_eq!(resolved("2026-11-24T10:00:00+05:00"), Ok(instant("2026-11-24T05:00:00Z")));
    }

    #[test]
    fn a_skipped_or_repeated_time_is_refused_with_the_possible_instants() {
        let skipped = resolved("2026-03-29T02:30").unwrap_err();
        assert!(skipped.contains("no 02:30 on Sunday 29 March in Europe/Paris"), "{skipped}");
        assert!(skipped.contains("2026-03-29T01:30:00+01:00 or 2026-03-29T03:30:00+02:00"), "{skipped}");
        let twice = resolved("2026-10-25T02:30").unwrap_err();
        assert!(twice.contains("2026-10-25T02:30:00+02:00 for the first"), "{twice}");
        assert!(twice.contains("2026-10-25T02:30:00+01:00 for the second"), "{twice}");
    }

    #[test]
    fn times_have_their_day_and_an_offset_only_if_they_occur_twice() {
        let now = instant("2026-01-01T00:00:00Z");
        assert_eq!(PARIS.spoken(instant("2026-11-24T09:00:00Z"), now), "10:00 on Tuesday 24 November");
        assert_eq!(PARIS.spoken(instant("2027-01-04T09:00:00Z"), now), "10:00 on Monday 4 January 2027");
        // The current year is the year in the business's time zone.
        let new_year = instant("2026-12-31T23:30:00Z");
        assert_eq!(PARIS.spoken(instant("2027-01-04T09:00:00Z"), new_year), "10:00 on Monday 4 January");
        assert_eq!(PARIS.local(instant("2026-11-24T09:00:00Z")), "2026-11-24T10:00");
        assert_eq!(PARIS.local(instant("2026-10-25T00:30:00Z")), "2026-10-25T02:30+02:00");
        assert_eq!(PARIS.weekday(instant("2026-11-23T23:00:00Z")), "tuesday");
        assert_eq!(PARIS.time(instant("2026-10-25T00:30:00Z")), "02:30+02:00");
        assert_eq!(PARIS.time(instant("2026-10-25T01:30:00Z")), "02:30+01:00");
        assert_eq!(PARIS.time(instant("2026-10-25T02:30:00Z")), "03:30");
    }

    #[test]
    fn an_expected_start_may_be_either_instant_of_a_repeated_time() {
        let readings = |text: &str| PARIS.readings("expected_starts_at", When::from_text(text).unwrap());
        let twice = [instant("2026-10-25T00:30:00Z"), instant("2026-10-25T01:30:00Z")];
        assert_eq!(readings("2026-10-25T02:30").unwrap(), twice);
        assert_eq!(readings("2026-10-25T02:30+01:00").unwrap(), twice[1..]);
        assert_eq!(readings("2026-11-24T10:00").unwrap(), [instant("2026-11-24T09:00:00Z")]);
        assert!(readings("2026-03-29T02:30").is_err());
    }

    #[test]
    fn an_empty_range_is_refused() {
        let between = |from: &str, to: &str| {
            let edge = |text: &str| (!text.is_empty()).then(|| DayOrTime::from_text(text).unwrap());
            PARIS.between((edge(from), edge(to)))
        };
        let day = (Some(instant("2026-11-23T23:00:00Z")), Some(instant("2026-11-24T23:00:00Z")));
        assert_eq!(between("2026-11-24", "2026-11-24").unwrap(), day);
        assert_eq!(between("2026-11-24", "").unwrap(), (day.0, None));
        for (from, to) in [
            ("2026-11-24", "2026-11-23"),
            ("2026-11-24T10:00", "2026-11-24T10:00"),
            ("2026-11-25T01:00", "2026-11-24"),
        ] {
            let Err(Refused::Told(text)) = between(from, to) else { panic!("{from} {to}") };
            assert!(
                text.contains(&format!("`to` ({to}")) && text.contains(&format!("`from` ({from}")),
                "{text}"
            );
        }
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
