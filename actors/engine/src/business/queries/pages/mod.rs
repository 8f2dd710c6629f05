//! Pages of lists.
//!
//! A *position* is the key of the last row that was read, without its *head*, which is the business and the
//! kind. Invariant: the page after a position begins with the next row. The sizes of earlier pages and steps
//! do not matter, so several pages contain the same items as one long page.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use domain::{BusinessId, ContactId, ResourceId, Timestamp};
use store::{Key, KeyRange, Order, Record, Store, StoreError, keys, unless_set_aside};

use crate::error::Result;
use crate::scans::{Reader, Scans};

#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: usize,
    /// The page begins after this position, which is the [`Page::next`] of the page before.
    pub after: Option<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct Page<T> {
    /// Contains fewer items than the limit, or none, if the request reached its bound on rows.
    pub items: Vec<T>,
    /// The position of the next page, if more rows may exist.
    pub next: Option<Vec<u8>>,
}

pub(crate) type Part<T> = (Vec<T>, End);

pub(crate) enum End {
    OfList,
    Full(Vec<u8>),
    UsedUp(Vec<u8>),
}

pub(crate) async fn read_page<T: Send + 'static>(
    (scans, store): (&Arc<Scans>, &Store),
    of: BusinessId,
    page: &PageRequest,
    mut part: impl FnMut(&Reader<'_>, &PageRequest) -> Result<Part<T>, StoreError> + Send + 'static,
) -> Result<Page<T>> {
    let mut rest = page.clone();
    let mut items = Vec::new();
    let step = move |reader: &Reader<'_>| {
        let (found, end) = part(reader, &rest)?;
        rest.limit -= found.len();
        // Most pages have one step, whose items need not be moved.
        if items.is_empty() {
            items = found;
        } else {
            items.extend(found);
        }
        let next = match end {
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

/// The length of the head in bytes. All keys of a list have the same head.
const HEAD_BYTES: usize = 17;

pub(super) fn position_key(range: &KeyRange, position: &[u8]) -> Key {
    Key::new(&range.from[..HEAD_BYTES]).with(position)
}

pub(super) fn position_of(key: &[u8]) -> &[u8] {
    &key[HEAD_BYTES..]
}

/// Reads a range from the page's position on and collects the results of `pick`. Stops at a full page or at
/// the reader's bound. Skips undecodable rows.
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
            return Ok((items, End::UsedUp(position)));
        }
        if let Some(item) = reader.usable(&key, pick(&key, &value))?.flatten() {
            if items.len() == page.limit {
                return Ok((items, End::Full(position)));
            }
            items.push(item);
        }
        position.clear();
        position.extend_from_slice(position_of(&key));
    }
    Ok((items, End::OfList))
}

/// Reads the records of an index whose keys end with an instant and an id. `admits` gets the instant too,
/// because the record may have changed since the index row was read.
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

/// True if the contact was erased. Other records may refer to the contact until the erasure reaches them.
pub(super) fn was_erased(
    reader: &Reader<'_>,
    of: BusinessId,
    contact: Option<ContactId>,
) -> Result<bool, StoreError> {
    contact.map_or(Ok(false), |id| Ok(reader.get_raw(&keys::contact(of, id))?.is_none()))
}

/// The value for an id, which `read` reads at the first use. `unreadable` replaces an undecodable value.
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
                Err(StoreError::damaged("reference", format!("a record refers to {id}, which is missing")))
            }
        },
    }
}

#[cfg(test)]
mod tests;
