//! Lists appointments in the order of their last change.
//!
//! An appointment that was never changed has no row in the index of changes. The list finds such an appointment in the
//! index by id. If an appointment is created later, its id is greater, and its creation stamp is the same or later. So
//! this index is also in the order of the creation stamps.
//!
//! Each id contains a time. The creation stamp is never later than this time. If the time in an id is before the start
//! of the list, the creation stamp is before the start too. So the list skips the ids with such a time.
//!
//! Invariants:
//! - Each appointment appears once, at its last change.
//! - A page reads only rows after its start position.

use std::iter::Peekable;

use domain::{Appointment, AppointmentId, BusinessId, Timestamp};
use store::kept::has_change_row;
use store::keys::kind;
use store::{Order, StoreError, keys};
use uuid::Uuid;

use super::{End, PageRequest, Part, position_of};
use crate::scans::Reader;

struct Change {
    at: Timestamp,
    id: AppointmentId,
    by_id: bool,
    shown: Option<Appointment>,
}

type Found = Result<Change, StoreError>;

/// The changes to a business between two instants, both inclusive.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    pub(super) of: BusinessId,
    pub(super) since: Timestamp,
    pub(super) until: Timestamp,
}

/// The position of a list. It has two parts: the last change that the list has shown or skipped, and the last row that
/// the list has read from the index by id.
#[derive(Clone, Copy)]
struct Reached {
    change: (Timestamp, AppointmentId),
    row: Option<AppointmentId>,
}

impl Changes {
    pub(super) fn page<T>(
        &self,
        reader: &Reader<'_>,
        page: &PageRequest,
        admits: impl Fn(&Appointment) -> bool,
        mut show: impl FnMut(&Appointment) -> Result<T, StoreError>,
    ) -> Result<Part<T>, StoreError> {
        let mut reached = self.reached(page)?;
        let mut changed = self.changed(reader, reached).peekable();
        let mut created = self.created(reader, reached).peekable();
        let (mut items, mut looked_at) = (Vec::new(), 0);
        while let Some(found) = next_of(&mut changed, &mut created) {
            let change = found?;
            if looked_at > 0 && reader.is_used_up() {
                return Ok((items, End::UsedUp(self.position(reached))));
            }
            if let Some(appointment) = change.shown.as_ref().filter(|appointment| admits(appointment)) {
                if items.len() == page.limit {
                    return Ok((items, End::Full(self.position(reached))));
                }
                items.push(show(appointment)?);
            }
            reached.change = reached.change.max((change.at, change.id));
            if change.by_id {
                reached.row = Some(change.id);
            }
            looked_at += 1;
        }
        Ok((items, End::OfList))
    }

    fn changed(&self, reader: &Reader<'_>, reached: Reached) -> impl Iterator<Item = Found> {
        let (at, id) = reached.change;
        let range = keys::changed(self.of, kind::APPOINTMENT_BY_UPDATE, self.since, self.until)
            .after(keys::appointment_by_update(self.of, at, id));
        reader.scan(&range, Order::Ascending).filter_map(move |row| {
            let found = row.and_then(|(key, start)| {
                let change = keys::instant_and_id(&key).and_then(|(at, id)| {
                    let found = self.record(reader, id, &start)?;
                    // If the appointment has changed since the index row was read, it is not shown here: the list
                    // contains it later, at the position of its newer change.
                    let shown = found.filter(|found| found.updated_at == at && has_change_row(found));
                    Ok(Change { at, id, by_id: false, shown })
                });
                reader.usable(&key, change)
            });
            found.transpose()
        })
    }

    /// Reads the index by id, which is in the order of creation. If [`Reached::row`] is set, starts after this row.
    fn created(&self, reader: &Reader<'_>, reached: Reached) -> impl Iterator<Item = Found> {
        let all = keys::appointments_minted_from(self.of, reached.change.0);
        let range = reached.row.map_or(all, |row| all.after(keys::appointment_start(self.of, row)));
        let until = self.until;
        let rows = reader.scan(&range, Order::Ascending).filter_map(move |row| {
            let found = row.and_then(|(row, start)| {
                let change = keys::id_at_end(&row).and_then(|id| {
                    Ok(self.record(reader, id, &start)?.map(|appointment| {
                        let at = appointment.created_at;
                        let here = reached.change < (at, id) && !has_change_row(&appointment);
                        Change { at, id, by_id: true, shown: here.then_some(appointment) }
                    }))
                });
                Ok(reader.usable(&row, change)?.flatten())
            });
            found.transpose()
        });
        rows.take_while(move |found| found.as_ref().map_or(true, |found| found.at <= until))
    }

    fn record(
        &self,
        reader: &Reader<'_>,
        id: AppointmentId,
        start: &[u8],
    ) -> Result<Option<Appointment>, StoreError> {
        reader.get(&keys::appointment(self.of, keys::millis_from_value(start)?, id))
    }

    /// Decodes a position. The first part is the time and the id of the last change. The second part contains the id
    /// [`Reached::row`], and is empty if that is `None`.
    fn reached(&self, page: &PageRequest) -> Result<Reached, StoreError> {
        let first = (self.since, Uuid::nil().into());
        let Some(position) = &page.after else { return Ok(Reached { change: first, row: None }) };
        let (change, row) = position.split_at(CHANGE_BYTES.min(position.len()));
        let change = keys::instant_and_id(change)?;
        let row = if row.is_empty() { None } else { Some(keys::id_at_end(row)?) };
        Ok(Reached { change: first.max(change), row })
    }

    fn position(&self, reached: Reached) -> Vec<u8> {
        let (at, id) = reached.change;
        let change = keys::appointment_by_update(self.of, at, id);
        let row = reached.row.map(|row| keys::appointment_start(self.of, row));
        [position_of(&change), row.as_deref().map_or(&[], position_of)].concat()
    }
}

const CHANGE_BYTES: usize = 24;

/// Merges two ordered iterators: returns the earlier of their next items. If the next item of either iterator is an
/// error, returns the error.
fn next_of(
    one: &mut Peekable<impl Iterator<Item = Found>>,
    other: &mut Peekable<impl Iterator<Item = Found>>,
) -> Option<Found> {
    let place = |found: &Found| found.as_ref().ok().map(|change| (change.at, change.id));
    match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if place(second) < place(first) => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    }
}

#[cfg(test)]
mod tests;
