//! The queue of changes. Many threads add changes. Only the committer takes changes, in groups.
//!
//! Each shard of businesses has a *lane*, a queue that preserves the order of its changes. A change above
//! [`QUANTUM_BYTES`] is *long*, all others are *short*. A lane is short if its next change is short,
//! and long if its next change is long. The short lanes take *turns*, of [`QUANTUM_BYTES`] each, in the *short ring*,
//! by deficit round robin (Shreedhar and Varghese, 1995). The long lanes take turns, of one change each, in the *long
//! ring*. Invariants:
//!
//! - A lane with waiting changes is in exactly one ring. An empty lane is in no ring.
//! - If only one lane has changes, it gets all of the committer's time. No short change waits while the committer is
//!   idle.
//! - A short change waits for at most one long change of other lanes.
//! - Over time, a short lane may write as many bytes as a long lane. Let m be the number of long lanes. If short
//!   changes are waiting after a long change of n bytes, each short lane may write about n / m bytes before the next
//!   long change. The short lanes write these bytes in *rounds*. In a round, each short lane takes one turn. Example:
//!   two long lanes write one change of n bytes each. A short lane may write n / 2 bytes after each of the two changes,
//!   so n bytes in all.
//! - After a change of more than [`REST_FROM_BYTES`], the long ring pauses if other lanes wrote short changes since
//!   the previous long change. The pause is a multiple of the time that the write of the change's group took. With m
//!   long lanes, the factor is [`REST`] / m, rounded down, but at least 1. No pause is longer than [`REST_MAX`].
//! - The cost of taking a change does not depend on the number of lanes or changes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use crate::Batch;

pub const GROUP_CHANGES_MAX: usize = 64;

/// The maximum total length of the changes that share one sync. A longer change gets a sync of its own.
pub const GROUP_BYTES_MAX: usize = 64 << 10;

/// The number of lanes. Businesses in one lane share its turns and wait for each other's syncs.
pub(super) const SHARDS: usize = 4096;

/// The number of bytes that a lane may write per turn. It is twice the length of a booking with events for five
/// endpoints.
pub const QUANTUM_BYTES: usize = 8 << 10;

/// The long ring pauses only after changes that are longer than this. A booking with events for all endpoints is
/// shorter, so it causes no pause.
const REST_FROM_BYTES: usize = 32 << 10;

/// The factor for pauses if there is only one long lane: a pause is this many times as long as the write before it. So
/// the long lane uses a tenth of the committer's time.
const REST: u32 = 9;

/// The maximum pause. A pause is a multiple of the duration of a write. If the disk stalls during the write, the pause
/// would be too long without this maximum.
const REST_MAX: Duration = Duration::from_millis(100);

pub type Done = Box<dyn FnOnce() + Send>;

pub(super) struct Change {
    /// The change's number among all changes, starting with 1. The numbers ascend within a lane.
    pub(super) ticket: u64,
    pub(super) lane: usize,
    /// The rows of the change. A barrier has an empty batch: it only waits for the earlier changes of its lane.
    pub(super) batch: Batch,
    pub(super) done: Done,
}

impl Change {
    fn is_long(&self) -> bool {
        self.batch.bytes() > QUANTUM_BYTES
    }
}

#[derive(Default)]
pub(super) struct Group {
    /// The changes of the group. The changes of each lane keep their order. The rows of all changes have been moved to
    /// `batch`.
    pub(super) changes: Vec<Change>,
    pub(super) batch: Batch,
    pub(super) writing: usize,
    short: Lanes,
    /// The length of the pause after this group, as a multiple of the time that the write of the group takes.
    rest: u32,
}

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

    fn others_than(self, lane: usize) -> bool {
        self != Self::None && self != Self::One(lane)
    }
}

impl Group {
    pub(super) fn rest(&self, took: Duration) -> Option<Duration> {
        (self.rest > 0).then(|| took.saturating_mul(self.rest).min(REST_MAX))
    }

    /// True if the change may join the group. A long change must not join a group with short changes of other lanes.
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
    filled: Condvar,
    notify: Notify,
}

#[derive(Default)]
struct Lane {
    changes: VecDeque<Change>,
    deficit: usize,
}

struct State {
    lanes: Box<[Lane]>,
    /// The lanes whose next change is short, in the order of their turns.
    short: VecDeque<usize>,
    /// The lanes whose next change is long, in the order of their turns.
    long: VecDeque<usize>,
    /// True if the first lane of `short` is in the middle of its turn.
    in_turn: bool,
    round: u64,
    turns_left: usize,
    /// The first round in which a long change may be taken although short changes are waiting. If no short change is
    /// waiting, a long change may be taken earlier.
    long_from: u64,
    /// The lanes from which short changes were taken after the last long change. A barrier counts as a short change.
    short_since: Lanes,
    rest: Option<Instant>,
    waiting: usize,
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
    /// Calls the function `before` with the ticket of the change, and then adds the change. A closed queue
    /// drops the change.
    pub(super) fn push(
        &self,
        lane: usize,
        batch: Batch,
        done: Done,
        before: impl FnOnce(u64),
    ) -> Option<u64> {
        let mut state = self.state.lock();
        if state.closed {
            drop(state); // dropping `done` may take other locks
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

    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.rest = None;
        drop(state);
        self.wake();
    }

    /// Closes the queue, and returns the changes that were waiting. `under_lock` runs before other threads see that the
    /// queue is closed.
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

    pub(super) fn len(&self) -> usize {
        self.state.lock().waiting
    }

    /// Blocks the thread until a group is available. Returns `None` once the queue is closed and empty.
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

    /// Pauses the long ring until this instant, or until the queue closes.
    pub(super) fn rest_until(&self, until: Instant) {
        let mut state = self.state.lock();
        if !state.closed {
            state.rest = Some(until);
        }
    }

    #[cfg(any(test, feature = "simulation"))]
    pub(super) async fn take(&self) -> Option<Group> {
        loop {
            {
                let mut state = self.state.lock();
                if state.waiting > 0 || state.closed {
                    return state.take();
                }
            }
            // Only the committer waits here. `notify_one` stores a wake-up that arrives before the wait.
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

    /// Appends a lane to the long ring if the lane's next change is long, and otherwise to the short ring. A lane
    /// without changes is appended to neither ring.
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

    /// Takes as many changes as may share a sync, and any barriers among them. Returns `None` if no change may be
    /// taken.
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

    /// Moves the next change of this lane into the group. The change must be long. Returns false if it cannot join the
    /// group.
    fn take_long(&mut self, lane: usize, group: &mut Group) -> bool {
        let changes = &mut self.lanes[lane].changes;
        let taken = changes.front().is_some_and(|next| group.takes(next));
        let Some(change) = taken.then(|| changes.pop_front()).flatten() else { return false };
        // If short lanes are waiting, the next long change waits for `turns` rounds. In each round, each short lane
        // writes up to `QUANTUM_BYTES`. So in `turns` rounds, a short lane can write about n / m bytes, where n is the
        // size of this change and m is the number of long lanes.
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
                return false; // the turn of the lane continues in the next group
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
            self.lanes[lane].deficit = left; // the unused bytes, too few for the lane's next change
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
