//! The rules by which a calendar file makes a staff member busy.

mod bounds;
mod effects;
mod properties;
mod recurrences;
mod zones;

use super::*;

/// The zone of the business. In these tests, the current time is 2026-11-27T12:00Z.
const PARIS: Tz = Tz::Europe__Paris;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn own_id() -> AppointmentId {
    "01920000-0000-7000-8000-000000000001".parse().unwrap()
}

fn read_with(text: &str, change: impl FnOnce(&mut Reading<'_>)) -> Result<BusyTimes, ReadError> {
    let mut reading = Reading {
        window: window(at("2026-11-27T12:00:00Z")),
        zone: PARIS,
        all_day_busy: true,
        own_addresses: &["me@example.com".to_owned(), "mailto:Other@example.com".to_owned()],
        is_appointment: &|id| id == own_id(),
    };
    change(&mut reading);
    read(text.as_bytes(), &reading, &mut FILE_STEPS_MAX.clone())
}

fn calendar(body: &str) -> String {
    format!("BEGIN:VCALENDAR\nVERSION:2.0\n{body}\nEND:VCALENDAR\n")
}

fn event(lines: &str) -> String {
    format!("BEGIN:VEVENT\n{lines}\nEND:VEVENT\n")
}

fn times(body: &str) -> BusyTimes {
    read_with(&calendar(body), |_| {}).unwrap()
}

/// The busy intervals of all events in UTC, such as `12-01T10:00/12-01T11:00`. Times from 2027 on also show the year.
fn shown(times: &BusyTimes) -> Vec<String> {
    let show = |at: Timestamp| {
        let format = if at < self::at("2027-01-01T00:00:00Z") { "%m-%dT%H:%M" } else { "%Y-%m-%dT%H:%M" };
        at.utc().format(format).to_string()
    };
    let busy = times.events.iter().flat_map(|event| &event.busy);
    busy.map(|busy| format!("{}/{}", show(busy.start), show(busy.end))).collect()
}

fn busy(body: &str) -> Vec<String> {
    shown(&times(body))
}

/// The starts of the busy intervals of one event.
fn starts(lines: &str) -> Vec<String> {
    busy(&event(lines)).iter().map(|busy| busy.split('/').next().unwrap().to_owned()).collect()
}
