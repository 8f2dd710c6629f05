//! The page that moves an appointment to another time or staff member, or changes its duration. If another
//! person has moved it in the meantime, the page shows both versions.

use chrono::{NaiveDate, TimeDelta};
use domain::availability::Slot;
use domain::booking::{MoveRequest, Party};
use domain::diary::Diary;
use domain::{AppointmentStatus, Right, StaffId, Timestamp};
use engine::business::commands::appointments::Reschedule;
use view::AppointmentView;

use super::appointment;
use super::open_times::{Shown, strip};
use super::timing::{OTHER, Timing, Verdict, Wish, date_of, mover, only_shows, team, wall};
use crate::admin::TeamRescheduleBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/day/moving.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    visit: &'a AppointmentView,
    action: String,
    filled: Filled,
    versions: Versions,
    tag: String,
    staff: Field,
    timing: Timing,
}

impl Page<'_> {
    fn title(&self) -> String {
        self.sheet.member.with("move-title", "who", &self.sheet.member.who_comes(self.visit))
    }

    fn sub(&self) -> String {
        let values = [
            ("service", self.visit.service_name.clone()),
            ("when", self.sheet.member.starts(self.visit)),
            ("staff", self.visit.staff_name.clone()),
        ];
        self.sheet.member.says("move-sub", &values)
    }
}

impl Member {
    /// Whether the appointment can be moved. An appointment that has ended can be moved only if it is
    /// confirmed.
    pub(super) fn can_move(&self, visit: &AppointmentView) -> bool {
        let is_over = visit.ends_at <= self.business.now();
        self.may(Right::Day)
            && visit.status.is_active()
            && (!is_over || visit.status == AppointmentStatus::Confirmed)
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if !member.can_move(&visit) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let filled = member.filled(member.path(), || {
        // A new form contains the current time of the appointment.
        let time = wall(&member, visit.starts_at);
        let now = [("starts_at", OTHER), ("time", &*time)];
        let now = now.into_iter().filter(|(name, _)| member.query.find(name).is_none());
        Form::of(member.query.fields().chain(now))
    });
    shown(&member, &visit, filled).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    let form = &member.form;
    if only_shows(form) && member.can_move(&visit) {
        return Ok(nothing_done(shown(&member, &visit, Filled::of(form.clone())).await?));
    }
    let date = date_of(&member, form).unwrap_or_else(|| member.day(visit.starts_at));
    let body = member.body().timed(form, Wish::of(&member, form, date)).given("staff_id", "staff");
    let done = async {
        let TeamRescheduleBody { starts_at, staff_id, duration_minutes, .. } = body.read()?;
        let duration = duration_minutes.map(|minutes| TimeDelta::minutes(minutes.get().into()));
        let request = MoveRequest { starts_at, staff_id, party: team(form), duration };
        let party = mover(&member, &visit, &request).await?;
        member.change(Reschedule { id: visit.id, request: MoveRequest { party, ..request } }).await?;
        Ok(format!("{}?done=moved", member.appointment_path(&visit)))
    };
    let undone = match done.await {
        Err(Refused::FormError(undone)) => undone,
        done => return Ok(see_other(&done?)),
    };
    let visit = appointment::asked(&member).await?;
    if !member.can_move(&visit) {
        return appointment::shown(&member, Some(undone)).await;
    }
    shown(&member, &visit, member.refused(undone)).await
}

async fn shown(member: &Member, visit: &AppointmentView, mut filled: Filled) -> Answered {
    let status = filled.status;
    let view = &member.view;
    let date = date_of(member, filled.values()).unwrap_or_else(|| member.day(visit.starts_at));
    let days = strip(member, date);
    let diary = member.business.diary(days[0]..=days[days.len() - 1]).await?;
    let can = |staff: StaffId| {
        diary.staff.iter().any(|one| one.member.id == staff && one.member.offers(visit.service_id))
    };
    let asked_staff: Option<StaffId> = filled.get("staff").parse().ok();
    let staff = asked_staff.filter(|staff| can(*staff)).unwrap_or(visit.staff_id);
    let wish = Wish::of(member, filled.values(), date);
    let party = team(filled.values());
    let slots = match can(staff) {
        true => open_slots(member, visit, staff, (&days, wish, party)).await?,
        // The staff member no longer offers the service. There are no times until the person chooses another staff
        // member.
        false => Vec::new(),
    };
    let has_calendar = member.business.has_calendar().await?;
    let open = Shown { member, days: &days, date, diary: &diary, slots: &slots, has_calendar };
    let wish = wish.on(&open);
    let verdict = match wish.at.filter(|at| !open.offers(*at)) {
        Some(starts_at) => {
            let request = MoveRequest { starts_at, staff_id: Some(staff), party, duration: wish.duration };
            Some(Verdict::of(view, member.business.try_to_move(visit.id, request).await)?)
        }
        None => None,
    };
    let members = diary.staff.iter().filter(|one| one.member.offers(visit.service_id));
    let members = members.map(|one| Choice::new(one.member.id.to_string(), &one.member.name));
    let with = Field::select("staff", view.t("appointment-with"), members).chosen(&staff.to_string());
    let lasts = visit.ends_at - visit.starts_at;
    let shown = Page {
        sheet: member.sheet("").under(member.above_change(visit)),
        visit,
        action: format!("{}/move", member.appointment_path(visit)),
        tag: filled.tag(visit),
        versions: versions(member, &filled, wish, (visit, &diary)),
        staff: with.problem(Some(filled.problem(view, "staff_id"))),
        timing: Timing { open: true, ..Timing::new(&open, &mut filled, (wish, lasts), verdict) },
        filled,
    };
    page_as(status, &shown)
}

async fn open_slots(
    member: &Member,
    visit: &AppointmentView,
    staff: StaffId,
    (days, wish, party): (&[NaiveDate], Wish, Party),
) -> Result<Vec<Slot>, Refused> {
    let (days, terms) = ((days[0], days[days.len() - 1]), party.terms());
    let slots = member.business.availability_to_move((visit.id, staff), days, terms, wish.duration);
    match slots.await.map_err(FormError::of) {
        // The service can no longer be booked, so there are no times.
        Err(Refused::FormError(_)) => Ok(Vec::new()),
        slots => slots,
    }
}

fn versions(
    member: &Member,
    filled: &Filled,
    wish: Wish,
    (visit, diary): (&AppointmentView, &Diary),
) -> Versions {
    let view = &member.view;
    let moment = |at: Timestamp| member.short_moment(at);
    let mine = wish.at.map(moment).unwrap_or_default();
    let staff = filled.get("staff").parse().ok();
    let staff = diary.staff.iter().find(|one| Some(one.member.id) == staff);
    let staff = staff.map_or_else(|| visit.staff_name.clone(), |one| one.member.name.clone());
    filled.versions([
        (view.t("appointment-when"), mine, moment(visit.starts_at)),
        (view.t("appointment-with"), staff, visit.staff_name.clone()),
        (view.t("appointment-status"), view.status(visit.status), view.status(visit.status)),
    ])
}
