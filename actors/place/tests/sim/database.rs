//! A model of a PostgreSQL primary with a synchronous standby.
//!
//! A commit is *replicated* some time after it was written. Until then it is invisible and holds its locks. A commit
//! becomes visible without replication if its backend is terminated or the primary crashes. A failover keeps all
//! replicated commits. It may keep other commits, but never a commit without all earlier commits. A former primary may
//! still serve connections, but replicates nothing.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use place::{Digest, Epoch, Head, Header, Seen};

use crate::dice::mix;
use crate::faults::Fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Change(u64),
    /// The delivery of this change has succeeded.
    Delivered(u64),
}

#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) header: Header,
    pub(crate) digest: Digest,
    pub(crate) ops: Vec<Op>,
    pub(crate) hands_to: Option<usize>,
}

impl Record {
    pub(crate) fn new(header: Header, ops: Vec<Op>, hands_to: Option<usize>) -> Rc<Self> {
        let mut hash = hash_of(&ops, hands_to.map_or(0, |node| node as u64 + 1));
        let previous = u64::from_be_bytes(header.previous.0[..8].try_into().unwrap());
        let id = u64::from_be_bytes(header.epoch.id[..8].try_into().unwrap());
        for part in [header.epoch.number, id, header.number, previous, u64::from(header.history.0[0])] {
            hash = mix(hash ^ part);
        }
        let mut digest = Digest::default();
        digest.0[..8].copy_from_slice(&hash.to_be_bytes());
        Rc::new(Self { header, digest, ops, hands_to })
    }

    pub(crate) fn head(&self) -> Head {
        Head { number: self.header.number, digest: self.digest }
    }
}

fn hash_of(ops: &[Op], start: u64) -> u64 {
    ops.iter().fold(start, |hash, op| match op {
        Op::Change(id) => mix(hash ^ (id << 1)),
        Op::Delivered(id) => mix(hash ^ (id << 1 | 1)),
    })
}

/// The rows of a node. `trail` has an entry for each applied record: the head, the state and the length of `ops` after
/// that record. With these entries, a crash can revert the image to an earlier record.
#[derive(Clone, Default)]
pub(crate) struct Image {
    pub(crate) ops: Vec<Op>,
    pub(crate) trail: Vec<(Head, u64, usize)>,
}

impl Image {
    pub(crate) fn head(&self) -> Head {
        self.trail.last().map_or(Head::default(), |(head, ..)| *head)
    }

    /// A hash of all rows.
    pub(crate) fn state(&self) -> u64 {
        self.trail.last().map_or(0, |(_, state, _)| *state)
    }

    pub(crate) fn apply(&mut self, record: &Record) {
        let state = hash_of(&record.ops, self.state());
        self.ops.extend(&record.ops);
        self.trail.push((record.head(), state, self.ops.len()));
    }

    pub(crate) fn take_back(&mut self, records: usize) {
        self.trail.truncate(self.trail.len().saturating_sub(records));
        self.ops.truncate(self.trail.last().map_or(0, |(.., ops)| *ops));
    }

    pub(crate) fn contains(&self, op: Op) -> bool {
        self.ops.contains(&op)
    }
}

#[derive(Clone)]
pub(crate) enum Txn {
    Append(Rc<Record>),
    Take {
        epoch: Epoch,
    },
    Snapshot(Rc<Image>),
    Truncate {
        below: u64,
    },
    /// A node has changed its own row.
    Seen,
}

#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) epoch: Epoch,
    pub(crate) log: BTreeMap<u64, Rc<Record>>,
    pub(crate) snapshot: Option<Rc<Image>>,
}

impl State {
    fn apply(&mut self, txn: &Txn) {
        match txn {
            Txn::Append(record) => drop(self.log.insert(record.header.number, Rc::clone(record))),
            Txn::Take { epoch } => self.epoch = *epoch,
            Txn::Snapshot(image) => {
                let newest = self.snapshot.as_ref().map_or(0, |image| image.head().number);
                if image.head().number > newest {
                    self.snapshot = Some(Rc::clone(image));
                }
            }
            Txn::Truncate { below } => self.log = self.log.split_off(below),
            Txn::Seen => {}
        }
    }
}

#[derive(Clone)]
pub(crate) enum Request {
    /// Terminates the other sessions of the same node, and commits a change of the node's own row. The model does not
    /// store this row.
    Confirm,
    Append {
        epoch: Epoch,
        record: Rc<Record>,
    },
    Read {
        from: u64,
    },
    Lock,
    Take {
        epoch: Epoch,
    },
    Unlock,
    /// Stores a snapshot, provided that the log contains the newest record of the snapshot.
    Put(Rc<Image>),
    Truncate,
    Load,
}

#[derive(Clone)]
pub(crate) enum Reply {
    Acknowledged,
    NotInserted,
    Taken,
    Refused,
    Page(Answer),
    Locked(Answer),
    Loaded(Option<Rc<Image>>),
}

/// The state of the log, and its records, beginning with the record that has the requested number.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) epoch: Epoch,
    pub(crate) first: u64,
    pub(crate) end: Head,
    pub(crate) hands_to: Option<usize>,
    pub(crate) records: Vec<Rc<Record>>,
}

impl Answer {
    pub(crate) fn seen_by(&self, node: usize) -> Seen {
        Seen { epoch: self.epoch, newest: self.end, is_handed_over: self.hands_to == Some(node) }
    }
}

pub(crate) enum Effect {
    Reply(usize, Reply),
    Closed(usize),
    /// An instance has written a commit. `world` later calls [`Database::replicate`] for it.
    Written {
        instance: usize,
        entry: usize,
    },
}

enum Doing {
    Nothing,
    Waiting(Request),
    Syncing { entry: usize },
}

pub(crate) struct Session {
    pub(crate) node: usize,
    pub(crate) instance: usize,
    pub(crate) is_open: bool,
    doing: Doing,
}

#[derive(Default)]
pub(crate) struct Instance {
    pub(crate) wal: Vec<Txn>,
    visible: Vec<bool>,
    pub(crate) replicated: usize,
    pub(crate) state: State,
    lock: Option<usize>,
    waiting: VecDeque<usize>,
    pub(crate) is_dead: bool,
}

#[derive(Default)]
pub(crate) struct Database {
    pub(crate) instances: Vec<Instance>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) is_full: bool,
    pub(crate) fault: Option<Fault>,
    /// The number of records that the primary accepted although their epoch was not the place's current
    /// epoch.
    pub(crate) foreign_epochs: usize,
    /// The number of commits of the primary that [`Database::newly_replicated`] has processed.
    reported: usize,
}

impl Database {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        Self { instances: vec![Instance::default()], fault, ..Self::default() }
    }

    /// The index of the primary. Earlier instances are former primaries.
    pub(crate) fn primary(&self) -> usize {
        self.instances.len() - 1
    }

    pub(crate) fn connect(&mut self, node: usize, instance: usize) -> usize {
        self.sessions.push(Session { node, instance, is_open: true, doing: Doing::Nothing });
        self.sessions.len() - 1
    }

    pub(crate) fn handle(&mut self, session: usize, request: Request, effects: &mut Vec<Effect>) {
        let (node, at) = (self.sessions[session].node, self.sessions[session].instance);
        if !self.sessions[session].is_open || self.instances[at].is_dead {
            return effects.push(Effect::Closed(session));
        }
        let instance = &mut self.instances[at];
        match request {
            Request::Lock | Request::Append { .. } if instance.lock.is_some() => {
                instance.waiting.push_back(session);
                self.sessions[session].doing = Doing::Waiting(request);
            }
            Request::Lock | Request::Append { .. } => {
                instance.lock = Some(session);
                self.run(session, request, effects);
            }
            Request::Confirm => {
                let others: Vec<_> = (0..self.sessions.len())
                    .filter(|other| *other != session)
                    .filter(|other| self.sessions[*other].is_open)
                    .filter(|other| {
                        (self.sessions[*other].node, self.sessions[*other].instance) == (node, at)
                    })
                    .collect();
                for other in others {
                    self.terminate(other, effects);
                }
                self.commit(session, Txn::Seen, effects);
            }
            Request::Take { epoch } if instance.lock == Some(session) => {
                self.commit(session, Txn::Take { epoch }, effects);
            }
            Request::Take { .. } => self.terminate(session, effects),
            Request::Unlock => self.release(at, session, effects),
            Request::Read { from } => {
                let page = Reply::Page(instance.page(from));
                effects.push(Effect::Reply(session, page));
            }
            Request::Put(image)
                if instance.state.log.get(&image.head().number).map(|record| record.head())
                    != Some(image.head()) =>
            {
                effects.push(Effect::Reply(session, Reply::Refused));
            }
            Request::Put(mut image) => {
                if self.fault == Some(Fault::SnapshotUnderAWrongNumber) {
                    let next = self.instances[at].state.log.get(&(image.head().number + 1)).cloned();
                    if let (Some(next), Some(last)) = (next, Rc::make_mut(&mut image).trail.last_mut()) {
                        last.0 = next.head();
                    }
                }
                self.commit(session, Txn::Snapshot(image), effects);
            }
            Request::Truncate => {
                let state = &instance.state;
                let end = state.log.last_key_value().map_or(0, |(number, _)| *number);
                let snapshot = state.snapshot.as_ref().map_or(0, |image| image.head().number);
                let past = if self.fault == Some(Fault::TruncationPastTheSnapshot) { 3 } else { 0 };
                self.commit(session, Txn::Truncate { below: end.min(snapshot + past) }, effects);
            }
            Request::Load => {
                let snapshot = instance.state.snapshot.clone();
                effects.push(Effect::Reply(session, Reply::Loaded(snapshot)));
            }
        }
    }

    /// Carries out a request whose session holds the lock of the place.
    fn run(&mut self, session: usize, request: Request, effects: &mut Vec<Effect>) {
        self.sessions[session].doing = Doing::Nothing;
        let at = self.sessions[session].instance;
        let state = &self.instances[at].state;
        let Request::Append { epoch, record } = request else {
            let page = Reply::Locked(self.instances[at].page(u64::MAX));
            return effects.push(Effect::Reply(session, page));
        };
        let reply = if epoch != state.epoch && self.fault != Some(Fault::NoEpoch) {
            Reply::NotInserted
        } else if state.log.contains_key(&record.header.number) {
            Reply::Taken
        } else if self.is_full {
            Reply::Refused
        } else {
            self.foreign_epochs += usize::from(epoch != state.epoch && at == self.primary());
            return self.commit(session, Txn::Append(record), effects);
        };
        effects.push(Effect::Reply(session, reply));
        self.release(at, session, effects);
    }

    fn commit(&mut self, session: usize, txn: Txn, effects: &mut Vec<Effect>) {
        let at = self.sessions[session].instance;
        let instance = &mut self.instances[at];
        instance.wal.push(txn);
        instance.visible.push(false);
        let entry = instance.wal.len() - 1;
        self.sessions[session].doing = Doing::Syncing { entry };
        effects.push(Effect::Written { instance: at, entry });
    }

    /// Replicates all commits up to `entry`. Acknowledges them to the sessions that wait for them.
    pub(crate) fn replicate(&mut self, at: usize, entry: usize, effects: &mut Vec<Effect>) {
        if at != self.primary() || self.instances[at].replicated > entry {
            return;
        }
        let earlier = std::mem::replace(&mut self.instances[at].replicated, entry + 1);
        for earlier in earlier..=entry {
            self.instances[at].show(earlier);
        }
        for session in 0..self.sessions.len() {
            let Session { instance, is_open: true, doing: Doing::Syncing { entry: other }, .. } =
                &self.sessions[session]
            else {
                continue;
            };
            if *instance == at && *other <= entry {
                self.sessions[session].doing = Doing::Nothing;
                effects.push(Effect::Reply(session, Reply::Acknowledged));
                self.release(at, session, effects);
            }
        }
    }

    fn release(&mut self, at: usize, session: usize, effects: &mut Vec<Effect>) {
        if self.instances[at].lock != Some(session) {
            return;
        }
        self.instances[at].lock = None;
        while let Some(next) = self.instances[at].waiting.pop_front() {
            let waits = matches!(self.sessions[next].doing, Doing::Waiting(_)) && self.sessions[next].is_open;
            if !waits {
                continue;
            }
            let doing = std::mem::replace(&mut self.sessions[next].doing, Doing::Nothing);
            if let Doing::Waiting(request) = doing {
                self.instances[at].lock = Some(next);
                return self.run(next, request, effects);
            }
        }
    }

    /// Terminates a backend. If its commit waits for the replication, the commit becomes visible.
    pub(crate) fn terminate(&mut self, session: usize, effects: &mut Vec<Effect>) {
        let Session { instance: at, is_open, ref doing, .. } = self.sessions[session];
        if !is_open {
            return;
        }
        if let Doing::Syncing { entry } = *doing {
            self.instances[at].show(entry);
        }
        self.sessions[session].is_open = false;
        effects.push(Effect::Closed(session));
        self.release(at, session, effects);
    }

    /// If session `blocked` waits for the lock, terminates the backend of the session that holds the lock. If this
    /// backend waits for the replication of its commit, it is terminated only if `even_syncing` is true.
    pub(crate) fn free_lock(&mut self, blocked: usize, even_syncing: bool, effects: &mut Vec<Effect>) {
        let Session { instance, is_open: true, doing: Doing::Waiting(_), .. } = self.sessions[blocked] else {
            return;
        };
        let Some(holder) = self.instances[instance].lock else { return };
        if even_syncing || !matches!(self.sessions[holder].doing, Doing::Syncing { .. }) {
            self.terminate(holder, effects);
        }
    }

    /// The primary crashes and starts again: all written commits become visible, and all connections end.
    pub(crate) fn restart(&mut self, effects: &mut Vec<Effect>) {
        let at = self.primary();
        for entry in 0..self.instances[at].wal.len() {
            self.instances[at].show(entry);
        }
        self.close_sessions(at, effects);
    }

    /// Fails over to a new primary, which has only the first `kept` commits.
    pub(crate) fn fail_over(&mut self, kept: usize) {
        let former = &self.instances[self.primary()];
        let wal = former.wal[..kept].to_vec();
        let mut state = State::default();
        for txn in &wal {
            state.apply(txn);
        }
        self.reported = self.reported.min(kept);
        let visible = vec![true; kept];
        self.instances.push(Instance { wal, visible, replicated: kept, state, ..Instance::default() });
    }

    /// Ends a former primary.
    pub(crate) fn kill(&mut self, at: usize, effects: &mut Vec<Effect>) {
        self.instances[at].is_dead = true;
        self.close_sessions(at, effects);
    }

    fn close_sessions(&mut self, at: usize, effects: &mut Vec<Effect>) {
        self.instances[at].lock = None;
        self.instances[at].waiting.clear();
        for (number, session) in self.sessions.iter_mut().enumerate() {
            if session.instance == at && session.is_open {
                session.is_open = false;
                effects.push(Effect::Closed(number));
            }
        }
    }

    /// The records that have been replicated since the last call.
    pub(crate) fn newly_replicated(&mut self) -> Vec<Rc<Record>> {
        let instance = &self.instances[self.primary()];
        let new = instance.wal[self.reported..instance.replicated].iter().filter_map(|txn| match txn {
            Txn::Append(record) => Some(Rc::clone(record)),
            _ => None,
        });
        let new = new.collect();
        self.reported = instance.replicated;
        new
    }
}

impl Instance {
    fn show(&mut self, entry: usize) {
        if !std::mem::replace(&mut self.visible[entry], true) {
            self.state.apply(&self.wal[entry]);
        }
    }

    fn page(&self, from: u64) -> Answer {
        let log = &self.state.log;
        let newest = log.last_key_value().map(|(_, record)| record);
        Answer {
            epoch: self.state.epoch,
            first: log.first_key_value().map_or(1, |(number, _)| *number),
            end: newest.map_or(Head::default(), |record| record.head()),
            hands_to: newest.and_then(|record| record.hands_to),
            records: log.range(from..).map(|(_, record)| Rc::clone(record)).collect(),
        }
    }
}
