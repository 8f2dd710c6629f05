//! How many deliveries and mails of a business wait, known in memory while somebody watches.
//!
//! The rows of what is due are written by the business, the actors of its endpoints and the outbox alike, so they are counted
//! where all of them pass: every batch is looked at when it is queued. What always holds, once what lay in the store
//! was added: the count is that of the rows that the store will hold once everything queued so far is applied.
//!
//! A row is told apart by 64 bits of a hash: 100,000 that wait take about 2 MB.

use std::collections::HashSet;
use std::collections::hash_map::{DefaultHasher, Entry, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use domain::{Amount, BusinessId, EventId};
use parking_lot::{Mutex, RwLock};

use super::batch::Batch;
use super::key::Key;
use super::keys::{self, kind};

/// The businesses that are watched.
pub(super) type Watched = RwLock<HashMap<BusinessId, Weak<Waiting>>>;

/// What waits in one business.
#[derive(Default)]
pub struct Waiting(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    /// The bytes of its event, for each row.
    rows: HashMap<u64, u32>,
    bytes: u64,
    /// The mails.
    mails: HashSet<u64>,
    /// For how many more rows room is promised.
    promised: u64,
    /// The rows that were deleted while what lies in the store is being added: they may be read there still.
    deleted: Option<HashSet<u64>>,
}

impl Rows {
    fn add(&mut self, row: u64, bytes: u32) {
        if let Entry::Vacant(entry) = self.rows.entry(row) {
            entry.insert(bytes);
            self.bytes += u64::from(bytes);
        }
    }

    fn remove(&mut self, row: u64) -> Option<u32> {
        if let Some(deleted) = &mut self.deleted {
            deleted.insert(row);
        }
        let bytes = self.rows.remove(&row)?;
        self.bytes -= u64::from(bytes);
        Some(bytes)
    }
}

impl Waiting {
    /// How many deliveries wait, and the bytes of their events, each counted for every endpoint it waits for.
    pub fn amount(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.rows.len() as u64, bytes: rows.bytes }
    }

    /// The same with the rows for which room is promised.
    pub fn claimed(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.rows.len() as u64 + rows.promised, bytes: rows.bytes }
    }

    /// How many mails wait.
    pub fn mails(&self) -> u64 {
        self.0.lock().mails.len() as u64
    }

    /// Sets room for so many rows aside.
    pub fn promise(self: &Arc<Self>, rows: u64) -> Promised {
        self.0.lock().promised += rows;
        Promised { waiting: Arc::clone(self), rows }
    }

    /// One that begins to be watched: what lies in the store has yet to be added.
    pub(super) fn watching() -> Self {
        Self(Mutex::new(Rows { deleted: Some(HashSet::new()), ..Rows::default() }))
    }

    /// Adds a row that lies in the store, with the length of its event. What was noted since the watching began is
    /// newer than what was read.
    pub(super) fn add(&self, key: &[u8], bytes: u32) {
        let mut rows = self.0.lock();
        if rows.deleted.as_ref().is_none_or(|deleted| !deleted.contains(&row(key))) {
            rows.add(row(key), bytes);
        }
    }

    /// The same of the row of a mail.
    pub(super) fn add_mail(&self, key: &[u8]) {
        let mut rows = self.0.lock();
        if rows.deleted.as_ref().is_none_or(|deleted| !deleted.contains(&row(key))) {
            rows.mails.insert(row(key));
        }
    }

    /// All that lies in the store was added.
    pub fn end_adding(&self) {
        self.0.lock().deleted = None;
    }

    /// Takes note of a batch that is going to be queued. `length` reads the length of an event that is not in it.
    pub(super) fn note(&self, batch: &Batch, length: impl Fn(EventId) -> u32) {
        let due = |key: &Key| matches!(key.get(16), Some(&kind::DELIVERY_DUE | &kind::MAIL_DUE));
        if !batch.writes().any(|(key, _)| due(key)) {
            return;
        }
        let mut rows = self.0.lock();
        let mut lengths = HashMap::new();
        for (key, value) in batch.writes() {
            let Ok(event) = keys::id_at_end::<EventId>(key) else { continue };
            match (key.get(16), value) {
                (Some(&kind::EVENT), Some(value)) => _ = lengths.insert(event, length_of(value)),
                (Some(&kind::DELIVERY_DUE), None) => {
                    if let Some(bytes) = rows.remove(row(key)) {
                        lengths.insert(event, bytes);
                    }
                }
                (Some(&kind::DELIVERY_DUE), Some(_)) => {
                    let bytes = *lengths.entry(event).or_insert_with(|| length(event));
                    rows.add(row(key), bytes);
                    if let Some(deleted) = &mut rows.deleted {
                        deleted.remove(&row(key));
                    }
                }
                (Some(&kind::MAIL_DUE), None) => {
                    rows.mails.remove(&row(key));
                    if let Some(deleted) = &mut rows.deleted {
                        deleted.insert(row(key));
                    }
                }
                (Some(&kind::MAIL_DUE), Some(_)) => {
                    rows.mails.insert(row(key));
                    if let Some(deleted) = &mut rows.deleted {
                        deleted.remove(&row(key));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Room for rows that somebody is about to queue: it counts as taken until this is dropped.
pub struct Promised {
    waiting: Arc<Waiting>,
    rows: u64,
}

impl Promised {
    /// For how many rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        self.waiting.0.lock().promised -= self.rows;
    }
}

/// What stands for the key of a row.
fn row(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The length of an event, as it is counted.
pub(super) fn length_of(event: &[u8]) -> u32 {
    u32::try_from(event.len()).unwrap_or(u32::MAX)
}
