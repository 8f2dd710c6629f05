//! Counts the waiting deliveries and mails of a business in memory while a caller watches it.
//!
//! The business, the actors of its endpoints and the outbox all write these rows, so every batch is counted when it is
//! queued. Invariant: once the rows in the store are added, the count is that of the rows in the store after everything
//! queued so far is applied.
//!
//! A row is identified by 64 bits of a hash, so 100,000 waiting rows take about 2 MB.

use std::collections::HashSet;
use std::collections::hash_map::{DefaultHasher, Entry, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use domain::{Amount, BusinessId, EventId};
use parking_lot::{Mutex, RwLock};

use super::batch::Batch;
use super::key::Key;
use super::keys::{self, kind};

pub(super) type Watched = RwLock<HashMap<BusinessId, Weak<Waiting>>>;

#[derive(Default)]
pub struct Waiting(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    /// The length of the event of each row.
    rows: HashMap<u64, u32>,
    bytes: u64,
    mails: HashSet<u64>,
    promised: u64,
    /// The rows that were deleted while the rows in the store are being added. The store may still return them.
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
    /// The number of waiting deliveries and the bytes of their events. An event counts once per endpoint.
    pub fn amount(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.rows.len() as u64, bytes: rows.bytes }
    }

    /// Like [`Waiting::amount`], including reserved rows.
    pub fn claimed(&self) -> Amount {
        let rows = self.0.lock();
        Amount { rows: rows.rows.len() as u64 + rows.promised, bytes: rows.bytes }
    }

    pub fn mails(&self) -> u64 {
        self.0.lock().mails.len() as u64
    }

    pub fn promise(self: &Arc<Self>, rows: u64) -> Promised {
        self.0.lock().promised += rows;
        Promised { waiting: Arc::clone(self), rows }
    }

    /// The state at the start of watching, before the rows in the store are added.
    pub(super) fn watching() -> Self {
        Self(Mutex::new(Rows { deleted: Some(HashSet::new()), ..Rows::default() }))
    }

    /// Adds a row of the store, with the length of its event. Changes that were noted since the start of watching take
    /// precedence.
    pub(super) fn add(&self, key: &[u8], bytes: u32) {
        let mut rows = self.0.lock();
        if rows.deleted.as_ref().is_none_or(|deleted| !deleted.contains(&row(key))) {
            rows.add(row(key), bytes);
        }
    }

    pub(super) fn add_mail(&self, key: &[u8]) {
        let mut rows = self.0.lock();
        if rows.deleted.as_ref().is_none_or(|deleted| !deleted.contains(&row(key))) {
            rows.mails.insert(row(key));
        }
    }

    /// Ends the adding of the rows in the store.
    pub fn end_adding(&self) {
        self.0.lock().deleted = None;
    }

    /// Counts a batch that is about to be queued. `length` reads the length of an event that is not in the batch.
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

/// Reserved room for rows that are about to be queued. It counts as used until this is dropped.
pub struct Promised {
    waiting: Arc<Waiting>,
    rows: u64,
}

impl Promised {
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        self.waiting.0.lock().promised -= self.rows;
    }
}

fn row(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn length_of(event: &[u8]) -> u32 {
    u32::try_from(event.len()).unwrap_or(u32::MAX)
}
