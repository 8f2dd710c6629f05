//! The state that the writer, its handle and waiting callers share: the queue, and the newest written and synced ticket
//! of each shard.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::queue::{Change, Group, Queue, SHARDS};
use super::stats::Counters;
use crate::tap::Tap;
use crate::{StoreError, keys};

/// Called once when the store has failed permanently.
pub type OnFatal = Box<dyn Fn(&StoreError) + Send + Sync>;

pub const SNAPSHOTS_MAX: usize = 5;

pub(super) struct Core {
    pub(super) queue: Queue,
    pub(super) newest: Box<[Newest]>,
    /// For each shard, the ticket up to which every change is durable.
    pub(super) synced: Box<[AtomicU64]>,
    /// Increases with each applied change to API keys, people or profiles.
    pub(super) credentials_generation: AtomicU64,
    pub(super) failed: AtomicBool,
    pub(super) ended: AtomicBool,
    /// Notified when `synced`, `failed` or `ended` changes.
    pub(super) progress: Notify,
    pub(super) counters: Counters,
    taps: Mutex<Vec<Weak<Tap>>>,
    on_fatal: OnFatal,
}

/// The newest tickets of a shard. After a failure all bits are ones, so that no synced ticket reaches them.
#[derive(Default)]
pub(super) struct Newest {
    any: AtomicU64,
    /// The newest ticket of the changes that a delivery attempt depends on.
    to_send: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// All changes, including the outcomes of attempts.
    Any,
    /// The changes that a delivery attempt depends on: all except the outcomes of other attempts.
    ToSend,
}

impl Newest {
    pub(super) fn of(&self, which: Of) -> u64 {
        let ticket = if which == Of::ToSend { &self.to_send } else { &self.any };
        ticket.load(Ordering::Acquire)
    }

    pub(super) fn note(&self, what: Of, ticket: u64) {
        self.any.store(ticket, Ordering::Release);
        if what == Of::ToSend {
            self.to_send.store(ticket, Ordering::Release);
        }
    }
}

impl Core {
    pub(super) fn new(on_fatal: OnFatal) -> Self {
        let tickets = || (0..SHARDS).map(|_| AtomicU64::new(0)).collect();
        Self {
            queue: Queue::default(),
            newest: (0..SHARDS).map(|_| Newest::default()).collect(),
            synced: tickets(),
            credentials_generation: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            progress: Notify::new(),
            counters: Counters::default(),
            taps: Mutex::default(),
            on_fatal,
        }
    }

    /// Waits until `answer` returns a value. It is called again after each progress.
    pub(super) async fn wait_until<T>(&self, answer: impl Fn(&Self) -> Option<T>) -> T {
        loop {
            let progress = self.progress.notified();
            tokio::pin!(progress);
            progress.as_mut().enable(); // enabled before the check, so that no progress is missed
            if let Some(answer) = answer(self) {
                return answer;
            }
            progress.await;
        }
    }

    pub(super) fn publish(&self, changes: Vec<Change>) {
        for change in &changes {
            self.synced[change.lane].store(change.ticket, Ordering::Release);
        }
        self.progress.notify_waiters();
        for change in changes {
            // A panic in the closure of one change must not stop the others.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(change.done)).is_err() {
                tracing::error!(
                    ticket = change.ticket,
                    "answering a change panicked; the change itself is durable"
                );
            }
        }
    }

    /// Stops the store permanently. Queued changes are dropped after the failure was reported. Only the first
    /// failure counts, and a writer at work then answers no more changes.
    pub(super) fn fail(&self, error: &StoreError) {
        let mut failed_before = false;
        let dropped = self.queue.end(|| {
            for newest in &self.newest {
                newest.note(Of::ToSend, u64::MAX);
            }
            failed_before = self.failed.swap(true, Ordering::AcqRel);
        });
        self.progress.notify_waiters();
        if !failed_before {
            (self.on_fatal)(error);
        }
        drop(dropped);
    }

    /// The open point-in-time reads. Ended ones are removed.
    pub(super) fn taps(&self) -> Vec<Arc<Tap>> {
        let mut taps = self.taps.lock();
        taps.retain(|tap| tap.strong_count() > 0);
        taps.iter().filter_map(Weak::upgrade).collect()
    }

    /// Adds a point-in-time read. Returns false if there are too many.
    pub(super) fn begin_tap(&self, tap: Weak<Tap>) -> bool {
        let mut taps = self.taps.lock();
        taps.retain(|tap| tap.strong_count() > 0);
        let has_room = taps.len() < SNAPSHOTS_MAX;
        if has_room {
            taps.push(tap);
        }
        has_room
    }

    /// Updates the generation of the credentials, before the group is acknowledged.
    pub(super) fn applied(&self, group: &Group) {
        if group.batch.writes().any(|(key, _)| keys::lets_in(key)) {
            self.credentials_generation.fetch_add(1, Ordering::AcqRel);
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.progress.notify_waiters();
    }
}
