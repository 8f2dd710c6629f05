//! The page for moves in the calendar: an appointment gets another time, staff member or duration. The page lists the
//! rules that the move would break, and its form makes the move. The calendar's script reads the page while an
//! appointment is dragged, and sends the page's form when the appointment is dropped.
//!
//! Invariants:
//! - A move needs a confirmation only if it breaks a rule. The grid of bookable times does not count as a rule here,
//!   because the team can book at any minute. An appointment that has ended needs no additional confirmation.
//! - The form contains the entity tag of the appointment, and the rules that the page has listed. A move that would
//!   break a rule that is not in the form is refused.

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use domain::booking::MoveRequest;
use domain::{AppointmentStatus, ProblemCode, Right, StaffId, Timestamp};
use engine::business::Proposal;
use engine::business::commands::appointments::Reschedule;
use view::AppointmentView;

use super::appointment;
use super::axis::minute;
use super::timing::{mover, team, to_accept};
use crate::admin::TeamRescheduleBody;
use crate::dashboard::pages::prelude::*;
use crate::local_time::{WallClockError, instant};

const MINUTE_MAX: u32 = 48 * 60;

#[derive(Template)]
#[template(path = "dashboard/pages/day/shift.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    visit: &'a AppointmentView,
    lines: Vec<Line>,
    /// The reasons why the time is not bookable.
    reasons: Vec<String>,
    notice: String,
    can: Can,
    tag: String,
    starts_at: Timestamp,
    staff: StaffId,
    minutes: u64,
    back: String,
    /// The value of the form field `override`: the rules that the move breaks and that the page lists.
    accepts: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Can {
    Move,
    Anyway,
    Nothing,
}

/// The date, the minute of the day, the staff member and the duration to which the appointment would move.
struct NewSlot {
    date: NaiveDate,
    minute: u32,
    staff: StaffId,
    minutes: u64,
}

impl Page<'_> {
    fn title(&self) -> String {
        self.sheet.member.with("move-title", "who", &self.sheet.member.who_comes(self.visit))
    }

    fn trial(&self) -> &'static str {
        match self.can {
            Can::Move => "open",
            Can::Anyway => "anyway",
            Can::Nothing => "refused",
        }
    }
}

fn wanted(member: &Member, visit: &AppointmentView) -> NewSlot {
    let query = &member.query;
    let day = member.day(visit.starts_at);
    let at = query.get("minute").parse().ok().filter(|minute| *minute < MINUTE_MAX);
    NewSlot {
        date: days::asked(query.get("date")).unwrap_or(day),
        minute: at.unwrap_or_else(|| minute(visit.starts_at, day, member.profile.zone)),
        staff: query.get("staff").parse().unwrap_or(visit.staff_id),
        minutes: query.get("minutes").parse().unwrap_or_else(|_| member.minutes(visit)),
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if !visit.status.is_active() || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let wanted = wanted(&member, &visit);
    let local = wanted.date.and_time(NaiveTime::MIN) + TimeDelta::minutes(wanted.minute.into());
    let (at, notice) = match instant(local, member.profile.zone) {
        // The appointment keeps its start if it begins at the second of the two instants.
        Err(WallClockError::Twice(_, second)) if second.timestamp_millis() == visit.starts_at.millis() => {
            (second, String::new())
        }
        Ok(at) | Err(WallClockError::Twice(at, _)) => (at, String::new()),
        Err(WallClockError::Skipped(at, _)) => (at, member.problem(&ProblemCode::SkippedTime)),
    };
    let starts_at = Timestamp::from_millis(at.timestamp_millis());
    shown(&member, &visit, starts_at, &wanted, (StatusCode::OK, notice)).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    let done = async {
        let body = member.body().given("starts_at", "starts_at").given("staff_id", "staff");
        let body = body.number("duration_minutes").read::<TeamRescheduleBody>()?;
        let duration = body.duration_minutes.map(|minutes| TimeDelta::minutes(minutes.get().into()));
        let party = team(&member.form);
        let request = MoveRequest { starts_at: body.starts_at, staff_id: body.staff_id, party, duration };
        let request = MoveRequest { party: mover(&member, &visit, &request).await?, ..request };
        member.change(Reschedule { id: visit.id, request }).await?;
        let to_day = || member.calendar("day", member.day(body.starts_at), None);
        Ok::<_, Refused>(member.calendar_back().unwrap_or_else(to_day))
    };
    let undone = match done.await {
        Err(Refused::FormError(undone)) => undone,
        done => return Ok(see_other(&done?)),
    };
    let visit = appointment::asked(&member).await?;
    let starts_at = Timestamp::parse(member.form.get("starts_at")).unwrap_or(visit.starts_at);
    let wanted = NewSlot {
        staff: member.form.get("staff").parse().unwrap_or(visit.staff_id),
        minutes: member.form.get("duration_minutes").parse().unwrap_or_else(|_| member.minutes(&visit)),
        date: member.day(starts_at),
        minute: 0,
    };
    if !visit.status.is_active() {
        return appointment::shown(&member, Some(undone)).await;
    }
    let notice = member.message_of(Some(&undone), "appointment-stale");
    shown(&member, &visit, starts_at, &wanted, notice).await
}

async fn shown(
    member: &Member,
    visit: &AppointmentView,
    starts_at: Timestamp,
    wanted: &NewSlot,
    (status, notice): (StatusCode, String),
) -> Answered {
    let minutes = i64::try_from(wanted.minutes).unwrap_or(0).clamp(1, 24 * 60);
    let duration = Some(TimeDelta::minutes(minutes));
    let party = team(&member.form);
    let request = MoveRequest { starts_at, staff_id: Some(wanted.staff), party, duration };
    let proposal = member.business.try_to_move(visit.id, request).await.map_err(FormError::of);
    let mut accepts = String::new();
    let (can, reasons) = match proposal {
        _ if status == StatusCode::OK && !notice.is_empty() => (Can::Nothing, Vec::new()),
        Ok(Proposal::Allowed) => (Can::Move, Vec::new()),
        Ok(Proposal::Overrides(rules)) => {
            let rules = to_accept(rules);
            accepts = rules.iter().map(|rule| rule.as_str()).collect::<Vec<_>>().join(",");
            let can = if rules.is_empty() { Can::Move } else { Can::Anyway };
            (can, rules.iter().map(|rule| member.t(&format!("book-override-{rule}"))).collect())
        }
        Err(Refused::FormError(undone)) => {
            (Can::Nothing, vec![undone.message(&member.view, "appointment-stale")])
        }
        Err(refused) => return Err(refused),
    };
    let diary = member.business.diary(wanted.date..=wanted.date).await?;
    let name = diary.staff.iter().find(|one| one.member.id == wanted.staff);
    let name = name.map_or_else(|| visit.staff_name.clone(), |one| one.member.name.clone());
    let ends_at = starts_at + TimeDelta::minutes(minutes);
    let when =
        |start, end| format!("{}, {} – {}", member.date_of(start), member.clock(start), member.clock(end));
    let lines = vec![
        (member.t("shift-from"), format!("{}, {}", when(visit.starts_at, visit.ends_at), visit.staff_name)),
        (member.t("shift-to"), format!("{}, {name}", when(starts_at, ends_at))),
        (member.t("shift-lasts"), member.count("appointment-lasts", minutes.unsigned_abs())),
    ];
    let back = member.query.find("back").or_else(|| member.form.find("back"));
    let shown = Page {
        sheet: member.sheet("").under(member.above_change(visit)),
        visit,
        lines,
        reasons,
        notice,
        can,
        tag: tag(visit),
        starts_at,
        staff: wanted.staff,
        minutes: minutes.unsigned_abs(),
        back: back.unwrap_or_default().to_owned(),
        accepts,
    };
    page_as(status, &shown)
}

impl Page<'_> {
    fn confirms(&self) -> bool {
        self.visit.status == AppointmentStatus::Pending && self.can != Can::Nothing
    }

    fn is_refused(&self) -> bool {
        self.can == Can::Nothing
    }
}
