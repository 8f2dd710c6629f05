//! Updates the *writes* of an appointment in the batch of the change to the appointment. A write ([`CalendarWrite`]) is
//! the stored state of the appointment's copy in a connected calendar.
//!
//! Invariants:
//! - A change to an appointment, its new `calendar_sync_status` and its writes are one batch.
//! - Each change of the usage of a business needs an audit entry. If only `calendar_sync_status` changes, no audit
//!   entry is written, so the usage must stay the same. Therefore the row of the appointment keeps its length and
//!   version.
//! - An appointment whose `calendar_sync_status` is `not_connected` has no writes, so no rows are read to find them.

use domain::{
    Appointment, AppointmentId, CalendarId, CalendarState, CalendarStatus, CalendarSyncStatus, CalendarWrite,
    ConnectedCalendar, StaffId, WritesChange, WritesTo, follow, sync_status,
};
use store::records::set_sync_status;
use store::{Batch, Order, StoreError, keys};

use super::decision::Decided;
use super::state::State;
use super::write::Write;

impl State {
    /// Returns the calendar to which the appointments of a staff member are written.
    pub(crate) fn written_calendar(&self, staff: StaffId) -> Option<&ConnectedCalendar> {
        self.calendars.values().find(|it| it.staff_id == staff && it.is_written())
    }

    pub(crate) fn writes_to(&self, id: CalendarId) -> Result<WritesTo, StoreError> {
        Ok(match self.calendars.get(&id) {
            Some(calendar) if calendar.is_written() => {
                let state = self.find::<CalendarState>(&keys::calendar_state(self.id, id))?;
                let is_stopped = state.is_some_and(|state| state.status == CalendarStatus::Stopped);
                WritesTo::Written { detail: calendar.detail, is_stopped }
            }
            Some(calendar) if calendar.is_leaving() => WritesTo::Removing,
            Some(_) => WritesTo::Leaving,
            None => WritesTo::Ended,
        })
    }

    /// Returns the writes of an appointment, including changes that are not durable yet.
    pub(crate) fn writes_of(&self, id: AppointmentId) -> Result<Vec<CalendarWrite>, StoreError> {
        let (mut range, mut found) = (keys::calendar_writes_of(self.id, id), Vec::new());
        while let Some((key, _)) = self.next_in(&range, Order::Ascending)? {
            let write = keys::calendar_write(self.id, keys::id_at_end(&key)?, id);
            found.extend(self.find::<CalendarWrite>(&write)?);
            range = range.after(key);
        }
        Ok(found)
    }

    fn follow_writes(
        &self,
        before: Option<&Appointment>,
        after: &Appointment,
    ) -> Result<WritesChange, StoreError> {
        let has_writes =
            before.is_some_and(|before| before.calendar_sync_status != CalendarSyncStatus::NotConnected);
        let rows = if has_writes { self.writes_of(after.id)? } else { Vec::new() };
        let rows = rows.into_iter().map(|row| Ok((self.writes_to(row.calendar_id)?, row)));
        let rows = rows.map(|row: Result<_, StoreError>| row.map(|(to, row)| (row, to)));
        let target = self.written_calendar(after.staff_id);
        let target = target.map(|it| Ok::<_, StoreError>((it.id, self.writes_to(it.id)?))).transpose()?;
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        // `follow` checks whether the appointment has ended. It gets the current time for this, because the stamp of
        // the change may be later than the current time.
        Ok(follow((before, after), rows, target, (self.clocks.now(), self.clocks.steady())))
    }

    /// Sets the `calendar_sync_status` of an appointment after a change.
    pub(super) fn set_synced(
        &self,
        before: Option<&Appointment>,
        after: &mut Appointment,
    ) -> Result<(), StoreError> {
        after.calendar_sync_status = self.follow_writes(before, after)?.status;
        Ok(())
    }
}

/// If a decision changes or deletes an appointment, the appointment's [`CalendarWrite`]s change too. This function adds
/// the changes of the [`CalendarWrite`]s to the decision.
pub(super) fn add(state: &State, decided: &mut Decided) -> Result<(), StoreError> {
    let mut added = Vec::new();
    for write in &mut decided.writes {
        match write {
            Write::Appointment { before, after } => {
                let change = state.follow_writes(before.as_ref(), after)?;
                after.calendar_sync_status = change.status;
                let changed = change.changed.into_iter();
                added.extend(changed.map(|(before, after)| Write::WrittenAppointment { before, after }));
            }
            Write::NoAppointment(gone) => {
                let rows = state.writes_of(gone.id)?.into_iter();
                added.extend(rows.map(|row| Write::WrittenAppointment { before: Some(row), after: None }));
            }
            _ => {}
        }
    }
    decided.writes.append(&mut added);
    Ok(())
}

/// Returns the changed rows if the write `before` becomes `after`: the row of the write, and the row of the
/// appointment if its `calendar_sync_status` changes.
pub(super) fn changed(
    state: &State,
    before: Option<CalendarWrite>,
    after: Option<CalendarWrite>,
) -> Result<Vec<Write>, StoreError> {
    let Some(it) = after.as_ref().or(before.as_ref()) else { return Ok(Vec::new()) };
    let (calendar, appointment) = (it.calendar_id, it.appointment_id);
    let others = state.writes_of(appointment)?;
    let others = others.iter().filter(|row| row.calendar_id != calendar);
    let status = sync_status(others.chain(&after));
    let mut rows = Batch::default();
    put_status(state, appointment, status, &mut rows)?;
    let mut writes = vec![Write::WrittenAppointment { before, after }];
    if !rows.is_empty() {
        writes.push(Write::Rows(rows));
    }
    Ok(writes)
}

fn put_status(
    state: &State,
    id: AppointmentId,
    status: CalendarSyncStatus,
    rows: &mut Batch,
) -> Result<(), StoreError> {
    let Some(start) = state.read_raw(&keys::appointment_start(state.id, id))? else { return Ok(()) };
    let key = keys::appointment(state.id, keys::millis_from_value(&start)?, id);
    let Some(before) = state.read_raw(&key)? else { return Ok(()) };
    let mut row = before.clone();
    // The row of an appointment that cannot be decoded stays unchanged.
    if state.store.usable(&key, set_sync_status(&mut row, status))?.is_some() && row != before {
        rows.put_over(key, row, before.len());
    }
    Ok(())
}
