//! The one writer of the store, and what waits for it.
//!
//! Changes are queued, taken in groups, written as one batch each and synced once a group; then everyone in the
//! group is answered. Businesses share the writer fairly (`queue.rs`), so there is no order between them, only within
//! a shard of them. What always holds:
//!
//! - a change is answered only after the sync that covers it, and after every change of its shard queued before it;
//! - tickets grow in the order of a shard's lane, and the newest ticket of a shard is known before its change is
//!   queued, so whoever waits for it has all that was queued before;
//! - what is synced is known for each shard, and told for a whole group before anyone in it is answered;
//! - what belongs together is one change: a row of the whole installation (the list of businesses, the row of a key) is
//!   written in the lane of the business that it tells of. Nothing may rely on the order of two businesses' changes;
//! - an error of the backend ends the committer for good. Nothing is tried again, and what was not answered is
//!   dropped, with the reply ports in it.
//!
//! The queue has no bound of its own: callers hold a permit for each change they queue.

mod core;
mod queue;
mod run;
mod stats;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use self::core::Core;
pub(super) use self::core::Of;
pub use self::core::OnFatal;
pub use self::core::SNAPSHOTS_MAX;
use self::queue::SHARDS;
pub use self::queue::{Done, GROUP_BYTES_MAX, GROUP_CHANGES_MAX, QUANTUM_BYTES};
pub use self::stats::CommitStats;
#[cfg(any(test, feature = "simulation"))]
use super::memory::Session;
use domain::{BusinessId, ResourceId};

use super::tap::Tap;
use super::{Backend, Batch, StoreError};

/// The greatest length of the keys and values of one change. Much log between two syncs is what sled's recovery
/// from a power cut bears badly.
pub const CHANGE_BYTES_MAX: usize = 1 << 20;

/// The handle of the writer. When it is dropped, the writer finishes what is queued and ends.
pub(super) struct Committer {
    core: Arc<Core>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    /// Starts the writer as a thread of its own.
    pub(super) fn on_thread(backend: Arc<dyn Backend>, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let core = Arc::new(Core::new(on_fatal));
        let told = Arc::clone(&core);
        backend.on_failure(Box::new(move |error| told.fail(error)));
        let thread = run::start_thread(Arc::clone(&core), backend)?;
        Ok(Self { core, thread: Mutex::new(Some(thread)) })
    }

    /// Starts the writer as a task of the runtime it is called in, for simulations.
    #[cfg(any(test, feature = "simulation"))]
    pub(super) fn on_task(backend: Arc<Session>, on_fatal: OnFatal) -> Self {
        let core = Arc::new(Core::new(on_fatal));
        tokio::spawn(run::task(Arc::clone(&core), backend));
        Self { core, thread: Mutex::new(None) }
    }

    /// Queues a change and gives its ticket; `None` when the store has stopped or is closing, and `done` is dropped.
    ///
    /// # Panics
    /// When the batch is longer than [`CHANGE_BYTES_MAX`]: the code that makes the change has to bound it.
    pub(super) fn submit(&self, business: BusinessId, what: Of, batch: Batch, done: Done) -> Option<u64> {
        let bytes = batch.bytes();
        assert!(bytes <= CHANGE_BYTES_MAX, "a change of {bytes} bytes is more than the store takes");
        let shard = shard(business);
        let newest = &self.core.newest[shard];
        // The closure runs under the queue's lock: after a failure no ticket can cover the mark that it left.
        self.core.queue.push(shard, batch, done, |ticket| newest.note(what, ticket))
    }

    /// Waits until such changes of the business that were queued before this call are durable.
    pub(super) fn settled(
        &self,
        business: BusinessId,
        which: Of,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        let shard = shard(business);
        let ticket = self.core.newest[shard].of(which);
        let waiting =
            (self.core.synced[shard].load(Ordering::Acquire) < ticket).then(|| Arc::clone(&self.core));
        async move {
            let Some(core) = waiting else { return Ok(()) };
            core.wait_until(|core| {
                if core.synced[shard].load(Ordering::Acquire) >= ticket {
                    Some(Ok(()))
                } else {
                    core.failed.load(Ordering::Acquire).then_some(Err(StoreError::Stopped))
                }
            })
            .await
        }
    }

    /// Whether all changes of the business that were queued before this call are durable; never after a failure, which
    /// leaves a mark that no ticket reaches.
    pub(super) fn is_settled(&self, business: BusinessId) -> bool {
        let shard = shard(business);
        self.core.newest[shard].of(Of::Any) <= self.core.synced[shard].load(Ordering::Acquire)
    }

    /// The generation of the credentials: it grows with every group in which something says whom an API key lets in,
    /// after it was applied and before anyone is told: while it stays, what was read of that behind it is all that was
    /// acknowledged.
    pub(super) fn credentials_generation(&self) -> u64 {
        self.core.credentials_generation.load(Ordering::Acquire)
    }

    /// Every change of the business up to this ticket is durable.
    pub(super) fn synced_through(&self, business: BusinessId) -> u64 {
        self.core.synced[shard(business)].load(Ordering::Acquire)
    }

    /// Whether the store has failed for good.
    pub(super) fn failed(&self) -> bool {
        self.core.failed.load(Ordering::Acquire)
    }

    /// From a point between two commits on, what is overwritten is saved, until the tap is dropped; gives the number of the
    /// newest commit before it.
    pub(super) async fn begin_tap(
        &self,
        backend: &Arc<dyn Backend>,
        tap: &Arc<Tap>,
    ) -> Result<u64, StoreError> {
        let (core, backend) = (Arc::clone(&self.core), Arc::clone(backend));
        // Not the tap itself: whoever asks may be gone before this is run.
        let tap = Arc::downgrade(tap);
        let (begun, begins) = oneshot::channel();
        // The writer itself runs this, behind a sync and before it applies anything else.
        let begin = move || {
            let begins =
                if core.begin_tap(tap) { Ok(backend.sequence()) } else { Err(StoreError::SnapshotsTaken) };
            let _ = begun.send(begins);
        };
        self.submit(BusinessId::INSTALLATION, Of::Any, Batch::default(), Box::new(begin));
        begins.await.map_err(|_| StoreError::Stopped)?
    }

    /// Stops for good, because reading failed.
    pub(super) fn fail(&self, error: &StoreError) {
        self.core.fail(error);
    }

    /// How many changes are queued and not yet taken.
    pub(super) fn queued(&self) -> usize {
        self.core.queue.len()
    }

    /// How many bytes were written and synced so far.
    pub(super) fn bytes_written(&self) -> u64 {
        self.core.counters.bytes()
    }

    /// What the writer has done so far.
    pub(super) fn stats(&self) -> CommitStats {
        self.core.counters.snapshot(self.queued())
    }

    /// Takes no more changes, finishes those that are queued, syncs once more and closes the backend.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.core.queue.close();
        self.core.wait_until(|core| core.ended.load(Ordering::Acquire).then_some(())).await;
        if let Some(thread) = self.thread.lock().take() {
            // It has said that it ended, so this does not wait; a panic was reported when it happened.
            let _ = thread.join();
        }
        if self.failed() { Err(StoreError::Stopped) } else { Ok(()) }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.core.queue.close();
    }
}

/// The shard of a business: bits of its id that are random.
fn shard(business: BusinessId) -> usize {
    let id = business.uuid().into_bytes();
    usize::from(u16::from_be_bytes([id[14], id[15]])) % SHARDS
}
