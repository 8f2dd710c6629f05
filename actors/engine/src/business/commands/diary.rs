//! Changes to special days and time off.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::availability::{BOOKABLE_YEARS, Concerned, Schedule};
use domain::{
    Actor, AuditAction, Blocked, BlockedKey, BlockedSource, BlockedTime, BlockedTimeId, Calendar, Conflict,
    DayWindows, Denied, Editor, LocalWindow, Named, Problem, ProblemCode, Refusal, Right, SPECIAL_DAYS_MAX,
    SpecialDay, SpecialDays, StaffId, Text, Timestamp,
};
use serde::Serialize;
use store::{Record, StoreError, Weight, keys};
use view::{AffectedView, AffectingView, SpecialDayRemovedView, SpecialDayView, TimeOffView};

use crate::business::{Change, Context, Decision, Gives, New, Removed, Shown, Write};
use crate::error::Result;

super::listed!(AddTimeOff, CloseDays, DeleteSpecialDay, DeleteTimeOff, SetSpecialDay);

/// Replaces the weekly hours on one date.
#[derive(Clone, Debug)]
pub struct SetSpecialDay {
    /// A local date in one of the [`BOOKABLE_YEARS`].
    pub date: NaiveDate,
    pub hours: DayWindows,
    pub note: Option<Text<1, 200>>,
}

impl Change for SetSpecialDay {
    type Gives = Shown<AffectingView<SpecialDayView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (special, at) = (&context.state.special, context.at);
        let before = special.get(&self.date);
        let shown = before.map(SpecialDayView::from);
        if let Some(shown) = &shown {
            context.check_match(shown)?;
        } else if context.request.if_match.is_some() {
            return Err(Refusal::conflict(Conflict::NoSpecialDay, "If-Match", ProblemCode::NoRecord).into());
        } else if special.len() >= SPECIAL_DAYS_MAX {
            let full = Conflict::SpecialDaysFull(SPECIAL_DAYS_MAX);
            return Err(Refusal::conflict(full, "date", ProblemCode::now(self.date)).into());
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
            .note_changes(AuditAction::SpecialDaySet, context.state.id, changes)
            .write(Write::hot(context.state.id, before, after)))
    }
}

/// The maximum number of dates that [`CloseDays`] closes. With more dates, the rows might not fit into one change.
pub const CLOSED_AT_ONCE_MAX: usize = 366;

/// Closes each of these dates that is not a special day yet. Appointments on these dates stay booked.
#[derive(Clone, Debug)]
pub struct CloseDays {
    /// Local dates in the [`BOOKABLE_YEARS`], at most [`CLOSED_AT_ONCE_MAX`], with their notes.
    pub dates: BTreeMap<NaiveDate, Option<Text<1, 200>>>,
}

impl Change for CloseDays {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (special, of, at) = (&context.state.special, context.state.id, context.at);
        let new: Vec<_> = self.dates.into_iter().filter(|(date, _)| !special.contains_key(date)).collect();
        if new.len() > CLOSED_AT_ONCE_MAX {
            return Err(Refusal::invalid("dates", ProblemCode::ValuesMax(CLOSED_AT_ONCE_MAX)).into());
        }
        if special.len() + new.len() > SPECIAL_DAYS_MAX {
            let full = Conflict::SpecialDaysFull(SPECIAL_DAYS_MAX);
            return Err(Refusal::conflict(full, "dates", ProblemCode::ValuesMax(SPECIAL_DAYS_MAX)).into());
        }
        let close = |decision: Decision<Removed>, (date, note): (NaiveDate, Option<Text<1, 200>>)| {
            let note = note.map(Text::into_string);
            let day = SpecialDay { date, hours: DayWindows::CLOSED, note, created_at: at, updated_at: at };
            let changes = (&of_date(date, None), &of_date(date, Some(SpecialDayView::from(&day))));
            decision.note_changes(AuditAction::SpecialDaySet, of, changes).write(Write::hot(of, None, day))
        };
        Ok(new.into_iter().fold(Decision::gone(), close))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DeleteSpecialDay {
    pub date: NaiveDate,
}

impl Change for DeleteSpecialDay {
    type Gives = Shown<SpecialDayRemovedView>;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { date } = self;
        let before = context.state.special.get(&date).ok_or(Refusal::NotFound(Named::SpecialDay))?;
        let shown = SpecialDayView::from(before);
        context.check_match(&shown)?;
        let mut days = context.state.special.clone();
        days.remove(&date);
        let affected = on_date(context, date, &days);
        let changes = (&of_date(date, Some(shown)), &of_date(date, None));
        Ok(Decision::answering(SpecialDayRemovedView { date: date.to_string(), affected })
            .note_changes(AuditAction::SpecialDayDeleted, context.state.id, changes)
            .write(Write::NoSpecialDay(date)))
    }
}

/// Lists the affected appointments of a date. These are the appointments that would be outside bookable time if
/// `days` replaced the special days. If an opening window begins on the date and ends after midnight, the
/// appointments after midnight count too. This applies to the windows of the old and of the new special days.
fn on_date(context: &Context<'_>, date: NaiveDate, days: &SpecialDays) -> AffectedView {
    let reach = |days| Calendar::new(&context.state.business, days).reach_of(date);
    let (was, shall_be) = (reach(&context.state.special), reach(days));
    let during = was.start..was.end.max(shall_be.end);
    let changed = |schedule| Schedule { special: days, ..schedule };
    context.affected(&Concerned::EVERYONE.during(during), changed)
}

/// A special day as the audit log shows it: a field whose name is the date and whose value contains the other
/// properties. The date identifies the special day, because a special day has no id.
fn of_date(date: NaiveDate, shown: Option<SpecialDayView>) -> impl Serialize + use<> {
    #[derive(Serialize)]
    struct Day {
        closed: bool,
        windows: Vec<LocalWindow>,
        note: Option<String>,
    }
    let day = shown.map(|SpecialDayView { closed, windows, note, .. }| Day { closed, windows, note });
    BTreeMap::from([(date.to_string(), day)])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffSpan {
    Instants {
        starts_at: Timestamp,
        /// The end of the time off. The time off does not include this instant.
        ends_at: Timestamp,
    },
    /// Whole local days in the business's current zone.
    Dates {
        from: NaiveDate,
        /// The last day of the time off.
        to: NaiveDate,
    },
}

impl OffSpan {
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
        Refusal::check(problems)?;
        Ok((starts_at, ends_at))
    }
}

/// Adds time off. If the staff member or the business has reached the limit, the time off that ended first is deleted.
/// If no time off has ended, the change is refused.
#[derive(Clone, Debug)]
pub struct AddTimeOff {
    pub staff_id: StaffId,
    pub span: OffSpan,
    pub note: Option<Text<1, 200>>,
}

impl Change for AddTimeOff {
    type Gives = New<AffectingView<TimeOffView>>;
    /// This right is not enough: `decide` also checks that the member may change the time off of this staff member.
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let staff_id = self.staff_id;
        context.staff(staff_id).ok_or(Refusal::NotFound(Named::Staff))?;
        check_theirs(context, staff_id)?;
        let calendar = Calendar::new(&context.state.business, &context.state.special);
        let (starts_at, ends_at) = self.span.instants(calendar)?;
        let outlived = context.state.blocked.making_room(staff_id, context.now).map_err(|most| {
            let now = ProblemCode::now(staff_id);
            Refusal::conflict(Conflict::TimesOffFull(most), "staff_id", now)
        })?;
        let time = BlockedTime {
            id: context.mint(),
            staff_id,
            starts_at,
            ends_at,
            source: BlockedSource::TimeOff,
            note: self.note.map(Text::into_string),
            created_at: context.at,
        };
        let of_staff = context.state.blocked.of_staff(staff_id).chain([(time.key(), ends_at)]);
        let blocked = Blocked::from_times(of_staff);
        let concerned = Concerned::staff(staff_id).during(starts_at..ends_at);
        let affected = context.affected(&concerned, |schedule| Schedule { blocked: &blocked, ..schedule });
        let affecting = AffectingView { resource: TimeOffView::from(&time), affected };
        let audited = AuditedTimeOff::of(time.key(), ends_at);
        let mut decision = Decision::answering(affecting).note_changes(
            AuditAction::TimeOffCreated,
            time.id,
            (&AuditedTimeOff::default(), &audited),
        );
        if let Some(outlived) = outlived {
            decision = deleted(decision, outlived);
        }
        Ok(decision.write(Write::hot(context.state.id, None, time)))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DeleteTimeOff {
    pub staff_id: StaffId,
    pub id: BlockedTimeId,
}

impl Change for DeleteTimeOff {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        context.staff(self.staff_id).ok_or(Refusal::NotFound(Named::Staff))?;
        check_theirs(context, self.staff_id)?;
        let found = time_off(context, self.staff_id, self.id)?.ok_or(Refusal::NotFound(Named::TimeOff))?;
        Ok(deleted(Decision::gone(), found))
    }
}

/// Fails if a member makes the request and may not change this staff member's time off.
fn check_theirs(context: &Context<'_>, staff_id: StaffId) -> Result<(), Refusal> {
    let Actor::Person(_) = context.request.actor else { return Ok(()) };
    match context.editor()? {
        Editor::Member(member)
            if !member.role.may_change(Right::Settings) && member.staff_id != Some(staff_id) =>
        {
            Err(Refusal::NotAllowed(Denied::TimeOffOfAnother))
        }
        _ => Ok(()),
    }
}

/// Time off as the audit log shows it: ids and times, but no name and no note.
#[derive(Default, Serialize)]
struct AuditedTimeOff {
    staff_id: Option<StaffId>,
    starts_at: Option<Timestamp>,
    ends_at: Option<Timestamp>,
}

impl AuditedTimeOff {
    fn of(BlockedKey { staff_id, starts_at, .. }: BlockedKey, ends_at: Timestamp) -> Self {
        Self { staff_id: Some(staff_id), starts_at: Some(starts_at), ends_at: Some(ends_at) }
    }
}

fn deleted<G: Gives>(decision: Decision<G>, (key, ends_at): (BlockedKey, Timestamp)) -> Decision<G> {
    let changes = (&AuditedTimeOff::of(key, ends_at), &AuditedTimeOff::default());
    decision.note_changes(AuditAction::TimeOffDeleted, key.id, changes).write(Write::NoBlockedTime(key))
}

/// Finds time off by its id, and returns its key and end. If the row cannot be decoded, a request with an `If-Match`
/// header fails. A request without this header gets the key and the end, because both are also in memory.
fn time_off(
    context: &Context<'_>,
    staff_id: StaffId,
    id: BlockedTimeId,
) -> Result<Option<(BlockedKey, Timestamp)>> {
    let mut of_staff = context.state.blocked.of_staff(staff_id);
    let Some((key, ends_at)) = of_staff.find(|(key, _)| key.id == id) else { return Ok(None) };
    let row = keys::blocked_time(context.state.id, key);
    let value = context.state.read_raw(&row)?;
    let value = value.ok_or_else(|| StoreError::damaged("blocked_time", "its row is missing"))?;
    let time = context.state.store.usable(&row, BlockedTime::decode(&value))?;
    match time {
        Some(time) if time.source != BlockedSource::TimeOff => return Ok(None),
        Some(time) => context.check_match(&TimeOffView::from(&time))?,
        None => context.check_match(&())?,
    }
    Ok(Some((key, ends_at)))
}
