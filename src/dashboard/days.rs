//! Dates and times in the time zone of a business.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Timelike};
use chrono_tz::Tz;
use domain::Timestamp;
use domain::availability::BOOKABLE_YEARS;

use super::view::View;
use crate::local_time::{WallClockError, instant};

pub(super) fn local(at: Timestamp, zone: Tz) -> DateTime<Tz> {
    at.utc().with_timezone(&zone)
}

/// The time of day, as `09:05`.
pub(super) fn clock(at: Timestamp, zone: Tz) -> String {
    let local = local(at, zone);
    format!("{:02}:{:02}", local.hour(), local.minute())
}

pub(super) fn day(at: Timestamp, zone: Tz) -> NaiveDate {
    local(at, zone).date_naive()
}

/// An instant as a page shows it. The year appears only if it is not the current year.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) instant: Timestamp,
    pub(super) date: NaiveDate,
    pub(super) day: String,
    pub(super) clock: String,
}

pub(super) fn moment(view: &View, instant: Timestamp, zone: Tz) -> Moment {
    let (date, today) = (day(instant, zone), day(view.desk.engine.now(), zone));
    let shown = view.words.date(date);
    let day = if date.year() == today.year() { shown } else { format!("{shown} {}", date.year()) };
    Moment { instant, date, day, clock: clock(instant, zone) }
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
