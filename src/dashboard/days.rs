//! Days and times as the clocks of a business show them.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Timelike};
use chrono_tz::Tz;
use domain::Timestamp;
use domain::availability::BOOKABLE_YEARS;

use super::view::View;
use crate::local_time::{WallClockError, instant};

/// An instant on the clocks of a zone.
pub(super) fn local(at: Timestamp, zone: Tz) -> DateTime<Tz> {
    at.utc().with_timezone(&zone)
}

/// The time of an instant, as `09:05`.
pub(super) fn clock(at: Timestamp, zone: Tz) -> String {
    let local = local(at, zone);
    format!("{:02}:{:02}", local.hour(), local.minute())
}

/// The day of an instant.
pub(super) fn day(at: Timestamp, zone: Tz) -> NaiveDate {
    local(at, zone).date_naive()
}

/// An instant as a page shows it: its day, with the year where that is not the present one, and its time.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// As programs read it.
    pub(super) instant: Timestamp,
    /// Its day, as programs read it.
    pub(super) date: NaiveDate,
    /// Its day, as people do.
    pub(super) day: String,
    pub(super) clock: String,
}

/// An instant as a page shows it.
pub(super) fn moment(view: &View, instant: Timestamp, zone: Tz) -> Moment {
    let (date, today) = (day(instant, zone), day(view.desk.engine.now(), zone));
    let shown = view.words.date(date);
    let day = if date.year() == today.year() { shown } else { format!("{shown} {}", date.year()) };
    Moment { instant, date, day, clock: clock(instant, zone) }
}

/// The day that somebody asks for, within the years in which anything is booked: others no clock can show.
pub(super) fn asked(text: &str) -> Option<NaiveDate> {
    let day: NaiveDate = text.trim().parse().ok()?;
    BOOKABLE_YEARS.contains(&day.year()).then_some(day)
}

/// The first instant of a day.
pub(super) fn begins(day: NaiveDate, zone: Tz) -> Timestamp {
    let first = match instant(day.and_time(NaiveTime::MIN), zone) {
        // Where the clocks skip midnight the day begins when they do; where they show it twice, with the first.
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
            // The clocks go from 00:00 to 01:00, and from 01:00 back to 00:00.
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
