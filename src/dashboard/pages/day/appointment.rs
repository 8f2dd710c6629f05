//! The page of an appointment: its details, the possible actions, and its history.

use domain::{AppointmentId, AppointmentStatus, Right};
use engine::business::commands::appointments::{Confirm, PatchAppointment};
use view::{AppointmentView, OperatorAppointmentView};

use super::caller::Caller;
use super::history::{self, Told};
use crate::admin::AppointmentPatchBody;
use crate::dashboard::days::{clock, day};
use crate::dashboard::pages::prelude::*;

const NOTES: &str = "notes";

#[derive(Template)]
#[template(path = "dashboard/pages/day/appointment.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    tag: String,
    title: String,
    sub: String,
    status: AppointmentStatus,
    word: String,
    done: String,
    undone: String,
    waits: String,
    when: String,
    lasts: String,
    service: String,
    staff: String,
    staff_initials: String,
    came_by: String,
    /// The state in the staff member's own calendar, in words.
    synced: String,
    person: Option<Caller>,
    /// The team's notes, and the tag of the version that the form changes.
    notes: String,
    notes_tag: String,
    notes_field: Option<Field>,
    history: Vec<Told>,
    is_whole: bool,
    may_confirm: bool,
    may_move: bool,
    may_cancel: bool,
}

pub(super) async fn asked(member: &Member) -> Result<AppointmentView, Refused> {
    Ok(seen(member).await?.appointment)
}

/// The appointment in the path, with the fields for the team.
async fn seen(member: &Member) -> Result<OperatorAppointmentView, Refused> {
    let id: AppointmentId = member.id("appointment_id")?;
    member.business.appointment_as(id).await?.ok_or_else(Refused::not_found)
}

impl Member {
    pub(super) fn appointment_path(&self, visit: &AppointmentView) -> String {
        self.path_to(&format!("appointments/{}", visit.id))
    }

    pub(super) fn above(&self, view: &View, visit: &AppointmentView) -> Vec<Crumb> {
        let date = day(visit.starts_at, self.profile.zone);
        let label = capitalised(&view.day(date, self.today()));
        vec![self.crumb("calendar"), Crumb { label, path: self.calendar("day", date, None) }]
    }

    /// Day and time of an appointment, for use in a sentence.
    pub(super) fn starts(&self, view: &View, visit: &AppointmentView) -> String {
        let zone = self.profile.zone;
        let date = view.day(day(visit.starts_at, zone), self.today());
        format!("{date}, {}", clock(visit.starts_at, zone))
    }

    pub(super) fn about(&self, view: &View, visit: &AppointmentView) -> String {
        let values = [
            ("service", visit.service_name.clone()),
            ("who", view.who_comes(visit)),
            ("until", clock(visit.ends_at, self.profile.zone)),
        ];
        view.says("appointment-about", &values)
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    shown(&member, None).await
}

pub(super) async fn shown(member: &Member, undone: Option<Undone>) -> Answered {
    let seen = seen(member).await?;
    let visit = &seen.appointment;
    // After a refusal the form keeps the submitted notes.
    let is_typed = undone.is_some() && member.form.find(NOTES).is_some();
    let notes = seen.notes.get().unwrap_or_default();
    let (view, zone, now) = (member.view(), member.profile.zone, member.business.now());
    let contact = match visit.contact_id {
        Some(id) => member.business.contact(id).await?,
        None => None,
    };
    let (history, is_whole) = history::of(member, &view, visit).await?;
    let is_active = visit.status.is_active();
    let may = member.may(Right::Day) && is_active;
    let minutes = (visit.ends_at.millis() - visit.starts_at.millis()) / 60_000;
    let around = (visit.buffers.before_minutes(), visit.buffers.after_minutes());
    let lasts = [
        ("appointment-lasts", u64::try_from(minutes).unwrap_or(0)),
        ("appointment-lasts-before", around.0.into()),
        ("appointment-lasts-after", around.1.into()),
    ];
    let lasts = lasts.iter().filter(|(id, count)| *id == "appointment-lasts" || *count > 0);
    let lasts = lasts.map(|(id, count)| view.count(id, *count)).collect::<Vec<_>>().join(" · ");
    let date = capitalised(&view.day(day(visit.starts_at, zone), member.today()));
    let status = undone.as_ref().map_or(StatusCode::OK, Undone::status);
    let done = match member.query.get("done") {
        "booked-known" => view.with("appointment-done-booked-known", "who", &view.who_comes(visit)),
        "booked" => view.t("appointment-done-booked"),
        "moved" => view.t("appointment-done-moved"),
        "confirmed" => view.t("appointment-done-confirmed"),
        "declined" => view.t("appointment-done-declined"),
        "cancelled" => view.t("appointment-done-cancelled"),
        "noted" => view.t("saved"),
        _ => String::new(),
    };
    let notes_field = member.may(Right::Day).then(|| {
        let field = Field::area(NOTES, view.t("notes")).optional().hint(view.t("contact-notes-hint"));
        field.holding(if is_typed { member.form.get(NOTES) } else { notes })
    });
    let is_pending = visit.status == AppointmentStatus::Pending;
    let shown = Page {
        sheet: member.sheet("").under(member.above(&view, visit)),
        path: member.appointment_path(visit),
        tag: tag(visit),
        title: capitalised(&member.starts(&view, visit)),
        sub: member.about(&view, visit),
        status: visit.status,
        word: view.status(visit.status),
        done: if undone.is_some() { String::new() } else { done },
        undone: undone.map(|undone| undone.told(&view, view.t("appointment-stale"))).unwrap_or_default(),
        waits: if is_pending {
            view.with("appointment-waits", "who", &view.who_comes(visit))
        } else {
            String::new()
        },
        when: format!("{date}, {} – {}", clock(visit.starts_at, zone), clock(visit.ends_at, zone)),
        lasts,
        service: visit.service_name.clone(),
        staff: visit.staff_name.clone(),
        staff_initials: initials(&visit.staff_name),
        came_by: capitalised(&view.t(&format!("appointment-source-{}", visit.source))),
        synced: view.t(&format!("appointment-sync-{}", visit.calendar_sync_status)),
        person: contact.map(|contact| Caller::new(member, &view, &contact)),
        notes: notes.to_owned(),
        notes_tag: tag(&seen),
        notes_field,
        history,
        is_whole,
        may_confirm: may && is_pending,
        may_move: may && visit.ends_at > now,
        may_cancel: may,
    };
    page_as(status, &shown)
}

/// Redirects after a change, or shows the page with the reason for the refusal.
pub(super) async fn answered(member: &Member, done: Result<String, Refused>) -> Answered {
    match done {
        Ok(path) => Ok(see_other(&path)),
        Err(Refused::Undone(undone)) => shown(member, Some(undone)).await,
        Err(refused) => Err(refused),
    }
}

pub(crate) async fn confirm(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = member.change(Confirm { id: visit.id }).await;
    // A form on the page of the day redirects to that page.
    let is_today = member.form.get("from") == "today";
    let page = if is_today { member.path_to("today") } else { member.appointment_path(&visit) };
    answered(&member, done.map(|_| format!("{page}?done=confirmed"))).await
}

pub(crate) async fn note(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = async {
        let notes = member.body().optional(NOTES).read::<AppointmentPatchBody>()?.notes.set();
        member.change(PatchAppointment { id: visit.id, notes }).await?;
        Ok(format!("{}?done=noted", member.appointment_path(&visit)))
    };
    answered(&member, done.await).await
}
