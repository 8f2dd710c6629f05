//! Dates and times in the time zone of a business.

use chrono::{Datelike, NaiveDate, NaiveTime};
use chrono_tz::Tz;
use domain::Timestamp;
use domain::availability::BOOKABLE_YEARS;

use super::asked::Member;
use crate::local_time::{WallClockError, instant};
use crate::words::capitalised;

impl Member {
    /// The time of day, as `09:05`.
    pub(super) fn clock(&self, at: Timestamp) -> String {
        at.utc().with_timezone(&self.profile.zone).format("%H:%M").to_string()
    }

    pub(super) fn day(&self, at: Timestamp) -> NaiveDate {
        at.utc().with_timezone(&self.profile.zone).date_naive()
    }

    pub(super) fn today(&self) -> NaiveDate {
        self.day(self.business.now())
    }

    /// A date in words. The year appears only if it is not the current year.
    pub(super) fn date(&self, day: NaiveDate) -> String {
        let date = self.words.date(day);
        if day.year() == self.today().year() { date } else { format!("{date} {}", day.year()) }
    }

    pub(super) fn date_of(&self, at: Timestamp) -> String {
        self.date(self.day(at))
    }

    pub(super) fn heading(&self, day: NaiveDate) -> String {
        capitalised(&self.date(day))
    }

    pub(super) fn full_date(&self, day: NaiveDate) -> String {
        format!("{} {}", self.words.date(day), day.year())
    }

    /// A date in short form: `1 Dec 2026`.
    pub(super) fn short_date(&self, at: Timestamp) -> String {
        self.words.dated("records-short-day", self.day(at), "")
    }

    pub(super) fn moment(&self, at: Timestamp) -> String {
        self.words.moment(at, self.profile.zone)
    }

    pub(super) fn short_moment(&self, at: Timestamp) -> String {
        self.words.short_moment(at, self.profile.zone)
    }

    /// A date without the year, as a heading of a list.
    pub(super) fn heading_of_day(&self, day: NaiveDate) -> String {
        capitalised(&self.words.date(day))
    }

    /// Like [`Self::short_moment`], at the beginning of a text.
    pub(super) fn moment_heading(&self, at: Timestamp) -> String {
        capitalised(&self.short_moment(at))
    }
}

/// The rows of each day. The rows are in order of time.
pub(super) fn by_day<T>(rows: &[T], day: impl Fn(&T) -> NaiveDate) -> Vec<(NaiveDate, &[T])> {
    let days = rows.chunk_by(|one, other| day(one) == day(other));
    days.map(|of_day| (day(&of_day[0]), of_day)).collect()
}

/// Parses a requested day. Days outside the bookable years return `None`, since chrono cannot convert all of
/// them.
pub(super) fn asked(text: &str) -> Option<NaiveDate> {
    let day: NaiveDate = text.trim().parse().ok()?;
    BOOKABLE_YEARS.contains(&day.year()).then_some(day)
}

pub(super) fn begins(day: NaiveDate, zone: Tz) -> Timestamp {
    let first = match instant(day.and_time(NaiveTime::MIN), zone) {
        // If the clocks skip midnight, the day begins after the gap. If midnight occurs twice, the day begins
        // at the first.
        Ok(first) | Err(WallClockError::Skipped(_, first) | WallClockError::Twice(first, _)) => first,
    };
    Timestamp::from_millis(first.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_or_when_the_clocks_say() {
        for (zone, day, begins_at) in [
            ("Europe/Paris", "2026-03-29", "2026-03-28T23:00:00.000Z"),
            ("Europe/Paris", "2026-03-30", "2026-03-29T22:00:00.000Z"),
            // The clocks go from 00:00 to 01:00 in the first row, and from 01:00 back to 00:00 in the second.
            ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"),
            ("America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"),
        ] {
            let zone: Tz = zone.parse().unwrap();
            assert_eq!(
                begins(day.parse().unwrap(), zone),
                Timestamp::parse(begins_at).unwrap(),
                "{zone} {day}"
            );
        }
    }
}
