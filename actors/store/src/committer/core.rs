//! What the writer, its handle and everyone waiting share: the queue, and how far each shard is written and synced.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::queue::{Change, Group, Queue, SHARDS};
use super::stats::Counters;
use crate::tap::Tap;
use crate::{StoreError, keys};

/// What is told once, when the store has failed for good.
pub type OnFatal = Box<dyn Fn(&StoreError) + Send + Sync>;

/// How often the store may be read as it was at a point, at once.
pub const SNAPSHOTS_MAX: usize = 5;

/// What the handle, the writer and everyone waiting share.
pub(super) struct Core {
    pub(super) queue: Queue,
    /// The newest tickets of each shard.
    pub(super) newest: Box<[Newest]>,
    /// Every change of the shard up to this ticket is durable.
    pub(super) synced: Box<[AtomicU64]>,
    /// How often something was applied that says whom an API key lets in.
    pub(super) credentials_generation: AtomicU64,
    pub(super) failed: AtomicBool,
    pub(super) ended: AtomicBool,
    /// Told whenever one of the three above has changed.
    pub(super) progress: Notify,
    pub(super) counters: Counters,
    /// Who keeps what is overwritten, for those who read the store as it was.
    taps: Mutex<Vec<Weak<Tap>>>,
    on_fatal: OnFatal,
}

/// The newest tickets of a shard; all ones after a failure, so that nobody is content with what is synced.
#[derive(Default)]
pub(super) struct Newest {
    /// Of all changes.
    any: AtomicU64,
    /// Of those that an attempt may go by.
    to_send: AtomicU64,
}

/// Of which changes something is known or asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Of any, the outcomes of attempts included.
    Any,
    /// Of those that an attempt may go by: any but the outcomes of other attempts.
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

    /// Waits until there is an answer, looking again after each progress.
    pub(super) async fn wait_until<T>(&self, answer: impl Fn(&Self) -> Option<T>) -> T {
        loop {
            let progress = self.progress.notified();
            tokio::pin!(progress);
            progress.as_mut().enable(); // before looking, or a progress in between would be missed
            if let Some(answer) = answer(self) {
                return answer;
            }
            progress.await;
        }
    }

    /// Says that the changes are durable, then answers them in order.
    pub(super) fn publish(&self, changes: Vec<Change>) {
        for change in &changes {
            self.synced[change.lane].store(change.ticket, Ordering::Release);
        }
        self.progress.notify_waiters();
        for change in changes {
            // A panic is a fault of whoever gave the answer's closure; everybody else's changes must go on.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(change.done)).is_err() {
                tracing::error!(
                    ticket = change.ticket,
                    "answering a change panicked; the change itself is durable"
                );
            }
        }
    }

    /// Stops for good: nothing is taken any more, and what was queued is dropped after the failure was told. The
    /// first failure counts; a writer that is at work then answers nothing more.
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

    /// Those who keep what is overwritten; who is gone is forgotten.
    pub(super) fn taps(&self) -> Vec<Arc<Tap>> {
        let mut taps = self.taps.lock();
        taps.retain(|tap| tap.strong_count() > 0);
        taps.iter().filter_map(Weak::upgrade).collect()
    }

    /// One more, for as long as it is held. Whether there is room for it.
    pub(super) fn begin_tap(&self, tap: Weak<Tap>) -> bool {
        let mut taps = self.taps.lock();
        taps.retain(|tap| tap.strong_count() > 0);
        let has_room = taps.len() < SNAPSHOTS_MAX;
        if has_room {
            taps.push(tap);
        }
        has_room
    }

    /// Notes what was applied, before anybody is told that it is durable.
    pub(super) fn applied(&self, group: &Group) {
        if group.batch.writes().any(|(key, _)| keys::lets_in(key)) {
            self.credentials_generation.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Whether it has failed, whoever noticed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.progress.notify_waiters();
    }
}
