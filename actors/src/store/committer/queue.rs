//! The queue of changes: many threads put in, the writer alone takes out, in groups.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use super::{Done, GROUP_BYTES_MAX, GROUP_CHANGES_MAX};
use crate::store::Batch;

/// A change that waits to be written.
pub(super) struct Change {
    /// Its place in the queue, from 1.
    pub(super) ticket: u64,
    /// What it writes; nothing for a barrier, which is only answered behind what is before it.
    pub(super) batch: Batch,
    /// Its answer.
    pub(super) done: Done,
}

/// Changes that share one sync.
pub(super) struct Group {
    /// Their answers, in order; the batches were moved out.
    pub(super) changes: Vec<Change>,
    /// Their writes, in order.
    pub(super) batch: Batch,
    /// How many of them are no barriers.
    pub(super) writing: usize,
    /// The newest of their tickets.
    pub(super) through: u64,
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Wakes a writer that is a thread.
    filled: Condvar,
    /// Wakes a writer that is a task.
    notify: Notify,
}

#[derive(Default)]
struct State {
    changes: VecDeque<Change>,
    /// The ticket given out last.
    ticket: u64,
    closed: bool,
}

impl Queue {
    /// Gives the change the next ticket and puts it last; `before` is told the ticket before anyone can take the
    /// change. On a closed queue the change is dropped.
    pub(super) fn push(&self, batch: Batch, done: Done, before: impl FnOnce(u64)) -> Option<u64> {
        let mut state = self.state.lock();
        if state.closed {
            drop(state); // what `done` holds may take locks of its own when dropped
            return None;
        }
        state.ticket += 1;
        let ticket = state.ticket;
        before(ticket);
        state.changes.push_back(Change { ticket, batch, done });
        drop(state);
        self.wake();
        Some(ticket)
    }

    /// Takes no more changes; those in it can still be taken.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.wake();
    }

    /// Closes the queue and empties it, running `under_lock` before anyone can see that it is closed.
    pub(super) fn end(&self, under_lock: impl FnOnce()) -> VecDeque<Change> {
        let mut state = self.state.lock();
        state.closed = true;
        under_lock();
        let changes = std::mem::take(&mut state.changes);
        drop(state);
        self.wake();
        changes
    }

    /// How many changes are in it.
    pub(super) fn len(&self) -> usize {
        self.state.lock().changes.len()
    }

    /// Takes the next group, waiting for one on this thread; `None` once the queue is closed and empty.
    pub(super) fn take_blocking(&self) -> Option<Group> {
        let mut state = self.state.lock();
        while state.changes.is_empty() && !state.closed {
            self.filled.wait(&mut state);
        }
        state.take()
    }

    /// Like [`Queue::take_blocking`], for a task.
    pub(super) async fn take(&self) -> Option<Group> {
        loop {
            {
                let mut state = self.state.lock();
                if !state.changes.is_empty() || state.closed {
                    return state.take();
                }
            }
            // The one writer waits here, and `notify_one` keeps a wake-up that comes in between.
            self.notify.notified().await;
        }
    }

    fn wake(&self) {
        self.filled.notify_one();
        self.notify.notify_one();
    }
}

impl State {
    /// As many changes from the front as may share a sync, at least one; barriers do not count.
    fn take(&mut self) -> Option<Group> {
        let mut group = Group { changes: Vec::new(), batch: Batch::new(), writing: 0, through: 0 };
        while let Some(next) = self.changes.front() {
            let full = group.writing == GROUP_CHANGES_MAX
                || group.batch.bytes() + next.batch.bytes() > GROUP_BYTES_MAX;
            if full && group.writing > 0 && !next.batch.is_empty() {
                break;
            }
            let Some(mut change) = self.changes.pop_front() else { break };
            if !change.batch.is_empty() {
                group.writing += 1;
                group.batch.append(std::mem::take(&mut change.batch));
            }
            group.through = change.ticket;
            group.changes.push(change);
        }
        (!group.changes.is_empty()).then_some(group)
    }
}
