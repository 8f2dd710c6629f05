//! The state of a simulated node. `world` carries out its steps.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::time::Duration;

use place::{Appending, Epoch, Lease, Seen, Watch};

use crate::database::{Image, Op, Record};

/// A simulated instant or duration in microseconds.
pub(crate) type Time = u64;

pub(crate) struct Node {
    pub(crate) is_up: bool,
    /// Increases with each crash, so that a tick that was planned before the crash is ignored.
    pub(crate) life: u32,
    pub(crate) paused_until: Time,
    /// No message between the node and the database arrives before this time.
    pub(crate) cut_until: Time,
    offset: Time,
    /// The speed of the node's clock, in thousandths of the true speed.
    rate: u64,
    pub(crate) image: Image,
    /// Whether the image must be loaded from a snapshot.
    pub(crate) is_broken: bool,
    /// Whether the last read found no problem with the image.
    pub(crate) is_following: bool,
    pub(crate) session: Option<usize>,
    pub(crate) waiting: Option<Waiting>,
    pub(crate) role: Role,
    pub(crate) last_read: Duration,
    pub(crate) wants_snapshot: bool,
}

/// The request in progress. The times are times of the node's clock.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) kind: Kind,
    pub(crate) sent: Duration,
    pub(crate) until: Duration,
    pub(crate) has_freed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Confirm,
    Append,
    Look,
    Read,
    Lock,
    Take,
    Enter,
    Put,
    Truncate,
    Load,
}

pub(crate) enum Role {
    Standby(Watch),
    Taking {
        expected: Seen,
        /// The epoch that the takeover begins.
        epoch: Epoch,
    },
    /// The takeover is acknowledged, and the node is reading the rest of the log.
    Entering {
        epoch: Epoch,
    },
    Active(Box<Active>),
}

pub(crate) struct Active {
    pub(crate) appending: Appending<Rc<Record>>,
    pub(crate) lease: Lease,
    pub(crate) has_started: bool,
    pub(crate) is_leaving: bool,
    pub(crate) hand_over_to: Option<usize>,
    /// Changes that are not in a record yet. The pair contains the client that requested the change, and the number of
    /// the client's request.
    pub(crate) queue: Vec<(Option<(usize, u64)>, Op)>,
    /// The clients that wait for the pending record.
    pub(crate) flight: Vec<(usize, u64)>,
    pub(crate) pending: Option<Rc<Record>>,
    pub(crate) retry: Option<(Duration, Rc<Record>)>,
    pub(crate) last_sent: Duration,
    /// The ids of the undelivered changes: the node's image contains their `Op::Change`, but not their
    /// `Op::Delivered`.
    pub(crate) undelivered: BTreeSet<u64>,
    /// The ids of the changes whose `Op::Delivered` was added to the queue.
    pub(crate) delivered: HashSet<u64>,
}

impl Node {
    pub(crate) fn new(offset: Time, rate: u64, watch: Watch) -> Self {
        Self {
            is_up: true,
            life: 0,
            paused_until: 0,
            cut_until: 0,
            offset,
            rate,
            image: Image::default(),
            is_broken: false,
            is_following: false,
            session: None,
            waiting: None,
            role: Role::Standby(watch),
            last_read: Duration::ZERO,
            wants_snapshot: false,
        }
    }

    /// The reading of the node's own clock at this simulated time.
    pub(crate) fn clock(&self, now: Time) -> Duration {
        Duration::from_micros(self.offset + now * self.rate / 1000)
    }

    pub(crate) fn active(&mut self) -> Option<&mut Active> {
        match &mut self.role {
            Role::Active(active) => Some(active),
            _ => None,
        }
    }

    /// True if the node may answer requests at this time.
    pub(crate) fn serves(&self, now: Time) -> bool {
        match &self.role {
            Role::Active(active) => self.is_up && active.has_started && active.lease.is_held(self.clock(now)),
            _ => false,
        }
    }
}

impl Active {
    pub(crate) fn new(appending: Appending<Rc<Record>>, lease: Lease) -> Self {
        Self {
            appending,
            lease,
            has_started: false,
            is_leaving: false,
            hand_over_to: None,
            queue: Vec::new(),
            flight: Vec::new(),
            pending: None,
            retry: None,
            last_sent: Duration::ZERO,
            undelivered: BTreeSet::new(),
            delivered: HashSet::new(),
        }
    }

    pub(crate) fn note(&mut self, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Change(id) => self.undelivered.insert(*id),
                Op::Delivered(id) => self.undelivered.remove(id),
            };
        }
    }

    /// True if this change is in the queue or in the pending record.
    pub(crate) fn is_open(&self, op: Op) -> bool {
        self.queue.iter().any(|(_, other)| *other == op)
            || self.pending.as_ref().is_some_and(|record| record.ops.contains(&op))
    }
}
