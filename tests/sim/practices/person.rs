//! The people who change the events on the calendar servers of a practice.

use std::ops::Range;

use chrono::TimeDelta;
use domain::Timestamp;

use super::client::Client;
use super::host::{CalendarHost, Foreign, stamp};
use super::{HALF_HOUR, PRACTICES};

impl Client {
    /// Adds, replaces or deletes an event on one of the calendar servers. The service has not written this event.
    pub(super) fn change_foreign(&self) {
        let hosts = self.hosts();
        if hosts.is_empty() {
            return;
        }
        let host = self.dice.pick(&hosts);
        let known: Vec<String> = host.state().foreign.keys().cloned().collect();
        let at = if known.is_empty() { None } else { Some(self.dice.pick(&known).clone()) };
        match (self.dice.below(3), at) {
            (0, Some(at)) => {
                self.world.say(format_args!("{at} vanishes from {}", host.name));
                host.state().remove_foreign(&at);
            }
            (nth, at) => {
                let (text, busy) = self.some_event(host);
                self.world.say(format_args!("an event at {}: {busy:?}", host.name));
                let foreign = Foreign { since: self.world.time.truth(), busy };
                host.state().put_foreign(at.filter(|_| nth == 1), text, foreign);
            }
        }
    }

    /// Returns a random event: its calendar file and its busy times.
    fn some_event(&self, host: &CalendarHost) -> (String, Vec<Range<Timestamp>>) {
        let start = self.some_start();
        let end = start + HALF_HOUR * i32::try_from(self.dice.between(1, 4)).unwrap();
        let day = TimeDelta::days(1);
        let midnight = Timestamp::from_millis(start.millis() / 86_400_000 * 86_400_000);
        let number = self.dice.next();
        let times = format!("DTSTART:{}\r\nDTEND:{}\r\n", stamp(start), stamp(end));
        let mut uid = format!("{number}@elsewhere");
        let (lines, busy) = match self.dice.below(8) {
            0 => (format!("{times}TRANSP:TRANSPARENT\r\n"), Vec::new()),
            1 => (format!("{times}STATUS:CANCELLED\r\n"), Vec::new()),
            2 => (format!("{times}STATUS:TENTATIVE\r\n"), vec![start..end]),
            3 => {
                let all_day = |at: Timestamp| at.utc().format("%Y%m%d").to_string();
                let (from, to) = (all_day(midnight), all_day(midnight + day));
                let lines = format!("DTSTART;VALUE=DATE:{from}\r\nDTEND;VALUE=DATE:{to}\r\n");
                (lines, vec![midnight..midnight + day])
            }
            4 => {
                let busy = (0..3).map(|nth| start + day * nth..end + day * nth);
                (format!("{times}RRULE:FREQ=DAILY;COUNT=3\r\n"), busy.collect())
            }
            5 => {
                // This event has the UID of an appointment of another business, as if the person had copied it. The
                // service must treat it like any other event.
                let other = &self.all.lock()[(self.at + 1) % PRACTICES];
                if let Some(id) = self.dice.any(&other.appointments) {
                    uid = super::host::uid(id);
                }
                (times, vec![start..end])
            }
            _ => (times, vec![start..end]),
        };
        // A calendar file has at most one event per UID.
        if host.state().has(&uid) {
            uid = format!("{number}@elsewhere");
        }
        let text = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:Private\r\n{lines}END:VEVENT\r\n\
             END:VCALENDAR\r\n"
        );
        (text, busy)
    }

    /// Deletes, changes or moves an event that the service has written, as a person does. At the same time, the service
    /// may have a pending write of a newer state of the event.
    pub(super) fn edit_own(&self) {
        let hosts = self.hosts();
        let mut own = Vec::new();
        for host in &hosts {
            own.extend(host.state().own().map(|(path, text)| (host, path.clone(), text.clone())));
        }
        if own.is_empty() {
            return;
        }
        let (host, path, text) = self.dice.pick(&own);
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        let choice = self.dice.below(9);
        if choice >= 5 {
            let to = host.state().rename(path, self.dice.once_in(3));
            return self.world.say(format_args!("a person moves {path} at {} to {to}", host.name));
        }
        let edited = match choice {
            0 | 1 => None,
            2 => Some(text.replace(line("STATUS:"), "STATUS:CANCELLED")),
            3 => {
                let start = self.some_start();
                let moved = text.replace(line("DTSTART"), &format!("DTSTART:{}", stamp(start)));
                Some(moved.replace(line("DTEND"), &format!("DTEND:{}", stamp(start + HALF_HOUR * 3))))
            }
            _ => Some(text.replace("SUMMARY:", "SUMMARY:Remember: ")),
        };
        let what = if edited.is_some() { "changes" } else { "deletes" };
        self.world.say(format_args!("a person {what} {path} at {}", host.name));
        let mut state = host.state();
        match edited {
            Some(text) => state.server.store(path, text),
            None => _ = state.server.remove(path),
        }
    }
}
