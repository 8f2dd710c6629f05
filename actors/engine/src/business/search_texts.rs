//! The index of search texts ([`domain::Search`]) of contacts, calls and messages. A row contains the texts
//! of records with consecutive ids. A record is *filed* when a row contains its text.
//!
//! Invariants:
//! - The key of a row contains the last id of the row's records. The row contains the texts of these records
//!   and of no other record.
//! - The records after the last row are *unfiled*: a search reads the records themselves. When there are
//!   [`ROW_RECORDS_MAX`] unfiled records, they are filed together. So most new records cause no write to this index.
//! - If a filed record is changed or deleted, the same batch changes the row that contains its text.
//! - A row that becomes too large is divided, possibly during a search. The row keeps its key and its last texts. Its
//!   other texts move to new rows with smaller keys. A search reads the rows in descending order of the keys, so it
//!   reads the new rows after the divided row and misses no text.

use std::collections::BTreeMap;

use domain::{BusinessId, ContactId, ResourceId};
use store::kept::{Kind, SearchChange, searched_in};
use store::records::SearchRecord;
use store::{Batch, Key, Order, Record, StoreError, VALUE_BYTES_MAX, keys};
use uuid::Uuid;

use super::state::State;
use super::write::Write;

/// The maximum number of records per row. A greater number would make searches cheaper and changes to contacts more
/// expensive.
pub(crate) const ROW_RECORDS_MAX: usize = 64;
/// The maximum size of a row. The store would divide a larger row into pieces.
const ROW_BYTES_MAX: usize = VALUE_BYTES_MAX - ROW_HEAD_BYTES;
const ROW_HEAD_BYTES: usize = 4;
/// The number of bytes before each text: the record's id and the length of the text.
const TEXT_HEAD_BYTES: usize = 18;
/// The maximum number of records that are filed in one batch. Only a damaged store has more unfiled records.
const FILED_TOGETHER_MAX: usize = 1_024;

/// Divides the texts of records into rows. Records are added in the order of their ids.
pub(crate) struct SearchRows {
    of: BusinessId,
    rows: u8,
    last: Option<Uuid>,
    records: usize,
    bytes: usize,
    texts: Vec<(Uuid, String)>,
}

impl SearchRows {
    pub(crate) fn new(of: BusinessId, rows: u8) -> Self {
        Self { of, rows, last: None, records: 0, bytes: 0, texts: Vec::new() }
    }

    /// Adds a record to the current row. If the current row has no room for the record, writes the row to `batch` and
    /// begins a new row.
    pub(crate) fn add(&mut self, id: Uuid, text: Option<String>, batch: &mut Batch) {
        let bytes = text.as_ref().map_or(0, |text| TEXT_HEAD_BYTES + text.len());
        if self.records == ROW_RECORDS_MAX || (self.records > 0 && self.bytes + bytes > ROW_BYTES_MAX) {
            self.write(batch);
        }
        (self.last, self.records, self.bytes) = (Some(id), self.records + 1, self.bytes + bytes);
        self.texts.extend(text.map(|text| (id, text)));
    }

    /// Writes the current row if it contains records.
    fn write(&mut self, batch: &mut Batch) {
        if let Some(last) = self.last.take() {
            batch.put(row_key(self.of, self.rows, last), self.take().encode());
        }
    }

    fn take(&mut self) -> SearchRecord {
        (self.records, self.bytes) = (0, 0);
        SearchRecord { texts: std::mem::take(&mut self.texts) }
    }

    /// Writes the remaining texts to the row with this key. If no text remains, deletes the row.
    fn replace(mut self, key: Key, bytes_before: usize, batch: &mut Batch) {
        if self.texts.is_empty() {
            batch.delete_whole(key, bytes_before);
        } else {
            batch.put_over(key, self.take().encode(), bytes_before);
        }
    }
}

pub(crate) fn row_key(of: BusinessId, rows: u8, id: Uuid) -> Key {
    keys::of_id(of, rows, ContactId::from(id))
}

fn id_of(key: &Key) -> Result<Uuid, StoreError> {
    keys::id_at_end::<ContactId>(key).map(ResourceId::uuid)
}

/// Updates the index for all writes of a batch.
pub(super) fn index(state: &mut State, writes: &[Write], batch: &mut Batch) -> Result<(), StoreError> {
    let mut all: BTreeMap<u8, BTreeMap<Uuid, SearchChange>> = BTreeMap::new();
    for change in writes.iter().filter_map(Write::search_change) {
        all.entry(change.rows).or_default().insert(change.id, change);
    }
    for (rows, changes) in all {
        let unfiled = change_rows(state, rows, changes, batch)?;
        let more = unfiled.values().filter(|change| change.is_new).count();
        if more == 0 {
            continue;
        }
        // After the start of the actor, `state.unfiled` is empty, so the number of unfiled records is unknown. In this
        // case, `file` must be called, because it counts the unfiled records.
        let count = state.unfiled.get(&rows).map_or(ROW_RECORDS_MAX, |count| count + more);
        let count = if count < ROW_RECORDS_MAX { count } else { file(state, rows, &unfiled, batch)? };
        state.unfiled.insert(rows, count);
    }
    Ok(())
}

/// Updates the index rows for changes of records that are already filed. Returns the changes of unfiled records.
fn change_rows(
    state: &State,
    rows: u8,
    mut changes: BTreeMap<Uuid, SearchChange>,
    batch: &mut Batch,
) -> Result<BTreeMap<Uuid, SearchChange>, StoreError> {
    let of = state.id;
    while let Some((first, _)) = changes.first_key_value() {
        let range = keys::of_kind(of, rows).starting_at(row_key(of, rows, *first));
        let Some((key, value)) = state.next_in(&range, Order::Ascending)? else { break };
        let last = id_of(&key)?;
        let mut later = changes.split_off(&last);
        changes.extend(later.remove_entry(&last));
        // A row that cannot be decoded stays as it is.
        if let Some(row) = state.store.find_in::<SearchRecord>(&key, &value)? {
            let mut texts: BTreeMap<Uuid, String> = row.texts.into_iter().collect();
            for SearchChange { id, text, .. } in changes.into_values() {
                match text {
                    Some(text) => _ = texts.insert(id, text),
                    None => _ = texts.remove(&id),
                }
            }
            let mut filed = SearchRows::new(of, rows);
            for (id, text) in texts {
                filed.add(id, Some(text), batch);
            }
            filed.replace(key, value.len(), batch);
        }
        changes = later;
    }
    Ok(changes)
}

/// Writes the unfiled records, including the records of this batch, to rows of the index. If the last records do not
/// fill a row, they stay unfiled. Returns the number of the records that stay unfiled. If there are too many unfiled
/// records for one call, returns [`ROW_RECORDS_MAX`] instead, so that the next new record causes another call.
fn file(
    state: &State,
    rows: u8,
    changes: &BTreeMap<Uuid, SearchChange>,
    batch: &mut Batch,
) -> Result<usize, StoreError> {
    let Some(kind) = searched_in(rows) else { return Ok(0) };
    let (of, before) = (state.id, batch.len());
    let newest = state.next_in(&keys::of_kind(of, rows), Order::Descending)?;
    let last = newest.as_ref().map(|(key, _)| id_of(key)).transpose()?;
    let (mut texts, is_all) = unfiled(state, kind, last)?;
    if is_all {
        texts.extend(changes.values().map(|change| (change.id, change.text.clone())));
    }
    let mut filed = SearchRows::new(of, rows);
    for (id, text) in texts {
        filed.add(id, text, batch);
    }
    if filed.records == ROW_RECORDS_MAX {
        filed.write(batch);
    }
    // Records are filed up to the id in the key of the newest row. So the newest row stays, even if it has no texts. If
    // this batch has written a newer row, the previous newest row is deleted if it has no texts.
    if batch.len() > before
        && let Some((key, value)) = newest
        && SearchRecord::decode(&value).is_ok_and(|row| row.texts.is_empty())
    {
        batch.delete(key);
    }
    Ok(if is_all { filed.records } else { ROW_RECORDS_MAX })
}

/// Returns the texts of the first records whose ids are greater than `after`, including changes that are not
/// durable yet. The second value is true if no further records follow.
fn unfiled(
    state: &State,
    kind: &Kind,
    after: Option<Uuid>,
) -> Result<(BTreeMap<Uuid, Option<String>>, bool), StoreError> {
    let all = keys::of_kind(state.id, kind.rows);
    let mut range = after.map_or(all, |id| all.after(row_key(state.id, kind.rows, id)));
    let stored = state.store.scan(&range, Order::Ascending).take(FILED_TOGETHER_MAX);
    let mut records = BTreeMap::new();
    for row in stored {
        let (key, value) = row?;
        records.insert(Key::new(&key), value);
    }
    let is_all = records.len() < FILED_TOGETHER_MAX;
    if let Some((last, _)) = records.last_key_value().filter(|_| !is_all) {
        range = range.before(last.with(&[0]));
    }
    for (key, value) in state.overlay.range(&range) {
        match value {
            Some(value) => _ = records.insert(*key, value.to_vec()),
            None => _ = records.remove(key),
        }
    }
    let mut texts = BTreeMap::new();
    for (key, value) in records {
        let text = state.store.usable(&key, (kind.search_text)(&value))?;
        texts.insert(id_of(&key)?, text.filter(|text| !text.is_empty()));
    }
    Ok((texts, is_all))
}

#[cfg(test)]
mod tests {
    use store::keys::kind;

    use super::*;

    fn rows(texts: impl Iterator<Item = Option<usize>>) -> (Vec<(usize, usize)>, usize) {
        let of = BusinessId::from(Uuid::from_u128(7));
        let (mut batch, mut filed) = (Batch::default(), SearchRows::new(of, kind::CONTACT_SEARCH));
        for (number, bytes) in texts.enumerate() {
            let id = Uuid::from_u128(number as u128);
            filed.add(id, bytes.map(|bytes| "x".repeat(bytes)), &mut batch);
        }
        let written = batch.writes().map(|(key, value)| {
            let row = SearchRecord::decode(value.unwrap()).unwrap();
            assert!(value.unwrap().len() <= VALUE_BYTES_MAX || row.texts.len() == 1);
            (id_of(key).unwrap().as_u128() as usize, row.texts.len())
        });
        (written.collect(), filed.records)
    }

    #[test]
    fn a_row_is_full_after_64_records_or_4_kib() {
        assert_eq!(rows((0..64).map(|_| Some(3))), (vec![], 64));
        assert_eq!(rows((0..130).map(|_| Some(3))), (vec![(63, 64), (127, 64)], 2));
        assert_eq!(rows((0..65).map(|number| (number % 2 == 0).then_some(3))), (vec![(63, 32)], 1));
        assert_eq!(rows((0..65).map(|_| None)), (vec![(63, 0)], 1));
        assert_eq!(rows((0..50).map(|_| Some(100))), (vec![(33, 34)], 16));
        assert_eq!(rows([Some(3), Some(9_000), Some(3)].into_iter()), (vec![(0, 1), (1, 1)], 1));
    }
}
