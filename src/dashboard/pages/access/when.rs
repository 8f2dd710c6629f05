//! Formats of times in logs and lists.

use chrono::{Datelike, NaiveDate, TimeDelta, Timelike};
use chrono_tz::Tz;
use domain::Timestamp;

use crate::dashboard::pages::prelude::*;

/// An instant for the `datetime` attribute and in words.
pub(super) struct When {
    pub(super) iso: String,
    pub(super) text: String,
}

impl When {
    fn new(at: Timestamp, text: String) -> Self {
        Self { iso: at.to_string(), text }
    }

    /// With seconds: `24 Nov., 10:02:11`.
    pub(super) fn to_the_second(view: &View, at: Timestamp, zone: Tz) -> Self {
        let local = days::local(at, zone);
        let time = format!("{:02}:{:02}:{:02}", local.hour(), local.minute(), local.second());
        Self::new(at, at_time(view, &short_day(view, local.date_naive()), &time))
    }

    /// With minutes: `24 Nov., 10:02`.
    pub(super) fn to_the_minute(view: &View, at: Timestamp, zone: Tz) -> Self {
        let day = short_day(view, days::day(at, zone));
        Self::new(at, at_time(view, &day, &days::clock(at, zone)))
    }

    /// The day: `24 Nov. 2026`.
    pub(super) fn day(view: &View, at: Timestamp, zone: Tz) -> Self {
        let day = days::day(at, zone);
        let (short, year) = (short_day(view, day), day.year().to_string());
        let values = [("day", Value::Text(&short)), ("year", Value::Text(&year))];
        Self::new(at, view.words.say("log-when-year", &values))
    }

    /// The time since the instant if it is recent, else the day.
    pub(super) fn ago(view: &View, at: Timestamp, now: Timestamp, zone: Tz) -> Self {
        let (day, time) = (days::day(at, zone), days::clock(at, zone));
        let today = days::day(now, zone);
        let text = match (now - at).num_minutes() {
            ..1 => view.t("log-when-just-now"),
            minutes @ 1..60 => view.count("log-when-minutes-ago", minutes.unsigned_abs()),
            _ if day == today => at_time(view, &view.t("log-when-today"), &time),
            _ if day.succ_opt() == Some(today) => at_time(view, &view.t("log-when-yesterday"), &time),
            _ => return Self::day(view, at, zone),
        };
        Self::new(at, text)
    }
}

/// A duration in its two largest units.
pub(super) fn length(view: &View, length: TimeDelta) -> String {
    let minutes = length.num_minutes().unsigned_abs();
    let (days, hours, minutes) = (minutes / 1_440, minutes / 60 % 24, minutes % 60);
    let parts = [("log-when-days", days), ("log-when-hours", hours), ("log-when-minutes", minutes)];
    let mut parts = parts.iter().skip_while(|(_, count)| *count == 0).take(2).filter(|(_, count)| *count > 0);
    match (parts.next(), parts.next()) {
        (None, _) => view.t("log-when-under-a-minute"),
        (Some((id, count)), None) => view.count(id, *count),
        (Some((id, count)), Some((next, more))) => {
            format!("{} {}", view.count(id, *count), view.count(next, *more))
        }
    }
}

/// The duration of a request: `94 ms`, `1.2 s`.
pub(super) fn duration(view: &View, millis: u64) -> String {
    if millis < 1_000 {
        return if millis == 0 { "< 1\u{a0}ms".into() } else { format!("{millis}\u{a0}ms") };
    }
    let (seconds, tenths) = (millis / 1_000, millis % 1_000 / 100);
    format!("{seconds}{}{tenths}\u{a0}s", view.t("log-decimal-point"))
}

fn short_day(view: &View, day: NaiveDate) -> String {
    let number = |id, number: u32| view.words.say(id, &[("number", Value::Count(number.into()))]);
    let (day, month) = (number("day", day.day()), number("log-month", day.month()));
    view.words.say("log-when-day", &[("day", Value::Text(&day)), ("month", Value::Text(&month))])
}

fn at_time(view: &View, day: &str, time: &str) -> String {
    view.words.say("log-when-time", &[("day", Value::Text(day)), ("time", Value::Text(time))])
}
