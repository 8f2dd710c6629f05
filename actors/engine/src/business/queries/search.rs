//! Searches by names, phone numbers and email addresses.
//!
//! The newest records are not in the index ([`crate::business::search_texts`]) yet. A search therefore first reads
//! these records themselves, and then the rows of the index, newest first. The position at which the next page begins
//! contains a record id, not the key of an index row. So the next page neither repeats nor skips a record, even if an
//! index row is divided into two rows between the reads of the two pages.

use std::cmp::Reverse;

use domain::{BusinessId, CallRecord, Contact, Search, TakenMessage};
use store::kept::Kept;
use store::records::SearchRecord;
use store::{Key, Order, Record, StoreError, keys};
use uuid::Uuid;
use view::{ContactView, FoundView};

use super::calls::Callers;
use super::{
    AppointmentFilter, CallFilter, End, MessageFilter, PageRequest, Part, messages, position_key, position_of,
};
use crate::business::BusinessHandle;
use crate::error::Result;
use crate::scans::Reader;

/// The maximum number of records that a search in a business finds.
pub const FOUND_MAX: usize = 20;
/// The maximum number of appointments, of calls and of messages that are read for each found contact.
const PER_CONTACT: usize = 5;

const ID_BYTES: usize = size_of::<Uuid>();

/// Returns the position for a page whose first record has this id. A page contains only records whose ids are less than
/// its position, newest first. So the position is the smallest value that is greater than the id.
fn including(id: &[u8]) -> Vec<u8> {
    [id, &[0]].concat()
}

/// The matching records of a kind, newest first.
pub(super) fn searched<R: Kept, V>(
    reader: &Reader<'_>,
    (of, search): (BusinessId, &Search),
    page: &PageRequest,
    admits: impl Fn(&R) -> bool,
    mut show: impl FnMut(&R) -> Result<V, StoreError>,
) -> Result<Part<V>, StoreError> {
    let Some(rows) = R::SEARCH else { return Ok((Vec::new(), End::OfList)) };
    let (records, index) = (keys::of_kind(of, R::KIND), keys::of_kind(of, rows));
    let (mut items, mut looked_at) = (Vec::new(), 0);
    let newest = reader.scan(&index, Order::Descending).next().transpose()?;

    let mut unfiled = records;
    if let Some((key, _)) = &newest {
        unfiled = unfiled.after(position_key(&records, position_of(key)));
    }
    if let Some(after) = &page.after {
        unfiled = unfiled.before(position_key(&records, after));
    }
    for row in reader.scan(&unfiled, Order::Descending) {
        let (key, value) = row?;
        if looked_at > 0 && reader.is_used_up() {
            return Ok((items, End::UsedUp(including(position_of(&key)))));
        }
        looked_at += 1;
        let record = reader.usable(&key, R::decode(&value))?;
        if let Some(record) = record.filter(|it| search.matches(&it.search_text()) && admits(it)) {
            if items.len() == page.limit {
                return Ok((items, End::Full(including(position_of(&key)))));
            }
            items.push(show(&record)?);
        }
    }

    let Some((newest, _)) = newest else { return Ok((items, End::OfList)) };
    let mut filed = index.before(Key::new(&newest).with(&[0]));
    // The variable `read` is a bound: every record with this id or a greater id has already been read, for this page or
    // for an earlier page.
    let mut read = page.after.clone();
    if let Some(after) = &page.after {
        // `after` begins with the id of the record at which this page begins. An index row contains the texts of
        // several records, and its key contains the greatest of their ids. So the text of the record is in the first
        // row whose key contains `id` or a greater id.
        let id = &after[..after.len().min(ID_BYTES)];
        let from = index.starting_at(position_key(&index, id));
        if let Some((key, _)) = reader.scan(&from, Order::Ascending).next().transpose()? {
            filed = filed.before(Key::new(&key).with(&[0]));
        }
    }
    for row in reader.scan(&filed, Order::Descending) {
        let (key, value) = row?;
        if looked_at > 0 && reader.is_used_up() {
            let position = including(position_of(&key));
            return Ok((items, End::UsedUp(read.filter(|read| *read < position).unwrap_or(position))));
        }
        let found = search.may_match(&value).then(|| SearchRecord::decode(&value));
        let row = found.map(|row| reader.usable(&key, row)).transpose()?.flatten().unwrap_or_default();
        for (id, text) in row.texts.into_iter().rev() {
            let id = id.as_bytes();
            if read.as_ref().is_some_and(|read| id[..] >= read[..]) || !search.matches(&text) {
                continue;
            }
            if looked_at > 0 && reader.is_used_up() {
                return Ok((items, End::UsedUp(including(id))));
            }
            // The record may have changed since the row was read, so its current text must match too.
            let record = reader.find::<R>(&position_key(&records, id))?;
            if let Some(record) = record.filter(|it| search.matches(&it.search_text()) && admits(it)) {
                if items.len() == page.limit {
                    return Ok((items, End::Full(including(id))));
                }
                items.push(show(&record)?);
            }
            read = Some(id.to_vec());
            looked_at += 1;
        }
        looked_at += 1;
    }
    Ok((items, End::OfList))
}

impl BusinessHandle {
    /// Finds contacts, calls and messages whose own name, phone number or email address matches, and the newest
    /// appointments, calls and messages of matching contacts. Returns at most [`FOUND_MAX`] records in total. The
    /// records of each kind are ordered from newest to oldest.
    pub async fn search(&self, search: &Search) -> Result<Vec<FoundView>> {
        let of = self.id;
        let contacts = loop {
            let hidden = self.hidden().await?;
            let admits = move |contact: &Contact| !hidden.hides(contact.id);
            let found = self.found(search, admits, |_, contact| Ok(ContactView::from(contact))).await?;
            if self.hidden().await? == hidden {
                break found;
            }
        };
        let show = move |reader: &Reader<'_>, call: &CallRecord| Callers::of(of).show(reader, call);
        let calls = self.found(search, |_| true, show).await?;
        let show = move |reader: &Reader<'_>, it: &TakenMessage| messages::show(reader, of, it);
        let messages = self.found(search, |_| true, show).await?;
        let mut lists = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        let page = PageRequest { limit: PER_CONTACT, after: None };
        for contact in &contacts {
            let Some(found) = FoundView::contact(contact) else { continue };
            let (contact_id, title) = (Some(contact.id), found.texts.first().cloned());
            let title = title.as_ref();
            lists[0].push(found);
            let filter = AppointmentFilter { contact_id, latest_first: true, ..AppointmentFilter::default() };
            let theirs = self.appointments(&filter, &page).await?.items;
            lists[1].extend(theirs.iter().filter_map(|it| FoundView::appointment(it, title)));
            let filter = CallFilter { contact_id, ..CallFilter::default() };
            let theirs = self.calls(&filter, &page).await?.items;
            lists[2].extend(theirs.iter().filter_map(|it| FoundView::call(it, title)));
            let filter = MessageFilter { contact_id, ..MessageFilter::default() };
            let theirs = self.messages(&filter, &page).await?.items;
            lists[3].extend(theirs.iter().filter_map(|it| FoundView::message(it, title)));
        }
        lists[2].extend(calls.iter().filter_map(|call| FoundView::call(call, None)));
        lists[3].extend(messages.iter().filter_map(|message| FoundView::message(message, None)));
        for list in &mut lists[1..] {
            list.sort_by_key(|found| Reverse((found.at, found.id)));
            list.dedup_by_key(|found| found.id);
        }
        Ok(shared(lists))
    }

    /// The newest matching records of a kind.
    async fn found<R: Kept + Send + 'static, V: Send + 'static>(
        &self,
        search: &Search,
        admits: impl Fn(&R) -> bool + Clone + Send + 'static,
        show: impl Fn(&Reader<'_>, &R) -> Result<V, StoreError> + Clone + Send + 'static,
    ) -> Result<Vec<V>> {
        let (of, mut items) = (self.id, Vec::new());
        let mut page = PageRequest { limit: FOUND_MAX, after: None };
        loop {
            let (search, admits, show) = (search.clone(), admits.clone(), show.clone());
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                searched::<R, V>(reader, (of, &search), page, &admits, |record| show(reader, record))
            };
            let found = self.list(&page, part).await?;
            items.extend(found.items);
            page = PageRequest { limit: FOUND_MAX - items.len(), after: found.next };
            if page.after.is_none() || page.limit == 0 {
                return Ok(items);
            }
        }
    }
}

/// Returns at most [`FOUND_MAX`] items in total. The lists take turns to contribute one item each, so a long list does
/// not displace the items of the others.
fn shared<T>(lists: [Vec<T>; 4]) -> Vec<T> {
    let (mut taken, mut left) = ([0; 4], FOUND_MAX);
    while left > 0 && (0..4).any(|at| taken[at] < lists[at].len()) {
        for (taken, list) in taken.iter_mut().zip(&lists) {
            if left > 0 && *taken < list.len() {
                (*taken, left) = (*taken + 1, left - 1);
            }
        }
    }
    lists.into_iter().zip(taken).flat_map(|(list, taken)| list.into_iter().take(taken)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_gets_a_share_of_the_results() {
        let list = |count: usize, kind: char| vec![kind; count];
        let count = |counts: [usize; 4]| {
            let kinds = ['a', 'b', 'c', 'd'];
            let found = shared(std::array::from_fn(|at| list(counts[at], kinds[at])));
            assert!(found.is_sorted());
            kinds.map(|kind| found.iter().filter(|found| **found == kind).count())
        };
        assert_eq!(count([20, 0, 0, 0]), [20, 0, 0, 0]);
        assert_eq!(count([20, 20, 20, 20]), [5, 5, 5, 5]);
        assert_eq!(count([20, 1, 20, 2]), [9, 1, 8, 2]);
        assert_eq!(count([1, 2, 3, 4]), [1, 2, 3, 4]);
    }
}
