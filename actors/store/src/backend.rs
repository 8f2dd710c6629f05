//! The interface between the store and its storage engine: ordered keys, atomic batches and a reliable sync.
//!
//! Invariants:
//!
//! - Only the committer writes, syncs and applies batches, one after the other. Any number of threads read.
//! - Readers see only durable batches, and all rows of a batch or none.

use std::cmp::Ordering;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use domain::BusinessId;

use super::syncs::Syncs;
use super::{Batch, Key, KeyRange, StoreError, Tombstone};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    pub free: u64,
    pub total: u64,
}

pub type Pair = (Vec<u8>, Vec<u8>);

/// Pairs in key order, read lazily.
pub type Pairs<'a> = Box<dyn Iterator<Item = Result<Pair, StoreError>> + Send + 'a>;

pub(super) type OnFailure = Box<dyn Fn(&StoreError) + Send + Sync>;

pub(super) type OnIsolated = Box<dyn Fn(BusinessId, &str) -> Result<(), StoreError> + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Ascending,
    Descending,
}

pub trait Backend: Send + Sync + 'static {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the rows of the range. The iterator reads each row when it reaches the row, so the rest of a
    /// scan may include a batch that is applied during the scan.
    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;

    /// Writes all rows of the batch or none. The rows are not durable or visible yet. If `write`, `sync`, `apply`,
    /// `note_durable` or `save` returns an error, the committer must not write again.
    fn write(&self, batch: &Batch) -> Result<(), StoreError>;

    fn sync(&self) -> Result<(), StoreError>;

    /// Makes the newest synced batch visible to `get` and `scan`: all its rows at the same moment.
    fn apply(&self, batch: &Batch) -> Result<(), StoreError>;

    #[cfg(test)]
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.write(batch)?;
        self.sync()?;
        self.apply(batch)
    }

    /// Records the number of the newest durable batch. The committer calls this method before it acknowledges the
    /// changes in that batch.
    fn note_durable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Moves every synced row into the tree, so that the next start does not have to replay the journal.
    fn save(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn unsaved_bytes(&self) -> u64 {
        0
    }

    fn on_failure(&self, _report: OnFailure) {}

    /// Registers a function that sets a business aside. When the backend isolates a corrupt page, it calls the function
    /// for each business that may have rows in the page. It calls the function immediately for pages whose isolation
    /// was interrupted.
    fn on_isolated(&self, _set_aside: OnIsolated) -> Result<(), StoreError> {
        Ok(())
    }

    /// Calls `act` with the data directory, which stays locked until `act` returns. A simulated store has no directory
    /// and never calls `act`.
    fn with_dir(&self, _act: &mut dyn FnMut(&Path)) -> Result<(), StoreError> {
        Ok(())
    }

    /// Durably adds revocations and erasures to the list of tombstones. The committer calls this method before it
    /// writes the batch with these revocations and erasures.
    fn record_tombstones(&self, tombstones: &[Tombstone]) -> Result<(), StoreError>;

    fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError>;

    /// Durably replaces the list of businesses that are set aside. Any thread may call it.
    fn keep_aside(&self, businesses: &[(BusinessId, String)]) -> Result<(), StoreError>;

    fn kept_aside(&self) -> Result<Vec<(BusinessId, String)>, StoreError>;

    fn sequence(&self) -> u64;

    fn syncs(&self) -> &Arc<Syncs>;

    fn space(&self) -> io::Result<Space>;

    /// Releases files and locks once running scans have ended. Later reads return [`StoreError::Closed`].
    fn close(&self);
}

#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub(super) from: Bound<Key>,
    pub(super) to: Bound<Key>,
    pub(super) order: Order,
}

impl Rest {
    /// Starts a scan of the range, which must not be empty.
    pub(super) fn of(range: &KeyRange, order: Order) -> Self {
        Self { from: Bound::Included(range.from), to: Bound::Excluded(range.to), order }
    }

    pub(super) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.from.as_ref().map(|key| &**key), self.to.as_ref().map(|key| &**key))
    }

    pub(super) fn is_empty(&self) -> bool {
        match (self.from, self.to) {
            (Bound::Excluded(from), Bound::Excluded(to)) => from >= to,
            _ => false, // no row was read, and the range was not empty
        }
    }

    pub(super) fn continue_after(&mut self, key: Key) {
        match self.order {
            Order::Ascending => self.from = Bound::Excluded(key),
            Order::Descending => self.to = Bound::Excluded(key),
        }
    }
}

impl Order {
    pub(super) fn of(self, one: &[u8], other: &[u8]) -> Ordering {
        match self {
            Self::Ascending => one.cmp(other),
            Self::Descending => other.cmp(one),
        }
    }
}
