//! What the store needs of a storage engine: ordered keys, atomic batches and a sync that can be relied on.
//!
//! What always holds: only the committer writes, syncs and applies, one batch after the other; any number of threads read.
//! A reader sees what is durable, a batch at once.

use std::io;
use std::sync::Arc;

use domain::{BusinessId, Timestamp};

use super::batch::Batch;
use super::error::StoreError;
use super::key::KeyRange;
use super::syncs::Syncs;
use super::time_file::Noted;
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

/// Who is told where something fails that no call waits for.
pub(super) type OnFailure = Box<dyn Fn(&StoreError) + Send + Sync>;

/// Sets a business aside, durably, for this reason.
pub(super) type OnIsolated = Box<dyn Fn(BusinessId, &str) -> Result<(), StoreError> + Send + Sync>;

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

    /// The pairs of the range. They are read one by one, each as things stand then: of a batch that is applied meanwhile
    /// only what lies behind is seen, and of what is applied before the first is read it may be that nothing is.
    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;

    /// Writes the batch, of which a crash leaves all or nothing from here on. It is neither durable nor visible yet.
    ///
    /// # Errors
    /// [`StoreError::Apply`], after which nothing may be written any more.
    fn write(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Everything written before is durable once this has returned.
    ///
    /// # Errors
    /// [`StoreError::Sync`], after which nothing may be written or synced any more.
    fn sync(&self) -> Result<(), StoreError>;

    /// Makes the batch that was written and synced last visible to `get` and `scan`, at once.
    ///
    /// # Errors
    /// [`StoreError::Apply`] or [`StoreError::Read`], after which nothing may be written any more.
    fn apply(&self, batch: &Batch) -> Result<(), StoreError>;

    /// All three.
    ///
    /// # Errors
    /// As theirs.
    #[cfg(test)]
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.write(batch)?;
        self.sync()?;
        self.apply(batch)
    }

    /// Notes how far the store is durable, before anybody is answered.
    ///
    /// # Errors
    /// [`StoreError::Sync`], after which nothing may be written or synced any more.
    fn note_durable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Everything synced is where it is kept for good once this has returned, so that opening finds nothing to do.
    ///
    /// # Errors
    /// As those of writing and syncing, after which nothing may be written or synced any more.
    fn save(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// How many bytes of batches were synced and are not yet where they are kept for good.
    fn unsaved_bytes(&self) -> u64 {
        0
    }

    /// Names who is told where something fails that no call waits for.
    fn on_failure(&self, _told: OnFailure) {}

    /// Names what sets a business aside whose rows are in a page that was isolated. Businesses of pages that were isolated before
    /// are set aside at once.
    ///
    /// # Errors
    /// When that fails.
    fn on_isolated(&self, _set_aside: OnIsolated) -> Result<(), StoreError> {
        Ok(())
    }

    /// Says beside the store, durably, that it has the present format: to be done before anything is written that an
    /// earlier version cannot read.
    ///
    /// # Errors
    /// [`StoreError::Prepare`], or [`StoreError::Closed`].
    fn keep_format(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Notes an instant beside the store. Errors are ignored: nothing depends on it.
    fn note_instant(&self, _noted: Noted, _at: Timestamp) {}

    /// The instant that was noted last, in an earlier life too.
    fn noted_instant(&self, _noted: Noted) -> Option<Timestamp> {
        None
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

    /// Replaces the list of the businesses that are set aside beside the store, durably. Any thread may call it, the
    /// one that makes checkpoints included.
    ///
    /// # Errors
    /// [`StoreError::Prepare`] when it cannot be written, or [`StoreError::Closed`].
    fn keep_aside(&self, businesses: &[(BusinessId, String)]) -> Result<(), StoreError>;

    /// That list, with the reason of each.
    ///
    /// # Errors
    /// When it cannot be read, or [`StoreError::Closed`].
    fn kept_aside(&self) -> Result<Vec<(BusinessId, String)>, StoreError>;

    /// The number of the newest batch.
    fn sequence(&self) -> u64;

    /// The syncs under way.
    fn syncs(&self) -> &Arc<Syncs>;

    /// How much room there is on the disk.
    ///
    /// # Errors
    /// When the system does not say.
    fn space(&self) -> io::Result<Space>;

    /// Lets go of files and locks, once the scans in progress have ended. Later calls answer [`StoreError::Closed`].
    fn close(&self);
}
