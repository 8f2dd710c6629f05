//! The page of a connected calendar: its status, and the appointments that are written to it.

use std::collections::HashMap;

use domain::{AppointmentId, CalendarId, CalendarSyncStatus, Right};
use engine::business::commands::writing::WriteAppointment;
use view::{AppointmentView, CalendarView, CalendarWriteView};

use super::connected::seen;
use crate::dashboard::pages::prelude::*;

const PLACE: &str = "settings/calendars";
const SHOWN: usize = 50;
const STATUS: &str = "status";
/// The field of a form that names the page with the form.
const FROM: &str = "from";
/// The value of the field [`FROM`] if the form is on the page of an appointment.
const APPOINTMENT: &str = "appointment";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/one.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    calendar: CalendarView,
    staff: String,
    filter: Field,
    writes: Vec<(CalendarWriteView, Option<AppointmentView>)>,
    pages: Pages,
    may_change: bool,
}

pub(crate) async fn show(member: Member) -> Answered {
    let calendar = seen(&member).await?;
    let it = &calendar.settings;
    let status = CalendarSyncStatus::from_word(member.query.get(STATUS));
    let part = member.part("calendar appointments", SHOWN, &[STATUS]);
    let business = &member.business;
    let found = part.read(|page| async move { business.calendar_writes(it.id, status, &page).await }).await?;
    let mut writes = Vec::new();
    for write in found.items {
        let appointment = business.appointment(write.appointment_id).await?;
        writes.push((write, appointment));
    }
    let statuses = CalendarSyncStatus::ALL.iter().filter(|it| **it != CalendarSyncStatus::NotConnected);
    let statuses = statuses.map(|it| Choice::new(it.as_str(), member.t(&format!("appointment-sync-{it}"))));
    let filter =
        Field::select(STATUS, member.t("log-status"), statuses).or_empty(member.t("calendars-every"));
    let staff: HashMap<_, _> = member.staff().await?.into_iter().map(|one| (one.id, one.name)).collect();
    page(&Page {
        done: member.done(&[("written", "calendars-writing")]),
        staff: staff.get(&it.staff_id).cloned().unwrap_or_default(),
        filter: filter.chosen(member.query.get(STATUS)),
        writes,
        pages: part.pages(found.next.as_deref()),
        may_change: member.may(Right::Own),
        sheet: member.sheet_below(PLACE),
        calendar,
    })
}

pub(crate) async fn write(member: Member) -> Answered {
    let id = seen(&member).await?.settings.id;
    let appointment_id: AppointmentId = member.id("appointment_id")?;
    member.business.change(member.request(), WriteAppointment { id, appointment_id }).await?;
    Ok(see_other(&if member.form.get(FROM) == APPOINTMENT {
        member.path_to(&format!("appointments/{appointment_id}?done=written"))
    } else {
        member.path_to(&format!("{PLACE}/{id}?done=written"))
    }))
}

impl View {
    /// The class and the text of the status of a written appointment.
    pub(in crate::dashboard) fn write_status(&self, write: &CalendarWriteView) -> (&'static str, String) {
        let class = match write.status {
            CalendarSyncStatus::Synced => "delivered",
            CalendarSyncStatus::Failed => "failed",
            CalendarSyncStatus::Pending | CalendarSyncStatus::NotConnected => "pending",
        };
        (class, self.t(&format!("appointment-sync-{}", write.status)))
    }

    /// The reason why the service does not write an event again, or an empty text.
    pub(in crate::dashboard) fn write_reason(&self, write: &CalendarWriteView) -> String {
        write.reason.map(|reason| self.t(&format!("calendars-reason-{reason}"))).unwrap_or_default()
    }
}

/// The copy of an appointment in a calendar, on the page of the appointment.
pub(in crate::dashboard) struct Written {
    pub(in crate::dashboard) calendar: CalendarId,
    /// The name of the calendar, if the person sees the calendar.
    pub(in crate::dashboard) name: Option<String>,
    pub(in crate::dashboard) write: CalendarWriteView,
    /// Whether the person may request that the appointment is written again.
    pub(in crate::dashboard) may_write: bool,
}

/// The copies of an appointment in connected calendars.
pub(in crate::dashboard) async fn written(
    member: &Member,
    id: AppointmentId,
) -> Result<Vec<Written>, Refused> {
    let found = member.business.writes_of_appointment(id).await?;
    let written = found.into_iter().map(|(calendar, write)| {
        let is_seen = member.membership.sees_calendars_of(Some(calendar.staff_id));
        let may_write = member.may(Right::Own) && calendar.is_written() && is_seen;
        Written { calendar: calendar.id, name: is_seen.then_some(calendar.name), write, may_write }
    });
    Ok(written.collect())
}
