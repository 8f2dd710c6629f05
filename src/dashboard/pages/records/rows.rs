//! Rows for appointments, calls and messages on pages about other records.

use view::{AppointmentView, CallView, MessageView};

use super::said::Chip;
use crate::dashboard::pages::prelude::*;

pub(super) struct Row {
    pub(super) path: String,
    pub(super) at: String,
    pub(super) day: String,
    pub(super) title: String,
    pub(super) detail: String,
    pub(super) quote: String,
    pub(super) chip: Chip,
}

pub(super) fn appointment(member: &Member, shown: &AppointmentView) -> Row {
    let values = [("service", &shown.service_name), ("time", &member.clock(shown.starts_at))];
    Row {
        path: member.path_to(&format!("appointments/{}", shown.id)),
        at: shown.starts_at.to_string(),
        day: member.short_date(shown.starts_at),
        title: member.says("contact-appointment", &values),
        detail: member.with("contact-with", "staff", &shown.staff_name),
        quote: String::new(),
        chip: member.of_appointment(shown.status),
    }
}

pub(super) fn call(member: &Member, shown: &CallView) -> Row {
    let values =
        [("time", member.clock(shown.started_at)), ("long", member.duration(shown.duration_seconds))];
    Row {
        path: member.path_to(&format!("calls/{}", shown.id)),
        at: shown.started_at.to_string(),
        day: member.short_date(shown.started_at),
        title: member.says("contact-call", &values),
        detail: String::new(),
        quote: member.quote(shown.summary.as_deref().unwrap_or_default()),
        chip: member.of_call(shown),
    }
}

pub(super) fn message(member: &Member, shown: &MessageView) -> Row {
    Row {
        path: member.path_to(&format!("messages/{}", shown.id)),
        at: shown.created_at.to_string(),
        day: member.short_date(shown.created_at),
        title: member.with("contact-message", "time", &member.clock(shown.created_at)),
        detail: String::new(),
        quote: member.quote(&shown.body),
        chip: member.of_message(shown),
    }
}

pub(super) fn appointment_with_day(member: &Member, shown: &AppointmentView) -> Row {
    let row = appointment(member, shown);
    let when = capitalised(&member.moment(shown.starts_at));
    Row { title: shown.service_name.clone(), detail: format!("{when} · {}", row.detail), ..row }
}
