//! What the store needs of a storage engine: ordered keys, atomic batches and a sync that can be relied on.
//!
//! What always holds: only the committer applies and syncs, one batch after the other; any number of threads read.
//! A reader sees what was applied, durable or not; whoever shows it to the world waits until it is durable.

use std::io;

use super::batch::Batch;
use super::error::StoreError;
use super::key::KeyRange;
use super::tombstones::Tombstone;

/// Room on the disk that a store lies on, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What this process may still take of it.
    pub free: u64,
    /// All of it, whoever uses it.
    pub total: u64,
}

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// Pairs in key order, read as they are asked for.
pub type Pairs<'a> = Box<dyn Iterator<Item = Result<Pair, StoreError>> + Send + 'a>;

/// The direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the smallest key.
    Ascending,
    /// From the greatest key.
    Descending,
}

/// A storage engine.
pub trait Backend: Send + Sync + 'static {
    /// The value under the key.
    ///
    /// # Errors
    /// [`StoreError::Read`], or [`StoreError::Closed`] after [`Backend::close`].
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The pairs of the range. They are read one by one: a batch applied meanwhile may be seen from its middle on.
    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;

    /// Makes the whole batch visible to `get` and `scan`, atomically with respect to a crash; not yet durable.
    ///
    /// # Errors
    /// [`StoreError::Apply`], after which nothing may be applied any more.
    fn apply(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Everything applied before is durable once this has returned.
    ///
    /// # Errors
    /// [`StoreError::Sync`], after which nothing may be applied or synced any more.
    fn sync(&self) -> Result<(), StoreError>;

    /// Says beside the store, durably, that it has the present format: to be done before anything is written that an
    /// earlier version cannot read.
    ///
    /// # Errors
    /// [`StoreError::Prepare`], or [`StoreError::Closed`].
    fn keep_format(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Lists what must not come back beside the store, durably: to be done before the batch is applied that it is of.
    ///
    /// # Errors
    /// [`StoreError::Apply`], after which nothing may be applied any more.
    fn bury(&self, tombstones: &[Tombstone]) -> Result<(), StoreError>;

    /// The lines of that list, in their order.
    ///
    /// # Errors
    /// When it cannot be read, or [`StoreError::Closed`].
    fn buried(&self) -> Result<Vec<Tombstone>, StoreError>;

    /// The number of the newest batch.
    fn sequence(&self) -> u64;

    /// How much room there is on the disk.
    ///
    /// # Errors
    /// When the system does not say.
    fn space(&self) -> io::Result<Space>;

    /// Lets go of files and locks, once the scans in progress have ended. Later calls answer [`StoreError::Closed`].
    fn close(&self);
}
