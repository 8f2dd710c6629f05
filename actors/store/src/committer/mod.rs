//! The committer: the only thread (in simulations, the only task) that commits changes to the store. Other threads
//! queue changes, and can wait until their changes are durable.
//!
//! The committer takes queued changes in groups. It writes each group as one batch, syncs once and then acknowledges
//! the changes. Businesses share the committer's time fairly (`queue`). A *shard* is the set of businesses that share a
//! lane of the queue. A *ticket* is the sequence number of a change. Invariants:
//!
//! - The changes of a shard are acknowledged in the order of the queue, each after the sync of its group.
//!   The order between changes of different shards is not defined.
//! - Tickets ascend in a shard. A shard's newest ticket is updated before the change with this ticket is queued. So a
//!   wait for the newest ticket covers every change that was queued before the wait began.
//! - After a sync, `synced` is first set to the newest synced ticket of each shard. Only then are the changes of the
//!   group acknowledged.
//! - An error of the backend stops the committer permanently. Nothing is retried.

mod queue;
mod run;
mod stats;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use self::queue::{Change, Queue, SHARDS};
pub use self::queue::{Done, GROUP_BYTES_MAX, GROUP_CHANGES_MAX, QUANTUM_BYTES};
pub use self::stats::CommitStats;
use self::stats::Counters;
#[cfg(any(test, feature = "simulation"))]
use super::memory::Session;
use domain::{BusinessId, ResourceId};

use super::tap::Tap;
use super::{Backend, Batch, StoreError};

/// The maximum length of a change. The record of a change must fit into the journal.
pub const CHANGE_BYTES_MAX: usize = 1 << 20;

pub type OnFatal = Box<dyn Fn(&StoreError) + Send + Sync>;

pub const SNAPSHOTS_MAX: usize = 5;

struct Core {
    queue: Queue,
    newest: Box<[Newest]>,
    /// For each shard, the ticket up to which all changes are durable.
    synced: Box<[AtomicU64]>,
    credentials_generation: AtomicU64,
    failed: AtomicBool,
    ended: AtomicBool,
    /// Wakes the tasks that wait for a change of `synced`, `failed` or `ended`.
    progress: Notify,
    counters: Counters,
    taps: Mutex<Vec<Weak<Tap>>>,
    on_fatal: OnFatal,
}

/// The newest tickets of a shard. `any` is the newest ticket of all changes. `to_send` is the newest ticket of the
/// changes of the kind [`ChangeKind::ToSend`]. A failure sets both to `u64::MAX`. This value is greater than every
/// synced ticket.
#[derive(Default)]
struct Newest {
    any: AtomicU64,
    to_send: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    Any,
    /// Before a delivery attempt is made, all earlier changes of this kind must be durable. Barriers and outcomes of
    /// attempts are of the kind `Any`, so an attempt does not wait for them.
    ToSend,
}

/// The handle of the committer. When the handle is dropped, the committer writes the queued changes and ends.
pub(super) struct Committer {
    core: Arc<Core>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Committer {
    pub(super) fn on_thread(backend: Arc<dyn Backend>, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let core = Arc::new(Core::new(on_fatal));
        let failing = Arc::clone(&core);
        backend.on_failure(Box::new(move |error| failing.fail(error)));
        let thread = run::start_thread(Arc::clone(&core), backend)?;
        Ok(Self { core, thread: Mutex::new(Some(thread)) })
    }

    #[cfg(any(test, feature = "simulation"))]
    pub(super) fn on_task(backend: Arc<Session>, on_fatal: OnFatal) -> Self {
        let core = Arc::new(Core::new(on_fatal));
        tokio::spawn(run::task(Arc::clone(&core), backend));
        Self { core, thread: Mutex::new(None) }
    }

    /// Queues a change and returns its ticket. Returns `None` if the store has stopped or is closing.
    ///
    /// # Panics
    /// Panics if the batch is longer than [`CHANGE_BYTES_MAX`].
    pub(super) fn submit(
        &self,
        business: BusinessId,
        what: ChangeKind,
        batch: Batch,
        done: Done,
    ) -> Option<u64> {
        let bytes = batch.bytes();
        assert!(bytes <= CHANGE_BYTES_MAX, "a change of {bytes} bytes is more than the store allows");
        let shard = shard(business);
        let newest = &self.core.newest[shard];
        // A failure sets `newest` to `u64::MAX` and closes the queue, under the queue's lock. Afterwards, no
        // ticket may replace this value. So `push` calls `note` under the same lock, and only while the queue is open.
        self.core.queue.push(shard, batch, done, |ticket| newest.note(what, ticket))
    }

    pub(super) fn wait_durable(
        &self,
        business: BusinessId,
        which: ChangeKind,
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
                    core.has_failed().then_some(Err(StoreError::Stopped))
                }
            })
            .await
        }
    }

    /// True if all changes to the business are durable. After a failure, the result is always false: a failure sets the
    /// newest ticket to `u64::MAX`, and no synced ticket reaches this number.
    pub(super) fn is_settled(&self, business: BusinessId) -> bool {
        let shard = shard(business);
        self.core.newest[shard].of(ChangeKind::Any) <= self.core.synced[shard].load(Ordering::Acquire)
    }

    pub(super) fn credentials_generation(&self) -> u64 {
        self.core.credentials_generation.load(Ordering::Acquire)
    }

    pub(super) fn synced_through(&self, business: BusinessId) -> u64 {
        self.core.synced[shard(business)].load(Ordering::Acquire)
    }

    pub(super) fn failed(&self) -> bool {
        self.core.has_failed()
    }

    /// Starts to save the values that later commits overwrite, and returns the number of the newest commit.
    pub(super) async fn begin_tap(
        &self,
        backend: &Arc<dyn Backend>,
        tap: &Arc<Tap>,
    ) -> Result<u64, StoreError> {
        let (core, backend) = (Arc::clone(&self.core), Arc::clone(backend));
        // The caller's future may be dropped before the closure runs. Then the tap is dropped too, because the closure
        // has only a weak reference.
        let tap = Arc::downgrade(tap);
        let (begun, begins) = oneshot::channel();
        // The committer runs this closure after a sync and before it applies the next group.
        let begin = move || {
            let begins =
                if core.begin_tap(tap) { Ok(backend.sequence()) } else { Err(StoreError::SnapshotsTaken) };
            let _ = begun.send(begins);
        };
        self.submit(BusinessId::INSTALLATION, ChangeKind::Any, Batch::default(), Box::new(begin));
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
            // The thread has signalled its end, so `join` does not wait. A panic was already reported.
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

impl Newest {
    fn of(&self, which: ChangeKind) -> u64 {
        let ticket = if which == ChangeKind::ToSend { &self.to_send } else { &self.any };
        ticket.load(Ordering::Acquire)
    }

    fn note(&self, what: ChangeKind, ticket: u64) {
        self.any.store(ticket, Ordering::Release);
        if what == ChangeKind::ToSend {
            self.to_send.store(ticket, Ordering::Release);
        }
    }
}

impl Core {
    fn new(on_fatal: OnFatal) -> Self {
        Self {
            queue: Queue::default(),
            newest: (0..SHARDS).map(|_| Newest::default()).collect(),
            synced: (0..SHARDS).map(|_| AtomicU64::new(0)).collect(),
            credentials_generation: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            progress: Notify::new(),
            counters: Counters::default(),
            taps: Mutex::default(),
            on_fatal,
        }
    }

    async fn wait_until<T>(&self, check: impl Fn(&Self) -> Option<T>) -> T {
        loop {
            let progress = self.progress.notified();
            tokio::pin!(progress);
            progress.as_mut().enable();
            if let Some(found) = check(self) {
                return found;
            }
            progress.await;
        }
    }

    fn publish(&self, changes: Vec<Change>) {
        for change in &changes {
            self.synced[change.lane].store(change.ticket, Ordering::Release);
        }
        self.progress.notify_waiters();
        for change in changes {
            // If the closure of one change panics, the closures of the other changes must still run.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(change.done)).is_err() {
                tracing::error!(
                    ticket = change.ticket,
                    "the acknowledgement of a change panicked; the change itself is durable"
                );
            }
        }
    }

    /// Stops the store permanently and drops the queued changes. Only the first failure is reported.
    fn fail(&self, error: &StoreError) {
        let mut failed_before = false;
        let dropped = self.queue.end(|| {
            for newest in &self.newest {
                newest.note(ChangeKind::ToSend, u64::MAX);
            }
            failed_before = self.failed.swap(true, Ordering::AcqRel);
        });
        self.progress.notify_waiters();
        if !failed_before {
            (self.on_fatal)(error);
        }
        drop(dropped);
    }

    fn taps(&self) -> Vec<Arc<Tap>> {
        let mut taps = self.taps.lock();
        taps.retain(|tap| tap.strong_count() > 0);
        taps.iter().filter_map(Weak::upgrade).collect()
    }

    /// Registers a point-in-time read. Returns false if too many are running. Only the committer calls this function.
    fn begin_tap(&self, tap: Weak<Tap>) -> bool {
        let has_room = self.taps().len() < SNAPSHOTS_MAX;
        if has_room {
            self.taps.lock().push(tap);
        }
        has_room
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.progress.notify_waiters();
    }
}

fn shard(business: BusinessId) -> usize {
    let id = business.uuid().into_bytes();
    usize::from(u16::from_be_bytes([id[14], id[15]])) % SHARDS
}
