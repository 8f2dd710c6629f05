//! Rows for appointments, calls and messages on pages about other records.

use view::{AppointmentView, CallView, MessageView};

use super::said::{Chip, duration, of_appointment, of_call, of_message, short_day};
use crate::dashboard::pages::prelude::*;

/// The maximum number of characters of a text in a row. The stylesheet shows two lines of them.
pub(super) const QUOTE_CHARS_MAX: usize = 300;

pub(super) struct Row {
    pub(super) path: String,
    pub(super) at: String,
    pub(super) day: String,
    pub(super) title: String,
    pub(super) detail: String,
    pub(super) quote: String,
    pub(super) chip: Chip,
}

/// An appointment, with its service as the title.
pub(super) fn appointment(member: &Member, view: &View, shown: &AppointmentView) -> Row {
    let zone = member.profile.zone;
    let values = [("service", &*shown.service_name), ("time", &days::clock(shown.starts_at, zone))];
    let title = view.words.say("contact-appointment", &values.map(|(name, text)| (name, Value::Text(text))));
    Row {
        path: member.path_to(&format!("appointments/{}", shown.id)),
        at: shown.starts_at.to_string(),
        day: short_day(view, shown.starts_at, zone),
        title,
        detail: view.with("contact-with", "staff", &shown.staff_name),
        quote: String::new(),
        chip: of_appointment(view, shown.status),
    }
}

/// A call, with its duration.
pub(super) fn call(member: &Member, view: &View, shown: &CallView) -> Row {
    let time = days::clock(shown.started_at, member.profile.zone);
    let values = [("time", &*time), ("long", &duration(shown.duration_seconds))];
    Row {
        path: member.path_to(&format!("calls/{}", shown.id)),
        at: shown.started_at.to_string(),
        day: short_day(view, shown.started_at, member.profile.zone),
        title: view.words.say("contact-call", &values.map(|(name, text)| (name, Value::Text(text)))),
        detail: String::new(),
        quote: plain(shown.summary.as_deref().unwrap_or_default(), QUOTE_CHARS_MAX),
        chip: of_call(view, shown),
    }
}

/// A message, with its time.
pub(super) fn message(member: &Member, view: &View, shown: &MessageView) -> Row {
    let zone = member.profile.zone;
    Row {
        path: member.path_to(&format!("messages/{}", shown.id)),
        at: shown.created_at.to_string(),
        day: short_day(view, shown.created_at, zone),
        title: view.with("contact-message", "time", &days::clock(shown.created_at, zone)),
        detail: String::new(),
        quote: plain(&shown.body, QUOTE_CHARS_MAX),
        chip: of_message(view, shown),
    }
}

/// An appointment with its day in the row.
pub(super) fn appointment_with_day(member: &Member, view: &View, shown: &AppointmentView) -> Row {
    let row = appointment(member, view, shown);
    let when = capitalised(&view.words.moment(shown.starts_at, member.profile.zone));
    Row { title: shown.service_name.clone(), detail: format!("{when} · {}", row.detail), ..row }
}
