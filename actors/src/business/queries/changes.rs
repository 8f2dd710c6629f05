//! The appointments in the order of their last change.
//!
//! One that was never changed has no row in the index of changes: the order of ids is the order of creation, so the rows
//! by id tell the same of it. What always holds: each appointment comes once, where its last change puts it.

use std::iter::Peekable;

use super::{HEAD_BYTES, Page, PageRequest};
use crate::domain::{Appointment, AppointmentId, BusinessId, Timestamp};
use crate::store::keys::kind;
use crate::store::{Key, Order, Store, StoreError, keys};

/// An appointment, or why it could not be read.
type Found = Result<Appointment, StoreError>;

/// The appointments whose last change lies from `since` up to `until`, both included, and which the rule admits.
pub(super) fn appointments_changed<T>(
    store: &Store,
    of: BusinessId,
    (since, until): (Timestamp, Timestamp),
    page: &PageRequest,
    admits: impl Fn(&Appointment) -> bool,
    mut show: impl FnMut(&Appointment) -> Result<T, StoreError>,
) -> Result<Page<T>, StoreError> {
    let by_change = |instant, id| keys::appointment_by_update(of, instant, id);
    let mut range = keys::changed(of, kind::APPOINTMENT_BY_UPDATE, since, until);
    let mut since = since;
    let mut behind = None;
    if let Some(position) = &page.after {
        let last = Key::new(&range.from[..HEAD_BYTES]).with(position);
        range = range.after(last);
        since = since.max(keys::instant_and_id::<AppointmentId>(&last)?.0);
        behind = Some(last);
    }
    let key = |appointment: &Appointment| by_change(appointment.updated_at, appointment.id);
    let changed = store.scan(&range, Order::Ascending).filter_map(|row| {
        let found = row.and_then(|(key, value)| {
            let (updated_at, id) = keys::instant_and_id::<AppointmentId>(&key)?;
            let found = record(store, of, id, &value)?;
            // A row that was read before a change and a record read after it do not belong together.
            Ok(found.filter(|appointment| appointment.updated_at == updated_at && is_changed(appointment)))
        });
        found.transpose()
    });
    let created =
        store.scan(&keys::appointments_minted_from(of, since), Order::Ascending).filter_map(|row| {
            let found = row.and_then(|(key, value)| {
                let found = record(store, of, keys::id_at_end(&key)?, &value)?;
                Ok(found.filter(|appointment| {
                    appointment.updated_at >= since
                        && !is_changed(appointment)
                        && behind.is_none_or(|last| last < by_change(appointment.updated_at, appointment.id))
                }))
            });
            found.transpose()
        });
    // Ids grow with the instants of their creation, so the first one behind the end is the end.
    let created = created.take_while(|found| found.as_ref().map_or(true, |found| found.updated_at <= until));
    let (mut changed, mut created) = (changed.peekable(), created.peekable());
    let (mut items, mut last) = (Vec::new(), Vec::new());
    while let Some(found) = next_of(&mut changed, &mut created, key) {
        let appointment = found?;
        if !admits(&appointment) {
            continue;
        }
        if items.len() == page.limit {
            return Ok(Page { items, next: Some(last) });
        }
        items.push(show(&appointment)?);
        last = key(&appointment)[HEAD_BYTES..].to_vec();
    }
    Ok(Page { items, next: None })
}

/// Whether it has a row in the index of changes.
pub(crate) fn is_changed(appointment: &Appointment) -> bool {
    appointment.updated_at != appointment.created_at
}

/// The one of two ordered lists that comes first; an error comes before everything.
fn next_of<K: Ord>(
    one: &mut Peekable<impl Iterator<Item = Found>>,
    other: &mut Peekable<impl Iterator<Item = Found>>,
    key: impl Fn(&Appointment) -> K,
) -> Option<Found> {
    let key = |found: &Found| found.as_ref().ok().map(&key);
    match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if key(second) < key(first) => other.next(),
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
