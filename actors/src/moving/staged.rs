//! What an import has written and not waited for yet, so that it finds what it wrote itself.

use std::collections::HashMap;

use super::record::MoveError;
use crate::business::{COUNTED, Write};
use crate::domain::{Amount, BudgetKind, BusinessId, Usage};
use crate::store::{Batch, Key, Store, StoreError, Weight, keys};

/// How many bytes of a change are gathered before it is handed over.
const CHANGE_BYTES: usize = 32 << 10;
/// How many bytes of changes are handed over before they are waited for; what the store does not show yet is kept in
/// memory until then.
const IN_FLIGHT_BYTES_MAX: usize = 1 << 20;

/// The rows of one business on their way to the store.
pub(super) struct Staged {
    store: Store,
    of: BusinessId,
    batch: Batch,
    in_flight: usize,
    /// What was put and is not surely in the store yet.
    recent: HashMap<Key, Vec<u8>>,
    /// How much the business keeps with all this.
    pub(super) usage: Usage,
}

impl Staged {
    pub(super) fn new(store: Store, of: BusinessId) -> Self {
        let (batch, recent) = (Batch::default(), HashMap::new());
        Self { store, of, batch, in_flight: 0, recent, usage: Usage::default() }
    }

    /// Writes a record with its index rows.
    pub(super) async fn write(&mut self, write: &Write) -> Result<(), MoveError> {
        let mut batch = Batch::default();
        write.encode(self.of, &mut batch);
        self.add(batch).await
    }

    /// Writes one row.
    pub(super) async fn put(&mut self, key: Key, value: Vec<u8>) -> Result<(), MoveError> {
        let mut batch = Batch::default();
        batch.put(key, value);
        self.add(batch).await
    }

    async fn add(&mut self, batch: Batch) -> Result<(), MoveError> {
        for (key, value) in batch.writes() {
            let Some(value) = value else { continue };
            if let Some(kind) = counted(key)? {
                self.usage.add(kind, Amount::row(value.len()));
            }
            // Of a record it is only asked whether it is there.
            let kept = if value.len() <= 16 { value.to_vec() } else { Vec::new() };
            self.recent.insert(*key, kept);
        }
        self.batch.append(batch);
        if self.batch.bytes() >= CHANGE_BYTES {
            self.hand_over()?;
        }
        if self.in_flight >= IN_FLIGHT_BYTES_MAX {
            self.settle().await?;
        }
        Ok(())
    }

    /// Whether a record is there.
    pub(super) fn has(&self, key: Key) -> Result<bool, StoreError> {
        Ok(self.recent.contains_key(&key) || self.store.contains(&key)?)
    }

    /// The value of an index row, which is short.
    pub(super) fn short(&self, key: Key) -> Result<Option<Vec<u8>>, StoreError> {
        match self.recent.get(&key) {
            Some(value) => Ok(Some(value.clone())),
            None => self.store.get_raw(&key),
        }
    }

    fn hand_over(&mut self) -> Result<(), MoveError> {
        self.store.check_room(Weight::Grows)?;
        let batch = std::mem::take(&mut self.batch);
        self.in_flight += batch.bytes();
        self.store.submit(self.of, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        Ok(())
    }

    /// Waits until all of it is on the disk.
    pub(super) async fn settle(&mut self) -> Result<(), MoveError> {
        if !self.batch.is_empty() {
            self.hand_over()?;
        }
        self.store.settled(self.of).await?;
        self.in_flight = 0;
        self.recent.clear();
        Ok(())
    }
}

/// What a row counts as in the budget of its business.
fn counted(key: &Key) -> Result<Option<BudgetKind>, StoreError> {
    let kind = keys::kind_of(key)?;
    let found = COUNTED.iter().find(|(counted, _)| *counted == kind);
    Ok(found.map(|(_, kind)| *kind).filter(|_| !key.starts_with(&[0; 16])))
}
