//! The only writer of the store, and the waits for its changes.
//!
//! The writer takes queued changes in groups, writes each group as one batch and syncs it once. Then it answers the
//! changes of the group. Businesses share the writer fairly (`queue.rs`). Changes have an order only within a shard of
//! businesses. Invariants:
//!
//! - A change is answered only after the sync that covers it, and after every change of its shard queued before it.
//! - Tickets grow in the order of a shard's lane. The newest ticket of a shard is known before its change is queued, so
//!   a wait for it covers everything queued before.
//! - The synced ticket of each shard is updated for a whole group before a change of the group is answered.
//! - Rows that belong together are one change. A row of the installation (the list of businesses, the row of a key) is
//!   written in the lane of its business. No code may rely on the order of two businesses' changes.
//! - An error of the backend stops the committer permanently. The committer retries nothing, and drops
//!   unanswered changes together with their reply ports.
//!
//! The queue itself has no bound, because callers hold a permit for each queued change.

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

/// The greatest length of the keys and values of one change. A long log between two syncs endangers sled's
/// recovery after a power cut.
pub const CHANGE_BYTES_MAX: usize = 1 << 20;

/// The handle of the writer. When it is dropped, the writer finishes the queued changes and ends.
pub(super) struct Committer {
    core: Arc<Core>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    pub(super) fn on_thread(backend: Arc<dyn Backend>, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let core = Arc::new(Core::new(on_fatal));
        let told = Arc::clone(&core);
        backend.on_failure(Box::new(move |error| told.fail(error)));
        let thread = run::start_thread(Arc::clone(&core), backend)?;
        Ok(Self { core, thread: Mutex::new(Some(thread)) })
    }

    #[cfg(any(test, feature = "simulation"))]
    pub(super) fn on_task(backend: Arc<Session>, on_fatal: OnFatal) -> Self {
        let core = Arc::new(Core::new(on_fatal));
        tokio::spawn(run::task(Arc::clone(&core), backend));
        Self { core, thread: Mutex::new(None) }
    }

    /// Queues a change and returns its ticket. When the store has stopped or is closing, it returns `None` and drops
    /// `done`.
    ///
    /// # Panics
    /// Panics if the batch is longer than [`CHANGE_BYTES_MAX`]. The code that makes the change must bound it.
    pub(super) fn submit(&self, business: BusinessId, what: Of, batch: Batch, done: Done) -> Option<u64> {
        let bytes = batch.bytes();
        assert!(bytes <= CHANGE_BYTES_MAX, "a change of {bytes} bytes is more than the store takes");
        let shard = shard(business);
        let newest = &self.core.newest[shard];
        // The closure runs under the queue's lock, so after a failure no ticket can replace the mark of the failure.
        self.core.queue.push(shard, batch, done, |ticket| newest.note(what, ticket))
    }

    /// Waits until the business's changes of this kind that were queued before this call are durable.
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

    /// Whether all changes of the business that were queued before this call are durable; never after a failure, since
    /// no ticket reaches the mark of a failure.
    pub(super) fn is_settled(&self, business: BusinessId) -> bool {
        let shard = shard(business);
        self.core.newest[shard].of(Of::Any) <= self.core.synced[shard].load(Ordering::Acquire)
    }

    pub(super) fn credentials_generation(&self) -> u64 {
        self.core.credentials_generation.load(Ordering::Acquire)
    }

    pub(super) fn synced_through(&self, business: BusinessId) -> u64 {
        self.core.synced[shard(business)].load(Ordering::Acquire)
    }

    pub(super) fn failed(&self) -> bool {
        self.core.failed.load(Ordering::Acquire)
    }

    /// Saves the old values of overwritten rows, from a point between two commits until the tap is dropped. Returns the
    /// number of the newest commit before the point.
    pub(super) async fn begin_tap(
        &self,
        backend: &Arc<dyn Backend>,
        tap: &Arc<Tap>,
    ) -> Result<u64, StoreError> {
        let (core, backend) = (Arc::clone(&self.core), Arc::clone(backend));
        // A weak reference, since the caller may be dropped before the closure runs.
        let tap = Arc::downgrade(tap);
        let (begun, begins) = oneshot::channel();
        // The writer runs this after a sync and before it applies the next group.
        let begin = move || {
            let begins =
                if core.begin_tap(tap) { Ok(backend.sequence()) } else { Err(StoreError::SnapshotsTaken) };
            let _ = begun.send(begins);
        };
        self.submit(BusinessId::INSTALLATION, Of::Any, Batch::default(), Box::new(begin));
        begins.await.map_err(|_| StoreError::Stopped)?
    }

    pub(super) fn fail(&self, error: &StoreError) {
        self.core.fail(error);
    }

    pub(super) fn queued(&self) -> usize {
        self.core.queue.len()
    }

    pub(super) fn bytes_written(&self) -> u64 {
        self.core.counters.bytes()
    }

    pub(super) fn stats(&self) -> CommitStats {
        self.core.counters.snapshot(self.queued())
    }

    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.core.queue.close();
        self.core.wait_until(|core| core.ended.load(Ordering::Acquire).then_some(())).await;
        if let Some(thread) = self.thread.lock().take() {
            // The thread has signalled its end, so this does not wait. A panic was already reported.
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

/// The shard of a business: random bits of its id.
fn shard(business: BusinessId) -> usize {
    let id = business.uuid().into_bytes();
    usize::from(u16::from_be_bytes([id[14], id[15]])) % SHARDS
}
