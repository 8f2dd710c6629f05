//! Pages of lists.
//!
//! A *position* is the key of the last row that was read, without the *head* of the key (the business and the kind).
//! Invariant: the page after a position begins with the next row. The sizes of the earlier pages do not matter, so
//! several short pages contain the same items as one long page.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use domain::{BusinessId, ContactId, ResourceId, Timestamp};
use store::{Key, KeyRange, Order, Pair, Record, Store, StoreError, keys, unless_set_aside};

use crate::business::Whose;
use crate::error::Result;
use crate::scans::{Reader, Scans};

#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: usize,
    /// The page begins after this position, which is the [`Page::next`] of the previous page. For the first page it is
    /// `None`.
    pub after: Option<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items of the page. If the request has read its maximum number of rows, the page contains fewer items than
    /// the limit, or none.
    pub items: Vec<T>,
    /// The position of the next page, or `None` at the end of the list.
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
        // Most pages need only one step, so the list of the first step is used as it is and not copied.
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

/// The length in bytes of the head of a key: the id of the business and the kind of the row. All keys of a list have
/// the same head.
const HEAD_BYTES: usize = 17;

pub(super) fn position_key(range: &KeyRange, position: &[u8]) -> Key {
    Key::new(&range.from[..HEAD_BYTES]).with(position)
}

pub(super) fn position_of(key: &[u8]) -> &[u8] {
    &key[HEAD_BYTES..]
}

/// Reads a range from the page's position on and collects the results of `pick`. Ends when the page is full or the
/// reader has read its maximum number of rows. Skips undecodable rows.
pub(crate) fn collect<T>(
    reader: &Reader<'_>,
    mut range: KeyRange,
    order: Order,
    page: &PageRequest,
    pick: impl FnMut(&[u8], &[u8]) -> Result<Option<T>, StoreError>,
) -> Result<Part<T>, StoreError> {
    if let Some(after) = &page.after {
        range = rest_of(range, order, position_key(&range, after));
    }
    collect_rows(reader, reader.scan(&range, order), page, pick)
}

fn rest_of(range: KeyRange, order: Order, after: Key) -> KeyRange {
    match order {
        Order::Ascending => range.after(after),
        Order::Descending => range.before(after),
    }
}

fn collect_rows<T>(
    reader: &Reader<'_>,
    rows: impl Iterator<Item = Result<Pair, StoreError>>,
    page: &PageRequest,
    mut pick: impl FnMut(&[u8], &[u8]) -> Result<Option<T>, StoreError>,
) -> Result<Part<T>, StoreError> {
    let mut position = page.after.clone().unwrap_or_default();
    let mut items = Vec::new();
    for (looked_at, row) in rows.enumerate() {
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

/// Reads the records to which the rows of an index refer. The key of each index row ends with an instant and an id. If
/// the instant of a record has changed since its index row was read, `admits` must refuse the record. Therefore
/// `admits` gets the record and the instant of the index row.
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

/// Like [`walk`], for the records of one contact. The index is ordered by contact, instant and id. `range_of` returns
/// the index range of a contact. The page's position may come from a row of this contact or of a contact that was
/// merged into this contact.
///
/// After a merge, a background job moves the index rows of the merged contact to the survivor. This function reads the
/// range of the merged contact first, and then the range of the survivor. If the job moves a row between the two reads,
/// both reads find the row. Its instant and id are the same in both ranges, so it is listed once.
pub(super) fn walk_theirs<I: ResourceId, R: Record, T>(
    reader: &Reader<'_>,
    (whose, order): (Whose, Order),
    range_of: impl Fn(ContactId) -> KeyRange,
    page: &PageRequest,
    record: impl Fn(Timestamp, I) -> Key,
    admits: impl Fn(Timestamp, &R) -> bool,
    mut show: impl FnMut(&R) -> Result<T, StoreError>,
) -> Result<Part<T>, StoreError> {
    let place = page.after.as_ref().and_then(|after| after.last_chunk::<PLACE_BYTES>());
    let head = |range: &KeyRange| Key::new(&range.from[..HEAD_BYTES + CONTACT_BYTES]);
    let rest = |contact| {
        let range = range_of(contact);
        place.map_or(range, |place| rest_of(range, order, head(&range).with(place)))
    };
    let (mut own, mut moving, mut is_cut) = (rest(whose.id), Vec::new(), false);
    if let Some(from) = whose.from {
        for row in reader.scan(&rest(from), order) {
            let (key, value) = row?;
            if !moving.is_empty() && (moving.len() == MOVING_MAX || reader.is_used_up()) {
                is_cut = true;
                break;
            }
            moving.push((head(&own).with(&key[HEAD_BYTES + CONTACT_BYTES..]).to_vec(), value));
        }
    }
    let last = moving.last().filter(|_| is_cut).map(|(key, _)| Key::new(key));
    if let Some(last) = last {
        own = match order {
            Order::Ascending => own.before(last.with(&[0])),
            Order::Descending => own.starting_at(last),
        };
    }
    let rows = in_order(reader.scan(&own, order), moving, order);
    let (items, end) = collect_rows(reader, rows, page, |key, _| {
        let (instant, id) = keys::instant_and_id::<I>(key)?;
        let found = reader.get::<R>(&record(instant, id))?;
        found.filter(|found| admits(instant, found)).map(|found| show(&found)).transpose()
    })?;
    Ok(match (end, last) {
        (End::OfList, Some(last)) => (items, End::UsedUp(position_of(&last).to_vec())),
        (end, _) => (items, end),
    })
}

/// The length in bytes of the contact's id in a key of the index.
const CONTACT_BYTES: usize = 16;
/// The length in bytes of the instant and the record's id, which follow the contact's id in the key.
const PLACE_BYTES: usize = 24;
/// The maximum number of rows of a merged contact that one call of [`walk_theirs`] reads.
const MOVING_MAX: usize = 128;

/// Merges two ordered lists of rows. A row with the same key in both lists is returned once.
fn in_order(
    own: impl Iterator<Item = Result<Pair, StoreError>>,
    moving: Vec<Pair>,
    order: Order,
) -> impl Iterator<Item = Result<Pair, StoreError>> {
    let (mut own, mut moving) = (own.peekable(), moving.into_iter().peekable());
    std::iter::from_fn(move || {
        let order = match (own.peek(), moving.peek()) {
            (Some(Ok((own, _))), Some((moving, _))) if order == Order::Ascending => own.cmp(moving),
            (Some(Ok((own, _))), Some((moving, _))) => moving.cmp(own),
            (None, Some(_)) => Ordering::Greater,
            _ => Ordering::Less,
        };
        if order == Ordering::Equal {
            moving.next();
        }
        if order == Ordering::Greater { moving.next().map(Ok) } else { own.next() }
    })
}

/// Calls `part` to read a part of a list. If `asked` is set, the list contains only the records of this contact, and no
/// records if the contact is unknown or erased. If the contact is merged or erased while `part` runs, the result may
/// lack records. The result is then discarded, and the next step reads the same part again.
pub(super) fn of_contact<T>(
    reader: &Reader<'_>,
    (of, asked): (BusinessId, Option<ContactId>),
    (page, order): (&PageRequest, Order),
    part: impl FnOnce(Option<Whose>) -> Result<Part<T>, StoreError>,
) -> Result<Part<T>, StoreError> {
    let Some(asked) = asked else { return part(None) };
    let whose = Whose::of(reader, of, asked)?;
    if whose.is_none() {
        return Ok((Vec::new(), End::OfList));
    }
    let found = part(whose)?;
    if Whose::of(reader, of, asked)? == whose {
        return Ok(found);
    }
    let before_all = [if order == Order::Ascending { 0 } else { u8::MAX }; PLACE_BYTES];
    Ok((Vec::new(), End::UsedUp(page.after.clone().unwrap_or_else(|| before_all.to_vec()))))
}

/// Returns the value for an id from the map `known`. If the map has no value for the id, adds the result of `read`, or
/// the result of `unreadable` if the value is undecodable.
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
