//! The interface between the store and its storage engine: ordered keys, atomic batches and a reliable sync.
//!
//! Invariants:
//!
//! - Only the committer writes, syncs and applies batches, one after the other. Any number of threads read.
//! - Readers see only durable batches, and each batch as a whole.

use std::io;
use std::sync::Arc;

use domain::{BusinessId, Timestamp};

use super::batch::Batch;
use super::error::StoreError;
use super::key::KeyRange;
use super::syncs::Syncs;
use super::time_file::Noted;
use super::tombstones::Tombstone;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes that this process may still use.
    pub free: u64,
    pub total: u64,
}

pub type Pair = (Vec<u8>, Vec<u8>);

/// Pairs in key order. The iterator reads them lazily.
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

    /// The iterator reads each pair at the moment it is requested. A batch that is applied meanwhile is seen only in
    /// the part of the range that is still to be read, and possibly not at all before the first pair.
    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;

    /// Writes the batch atomically: after a crash, either the whole batch or nothing of it exists. The batch
    /// is not yet durable or visible.
    ///
    /// After an error, nothing may be written any more. The same holds for `sync`, `apply`, `note_durable` and `save`.
    fn write(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Makes all earlier writes durable.
    fn sync(&self) -> Result<(), StoreError>;

    /// Makes the newest written and synced batch visible to `get` and `scan` as a whole.
    fn apply(&self, batch: &Batch) -> Result<(), StoreError>;

    #[cfg(test)]
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.write(batch)?;
        self.sync()?;
        self.apply(batch)
    }

    /// Records the newest durable batch. The committer calls this before it answers a change.
    fn note_durable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Moves everything that is synced to its final place, so that opening has nothing to recover.
    fn save(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn unsaved_bytes(&self) -> u64 {
        0
    }

    fn on_failure(&self, _told: OnFailure) {}

    /// Registers the function that sets a business aside when a page with its rows is isolated. The function
    /// is called immediately for the businesses of pages that were isolated earlier.
    fn on_isolated(&self, _set_aside: OnIsolated) -> Result<(), StoreError> {
        Ok(())
    }

    /// Durably records the present format in a file next to the store. The store calls this before it writes anything
    /// that an earlier version cannot read.
    fn keep_format(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn note_instant(&self, _noted: Noted, _at: Timestamp) {}

    /// The newest recorded instant, also from an earlier process.
    fn noted_instant(&self, _noted: Noted) -> Option<Timestamp> {
        None
    }

    /// Durably appends revocations and erasures to the list next to the store. The committer calls this before it
    /// applies their batch.
    fn bury(&self, tombstones: &[Tombstone]) -> Result<(), StoreError>;

    /// The lines of the list of tombstones, in order.
    fn buried(&self) -> Result<Vec<Tombstone>, StoreError>;

    /// Durably replaces the list of the businesses that are set aside. Any thread may call it, including the checkpoint
    /// thread.
    fn keep_aside(&self, businesses: &[(BusinessId, String)]) -> Result<(), StoreError>;

    /// The businesses that are set aside, with the reason of each.
    fn kept_aside(&self) -> Result<Vec<(BusinessId, String)>, StoreError>;

    fn sequence(&self) -> u64;

    fn syncs(&self) -> &Arc<Syncs>;

    fn space(&self) -> io::Result<Space>;

    /// Releases files and locks once the scans in progress have ended. Later calls return [`StoreError::Closed`].
    fn close(&self);
}
