//! Special days of the business and time off of its staff.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::availability::{BOOKABLE_YEARS, Concerned, Schedule};
use domain::{
    Actor, AuditAction, Blocked, BlockedKey, BlockedSource, BlockedTime, BlockedTimeId, Calendar, Conflict,
    DayWindows, Denied, Editor, Problem, ProblemCode, Refusal, Right, SPECIAL_DAYS_MAX, SpecialDay,
    SpecialDays, StaffId, Text, Timestamp,
};
use serde::Serialize;
use store::{Record, StoreError, Weight, keys};
use view::{AffectedView, AffectingView, SpecialDayRemovedView, SpecialDayView, TimeOffView};

use crate::business::Write;
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{Gives, New, Removed, Shown};
use crate::error::EngineError;

/// Says when a business is open on a date, in place of what the week says and of what was said before.
#[derive(Clone, Debug)]
pub struct SetSpecialDay {
    /// The local date, in one of the [`BOOKABLE_YEARS`].
    pub date: NaiveDate,
    /// The windows that open on it; none for a day on which it is closed.
    pub hours: DayWindows,
    /// What day it is.
    pub note: Option<Text<1, 200>>,
}

impl Change for SetSpecialDay {
    type Gives = Shown<AffectingView<SpecialDayView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let (special, at) = (context.special_days(), context.at());
        let before = special.get(&self.date);
        let shown = before.map(SpecialDayView::from);
        if let Some(shown) = &shown {
            context.check_match(shown)?;
        } else if context.has_condition() {
            return Err(Refusal::conflict(Conflict::NoSpecialDay, "If-Match", ProblemCode::NoRecord).into());
        } else if special.len() >= SPECIAL_DAYS_MAX {
            let full = Conflict::SpecialDaysFull(SPECIAL_DAYS_MAX);
            return Err(Refusal::conflict(full, "date", ProblemCode::Now(self.date.to_string())).into());
        }
        let after = SpecialDay {
            date: self.date,
            hours: self.hours,
            note: self.note.map(Text::into_string),
            created_at: before.map_or(at, |before| before.created_at),
            updated_at: at,
        };
        let mut days = special.clone();
        days.insert(after.date, after.clone());
        let affected = on_date(context, self.date, &days);
        if let Some(before) =
            before.filter(|before| (&before.hours, &before.note) == (&after.hours, &after.note))
        {
            let affecting = AffectingView { resource: before.into(), affected };
            return Ok(Decision::answering(affecting));
        }
        let now_shown = SpecialDayView::from(&after);
        let changes = (&of_date(self.date, shown), &of_date(self.date, Some(now_shown.clone())));
        Ok(Decision::answering(AffectingView { resource: now_shown, affected })
            .note_changes(AuditAction::SpecialDaySet, context.business_id(), changes)
            .write(Write::SpecialDay(after)))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}

/// Has a date be as the week says again.
#[derive(Clone, Copy, Debug)]
pub struct DeleteSpecialDay {
    /// The local date.
    pub date: NaiveDate,
}

impl Change for DeleteSpecialDay {
    type Gives = Shown<SpecialDayRemovedView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self { date } = self;
        let before = context.special_days().get(&date).ok_or(Refusal::NotFound("special day"))?;
        let shown = SpecialDayView::from(before);
        context.check_match(&shown)?;
        let mut days = context.special_days().clone();
        days.remove(&date);
        let affected = on_date(context, date, &days);
        let changes = (&of_date(date, Some(shown)), &of_date(date, None));
        Ok(Decision::answering(SpecialDayRemovedView { date: date.to_string(), affected })
            .note_changes(AuditAction::SpecialDayDeleted, context.business_id(), changes)
            .write(Write::NoSpecialDay(date)))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

/// What lies outside on a date, and in what opened on it or will, once these days are special.
fn on_date(context: &Context<'_>, date: NaiveDate, days: &SpecialDays) -> AffectedView {
    let reach = |days| Calendar::new(context.business(), days).reach_of(date);
    let (was, shall_be) = (reach(context.special_days()), reach(days));
    let during = was.start..was.end.max(shall_be.end);
    let changed = |schedule| Schedule { special: days, ..schedule };
    context.affected(&Concerned::EVERYONE.during(during), changed)
}

/// A special day as the audit log of its business tells of it: it has no id, so its date is the field that changes.
fn of_date(date: NaiveDate, shown: Option<SpecialDayView>) -> impl Serialize + use<> {
    /// What it is, without when that was said.
    #[derive(Serialize)]
    struct Day {
        closed: bool,
        windows: Vec<view::WindowView>,
        note: Option<String>,
    }
    let told = shown.map(|SpecialDayView { closed, windows, note, .. }| Day { closed, windows, note });
    BTreeMap::from([(date.to_string(), told)])
}

/// When somebody has time off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffSpan {
    /// From an instant to another one.
    Instants {
        /// The first instant of it.
        starts_at: Timestamp,
        /// The first instant after it.
        ends_at: Timestamp,
    },
    /// Whole local days of the business, as its clocks are known now.
    Dates {
        /// The first one.
        from: NaiveDate,
        /// The last one.
        to: NaiveDate,
    },
}

impl OffSpan {
    /// The instants of it.
    fn instants(self, calendar: Calendar<'_>) -> Result<(Timestamp, Timestamp), Refusal> {
        use chrono::Datelike;
        let outside = |year| !BOOKABLE_YEARS.contains(&year);
        let years = || ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
        let (names, far, (starts_at, ends_at)) = match self {
            Self::Instants { starts_at, ends_at } => (
                ["starts_at", "ends_at"],
                [starts_at, ends_at].map(|at| outside(at.utc().year())),
                (starts_at, ends_at),
            ),
            Self::Dates { from, to } => (
                ["from", "to"],
                [from, to].map(|date| outside(date.year())),
                (calendar.day_bounds(from).start, calendar.day_bounds(to).end),
            ),
        };
        let mut problems: Vec<Problem> = std::iter::zip(names, far)
            .filter(|(_, far)| *far)
            .map(|(name, _)| Problem::new(name, years()))
            .collect();
        if problems.is_empty() && ends_at <= starts_at {
            let message = match self {
                Self::Instants { .. } => ProblemCode::NotLaterThan("starts_at"),
                Self::Dates { from, to } if to < from => ProblemCode::Before("from"),
                Self::Dates { .. } => ProblemCode::SkippedDays,
            };
            problems.push(Problem::new(names[1], message));
        }
        if problems.is_empty() { Ok((starts_at, ends_at)) } else { Err(Refusal::Invalid(problems)) }
    }
}

/// Gives a staff member time off. Where they have as much as there may be, what ended first goes.
#[derive(Clone, Debug)]
pub struct AddTimeOff {
    /// Who.
    pub staff_id: StaffId,
    /// When.
    pub span: OffSpan,
    /// What for.
    pub note: Option<Text<1, 200>>,
}

impl Change for AddTimeOff {
    type Gives = New<AffectingView<TimeOffView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let staff_id = self.staff_id;
        context.staff(staff_id).ok_or(Refusal::NotFound("staff member"))?;
        check_theirs(context, staff_id)?;
        let calendar = Calendar::new(context.business(), context.special_days());
        let (starts_at, ends_at) = self.span.instants(calendar)?;
        let outlived = context.blocked().making_room(staff_id, context.now()).map_err(|most| {
            Refusal::conflict(
                Conflict::TimesOffFull(most),
                "staff_id",
                ProblemCode::Now(staff_id.to_string()),
            )
        })?;
        let time = BlockedTime {
            id: context.mint(),
            staff_id,
            starts_at,
            ends_at,
            source: BlockedSource::TimeOff,
            note: self.note.map(Text::into_string),
            created_at: context.at(),
        };
        let of_staff = context.blocked().of_staff(staff_id).chain([(time.key(), ends_at)]);
        let blocked = Blocked::from_times(of_staff);
        let concerned = Concerned::staff(staff_id).during(starts_at..ends_at);
        let affected = context.affected(&concerned, |schedule| Schedule { blocked: &blocked, ..schedule });
        let affecting = AffectingView { resource: TimeOffView::from(&time), affected };
        let told = Told::of(time.key(), ends_at);
        let mut decision = Decision::answering(affecting).note_changes(
            AuditAction::TimeOffCreated,
            time.id,
            (&Told::default(), &told),
        );
        if let Some(outlived) = outlived {
            decision = deleted(decision, outlived);
        }
        Ok(decision.write(Write::BlockedTime(time)))
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Day) // whose, is looked at where it is decided
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}

/// Takes time off back.
#[derive(Clone, Copy, Debug)]
pub struct DeleteTimeOff {
    /// Whose.
    pub staff_id: StaffId,
    /// Which.
    pub id: BlockedTimeId,
}

impl Change for DeleteTimeOff {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        context.staff(self.staff_id).ok_or(Refusal::NotFound("staff member"))?;
        check_theirs(context, self.staff_id)?;
        let found = time_off(context, self.staff_id, self.id)?.ok_or(Refusal::NotFound("time off"))?;
        Ok(deleted(Decision::gone(), found))
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Day) // whose, is looked at where it is decided
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

/// Refuses somebody else's time off to whoever may change only their own: members of the business's people.
fn check_theirs(context: &Context<'_>, staff_id: StaffId) -> Result<(), Refusal> {
    let Actor::Person(_) = context.actor() else { return Ok(()) };
    match context.editor()? {
        Editor::Member(member)
            if !member.role.may_change(Right::Settings) && member.staff_id != Some(staff_id) =>
        {
            Err(Refusal::NotAllowed(Denied::TimeOffOfAnother))
        }
        _ => Ok(()),
    }
}

/// Time off as the audit log tells of it, which names nobody but by their id.
#[derive(Default, Serialize)]
struct Told {
    staff_id: Option<StaffId>,
    starts_at: Option<Timestamp>,
    ends_at: Option<Timestamp>,
}

impl Told {
    fn of(BlockedKey { staff_id, starts_at, .. }: BlockedKey, ends_at: Timestamp) -> Self {
        Self { staff_id: Some(staff_id), starts_at: Some(starts_at), ends_at: Some(ends_at) }
    }
}

/// The decision with this time off taken back.
fn deleted<G: Gives>(decision: Decision<G>, (key, ends_at): (BlockedKey, Timestamp)) -> Decision<G> {
    let changes = (&Told::of(key, ends_at), &Told::default());
    decision.note_changes(AuditAction::TimeOffDeleted, key.id, changes).write(Write::NoBlockedTime(key))
}

/// Which blocked time of a staff member the id names, if it is time off, and until when it is. One that does not decode can
/// be taken back all the same, unless it was to be in some state: whoever knows until when it was can add it again.
fn time_off(
    context: &Context<'_>,
    staff_id: StaffId,
    id: BlockedTimeId,
) -> Result<Option<(BlockedKey, Timestamp)>, EngineError> {
    let mut of_staff = context.blocked().of_staff(staff_id);
    let Some((key, ends_at)) = of_staff.find(|(key, _)| key.id == id) else { return Ok(None) };
    let row = keys::blocked_time(context.business_id(), key);
    let value = context.read_raw(&row)?;
    let value =
        value.ok_or_else(|| StoreError::damaged("blocked_time", "it is not there where it starts"))?;
    let time = context.usable(&row, BlockedTime::decode(&value))?;
    match time {
        Some(time) if time.source != BlockedSource::TimeOff => return Ok(None),
        Some(time) => context.check_match(&TimeOffView::from(&time))?,
        None => context.check_match(&())?,
    }
    Ok(Some((key, ends_at)))
}
