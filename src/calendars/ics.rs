//! Calendar files of appointments (RFC 5545): the file of one appointment, and the content of a feed.
//!
//! Invariant: the file of one appointment contains neither data of the contact nor a manage link.

use domain::{Appointment, AppointmentId, AppointmentStatus, Timestamp};
use view::AppointmentView;

use crate::words::plain;

/// The maximum length of a line without its line break, in bytes.
const LINE_BYTES_MAX: usize = 75;
/// The maximum length of a text, in characters.
const TEXT_CHARS_MAX: usize = 500;

pub(crate) const NAME: &str = "appointment.ics";
pub(crate) const MEDIA_TYPE: &str = "text/calendar; charset=utf-8; method=PUBLISH";

/// The contents of `appointment.ics`. `service` and `business` are names; `address` is the business's postal
/// address.
pub(crate) fn file(
    appointment: &Appointment,
    service: &str,
    business: &str,
    address: Option<&str>,
) -> String {
    let Appointment { id, status, starts_at, ends_at, created_at, updated_at, .. } = *appointment;
    let event = Event {
        of: (id, status),
        times: (starts_at, ends_at),
        stamps: (created_at, updated_at),
        summary: format!("{service} · {business}"),
        location: address,
        description: Vec::new(),
        url: None,
        is_private: false,
    };
    calendar(vec!["METHOD:PUBLISH".into()], [event])
}

/// The content of a feed with this name.
pub(crate) fn feed<'a>(name: &str, events: impl IntoIterator<Item = Event<'a>>) -> String {
    let head =
        vec![format!("X-WR-CALNAME:{}", escaped(name)), "REFRESH-INTERVAL;VALUE=DURATION:PT15M".into()];
    calendar(head, events)
}

/// The file of one event that is written to a calendar.
pub(crate) fn written(event: Event<'_>) -> String {
    calendar(Vec::new(), [event])
}

pub(crate) struct Event<'a> {
    of: (AppointmentId, AppointmentStatus),
    /// The start and the end.
    times: (Timestamp, Timestamp),
    /// The times of creation and of the last change.
    stamps: (Timestamp, Timestamp),
    pub(crate) summary: String,
    pub(crate) location: Option<&'a str>,
    /// The lines of the description.
    pub(crate) description: Vec<String>,
    pub(crate) url: Option<String>,
    /// Whether other users of the calendar see only that the time is busy.
    pub(crate) is_private: bool,
}

impl Event<'_> {
    pub(crate) fn of(appointment: &AppointmentView, summary: String) -> Self {
        Self {
            of: (appointment.id, appointment.status),
            times: (appointment.starts_at, appointment.ends_at),
            stamps: (appointment.created_at, appointment.updated_at),
            summary,
            location: None,
            description: Vec::new(),
            url: None,
            is_private: false,
        }
    }

    fn lines(&self, lines: &mut Vec<String>) {
        let ((id, status), (starts_at, ends_at), (created_at, updated_at)) =
            (self.of, self.times, self.stamps);
        let status = match status {
            AppointmentStatus::Confirmed => "CONFIRMED",
            AppointmentStatus::Pending => "TENTATIVE",
            AppointmentStatus::Cancelled | AppointmentStatus::Declined => "CANCELLED",
        };
        let sequence = (updated_at - created_at).num_seconds().max(0);
        lines.extend([
            "BEGIN:VEVENT".into(),
            format!("UID:{id}@receptionist"),
            format!("DTSTAMP:{}", utc(updated_at)),
            format!("LAST-MODIFIED:{}", utc(updated_at)),
            format!("SEQUENCE:{sequence}"),
            format!("DTSTART:{}", utc(starts_at)),
            format!("DTEND:{}", utc(ends_at)),
            format!("STATUS:{status}"),
            format!("SUMMARY:{}", escaped(&self.summary)),
        ]);
        lines.extend(self.location.map(|location| format!("LOCATION:{}", escaped(location))));
        if !self.description.is_empty() {
            let description: Vec<_> = self.description.iter().map(|line| escaped(line)).collect();
            lines.push(format!("DESCRIPTION:{}", description.join("\\n")));
        }
        lines.extend(self.url.iter().map(|url| format!("URL:{url}")));
        if self.is_private {
            lines.push("CLASS:PRIVATE".into());
        }
        lines.push("END:VEVENT".into());
    }
}

fn calendar<'a>(head: Vec<String>, events: impl IntoIterator<Item = Event<'a>>) -> String {
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".into(),
        "PRODID:-//receptionist//appointments//EN".into(),
    ];
    lines.extend(head);
    events.into_iter().for_each(|event| event.lines(&mut lines));
    lines.push("END:VCALENDAR".into());
    lines.iter().map(|line| folded(line)).collect()
}

fn utc(at: Timestamp) -> String {
    at.utc().format("%Y%m%dT%H%M%SZ").to_string()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in plain(text, TEXT_CHARS_MAX).chars() {
        if matches!(c, '\\' | ';' | ',') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Appends the line break to a line. A long line is continued on further lines, which begin with a space.
fn folded(line: &str) -> String {
    let (mut folded, mut bytes) = (String::new(), 0);
    for c in line.chars() {
        if bytes + c.len_utf8() > LINE_BYTES_MAX {
            folded.push_str("\r\n ");
            bytes = 1;
        }
        folded.push(c);
        bytes += c.len_utf8();
    }
    folded + "\r\n"
}

#[cfg(test)]
pub(crate) mod tests {
    use chrono::TimeDelta;
    use domain::{Buffers, CalendarSyncStatus, Source};
    use uuid::Uuid;

    use super::*;

    pub(crate) fn appointment(status: AppointmentStatus) -> Appointment {
        let created_at = Timestamp::parse("2026-11-20T08:00:00.250Z").unwrap();
        let starts_at = Timestamp::parse("2026-11-24T13:30:00Z").unwrap();
        Appointment {
            id: Uuid::from_u128(7).into(),
            status,
            starts_at,
            ends_at: starts_at + TimeDelta::minutes(45),
            buffers: Buffers::default(),
            service_id: Uuid::from_u128(1).into(),
            staff_id: Uuid::from_u128(2).into(),
            contact_id: None,
            source: Source::Website,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced: true,
            move_unannounced: false,
            notes: Some("secret".into()),
            customer_note: Some("secret".into()),
            booked_as: None,
            attendance: None,
            created_at,
            updated_at: created_at + TimeDelta::milliseconds(3_999),
        }
    }

    #[test]
    fn an_appointment_is_one_event_in_utc() {
        let file = file(&appointment(AppointmentStatus::Confirmed), "Cut", "Salon", Some("1 rue A, Paris"));
        let lines = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//receptionist//appointments//EN",
            "METHOD:PUBLISH",
            "BEGIN:VEVENT",
            "UID:00000000-0000-0000-0000-000000000007@receptionist",
            "DTSTAMP:20261120T080004Z",
            "LAST-MODIFIED:20261120T080004Z",
            "SEQUENCE:3",
            "DTSTART:20261124T133000Z",
            "DTEND:20261124T141500Z",
            "STATUS:CONFIRMED",
            "SUMMARY:Cut · Salon",
            "LOCATION:1 rue A\\, Paris",
            "END:VEVENT",
            "END:VCALENDAR",
        ];
        assert_eq!(file, lines.join("\r\n") + "\r\n");
    }

    #[test]
    fn the_status_of_an_event_is_that_of_its_appointment() {
        for (status, expected) in [
            (AppointmentStatus::Pending, "TENTATIVE"),
            (AppointmentStatus::Cancelled, "CANCELLED"),
            (AppointmentStatus::Declined, "CANCELLED"),
        ] {
            let file = file(&appointment(status), "Cut", "Salon", None);
            assert!(file.contains(&format!("\r\nSTATUS:{expected}\r\n")), "{file}");
            assert!(!file.contains("LOCATION") && !file.contains("secret"));
        }
    }

    #[test]
    fn texts_are_escaped_and_long_lines_are_folded_between_characters() {
        let service = format!("A\\B;C\r\nEND:VEVENT {}", "é".repeat(80));
        let file = file(&appointment(AppointmentStatus::Confirmed), &service, "Salon", None);
        assert!(file.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX), "{file}");
        let unfolded = file.replace("\r\n ", "");
        let summary = format!("SUMMARY:A\\\\B\\;C END:VEVENT {} · Salon\r\n", "é".repeat(80));
        assert!(unfolded.contains(&summary), "{unfolded}");
        assert_eq!(file.replace("\r\n", "").find(['\r', '\n']), None);
    }
}
