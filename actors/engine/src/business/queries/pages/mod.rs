//! Pages of lists: where one begins and ends.
//!
//! A position is the end of a key, behind its head: that of the last row that was looked at. What always holds: a page
//! that begins there shows what the list holds behind it, whichever page, or step of a page, ended there; so a walk
//! from position to position shows the same as one without any.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use domain::{BusinessId, ContactId, ResourceId, Timestamp};
use store::{Key, KeyRange, Order, Record, Store, StoreError, keys, unless_set_aside};

use crate::error::EngineError;
use crate::scans::{Reader, Scans};

/// Which part of a list is asked for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// At most so many items.
    pub limit: usize,
    /// Those after this position, as an earlier [`Page::next`] gave it.
    pub after: Option<Vec<u8>>,
}

/// Part of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items in the list's order; fewer than asked for, or none, where many rows had to be looked at.
    pub items: Vec<T>,
    /// The position to go on from, when there may be more.
    pub next: Option<Vec<u8>>,
}

/// What a step of a request has found.
pub(crate) struct Part<T> {
    pub(crate) items: Vec<T>,
    pub(crate) end: End,
}

/// Where a step has ended.
pub(crate) enum End {
    /// At the end of the list.
    OfList,
    /// The page is full, and there is more behind this position.
    Full(Vec<u8>),
    /// The reader was used up at this position.
    UsedUp(Vec<u8>),
}

impl<T> Part<T> {
    /// The last items of the list.
    pub(crate) fn last(items: Vec<T>) -> Self {
        Self { items, end: End::OfList }
    }

    pub(crate) fn full(items: Vec<T>, position: Vec<u8>) -> Self {
        Self { items, end: End::Full(position) }
    }

    pub(crate) fn used_up(items: Vec<T>, position: Vec<u8>) -> Self {
        Self { items, end: End::UsedUp(position) }
    }
}

/// Reads part of a list in steps, each of which goes on where the one before has ended.
pub(crate) async fn read_page<T: Send + 'static>(
    (scans, store): (&Arc<Scans>, &Store),
    of: BusinessId,
    page: &PageRequest,
    mut part: impl FnMut(&Reader<'_>, &PageRequest) -> Result<Part<T>, StoreError> + Send + 'static,
) -> Result<Page<T>, EngineError> {
    let mut rest = page.clone();
    let mut items = Vec::new();
    let step = move |reader: &Reader<'_>| {
        let found = part(reader, &rest)?;
        rest.limit -= found.items.len();
        // Most pages are one step's, whose items need not be moved.
        if items.is_empty() {
            items = found.items;
        } else {
            items.extend(found.items);
        }
        let next = match found.end {
            End::OfList => None,
            End::Full(position) => Some(position),
            End::UsedUp(position) if reader.ends_request() => Some(position),
            End::UsedUp(position) => {
                rest.after = Some(position);
                return Ok(None);
            }
        };
        Ok(Some(Page { items: std::mem::take(&mut items), next }))
    };
    scans.read(store, of, step).await
}

/// Bytes of a key that name the business and the kind, which every key of a list shares.
const HEAD_BYTES: usize = 17;

/// The key of a position in a range.
pub(super) fn position_key(range: &KeyRange, position: &[u8]) -> Key {
    Key::new(&range.from[..HEAD_BYTES]).with(position)
}

/// The position of a key.
pub(super) fn position_of(key: &[u8]) -> &[u8] {
    &key[HEAD_BYTES..]
}

/// Walks a range from the page's position, keeps what `pick` gives back, and stops where the page is full or the reader
/// used up. A row that does not decode, or leads to one, is stepped over: the page is short by it.
pub(crate) fn collect<T>(
    reader: &Reader<'_>,
    mut range: KeyRange,
    order: Order,
    page: &PageRequest,
    mut pick: impl FnMut(&[u8], &[u8]) -> Result<Option<T>, StoreError>,
) -> Result<Part<T>, StoreError> {
    let mut position = Vec::new();
    if let Some(after) = &page.after {
        let key = position_key(&range, after);
        range = match order {
            Order::Ascending => range.after(key),
            Order::Descending => range.before(key),
        };
        position.extend_from_slice(after);
    }
    let mut items = Vec::new();
    for (looked_at, row) in reader.scan(&range, order).enumerate() {
        let (key, value) = row?;
        if looked_at > 0 && reader.is_used_up() {
            return Ok(Part::used_up(items, position));
        }
        if let Some(item) = reader.usable(&key, pick(&key, &value))?.flatten() {
            if items.len() == page.limit {
                return Ok(Part::full(items, position));
            }
            items.push(item);
        }
        position.clear();
        position.extend_from_slice(position_of(&key));
    }
    Ok(Part::last(items))
}

/// Walks an index whose keys end with an instant and the id of a record, and shows the records that the rule admits. It
/// is told the instant, too: an index row that was read before a change and a record read after it do not belong
/// together.
pub(super) fn walk<I: ResourceId, R: Record, T>(
    reader: &Reader<'_>,
    (range, order): (KeyRange, Order),
    page: &PageRequest,
    record: impl Fn(Timestamp, I) -> Key,
    admits: impl Fn(Timestamp, &R) -> bool,
    mut show: impl FnMut(&R) -> Result<T, StoreError>,
) -> Result<Part<T>, StoreError> {
    collect(reader, range, order, page, |key, _| {
        let (instant, id) = keys::instant_and_id::<I>(key)?;
        let found = reader.get::<R>(&record(instant, id))?;
        found.filter(|found| admits(instant, found)).map(|found| show(&found)).transpose()
    })
}

/// Whether a contact is named who is not there: who was erased, and is still named here and there until that is through.
pub(super) fn is_of_nobody(
    reader: &Reader<'_>,
    of: BusinessId,
    contact: Option<ContactId>,
) -> Result<bool, StoreError> {
    contact.map_or(Ok(false), |id| Ok(reader.get_raw(&keys::contact(of, id))?.is_none()))
}

/// The record of an id, read at its first use; a record that another refers to is there. One that does not decode is
/// `unreadable`: what refers to it is shown all the same.
pub(super) fn once<I: ResourceId + Hash, T>(
    known: &mut HashMap<I, T>,
    id: I,
    unreadable: impl FnOnce() -> T,
    read: impl FnOnce(I) -> Result<Option<T>, StoreError>,
) -> Result<&T, StoreError> {
    match known.entry(id) {
        std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
        std::collections::hash_map::Entry::Vacant(entry) => match unless_set_aside(read(id))? {
            Some(Some(value)) => Ok(entry.insert(value)),
            None => Ok(entry.insert(unreadable())),
            Some(None) => {
                Err(StoreError::damaged("reference", format!("a record refers to {id}, which is not there")))
            }
        },
    }
}

#[cfg(test)]
mod tests;
