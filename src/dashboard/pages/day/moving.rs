//! Moving an appointment to another open time or staff member. If another person has moved it in the
//! meantime, the page shows both versions.

use chrono::NaiveDate;
use domain::availability::{Slot, Terms};
use domain::booking::{MoveRequest, Party};
use domain::diary::Diary;
use domain::{Right, StaffId, Timestamp};
use engine::business::commands::appointments::Reschedule;
use view::AppointmentView;

use super::appointment;
use super::booking::strip;
use super::open_times::{OpenTimes, Shown};
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
    asked: [Field; 2],
    staff: StaffId,
    date: NaiveDate,
    times: OpenTimes,
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

pub(crate) async fn show(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if !visit.status.is_active() || visit.ends_at <= member.business.now() || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let filled = member.filled(member.path(), || member.query.clone());
    shown(&member, &visit, filled).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    let body = member.body().given("starts_at", "starts_at").given("staff_id", "staff");
    let done = async {
        let TeamRescheduleBody { starts_at, staff_id, .. } = body.read()?;
        let request = MoveRequest { starts_at, staff_id, party: Party::TEAM, duration: None };
        member.change(Reschedule { id: visit.id, request }).await?;
        Ok(format!("{}?done=moved", member.appointment_path(&visit)))
    };
    let undone = match done.await {
        Err(Refused::Undone(undone)) => undone,
        done => return Ok(see_other(&done?)),
    };
    let visit = appointment::asked(&member).await?;
    // Past, cancelled and declined appointments cannot be moved.
    if !visit.status.is_active() || visit.ends_at <= member.business.now() {
        return appointment::shown(&member, Some(undone)).await;
    }
    shown(&member, &visit, member.refused(undone)).await
}

async fn shown(member: &Member, visit: &AppointmentView, mut filled: Filled) -> Answered {
    let status = filled.status;
    let (view, today) = (&member.view, member.today());
    let date = days::asked(filled.get("date")).unwrap_or_else(|| member.day(visit.starts_at)).max(today);
    let all = strip(date, today);
    let diary = member.business.diary(all[0]..=all[all.len() - 1]).await?;
    let can = |staff: StaffId| {
        diary.staff.iter().any(|one| one.member.id == staff && one.member.offers(visit.service_id))
    };
    let asked_staff: Option<StaffId> = filled.get("staff").parse().ok();
    let staff = asked_staff.filter(|staff| can(*staff)).unwrap_or(visit.staff_id);
    let slots = match can(staff) {
        true => open_slots(member, visit, staff, (all[0], all[all.len() - 1])).await?,
        // The staff member no longer offers the service, so another staff member must be chosen.
        false => Vec::new(),
    };
    let path = format!("{}/move", member.appointment_path(visit));
    let shown = Shown { member, days: &all, date, diary: &diary, slots: &slots, sends: false };
    let is_taken = status == StatusCode::CONFLICT && !filled.stale;
    let times = shown.open_times(&mut filled, is_taken, |day| format!("{path}?staff={staff}&date={day}"));
    let members = diary.staff.iter().filter(|one| one.member.offers(visit.service_id));
    let members = members.map(|one| Choice::new(one.member.id.to_string(), &one.member.name));
    let with = Field::select("staff", view.t("appointment-with"), members).chosen(&staff.to_string());
    let shown = Page {
        sheet: member.sheet("").under(member.above_change(visit)),
        visit,
        action: path,
        tag: filled.tag(visit),
        versions: versions(member, &filled, visit, &diary),
        asked: [
            with.problem(Some(filled.problem(view, "staff_id"))),
            Field::new("date", "date", "off", view.t("book-day")).holding(&date.to_string()),
        ],
        filled,
        staff,
        date,
        times,
    };
    page_as(status, &shown)
}

async fn open_slots(
    member: &Member,
    visit: &AppointmentView,
    staff: StaffId,
    days: (NaiveDate, NaiveDate),
) -> Result<Vec<Slot>, Refused> {
    let terms = Terms::Team { ignore_buffers: false };
    match member.business.availability_to_move((visit.id, staff), days, terms, None).await.map_err(Undone::of) {
        // The service can no longer be booked, so there are no times.
        Err(Refused::Undone(_)) => Ok(Vec::new()),
        slots => slots,
    }
}

fn versions(member: &Member, filled: &Filled, visit: &AppointmentView, diary: &Diary) -> Versions {
    let view = &member.view;
    let moment = |at: Timestamp| member.short_moment(at);
    let mine = Timestamp::parse(filled.get("starts_at")).map(moment).unwrap_or_default();
    let staff = filled.get("staff").parse().ok();
    let staff = diary.staff.iter().find(|one| Some(one.member.id) == staff);
    let staff = staff.map_or_else(|| visit.staff_name.clone(), |one| one.member.name.clone());
    filled.versions([
        (view.t("appointment-when"), mine, moment(visit.starts_at)),
        (view.t("appointment-with"), staff, visit.staff_name.clone()),
        (view.t("appointment-status"), view.status(visit.status), view.status(visit.status)),
    ])
}
