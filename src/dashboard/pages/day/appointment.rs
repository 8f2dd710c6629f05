//! The page of an appointment. It shows the details, the possible actions, the notices to the customer, and
//! the history from the audit log. Before an appointment is declined or cancelled, a page shows the
//! consequences.
//!
//! Invariants: every member sees action, time and person of each change. Old and new values are shown only
//! to members who may see the audit log.

use std::collections::HashMap;

use domain::booking::attendance_from;
use domain::{
    Actor, AppointmentStatus, Attendance, AuditAction, AuditEntry, AuditedField, CalendarSyncStatus, Right,
    Timestamp, WriteReason,
};
use engine::business::History;
use engine::business::commands::appointments::{Cancel, Confirm, Decline, PatchAppointment};
use serde::de::DeserializeOwned;
use view::{
    AppointmentView, BookedAsView, CalendarWriteView, ContactView, OperatorAppointmentView,
    OperatorContactView,
};

use crate::admin::AppointmentPatchBody;
use crate::dashboard::notices::Notices;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::pages::settings::calendars::one::{Written, written};

const NOTES: &str = "notes";
const ATTENDANCE: &str = "attendance";
/// The field that names the page from which a change began, and its value for today's page.
const FROM: &str = "from";
const TODAY: &str = "today";

#[derive(Template)]
#[template(path = "dashboard/pages/day/appointment.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    undone: String,
    visit: &'a AppointmentView,
    contact: Option<OperatorContactView>,
    /// The team's notes. The next field is the entity tag of the version that the form changes.
    notes: &'a str,
    notes_tag: String,
    notes_field: Option<Field>,
    /// The attendances that can be set now.
    attends: Vec<Attendance>,
    customer_note: &'a str,
    booked_as: Vec<Booked>,
    history: History,
    whos: HashMap<Actor, String>,
    log: Notices,
    written: Vec<Written>,
}

/// A value that the customer entered, and whether the contact has a different value.
struct Booked {
    label: String,
    value: String,
    differs: bool,
}

/// The values that the customer entered in the booking form.
fn booked_as(view: &View, booked: Option<&BookedAsView>, contact: Option<&ContactView>) -> Vec<Booked> {
    let Some(booked) = booked else { return Vec::new() };
    let line = |label: &str, value: String, differs: bool| Booked { label: view.t(label), value, differs };
    let entered = |label: &str, value: Option<&String>, of_contact: Option<&String>, is_phone: bool| {
        let value = value?;
        let differs = contact.is_some() && of_contact != Some(value);
        let shown = if is_phone { view.phone(value) } else { value.clone() };
        Some(line(label, shown, differs))
    };
    let of = |field: fn(&ContactView) -> Option<&String>| contact.and_then(field);
    let name = entered("name", booked.name.as_ref(), of(|it| it.name.as_ref()), false);
    let phone = entered("appointment-phone", booked.phone.as_ref(), of(|it| it.phone.as_ref()), true);
    let email = entered("email", booked.email.as_ref(), of(|it| it.email.as_ref()), false);
    let agreed = view.t(if booked.texts { "yes" } else { "no" });
    let rest = [
        line("language", view.language(booked.locale).to_owned(), false),
        line("appointment-texts", agreed, false),
    ];
    [name, phone, email].into_iter().flatten().chain(rest).collect()
}

pub(super) async fn asked(member: &Member) -> Result<AppointmentView, Refused> {
    Ok(seen(member).await?.appointment)
}

async fn seen(member: &Member) -> Result<OperatorAppointmentView, Refused> {
    member.business.appointment_as(member.id("appointment_id")?).await?.ok_or_else(Refused::not_found)
}

impl Member {
    pub(in crate::dashboard) fn appointment_path(&self, visit: &AppointmentView) -> String {
        self.path_to(&format!("appointments/{}", visit.id))
    }

    pub(super) fn above(&self, visit: &AppointmentView) -> Vec<Crumb> {
        let day = self.day(visit.starts_at);
        let of_day = Crumb { label: self.heading(day), path: self.calendar("day", day, None) };
        vec![self.crumb("calendar"), of_day]
    }

    pub(super) fn above_change(&self, visit: &AppointmentView) -> Vec<Crumb> {
        let mut crumbs = self.above(visit);
        crumbs.push(Crumb { label: self.t("appointment-itself"), path: self.appointment_path(visit) });
        crumbs
    }

    /// The attendances that the person can set now.
    pub(super) fn attendances(&self, visit: &AppointmentView) -> Vec<Attendance> {
        let (now, zone) = (self.business.now(), self.profile.zone);
        let may = self.may(Right::Day) && visit.status == AppointmentStatus::Confirmed;
        let can = |one: &Attendance| may && attendance_from(*one, visit.starts_at, zone) <= now;
        Attendance::ALL.iter().copied().filter(can).collect()
    }

    pub(super) fn starts(&self, visit: &AppointmentView) -> String {
        format!("{}, {}", self.date_of(visit.starts_at), self.clock(visit.starts_at))
    }

    pub(in crate::dashboard) fn starts_at(&self, visit: &AppointmentView) -> String {
        capitalised(&self.starts(visit))
    }
}

impl View {
    pub(super) fn minutes(&self, visit: &AppointmentView) -> u64 {
        u64::try_from((visit.ends_at.millis() - visit.starts_at.millis()) / 60_000).unwrap_or(0)
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    shown(&member, None).await
}

pub(super) async fn shown(member: &Member, undone: Option<FormError>) -> Answered {
    let seen = seen(member).await?;
    let visit = &seen.appointment;
    // If the change was refused, the form shows the submitted notes.
    let is_typed = undone.is_some() && member.form.find(NOTES).is_some();
    let notes = seen.notes.get().unwrap_or_default();
    let contact = match visit.contact_id {
        Some(id) => member.business.contact_as::<OperatorContactView>(id).await?,
        None => None,
    };
    let history = member.business.history(visit.id, (visit.created_at, visit.updated_at)).await?;
    let actors: Vec<_> = history.entries.iter().map(|entry| entry.actor).collect();
    let whos = member.whos(actors).await?;
    let (status, undone) = member.message_of(undone.as_ref(), "appointment-stale");
    let done = match status {
        StatusCode::OK => member.done(&[
            ("moved", "appointment-done-moved"),
            ("confirmed", "appointment-done-confirmed"),
            ("declined", "appointment-done-declined"),
            ("cancelled", "appointment-done-cancelled"),
            ("noted", "saved"),
            ("again", "notices-again-done"),
            ("attended", "saved"),
            ("written", "calendars-writing"),
        ]),
        _ => String::new(),
    };
    let notes_field = member.may(Right::Day).then(|| {
        let field = Field::area(NOTES, member.t("notes")).optional().hint(member.t("contact-notes-hint"));
        field.holding(if is_typed { member.form.get(NOTES) } else { notes })
    });
    let shown = Page {
        sheet: member.sheet("").under(member.above(visit)),
        done,
        undone,
        visit,
        notes,
        notes_tag: tag(&seen),
        notes_field,
        attends: member.attendances(visit),
        customer_note: seen.customer_note.as_ref().and_then(Option::as_deref).unwrap_or_default(),
        booked_as: booked_as(
            &member.view,
            seen.booked_as.as_ref().and_then(Option::as_ref),
            contact.as_ref().map(|seen| &seen.contact),
        ),
        contact,
        history,
        whos,
        log: member.notices(Some(visit.id)).await?,
        written: written(member, visit.id).await?,
    };
    page_as(status, &shown)
}

impl Page<'_> {
    /// The times of the event in the calendar, if they differ from those of the appointment.
    fn moved_event(&self, write: &CalendarWriteView) -> String {
        match (write.event_starts_at, write.event_ends_at) {
            (Some(start), Some(end)) if write.reason == Some(WriteReason::EventChanged) => {
                let member = self.sheet.member;
                let times = [("from", member.short_moment(start)), ("to", member.short_moment(end))];
                member.says("calendars-event-at", &times)
            }
            _ => String::new(),
        }
    }

    fn about(&self) -> String {
        let values = [
            ("service", self.visit.service_name.clone()),
            ("who", self.sheet.member.who_comes(self.visit)),
            ("until", self.sheet.member.clock(self.visit.ends_at)),
        ];
        self.sheet.member.says("appointment-about", &values)
    }

    fn when(&self) -> String {
        format!(
            "{} – {}",
            self.sheet.member.starts_at(self.visit),
            self.sheet.member.clock(self.visit.ends_at)
        )
    }

    fn lasts(&self) -> String {
        let (view, visit) = (&self.sheet.member.view, self.visit);
        let around = [
            ("appointment-lasts-before", visit.buffers.before_minutes()),
            ("appointment-lasts-after", visit.buffers.after_minutes()),
        ];
        let around = around.into_iter().filter(|(_, count)| *count > 0);
        let around = around.map(|(id, count)| view.count(id, count.into()));
        let lasts = view.count("appointment-lasts", view.minutes(visit));
        std::iter::once(lasts).chain(around).collect::<Vec<_>>().join(" · ")
    }

    fn came_by(&self) -> String {
        capitalised(&self.sheet.member.t(&format!("appointment-source-{}", self.visit.source)))
    }

    fn attendance(&self, attendance: Attendance) -> String {
        self.sheet.member.attendance(Some(attendance).into())
    }

    fn synced(&self) -> String {
        self.sheet.member.t(&format!("appointment-sync-{}", self.visit.calendar_sync_status))
    }

    fn did(&self, entry: &AuditEntry) -> String {
        let member = self.sheet.member;
        let done = member.t(match entry.action {
            AuditAction::AppointmentRequested => "appointment-history-requested",
            AuditAction::AppointmentBooked => "appointment-history-booked",
            AuditAction::AppointmentConfirmed => "appointment-history-confirmed",
            AuditAction::AppointmentRescheduled => "appointment-history-rescheduled",
            AuditAction::AppointmentDeclined => "appointment-history-declined",
            AuditAction::AppointmentCancelled => "appointment-history-cancelled",
            AuditAction::AppointmentUpdated if entry.change(AuditedField::Attendance).is_some() => {
                "appointment-history-attended"
            }
            AuditAction::AppointmentUpdated => "appointment-history-noted",
            _ => "appointment-history-changed",
        });
        match moved(member, entry).filter(|_| member.sees(Right::Integrations)) {
            Some(moved) => format!("{done} {moved}"),
            None => done,
        }
    }

    fn who(&self, entry: &AuditEntry) -> &str {
        self.whos.get(&entry.actor).map_or("", String::as_str)
    }

    fn is_pending(&self) -> bool {
        self.visit.status == AppointmentStatus::Pending
    }

    fn may_change(&self) -> bool {
        self.sheet.member.may(Right::Day) && self.visit.status.is_active()
    }
}

async fn answered(member: &Member, done: Result<String, Refused>) -> Answered {
    redirected(done, |undone| shown(member, Some(undone))).await
}

/// The page to which the browser returns after a change. `asked` is the form or the query of the request. If the field
/// [`FROM`] of `asked` names the Today page, the browser returns to that page, and otherwise to the page of the
/// appointment.
fn back(member: &Member, asked: &Form, visit: &AppointmentView) -> String {
    if asked.get(FROM) == TODAY { member.path_to(TODAY) } else { member.appointment_path(visit) }
}

pub(crate) async fn confirm(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = member.change(Confirm { id: visit.id }).await;
    answered(&member, done.map(|_| format!("{}?done=confirmed", back(&member, &member.form, &visit)))).await
}

pub(crate) async fn note(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = async {
        let notes = member.body().optional(NOTES).read::<AppointmentPatchBody>()?.notes.set();
        member.change(PatchAppointment { notes, ..PatchAppointment::of(visit.id) }).await?;
        Ok(format!("{}?done=noted", member.appointment_path(&visit)))
    };
    answered(&member, done.await).await
}

pub(crate) async fn attend(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = async {
        let attendance = member.body().optional(ATTENDANCE).read::<AppointmentPatchBody>()?.attendance.set();
        member.change(PatchAppointment { attendance, ..PatchAppointment::of(visit.id) }).await?;
        let page = member
            .calendar_back()
            .unwrap_or_else(|| format!("{}?done=attended", back(&member, &member.form, &visit)));
        Ok(page)
    };
    answered(&member, done.await).await
}

/// The values of a field before and after the change.
fn changed<V: DeserializeOwned>(entry: &AuditEntry, field: AuditedField) -> Option<(V, V)> {
    let change = entry.change(field)?;
    Some((serde_json::from_str(&change.from).ok()?, serde_json::from_str(&change.to).ok()?))
}

fn moved(member: &Member, entry: &AuditEntry) -> Option<String> {
    let times = changed::<Timestamp>(entry, AuditedField::StartsAt);
    let times = times.map(|(from, to)| (member.short_moment(from), member.short_moment(to)));
    let staff = changed::<String>(entry, AuditedField::StaffName);
    let said = |(from, to)| member.says("appointment-history-from-to", &[("from", from), ("to", to)]);
    let both: Vec<_> = [times, staff].into_iter().flatten().map(said).collect();
    (!both.is_empty()).then(|| both.join(", "))
}

#[derive(Template)]
#[template(path = "dashboard/pages/day/ending.html", config = "src/askama.toml")]
struct Ending<'a> {
    sheet: Sheet<'a>,
    visit: AppointmentView,
    tag: String,
    /// The last part of the form's path.
    deed: &'static str,
    from: String,
    back: String,
    /// The message id of the title.
    title: &'static str,
    /// The message id of the button.
    label: &'static str,
    /// The message id of the text that describes the effect of the change.
    means: &'static str,
    /// The message id of the text that says whether the customer gets an email.
    notice: &'static str,
}

/// The page that asks for confirmation before a request is declined. If the appointment is no longer pending,
/// shows the page of the appointment.
pub(crate) async fn declining(member: Member) -> Answered {
    let visit = asked(&member).await?;
    if visit.status != AppointmentStatus::Pending || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    ending(&member, visit, ["decline", "ending-decline-title", "ending-decline-do", "ending-decline-frees"])
        .await
}

pub(crate) async fn cancelling(member: Member) -> Answered {
    let visit = asked(&member).await?;
    if !visit.status.is_active() || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let is_over = visit.ends_at <= member.business.now();
    let means = if is_over { "ending-cancel-over" } else { "ending-cancel-frees" };
    ending(&member, visit, ["cancel", "ending-cancel-title", "ending-cancel-do", means]).await
}

async fn ending(
    member: &Member,
    visit: AppointmentView,
    [deed, title, label, means]: [&'static str; 4],
) -> Answered {
    let sheet = member.sheet("").under(member.above_change(&visit));
    let (from, back) = (member.query.get(FROM).to_owned(), back(member, &member.query, &visit));
    let is_emailed = member.business.announces_end(visit.id).await?;
    let notice = if is_emailed { "ending-emailed" } else { "ending-not-emailed" };
    page(&Ending { sheet, tag: tag(&visit), visit, deed, from, back, title, label, means, notice })
}

pub(crate) async fn decline(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = member.change(Decline { id: visit.id }).await;
    let done = done.map(|_| format!("{}?done=declined", back(&member, &member.form, &visit)));
    answered(&member, done).await
}

pub(crate) async fn cancel(member: Member) -> Answered {
    let visit = asked(&member).await?;
    let done = member.change(Cancel { id: visit.id }).await;
    let done = done.map(|_| format!("{}?done=cancelled", back(&member, &member.form, &visit)));
    answered(&member, done).await
}
