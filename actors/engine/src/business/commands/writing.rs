//! Stores the outcomes of writes to connected calendars, and changes the stored writes of a calendar in steps. A
//! *write* ([`CalendarWrite`]) is the state of one appointment's copy in a calendar.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    AlertTrigger, Appointment, AppointmentId, CalendarEvent, CalendarId, CalendarState, CalendarStatus,
    CalendarTask, CalendarWrite, ConnectedCalendar, Named, Refusal, Right, SERVICE_MINUTES, SeenEvent,
    Timestamp, WriteOutcome, WriteReason, WritesTo,
};
use store::{Batch, Key, KeyRange, StoreError, Weight, kept, keys};
use view::CalendarWriteView;

use super::calendars::{calendar_of_read, manageable_calendar};
use crate::business::state::State;
use crate::business::{Change, Context, Decision, Given, Removed, Shown, Write, writes};
use crate::error::Result;

super::listed!(EndRemoval, ForgetWrites, RecordSeen, RecordWrite, StepTask, StopWrites, WriteAppointment);

/// The maximum number of writes that a step changes.
pub(crate) const STEP_MAX: usize = 128;
/// The maximum number of steps in the commit that begins a task. A step examines at most [`STEP_MAX`] appointments, so
/// this commit examines at most about 4,000 appointments.
const FIRST_STEPS_MAX: usize = 32;
/// The first steps of a task share one commit. If the rows of these steps have reached this size in bytes, the commit
/// makes no further step. The rows of more than 500 usual appointments fit into this size. The last step may exceed it,
/// but the commit stays smaller than [`store::CHANGE_BYTES_MAX`].
const FIRST_STEPS_BYTES: usize = 448 << 10;
/// The maximum length of an appointment.
const APPOINTMENT_MAX: TimeDelta = TimeDelta::minutes(*SERVICE_MINUTES.end() as i64);

/// Writes an appointment to its calendar again, because a person requests it.
#[derive(Clone, Copy, Debug)]
pub struct WriteAppointment {
    pub id: CalendarId,
    pub appointment_id: AppointmentId,
}

impl Change for WriteAppointment {
    type Gives = Given<CalendarWriteView, 202>;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let calendar = manageable_calendar(context, self.id)?;
        let (state, id) = (context.state, self.appointment_id);
        let now = state.clocks.steady();
        let to = state.writes_to(calendar.id)?;
        let WritesTo::Written { is_stopped, .. } = to else {
            return Err(Refusal::NotFound(Named::Appointment).into());
        };
        let before = state.find::<CalendarWrite>(&keys::calendar_write(state.id, calendar.id, id))?;
        let after = match &before {
            Some(before) => before.clone().renewed(before.is_deletion, now),
            None => {
                let appointment = state.appointment(id)?;
                let is_meant = |it: &Appointment| it.is_active() && it.staff_id == calendar.staff_id;
                if !appointment.as_ref().is_some_and(is_meant) {
                    return Err(Refusal::NotFound(Named::Appointment).into());
                }
                CalendarWrite::new(calendar.id, id, now)
            }
        };
        let after = if is_stopped { after.stopped() } else { after };
        let decision = Decision::answering(CalendarWriteView::new(&after, (context.now, now)));
        Ok(decision.write_all(writes::changed(state, before, Some(after))?))
    }
}

/// Stores the outcome of an attempt to write.
#[derive(Clone, Debug)]
pub(crate) struct RecordWrite {
    pub(crate) id: CalendarId,
    pub(crate) appointment_id: AppointmentId,
    /// The [`CalendarWrite::revision`] of the state that the attempt tried to write.
    pub(crate) began: u32,
    pub(crate) outcome: WriteOutcome,
    /// After a successful write, the event as it is now on the server. After a successful deletion, the deleted event.
    /// After a failure, `None`.
    pub(crate) event: Option<CalendarEvent>,
}

impl Change for RecordWrite {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (state, id) = (context.state, self.appointment_id);
        let key = keys::calendar_write(state.id, self.id, id);
        let Some(before) = state.find::<CalendarWrite>(&key)? else { return Ok(Decision::gone()) };
        let mut decision = Decision::gone();
        if let WriteOutcome::Done { times, .. } = &self.outcome
            && let Some(event) = self.event
            && state.calendars.contains_key(&self.id)
        {
            let mut rows = Batch::default();
            let row = keys::calendar_event(state.id, self.id, &event.hash);
            let stored = state.find::<CalendarEvent>(&row)?;
            match (times, stored) {
                (Some(_), stored) => kept::put(state.id, stored.as_ref(), &event, &mut rows),
                (None, Some(stored)) => kept::delete(state.id, &stored, &mut rows),
                (None, None) => {}
            }
            if !rows.is_empty() {
                decision = decision.write(Write::Rows(rows));
            }
        }
        let is_acknowledged = matches!(self.outcome, WriteOutcome::Done { .. });
        let after = before.clone().after(self.began, self.outcome, state.clocks.steady());
        let is_over = after.is_deletion && is_acknowledged && !after.is_pending();
        let after = (!is_over || keeps_deletion(state, &after)?).then_some(after);
        Ok(decision.write_all(writes::changed(state, Some(before), after)?))
    }
}

/// Whether the row of a write is kept after the server has confirmed the deletion of the event. The row is kept if the
/// appointment exists, the calendar belongs to the staff member of the appointment, and appointments are still written
/// to the calendar. The reason: with the row, the appointment counts as `synced`. Without any row, the
/// appointment would count as `not_connected`.
fn keeps_deletion(state: &State, write: &CalendarWrite) -> Result<bool, StoreError> {
    let Some(calendar) = state.calendars.get(&write.calendar_id).filter(|it| it.is_written()) else {
        return Ok(false);
    };
    let appointment = decoded(state, write.appointment_id)?;
    Ok(appointment.is_some_and(|it| it.staff_id == calendar.staff_id))
}

/// Returns the appointment, or `None` if it is missing or cannot be decoded.
fn decoded(state: &State, id: AppointmentId) -> Result<Option<Appointment>, StoreError> {
    let key = keys::appointment_start(state.id, id);
    Ok(state.store.usable(&key, state.appointment(id))?.flatten())
}

/// Stores remote changes: changes that were made in the calendar to events that the service had written. The answer is
/// the number of alerts about these changes.
#[derive(Clone, Debug)]
pub(crate) struct RecordSeen {
    pub(crate) of: (CalendarId, u32),
    pub(crate) alerts_max: usize,
    /// The events that a read has found, at most [`STEP_MAX`]. An event is `None` if it was deleted in the calendar.
    pub(crate) seen: Vec<(AppointmentId, Option<SeenEvent>)>,
}

impl Change for RecordSeen {
    type Gives = Shown<usize>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let calendar = calendar_of_read(context, self.of)?;
        let (state, mut alerts, mut changed) = (context.state, Vec::new(), Vec::new());
        let seen = if calendar.is_written() { self.seen } else { Vec::new() };
        for (id, seen) in seen {
            let before = state.find::<CalendarWrite>(&keys::calendar_write(state.id, calendar.id, id))?;
            let Some(before) = before else { continue };
            let Some(after) = before.after_read(seen.as_ref()) else { continue };
            // An event that has ended causes no alert, because some servers delete old events.
            let is_news = after.reason.is_some_and(|_: WriteReason| before.reason.is_none());
            if is_news && !before.has_ended(context.now) && alerts.len() < self.alerts_max {
                alerts.push(AlertTrigger::of_event(calendar, id));
            }
            changed.extend(writes::changed(state, Some(before), Some(after))?);
        }
        let decision = Decision::answering(alerts.len()).write_all(changed);
        Ok(alerts.into_iter().fold(decision, Decision::alert))
    }
}

/// Makes a step of the calendar's [`ConnectedCalendar::task`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepTask {
    pub(crate) id: CalendarId,
}

impl Change for StepTask {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let state = context.state;
        let Some(calendar) = state.calendars.get(&self.id) else { return Ok(Decision::gone()) };
        let Some(task) = calendar.task else { return Ok(Decision::gone()) };
        let is_stopped = matches!(state.writes_to(self.id)?, WritesTo::Written { is_stopped: true, .. });
        let (after, writes) = step((state, context.now), calendar, task, is_stopped)?;
        let decision = Decision::gone().write_all(writes);
        Ok(decision.write(Write::Calendar { before: Some(calendar.clone()), after }))
    }
}

/// Returns the calendar after a step of its task, and the other changes that the step makes.
fn step(
    (state, now): (&State, Timestamp),
    calendar: &ConnectedCalendar,
    task: CalendarTask,
    is_stopped: bool,
) -> Result<(ConnectedCalendar, Vec<Write>), StoreError> {
    let mut step = Step { state, calendar, is_stopped, now, reached: None, writes: Vec::new() };
    let is_through = match task {
        CalendarTask::Adopt => step.adopt()?,
        CalendarTask::Leave => step.each_write(|_, write| {
            let is_kept = write.is_deletion && write.is_pending();
            Ok((!is_kept).then_some(None))
        })?,
        CalendarTask::Remove => step.each_write(|step, write| step.removed(write))?,
        CalendarTask::Retry | CalendarTask::Resume => step.retry(task)?,
    };
    let (task, task_at) = match (is_through, task) {
        (false, task) => (Some(task), step.reached),
        // `Adopt` does not retry failed deletions, because it writes only active appointments. Therefore the task
        // `Resume` follows, which retries failed writes of all kinds.
        (true, CalendarTask::Adopt) => (Some(CalendarTask::Resume), None),
        (true, _) => (None, None),
    };
    Ok((ConnectedCalendar { task, task_at, ..calendar.clone() }, step.writes))
}

/// Makes the first steps of a new task. These steps are part of the commit that changes the settings. Each further step
/// is a separate change ([`StepTask`]).
pub(super) fn first_steps(
    of: (&State, Timestamp),
    mut calendar: ConnectedCalendar,
) -> Result<(ConnectedCalendar, Vec<Write>), StoreError> {
    let (begun, mut writes, mut rows) = (calendar.task, Vec::new(), Batch::default());
    for _ in 0..FIRST_STEPS_MAX {
        if rows.bytes() >= FIRST_STEPS_BYTES {
            break;
        }
        // This loop carries out only the first task (`begun`). If a second task follows, it reads rows that the first
        // task writes. The store contains these rows only after the commit, so the second task starts later.
        let Some(task) = calendar.task.filter(|task| Some(*task) == begun) else { break };
        let (after, more) = step(of, &calendar, task, false)?;
        more.iter().for_each(|write| write.encode(of.0.id, &mut rows));
        writes.extend(more);
        calendar = after;
    }
    Ok((calendar, writes))
}

struct Step<'a> {
    state: &'a State,
    calendar: &'a ConnectedCalendar,
    is_stopped: bool,
    now: Timestamp,
    reached: Option<(Timestamp, AppointmentId)>,
    writes: Vec<Write>,
}

/// The rows that a step reads, and true if no further rows follow.
type Rows = (BTreeMap<Key, Vec<u8>>, bool);

impl Step<'_> {
    fn rows(&self, range: &KeyRange) -> Result<Rows, StoreError> {
        let (mut rows, rest) = self.state.next_rows(range)?;
        let mut is_through = rest.is_none();
        if rows.len() > STEP_MAX {
            rows = rows.into_iter().take(STEP_MAX).collect();
            is_through = false;
        }
        Ok((rows, is_through))
    }

    fn change(
        &mut self,
        before: Option<CalendarWrite>,
        after: Option<CalendarWrite>,
    ) -> Result<(), StoreError> {
        self.writes.extend(writes::changed(self.state, before, after)?);
        Ok(())
    }

    /// Queues the writes of the next active appointments that have not ended. Returns true if no appointments remain.
    fn adopt(&mut self) -> Result<bool, StoreError> {
        let (state, calendar) = (self.state, self.calendar);
        let mut range = keys::appointments_starting(state.id, self.now - APPOINTMENT_MAX, Timestamp::MAX);
        if let Some((start, id)) = calendar.task_at {
            range = range.after(keys::appointment(state.id, start, id));
        }
        let (rows, is_through) = self.rows(&range)?;
        let steady = state.clocks.steady();
        for (key, value) in rows {
            self.reached = state.store.usable(&key, keys::instant_and_id(&key))?;
            let Some(appointment) = state.store.find_in::<Appointment>(&key, &value)? else { continue };
            let is_meant = appointment.is_active() && appointment.staff_id == calendar.staff_id;
            if !is_meant || appointment.ends_at <= self.now {
                continue;
            }
            let row = keys::calendar_write(state.id, calendar.id, appointment.id);
            let before = state.find::<CalendarWrite>(&row)?;
            let after = match before.clone() {
                // An event that was changed in the calendar is not overwritten.
                Some(before) if before.reason.is_some() => continue,
                Some(before) => before.renewed(false, steady),
                None => CalendarWrite::new(calendar.id, appointment.id, steady),
            };
            self.change(before, Some(if self.is_stopped { after.stopped() } else { after }))?;
        }
        Ok(is_through)
    }

    /// Calls `change` with each of the next writes of the calendar. `change` returns `Some(Some(write))` to replace the
    /// write, `Some(None)` to delete it, or `None` to keep it.
    fn each_write(
        &mut self,
        mut change: impl FnMut(&Self, &CalendarWrite) -> Result<Option<Option<CalendarWrite>>, StoreError>,
    ) -> Result<bool, StoreError> {
        let (state, id) = (self.state, self.calendar.id);
        let mut range = keys::calendar_writes(state.id, id);
        if let Some((_, reached)) = self.calendar.task_at {
            range = range.after(keys::calendar_write(state.id, id, reached));
        }
        let (rows, is_through) = self.rows(&range)?;
        for (key, value) in rows {
            self.reached = Some((self.now, keys::id_at_end(&key)?));
            let Some(before) = state.store.find_in::<CalendarWrite>(&key, &value)? else { continue };
            if let Some(after) = change(self, &before)? {
                self.change(Some(before), after)?;
            }
        }
        Ok(is_through)
    }

    /// Returns the new state of a write whose calendar is being removed. `None`: the write already waits to delete its
    /// event, and stays unchanged. `Some(Some(_))`: the write must delete its event, because the event has not ended or
    /// an earlier deletion has failed. `Some(None)`: the write itself is deleted, because its event stays or is already
    /// deleted.
    fn removed(&self, write: &CalendarWrite) -> Result<Option<Option<CalendarWrite>>, StoreError> {
        if write.is_deletion && write.is_pending() {
            return Ok(None);
        }
        let appointment = decoded(self.state, write.appointment_id)?;
        let has_event = if write.is_deletion {
            write.status != domain::CalendarSyncStatus::Synced
        } else {
            appointment.is_none_or(|it| it.ends_at > self.now)
        };
        Ok(Some(has_event.then(|| write.clone().renewed(true, self.state.clocks.steady()))))
    }

    fn retry(&mut self, task: CalendarTask) -> Result<bool, StoreError> {
        let (state, id) = (self.state, self.calendar.id);
        let mut range = keys::calendar_writes_failed(state.id, id);
        if let Some((_, reached)) = self.calendar.task_at {
            range = range.after(keys::calendar_write_failed(state.id, id, reached));
        }
        let (rows, is_through) = self.rows(&range)?;
        for key in rows.into_keys() {
            let appointment: AppointmentId = keys::id_at_end(&key)?;
            self.reached = Some((self.now, appointment));
            let before = state.find::<CalendarWrite>(&keys::calendar_write(state.id, id, appointment))?;
            let Some(before) = before else { continue };
            if task == CalendarTask::Retry || before.reason.is_none() {
                let after = before.clone().renewed(before.is_deletion, state.clocks.steady());
                self.change(Some(before), Some(after))?;
            }
        }
        Ok(is_through)
    }
}

/// Marks the pending writes of a stopped calendar as failed, in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopWrites {
    pub(crate) id: CalendarId,
}

impl Change for StopWrites {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (state, mut decision) = (context.state, Decision::gone());
        let reads = state.find::<CalendarState>(&keys::calendar_state(state.id, self.id))?;
        if reads.is_none_or(|reads| reads.status != CalendarStatus::Stopped) {
            return Ok(decision);
        }
        let (rows, _) = state.next_rows(&keys::calendar_writes_due(state.id, self.id))?;
        for key in rows.into_keys().take(STEP_MAX) {
            let write = keys::calendar_write(state.id, self.id, keys::id_at_end(&key)?);
            let Some(before) = state.find::<CalendarWrite>(&write)? else { continue };
            let after = before.clone().stopped();
            decision = decision.write_all(writes::changed(state, Some(before), Some(after))?);
        }
        Ok(decision)
    }
}

/// Deletes writes of a calendar that no longer exists, in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForgetWrites {
    pub(crate) id: CalendarId,
}

impl Change for ForgetWrites {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (state, mut decision) = (context.state, Decision::gone());
        if state.calendars.contains_key(&self.id) {
            return Ok(decision);
        }
        let (rows, _) = state.next_rows(&keys::calendar_writes(state.id, self.id))?;
        for (key, value) in rows.into_iter().take(STEP_MAX) {
            match state.store.find_in::<CalendarWrite>(&key, &value)? {
                Some(gone) => {
                    decision = decision.write_all(writes::changed(state, Some(gone), None)?);
                }
                None => {
                    let mut rows = Batch::default();
                    rows.delete_whole(key, value.len());
                    decision = decision.write(Write::Rows(rows));
                }
            }
        }
        Ok(decision)
    }
}

/// Disconnects a calendar that is being removed, and deletes its credentials. If written events are still being deleted
/// from the calendar and the time [`ConnectedCalendar::removal_until`] has not come yet, changes nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndRemoval {
    pub(crate) id: CalendarId,
}

impl Change for EndRemoval {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let state = context.state;
        let calendar = state.calendars.get(&self.id).filter(|it| it.is_leaving());
        let Some(calendar) = calendar else { return Ok(Decision::gone()) };
        let is_due = calendar.removal_until.is_some_and(|until| state.clocks.steady() >= until);
        let waiting = keys::calendar_writes_due(state.id, self.id);
        let has_waiting = state.next_in(&waiting, store::Order::Ascending)?.is_some();
        if !is_due && (calendar.task.is_some() || has_waiting) {
            return Ok(Decision::gone());
        }
        Ok(Decision::gone().write(Write::NoCalendar(calendar.clone())))
    }
}
