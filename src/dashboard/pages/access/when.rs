//! Formats of times in logs and lists.

use chrono::TimeDelta;
use domain::Timestamp;

use crate::dashboard::pages::prelude::*;

impl Member {
    /// With seconds: `24 Nov., 10:02:11`.
    pub(super) fn to_the_second(&self, at: Timestamp) -> String {
        let local = at.utc().with_timezone(&self.profile.zone);
        self.words.dated("log-when-at", local.date_naive(), &local.format("%H:%M:%S").to_string())
    }

    /// With minutes: `24 Nov., 10:02`.
    pub(super) fn to_the_minute(&self, at: Timestamp) -> String {
        self.words.dated("log-when-at", self.day(at), &self.clock(at))
    }

    /// The day: `24 Nov. 2026`.
    pub(super) fn to_the_day(&self, at: Timestamp) -> String {
        self.words.dated("log-when-year", self.day(at), "")
    }

    /// The time since the instant if it is recent, else the day.
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
