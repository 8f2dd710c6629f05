//! The queue of changes: many threads put in, the writer alone takes out, in groups.
//!
//! Each shard of businesses has a lane, in which the order is kept. Lanes are served by deficit round robin in bytes
//! (Shreedhar and Varghese, 1995): in its turn a lane may put [`QUANTUM_BYTES`] into the group. A change longer than
//! that waits apart: what is short never stands behind more than one long change of others. What always holds:
//!
//! - a lane stands in one of the two rings as long as something waits in it, and in none otherwise;
//! - a lane that waits alone gets everything, and nothing short waits while nothing is written;
//! - between two long changes, every lane whose next change is short gets a turn, and so many turns that it could have
//!   written as much as one lane with long changes does. Rounds end, so a long change waits for a bounded time;
//! - behind a long change that short ones of others came before, the long ones rest for [`REST`] times as long as its
//!   group took, shared among the lanes that have some: its length does not tell what it costs the disk. While they
//!   rest they wait even if nothing else does, so that what is short mostly finds the writer idle;
//! - taking a change costs the same however many lanes and changes wait.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use crate::Batch;

/// The greatest number of changes that share one sync.
pub const GROUP_CHANGES_MAX: usize = 64;

/// The greatest length of the keys and values that share one sync, unless they belong to one change.
pub const GROUP_BYTES_MAX: usize = 64 << 10;

/// How many lanes there are, and newest tickets that are told apart; businesses that share one wait for each other's
/// syncs, and share its turns.
pub(super) const SHARDS: usize = 4096;

/// What a lane may put into a group in one turn, in bytes of keys and values. A booking with its event for five
/// endpoints is about half of that.
pub const QUANTUM_BYTES: usize = 8 << 10;

/// A change longer than this makes long ones rest behind it. A booking announced to all the endpoints that a business
/// may have, a long message and a step of sweeping are shorter.
const REST_FROM_BYTES: usize = 32 << 10;

/// So many times as long as a group with a long change took, the lanes with long ones rest behind it: one lane takes a
/// tenth of the writer's time, many together half of it, and more where a group takes longer than a ninth of
/// [`REST_MAX`].
const REST: u32 = 9;

/// They rest for no longer than this: a disk that stops for a moment does not stop them for many.
const REST_MAX: Duration = Duration::from_millis(100);

/// What runs once a change is durable; dropped instead when it may not be.
pub type Done = Box<dyn FnOnce() + Send>;

/// A change that waits to be written.
pub(super) struct Change {
    /// Its number among all changes, from 1; grows within a lane.
    pub(super) ticket: u64,
    /// The lane it waits in: the shard of its business.
    pub(super) lane: usize,
    /// What it writes; nothing for a barrier, which is only answered behind what is before it.
    pub(super) batch: Batch,
    /// Its answer.
    pub(super) done: Done,
}

impl Change {
    fn is_long(&self) -> bool {
        self.batch.bytes() > QUANTUM_BYTES
    }
}

/// Changes that share one sync.
#[derive(Default)]
pub(super) struct Group {
    /// Their answers, in the order of each lane; the batches were moved out.
    pub(super) changes: Vec<Change>,
    /// Their writes, in the same order.
    pub(super) batch: Batch,
    /// How many of them are no barriers.
    pub(super) writing: usize,
    /// Whose short changes are in it.
    short: Lanes,
    /// How many times as long as it took the lanes with long changes rest behind it.
    rest: u32,
}

/// The lanes that something short was taken from.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Lanes {
    #[default]
    None,
    One(usize),
    Several,
}

impl Lanes {
    fn and(self, lane: usize) -> Self {
        match self {
            Self::None => Self::One(lane),
            Self::One(same) if same == lane => self,
            _ => Self::Several,
        }
    }

    /// Whether there are others than this one.
    fn others_than(self, lane: usize) -> bool {
        self != Self::None && self != Self::One(lane)
    }
}

impl Group {
    /// How long the lanes with long changes rest behind it, if it took so long.
    pub(super) fn rest(&self, took: Duration) -> Option<Duration> {
        (self.rest > 0).then(|| took.saturating_mul(self.rest).min(REST_MAX))
    }

    /// Whether the change may share this sync. A long one does not make the short ones of others wait for it.
    fn takes(&self, next: &Change) -> bool {
        if self.writing == 0 || next.batch.is_empty() {
            return true;
        }
        let room =
            self.writing < GROUP_CHANGES_MAX && self.batch.bytes() + next.batch.bytes() <= GROUP_BYTES_MAX;
        room && !(next.is_long() && self.short.others_than(next.lane))
    }

    fn add(&mut self, mut change: Change) {
        if !change.batch.is_empty() {
            if !change.is_long() {
                self.short = self.short.and(change.lane);
            }
            self.writing += 1;
            self.batch.append(std::mem::take(&mut change.batch));
        }
        self.changes.push(change);
    }
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Wakes a writer that is a thread.
    filled: Condvar,
    /// Wakes a writer that is a task.
    notify: Notify,
}

/// What waits of one shard.
#[derive(Default)]
struct Lane {
    changes: VecDeque<Change>,
    /// How many bytes it may still put into groups in this turn.
    deficit: usize,
}

struct State {
    lanes: Box<[Lane]>,
    /// The lanes whose next change is short, in the order of their turns.
    short: VecDeque<usize>,
    /// The lanes whose next change is long, in the order of theirs.
    long: VecDeque<usize>,
    /// Whether the first of `short` is in the middle of its turn.
    in_turn: bool,
    /// How often the turn has gone round `short`.
    round: u64,
    /// How many turns are left in this round.
    turns_left: usize,
    /// While anything short waits, nothing long is taken before this round.
    long_from: u64,
    /// From which lanes something short was taken since the newest long change, barriers included.
    short_since: Lanes,
    /// Nothing long is taken before.
    rest: Option<Instant>,
    /// How many changes wait.
    waiting: usize,
    /// The ticket given out last.
    ticket: u64,
    closed: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            lanes: (0..SHARDS).map(|_| Lane::default()).collect(),
            short: VecDeque::new(),
            long: VecDeque::new(),
            in_turn: false,
            round: 0,
            turns_left: 0,
            long_from: 0,
            short_since: Lanes::None,
            rest: None,
            waiting: 0,
            ticket: 0,
            closed: false,
        }
    }
}

impl Queue {
    /// Gives the change the next ticket and puts it last in its lane; `before` is told the ticket before anyone can
    /// take the change. On a closed queue the change is dropped.
    pub(super) fn push(
        &self,
        lane: usize,
        batch: Batch,
        done: Done,
        before: impl FnOnce(u64),
    ) -> Option<u64> {
        let mut state = self.state.lock();
        if state.closed {
            drop(state); // what `done` holds may take locks of its own when dropped
            return None;
        }
        state.ticket += 1;
        let ticket = state.ticket;
        before(ticket);
        state.push(Change { ticket, lane, batch, done });
        drop(state);
        self.wake();
        Some(ticket)
    }

    /// Takes no more changes; those in it can still be taken.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.rest = None;
        drop(state);
        self.wake();
    }

    /// Closes the queue and empties it, running `under_lock` before anyone can see that it is closed.
    pub(super) fn end(&self, under_lock: impl FnOnce()) -> Vec<Change> {
        let mut state = self.state.lock();
        state.closed = true;
        under_lock();
        let left = std::mem::take(&mut *state);
        state.closed = true;
        drop(state);
        self.wake();
        left.lanes.into_iter().flat_map(|lane| lane.changes).collect()
    }

    /// How many changes are in it.
    pub(super) fn len(&self) -> usize {
        self.state.lock().waiting
    }

    /// Takes the next group, waiting for one on this thread; `None` once the queue is closed and empty.
    pub(super) fn take_blocking(&self, now: Instant) -> Option<Group> {
        let mut state = self.state.lock();
        state.rest = state.rest.filter(|until| now < *until);
        loop {
            match state.rest {
                _ if state.waiting == 0 && !state.closed => self.filled.wait(&mut state),
                Some(until) if state.short.is_empty() => {
                    if self.filled.wait_until(&mut state, until).timed_out() {
                        state.rest = None;
                    }
                }
                _ => return state.take(),
            }
        }
    }

    /// Takes nothing long before this instant, unless the queue closes. Only for the thread: a task takes no time.
    pub(super) fn rest_until(&self, until: Instant) {
        let mut state = self.state.lock();
        if !state.closed {
            state.rest = Some(until);
        }
    }

    /// Like [`Queue::take_blocking`], for a task.
    #[cfg(any(test, feature = "simulation"))]
    pub(super) async fn take(&self) -> Option<Group> {
        loop {
            {
                let mut state = self.state.lock();
                if state.waiting > 0 || state.closed {
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
    fn push(&mut self, change: Change) {
        let lane = change.lane;
        let idle = self.lanes[lane].changes.is_empty();
        self.lanes[lane].changes.push_back(change);
        self.waiting += 1;
        if idle {
            self.line_up(lane);
        }
    }

    /// Puts a lane last in the ring of its next change; in none when nothing waits in it.
    fn line_up(&mut self, lane: usize) {
        self.lanes[lane].deficit = 0;
        match self.lanes[lane].changes.front() {
            None => {}
            Some(next) if next.is_long() => {
                if self.long.is_empty() {
                    self.long_from = self.long_from.max(self.round + 1);
                }
                self.long.push_back(lane);
            }
            Some(_) => self.short.push_back(lane),
        }
    }

    /// As many changes as may share a sync, at least one; barriers do not count.
    fn take(&mut self) -> Option<Group> {
        let mut group = Group::default();
        loop {
            let in_line = self.short.is_empty() || (self.round >= self.long_from && !self.in_turn);
            let long_is_due = in_line && self.rest.is_none();
            let goes_on = match (self.long.front(), self.short.front()) {
                (Some(&lane), _) if long_is_due => self.take_long(lane, &mut group),
                (_, Some(&lane)) => self.take_turn(lane, &mut group),
                _ => false,
            };
            if !goes_on {
                return (!group.changes.is_empty()).then_some(group);
            }
        }
    }

    /// Moves the lane's next change, which is long, into the group; false if the group does not take it.
    fn take_long(&mut self, lane: usize, group: &mut Group) -> bool {
        let changes = &mut self.lanes[lane].changes;
        let taken = changes.front().is_some_and(|next| group.takes(next));
        let Some(change) = taken.then(|| changes.pop_front()).flatten() else { return false };
        // So many turns that another lane could have written as much, shared among the lanes that have this.
        let turns = change.batch.bytes().div_ceil(QUANTUM_BYTES).div_ceil(self.long.len());
        self.long_from = self.round + turns as u64;
        if change.batch.bytes() > REST_FROM_BYTES && self.short_since.others_than(lane) {
            group.rest = (REST / u32::try_from(self.long.len()).unwrap_or(REST)).max(1);
        }
        self.short_since = Lanes::None;
        self.waiting -= 1;
        group.add(change);
        self.long.pop_front();
        self.line_up(lane);
        true
    }

    /// Moves what the lane may put into the group in this turn; false if the group takes no more.
    fn take_turn(&mut self, lane: usize, group: &mut Group) -> bool {
        let queued = &mut self.lanes[lane];
        if !self.in_turn {
            self.in_turn = true;
            queued.deficit += QUANTUM_BYTES;
            if self.turns_left == 0 {
                self.turns_left = self.short.len();
            }
        }
        while let Some(next) = queued.changes.front() {
            if next.is_long() || next.batch.bytes() > queued.deficit {
                break;
            }
            if !group.takes(next) {
                return false; // its turn goes on in the next group
            }
            queued.deficit -= next.batch.bytes();
            let Some(change) = queued.changes.pop_front() else { break };
            self.waiting -= 1;
            self.short_since = self.short_since.and(lane);
            group.add(change);
        }
        let left = queued.deficit;
        self.in_turn = false;
        self.short.pop_front();
        self.line_up(lane);
        if self.short.back() == Some(&lane) {
            self.lanes[lane].deficit = left; // what it could not use, because its next change was too long for it
        }
        self.turns_left = self.turns_left.saturating_sub(1).min(self.short.len());
        if self.turns_left == 0 {
            self.round += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests;
