//! The appointments in the order of their last change.
//!
//! One whose last change bears the stamp of its creation has no row in the index of changes: the rows by id tell the
//! same of it, since within a business ids and the stamps of creations grow together, and no id was minted before the
//! stamp. What always holds: each appointment comes once, where its last change puts it; a page reads what lies between
//! its two ends and no more.

use std::iter::Peekable;

use super::{HEAD_BYTES, Page, PageRequest};
use crate::business::write::has_change_row;
use crate::domain::{Appointment, AppointmentId, BusinessId, Timestamp};
use crate::store::keys::kind;
use crate::store::{Key, Order, Store, StoreError, keys};

/// A creation or a last change, in the order of instants and ids.
struct Change {
    at: Timestamp,
    appointment: Appointment,
    /// Whether the appointment is shown here.
    shown: bool,
}

/// A change, or why it could not be read.
type Found = Result<Change, StoreError>;

/// The appointments whose last change lies from `since` up to `until`, both included, and which the rule admits.
pub(super) fn appointments_changed<T>(
    store: &Store,
    of: BusinessId,
    (since, until): (Timestamp, Timestamp),
    page: &PageRequest,
    admits: impl Fn(&Appointment) -> bool,
    mut show: impl FnMut(&Appointment) -> Result<T, StoreError>,
) -> Result<Page<T>, StoreError> {
    let key = |at, id| keys::appointment_by_update(of, at, id);
    let mut range = keys::changed(of, kind::APPOINTMENT_BY_UPDATE, since, until);
    // Where the page before ended.
    let behind = page.after.as_ref().map(|position| Key::new(&range.from[..HEAD_BYTES]).with(position));
    let mut from = since;
    if let Some(behind) = behind {
        range = range.after(behind);
        from = from.max(keys::instant_and_id::<AppointmentId>(&behind)?.0);
    }
    let changed = store.scan(&range, Order::Ascending).filter_map(|row| {
        let found = row.and_then(|(key, start)| {
            let (at, id) = keys::instant_and_id(&key)?;
            // A row that was read before a change and a record read after it do not belong together.
            let found = record(store, of, id, &start)?.filter(|appointment| appointment.updated_at == at);
            Ok(found.map(|appointment| Change { at, shown: has_change_row(&appointment), appointment }))
        });
        found.transpose()
    });
    let created = store.scan(&keys::appointments_minted_from(of, from), Order::Ascending).filter_map(|row| {
        let found = row.and_then(|(row, start)| {
            let found = record(store, of, keys::id_at_end(&row)?, &start)?;
            Ok(found.map(|appointment| {
                let at = appointment.created_at;
                let ahead = at >= from && behind.is_none_or(|behind| behind < key(at, appointment.id));
                Change { at, shown: ahead && !has_change_row(&appointment), appointment }
            }))
        });
        found.transpose()
    });
    let created = created.take_while(|found| found.as_ref().map_or(true, |found| found.at <= until));
    let (mut changed, mut created) = (changed.peekable(), created.peekable());
    let (mut items, mut last) = (Vec::new(), Vec::new());
    while let Some(found) = next_of(&mut changed, &mut created) {
        let Change { at, appointment, shown } = found?;
        if !shown || !admits(&appointment) {
            continue;
        }
        if items.len() == page.limit {
            return Ok(Page { items, next: Some(last) });
        }
        items.push(show(&appointment)?);
        last = key(at, appointment.id)[HEAD_BYTES..].to_vec();
    }
    Ok(Page { items, next: None })
}

/// The one of two ordered lists that comes first; an error comes before everything.
fn next_of(
    one: &mut Peekable<impl Iterator<Item = Found>>,
    other: &mut Peekable<impl Iterator<Item = Found>>,
) -> Option<Found> {
    let place = |found: &Found| found.as_ref().ok().map(|change| (change.at, change.appointment.id));
    match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if place(second) < place(first) => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    }
}

/// The appointment that started then when its row was read.
fn record(
    store: &Store,
    of: BusinessId,
    id: AppointmentId,
    start: &[u8],
) -> Result<Option<Appointment>, StoreError> {
    store.get(&keys::appointment(of, keys::millis_from_value(start)?, id))
}
