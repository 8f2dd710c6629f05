//! Formats dates and times in the time zone of a business.

use chrono::{Datelike, NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;
use domain::availability::BOOKABLE_YEARS;
use domain::{ClockFormat, Timestamp};
use talk::words::capitalised;

use super::input::Member;
use super::view::View;
use crate::local_time::{WallClockError, instant};

impl Member {
    /// Whether the person sees times in the 12-hour format.
    pub(super) fn is_twelve(&self) -> bool {
        match self.signed_in.person.clock {
            ClockFormat::Auto => self.words.is_twelve(&self.profile.phone_region),
            ClockFormat::Twelve => true,
            ClockFormat::TwentyFour => false,
        }
    }

    /// The time of day, as `09:05` or `9:05 am`.
    pub(super) fn clock(&self, at: Timestamp) -> String {
        self.words.time(at.utc().with_timezone(&self.profile.zone).time(), self.is_twelve())
    }

    /// The time of day that is this number of minutes after midnight.
    pub(super) fn clock_of(&self, minutes: u32) -> String {
        let seconds = minutes % (24 * 60) * 60;
        let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds, 0).unwrap_or_default();
        self.words.time(time, self.is_twelve())
    }

    pub(super) fn day(&self, at: Timestamp) -> NaiveDate {
        at.utc().with_timezone(&self.profile.zone).date_naive()
    }

    pub(super) fn today(&self) -> NaiveDate {
        self.day(self.business.now())
    }

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
        self.words.dated("moment", self.day(at), &self.clock(at))
    }

    pub(super) fn short_moment(&self, at: Timestamp) -> String {
        self.words.dated("short-moment", self.day(at), &self.clock(at))
    }

    /// A date without the year, as a heading of a list.
    pub(super) fn heading_of_day(&self, day: NaiveDate) -> String {
        capitalised(&self.words.date(day))
    }

    /// Like [`Self::short_moment`], but with a capital letter for the beginning of a text.
    pub(super) fn moment_heading(&self, at: Timestamp) -> String {
        capitalised(&self.short_moment(at))
    }

    /// An instant with seconds: `24 Nov., 10:02:11`.
    pub(super) fn to_the_second(&self, at: Timestamp) -> String {
        let local = at.utc().with_timezone(&self.profile.zone);
        let time = self.words.time_to_the_second(local.time(), self.is_twelve());
        self.words.dated("log-when-at", local.date_naive(), &time)
    }

    /// An instant with minutes: `24 Nov., 10:02`.
    pub(super) fn to_the_minute(&self, at: Timestamp) -> String {
        self.words.dated("log-when-at", self.day(at), &self.clock(at))
    }

    /// The date of an instant: `24 Nov. 2026`.
    pub(super) fn to_the_day(&self, at: Timestamp) -> String {
        self.words.dated("log-when-year", self.day(at), "")
    }

    /// Describes a past instant. If it is within the last hour, the text is the time since then. Otherwise, the text is
    /// the day. If the day is today or yesterday, the text also contains the time of day.
    pub(super) fn ago(&self, at: Timestamp) -> String {
        let (day, today) = (self.day(at), self.today());
        let at_time =
            |day: &str| self.says("log-when-time", &[("day", self.t(day)), ("time", self.clock(at))]);
        match (self.business.now() - at).num_minutes() {
            ..1 => self.t("log-when-just-now"),
            minutes @ 1..60 => self.count("log-when-minutes-ago", minutes.unsigned_abs()),
            _ if day == today => at_time("log-when-today"),
            _ if day.succ_opt() == Some(today) => at_time("log-when-yesterday"),
            _ => self.to_the_day(at),
        }
    }
}

impl View {
    pub(super) fn length(&self, length: TimeDelta) -> String {
        let minutes = length.num_minutes().unsigned_abs();
        let (days, hours, minutes) = (minutes / 1_440, minutes / 60 % 24, minutes % 60);
        let parts = [("log-when-days", days), ("log-when-hours", hours), ("log-when-minutes", minutes)];
        let parts = parts.iter().skip_while(|(_, count)| *count == 0).take(2).filter(|(_, count)| *count > 0);
        let said: Vec<_> = parts.map(|(id, count)| self.count(id, *count)).collect();
        if said.is_empty() { self.t("log-when-under-a-minute") } else { said.join(" ") }
    }

    /// The duration of a request: `94 ms`, `1.2 s`.
    pub(super) fn millis(&self, millis: u64) -> String {
        match millis {
            0 => "< 1\u{a0}ms".into(),
            1..1_000 => format!("{millis}\u{a0}ms"),
            _ => {
                let point = self.t("log-decimal-point");
                format!("{}{point}{}\u{a0}s", millis / 1_000, millis % 1_000 / 100)
            }
        }
    }
}

/// Groups rows by day. The rows must be in the order of their days.
pub(super) fn by_day<T>(rows: &[T], day: impl Fn(&T) -> NaiveDate) -> Vec<(NaiveDate, &[T])> {
    let days = rows.chunk_by(|one, other| day(one) == day(other));
    days.map(|of_day| (day(&of_day[0]), of_day)).collect()
}

/// Parses a requested day. Returns `None` for a day outside the bookable years, because chrono cannot convert some of
/// these days.
pub(super) fn asked(text: &str) -> Option<NaiveDate> {
    let day: NaiveDate = text.trim().parse().ok()?;
    BOOKABLE_YEARS.contains(&day.year()).then_some(day)
}

pub(super) fn begins(day: NaiveDate, zone: Tz) -> Timestamp {
    let first = match instant(day.and_time(NaiveTime::MIN), zone) {
        // If a clock change skips midnight, the day begins after the change. If midnight occurs twice, the
        // day begins at the first midnight.
        Ok(first) | Err(WallClockError::Skipped(_, first) | WallClockError::Twice(first, _)) => first,
    };
    Timestamp::from_millis(first.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_or_at_a_clock_change() {
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
