//! A run of the simulation, with its nodes, its clients, its network and its faults.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use place::{Appending, Epoch, Event as Outcome, Found, History, Lease, Next, Page, Step, Timing, Watch};

use crate::check::Check;
use crate::database::{Answer, Database, Effect, Op, Record, Reply, Request};
use crate::dice::Dice;
use crate::faults::Fault;
use crate::node::{Active, Kind, Node, Role, Time, Waiting};

const MS: Time = 1000;
const SECOND: Time = 1000 * MS;
/// The faults end at this time.
const FAULTS_END: Time = 40 * SECOND;
const CLIENTS_END: Time = 70 * SECOND;
const RUN_ENDS: Time = 100 * SECOND;

const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
const READ_EVERY: Duration = Duration::from_millis(250);
const REQUEST_TIME_MAX: Duration = Duration::from_secs(2);
const LOCK_TIME_MAX: Duration = Duration::from_secs(5);
const FREE_LOCK_AFTER: Duration = Duration::from_secs(1);
const RECORD_OPS_MAX: usize = 8;

const TROUBLES: usize = 11;

enum Event {
    Tick { node: usize, life: u32 },
    Request { session: usize, request: Request },
    Reply { session: usize, reply: Reply },
    Closed { session: usize },
    Replicated { instance: usize, entry: usize },
    FreeLock { session: usize, even_syncing: bool },
    Ask { node: usize, client: usize, request: u64, change: Option<u64>, floor: u64 },
    Response { client: usize, request: u64, response: Response },
    Wake { client: usize },
    Timeout { client: usize, request: u64 },
    Trouble,
    Restart { node: usize },
    Kill { instance: usize },
    Quiet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Response {
    Done,
    /// 503: nothing was changed.
    Away,
    /// 500: the outcome is unknown.
    Unknown,
}

#[derive(Default)]
struct Client {
    /// The number of the newest request.
    request: u64,
    /// The change that the client tries to make, or `None` during a read.
    change: Option<u64>,
    is_busy: bool,
    node: usize,
    tries: u32,
    /// Whether every request about this change so far was answered with [`Response::Away`].
    is_refused: bool,
}

/// The number of times that runs have reached each situation. The test fails if a situation is too rare.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) acknowledged: usize,
    pub(crate) reads: usize,
    pub(crate) takeovers: usize,
    pub(crate) hand_overs: usize,
    pub(crate) outcomes_looked_up: usize,
    pub(crate) found_visible: usize,
    pub(crate) failovers: usize,
    pub(crate) commits_dropped: usize,
    pub(crate) rebuilt: usize,
    pub(crate) snapshots: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.reads += other.reads;
        self.takeovers += other.takeovers;
        self.hand_overs += other.hand_overs;
        self.outcomes_looked_up += other.outcomes_looked_up;
        self.found_visible += other.found_visible;
        self.failovers += other.failovers;
        self.commits_dropped += other.commits_dropped;
        self.rebuilt += other.rebuilt;
        self.snapshots += other.snapshots;
    }
}

pub(crate) struct World {
    dice: Dice,
    now: Time,
    serial: u64,
    events: BTreeMap<(Time, u64), Event>,
    database: Database,
    nodes: Vec<Node>,
    clients: Vec<Client>,
    check: Check,
    fault: Option<Fault>,
    timing: Timing,
    troubles: Vec<usize>,
    /// Whether failovers may lose replicated commits.
    may_lose: bool,
    former: Option<usize>,
    stalled_until: Time,
    slow_until: Time,
    next_change: u64,
    pub(crate) tally: Tally,
    trace: bool,
}

impl World {
    pub(crate) fn new(seed: u64, fault: Option<Fault>, trace: bool) -> Self {
        let mut dice = Dice(seed);
        let timing = Timing { takeover_after: Duration::from_secs(dice.between(3, 6)) };
        let extremes = dice.one_in(3);
        let nodes = (0..dice.between(2, 4)).map(|_| {
            let rate = if extremes { [800, 1250][dice.below(2)] } else { dice.between(800, 1250) };
            Node::new(dice.below(1_000_000_000) as Time, rate, Watch::new(timing))
        });
        let nodes: Vec<_> = nodes.collect();
        let mut troubles: Vec<_> = (0..TROUBLES).filter(|_| !dice.one_in(3)).collect();
        troubles.push(dice.below(TROUBLES));
        let may_lose = dice.one_in(8);
        let clients = (0..dice.between(1, 4)).map(|_| Client::default()).collect();
        let mut world = Self {
            now: 0,
            serial: 0,
            events: BTreeMap::new(),
            database: Database::new(fault),
            nodes,
            clients,
            check: Check::default(),
            fault,
            timing,
            troubles,
            may_lose,
            former: None,
            stalled_until: 0,
            slow_until: 0,
            next_change: 1,
            tally: Tally::default(),
            trace,
            dice,
        };
        for node in 0..world.nodes.len() {
            world.after(0, Event::Tick { node, life: 0 });
        }
        for client in 0..world.clients.len() {
            world.after(SECOND, Event::Wake { client });
        }
        world.after(5 * SECOND, Event::Trouble);
        world.after(FAULTS_END, Event::Quiet);
        world
    }

    /// Runs to the end. Returns the first violation.
    pub(crate) fn run(&mut self) -> Result<(), String> {
        while let Some(((at, _), event)) = self.events.pop_first() {
            if at > RUN_ENDS || self.check.violation.is_some() {
                break;
            }
            self.now = at;
            self.handle(event);
        }
        if self.check.violation.is_none() {
            self.finish();
        }
        match self.check.violation.take() {
            Some(violation) => Err(format!("at {} ms: {violation}", self.now / MS)),
            None => Ok(()),
        }
    }

    fn finish(&mut self) {
        self.check.finish();
        if self.database.foreign_epochs > 0 {
            self.check.fail("the log contains a record of an earlier epoch");
        }
        if !(0..self.nodes.len()).any(|node| self.nodes[node].serves(self.now)) {
            self.check.fail("no node serves at the end");
        }
        let end = self.check.truth.head().number;
        for node in 0..self.nodes.len() {
            let number = self.nodes[node].image.head().number;
            if number + 3 < end {
                self.check.fail(format!("the image of node {node} ends at {number} of {end}"));
            }
        }
        if self.clients.iter().any(|client| client.is_busy) {
            self.check.fail("a request got no answer");
        }
    }

    fn after(&mut self, wait: Time, event: Event) {
        self.serial += 1;
        self.events.insert((self.now + wait, self.serial), event);
    }

    fn say(&self, what: impl FnOnce() -> String) {
        if self.trace {
            eprintln!("{:>9.3} {}", self.now as f64 / 1e6, what());
        }
    }

    fn is_quiet(&self) -> bool {
        self.now >= FAULTS_END
    }

    /// The time that a message between a node and the database takes, or `None` if it is lost.
    fn travel(&mut self, node: usize) -> Option<Time> {
        let cut = self.nodes[node].cut_until.saturating_sub(self.now);
        if cut > 0 && self.dice.one_in(2) {
            return None;
        }
        let slow = self.now < self.slow_until && self.dice.one_in(3);
        Some(
            cut + if slow { self.dice.between(100 * MS, 4 * SECOND) } else { self.dice.between(200, 8 * MS) },
        )
    }

    fn handle(&mut self, event: Event) {
        let concerned = match &event {
            Event::Tick { node, .. } | Event::Ask { node, .. } => Some(*node),
            Event::Reply { session, .. } | Event::Closed { session } => {
                Some(self.database.sessions[*session].node)
            }
            _ => None,
        };
        if let Some(node) = concerned {
            let pause = self.nodes[node].paused_until.saturating_sub(self.now);
            if pause > 0 {
                return self.after(pause, event);
            }
            if !self.nodes[node].is_up {
                return;
            }
        }
        let mut effects = Vec::new();
        match event {
            Event::Tick { node, life } if life == self.nodes[node].life => {
                let wait = self.dice.between(50 * MS, 150 * MS);
                self.after(wait, Event::Tick { node, life });
                self.tick(node);
            }
            Event::Tick { .. } => {}
            Event::Request { session, request } => self.database.handle(session, request, &mut effects),
            Event::Reply { session, reply } => {
                let node = self.database.sessions[session].node;
                if self.nodes[node].session == Some(session)
                    && let Some(waiting) = self.nodes[node].waiting.take()
                {
                    self.reply(node, waiting, reply);
                }
            }
            Event::Closed { session } => {
                let node = self.database.sessions[session].node;
                if self.nodes[node].session == Some(session) {
                    self.lost(node);
                }
            }
            Event::Replicated { instance, entry } => self.database.replicate(instance, entry, &mut effects),
            Event::FreeLock { session, even_syncing } => {
                self.database.free_lock(session, even_syncing, &mut effects);
            }
            Event::Ask { node, client, request, change, floor } => {
                self.ask(node, (client, request), change, floor);
            }
            Event::Response { client, request, response } => self.receive(client, request, response),
            Event::Wake { client } => self.wake(client),
            Event::Timeout { client, request } => self.receive(client, request, Response::Unknown),
            Event::Trouble if !self.is_quiet() => {
                let wait = self.dice.between(200 * MS, 3 * SECOND);
                self.after(wait, Event::Trouble);
                self.trouble(&mut effects);
            }
            Event::Trouble => {}
            Event::Restart { node } => {
                self.nodes[node].is_up = true;
                let life = self.nodes[node].life;
                self.after(0, Event::Tick { node, life });
            }
            Event::Kill { instance } => {
                self.database.kill(instance, &mut effects);
                if self.former == Some(instance) {
                    self.former = None;
                }
            }
            Event::Quiet => {
                for node in &mut self.nodes {
                    (node.cut_until, node.paused_until) = (0, 0);
                }
                (self.stalled_until, self.slow_until, self.database.is_full) = (0, 0, false);
                if let Some(former) = self.former.take() {
                    self.database.kill(former, &mut effects);
                }
            }
        }
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let (session, event) = match effect {
                Effect::Written { instance, entry } => {
                    if instance == self.database.primary() {
                        let stall = self.stalled_until.saturating_sub(self.now);
                        let wait = stall + self.dice.between(500, 5 * MS);
                        self.after(wait, Event::Replicated { instance, entry });
                    }
                    continue;
                }
                Effect::Reply(session, reply) => (session, Event::Reply { session, reply }),
                Effect::Closed(session) => (session, Event::Closed { session }),
            };
            if let Some(travel) = self.travel(self.database.sessions[session].node) {
                self.after(travel, event);
            }
        }
        for record in self.database.newly_replicated() {
            self.check.replicated(&record);
        }
    }

    fn trouble(&mut self, effects: &mut Vec<Effect>) {
        let kind = self.troubles[self.dice.below(self.troubles.len())];
        let node = self.dice.below(self.nodes.len());
        let short = self.dice.between(200 * MS, 3 * SECOND);
        let long = self.dice.between(SECOND, 15 * SECOND);
        self.say(|| format!("trouble {kind} node {node} short {short} long {long}"));
        match kind {
            0 => {
                let very_long = self.dice.between(2 * SECOND, 30 * SECOND);
                let pause = if self.dice.one_in(2) { short } else { very_long };
                self.nodes[node].paused_until = self.now + pause;
            }
            1 if self.nodes[node].is_up => {
                self.crash(node);
                self.after(short, Event::Restart { node });
            }
            2 => self.nodes[node].cut_until = self.now + long,
            3 => {
                let open: Vec<_> = (0..self.database.sessions.len())
                    .filter(|at| self.database.sessions[*at].is_open)
                    .collect();
                if !open.is_empty() {
                    let session = open[self.dice.below(open.len())];
                    self.database.terminate(session, effects);
                }
            }
            4 => self.database.restart(effects),
            5 => self.fail_over(effects),
            6 => self.stalled_until = self.now + long.min(10 * SECOND),
            7 => self.database.is_full = !self.database.is_full,
            8 => {
                let to = self.dice.below(self.nodes.len());
                if let Some(active) = self.nodes.iter_mut().find_map(Node::active) {
                    active.hand_over_to = Some(to);
                }
            }
            9 => self.nodes[node].wants_snapshot = true,
            10 => self.slow_until = self.now + long,
            _ => {}
        }
    }

    fn crash(&mut self, node: usize) {
        let watch = Watch::new(self.timing);
        let back = self.dice.below(4);
        let is_lost = self.dice.one_in(6);
        let node = &mut self.nodes[node];
        (node.is_up, node.is_broken, node.is_following) = (false, is_lost, false);
        node.life += 1;
        (node.session, node.waiting, node.role) = (None, None, Role::Standby(watch));
        node.image.take_back(if is_lost { usize::MAX } else { back });
    }

    fn fail_over(&mut self, effects: &mut Vec<Effect>) {
        let primary = self.database.primary();
        let (replicated, written) =
            (self.database.instances[primary].replicated, self.database.instances[primary].wal.len());
        let loses = self.may_lose && self.dice.one_in(3);
        let from = if loses { replicated.saturating_sub(8) } else { replicated };
        let kept = self.dice.between(from as u64, written as u64) as usize;
        self.tally.failovers += 1;
        self.tally.commits_dropped += written - kept;
        self.say(|| format!("failover keeps {kept} of {written}, {replicated} were replicated"));
        self.database.fail_over(kept);
        if kept < replicated {
            let through = self.database.instances[primary + 1].state.log.last_key_value();
            self.check.lose(through.map_or(0, |(number, _)| *number));
        }
        if let Some(former) = self.former.take() {
            self.database.kill(former, effects);
        }
        if self.dice.one_in(2) {
            self.former = Some(primary);
            let wait = self.dice.between(SECOND, 15 * SECOND);
            self.after(wait, Event::Kill { instance: primary });
        } else {
            self.database.kill(primary, effects);
        }
    }

    fn send(&mut self, node: usize, kind: Kind, request: Request) {
        let Some(session) = self.nodes[node].session else { return };
        let sent = self.nodes[node].clock(self.now);
        let time_max = if kind == Kind::Lock { LOCK_TIME_MAX } else { REQUEST_TIME_MAX };
        self.nodes[node].waiting = Some(Waiting { kind, sent, until: sent + time_max, has_freed: false });
        if let Some(travel) = self.travel(node) {
            self.after(travel, Event::Request { session, request });
        }
    }

    fn open(&mut self, node: usize) {
        let to_former = self.former.filter(|_| self.dice.one_in(2));
        let instance = to_former.unwrap_or(self.database.primary());
        self.nodes[node].session = Some(self.database.connect(node, instance));
    }

    fn lost(&mut self, node: usize) {
        let watch = Watch::new(self.timing);
        let lost = &mut self.nodes[node];
        (lost.session, lost.waiting) = (None, None);
        match &mut lost.role {
            Role::Standby(_) | Role::Entering { .. } => {}
            Role::Taking { .. } => lost.role = Role::Standby(watch),
            Role::Active(active) => {
                active.retry = None;
                let step = active.appending.on(Outcome::Lost);
                self.step(node, step);
            }
        }
    }

    fn tick(&mut self, node: usize) {
        let now = self.nodes[node].clock(self.now);
        if let Some(waiting) = self.nodes[node].waiting {
            if now >= waiting.until {
                return self.lost(node);
            }
            let is_blocked = matches!(waiting.kind, Kind::Lock | Kind::Append);
            if is_blocked && now >= waiting.sent + FREE_LOCK_AFTER && !waiting.has_freed {
                self.nodes[node].waiting = Some(Waiting { has_freed: true, ..waiting });
                if let (Some(session), Some(travel)) = (self.nodes[node].session, self.travel(node)) {
                    self.after(
                        travel,
                        Event::FreeLock { session, even_syncing: waiting.kind == Kind::Append },
                    );
                }
            }
        }
        if matches!(self.nodes[node].role, Role::Active(_)) {
            return self.tick_active(node, now);
        }
        if self.nodes[node].waiting.is_some() {
            return;
        }
        if self.nodes[node].session.is_none() {
            self.open(node);
            if self.fault != Some(Fault::UnprovenReading) {
                return self.send(node, Kind::Confirm, Request::Confirm);
            }
        }
        let image = self.nodes[node].image.head().number;
        if self.nodes[node].is_broken {
            return self.send(node, Kind::Load, Request::Load);
        }
        match &self.nodes[node].role {
            Role::Entering { .. } => self.send(node, Kind::Enter, Request::Read { from: image }),
            Role::Standby(watch) => match watch.due(now) {
                Some(expected) if self.nodes[node].is_following => {
                    self.nodes[node].role = Role::Taking { expected, epoch: Epoch::default() };
                    self.send(node, Kind::Lock, Request::Lock);
                }
                _ if self.nodes[node].wants_snapshot && image > 0 => {
                    self.nodes[node].wants_snapshot = false;
                    let image = Rc::new(self.nodes[node].image.clone());
                    self.tally.snapshots += 1;
                    self.send(node, Kind::Put, Request::Put(image));
                }
                _ if now >= self.nodes[node].last_read + READ_EVERY => {
                    self.nodes[node].last_read = now;
                    self.send(node, Kind::Read, Request::Read { from: image });
                }
                _ => {}
            },
            Role::Taking { .. } | Role::Active(_) => {}
        }
    }

    fn tick_active(&mut self, node: usize, now: Duration) {
        let serves = self.nodes[node].serves(self.now);
        let mut responses = Vec::new();
        let Role::Active(active) = &mut self.nodes[node].role else { return };
        if !serves {
            responses.extend(active.flight.drain(..).map(|client| (client, Response::Unknown)));
            responses
                .extend(active.queue.drain(..).filter_map(|(client, _)| Some((client?, Response::Away))));
            active.delivered.clear();
        } else if !active.is_leaving {
            let undelivered = active.undelivered.iter().copied().find(|id| !active.delivered.contains(id));
            if let Some(id) = undelivered {
                self.check.deliver(id);
                active.delivered.insert(id);
                active.queue.push((None, Op::Delivered(id)));
            }
        }
        let mut step = Step::Wait;
        if let Some((at, record)) = active.retry.clone() {
            if now >= at {
                active.retry = None;
                step = Step::Append(record);
            }
        } else if active.appending.is_ready() && self.nodes[node].waiting.is_none() {
            let Role::Active(active) = &mut self.nodes[node].role else { return };
            let hands_to = active.hand_over_to.take_if(|_| serves);
            if hands_to.is_some() {
                active.lease.end();
                active.is_leaving = true;
                self.tally.hand_overs += 1;
            }
            let is_due = hands_to.is_some() || now >= active.last_sent + HEARTBEAT_EVERY;
            if is_due || !active.queue.is_empty() {
                let count = active.queue.len().min(RECORD_OPS_MAX);
                let (clients, ops): (Vec<_>, Vec<_>) = active.queue.drain(..count).unzip();
                active.flight = clients.into_iter().flatten().collect();
                let record = Record::new(active.appending.header(), ops, hands_to);
                active.pending = Some(Rc::clone(&record));
                step = active.appending.append(Rc::clone(&record), record.digest, now);
            }
        }
        for ((client, request), response) in responses {
            self.answer(client, request, response);
        }
        self.step(node, step);
    }

    fn step(&mut self, node: usize, step: Step<Rc<Record>>) {
        let now = self.nodes[node].clock(self.now);
        let Some(active) = self.nodes[node].active() else { return };
        let epoch = active.appending.epoch();
        match step {
            Step::Append(record) => {
                active.last_sent = now;
                self.send(node, Kind::Append, Request::Append { epoch, record });
            }
            Step::Retry(record) => active.retry = Some((now + Duration::from_millis(300), record)),
            Step::Committed { record, sent, .. } => {
                active.lease.acknowledged(match self.fault {
                    Some(Fault::LeaseFromTheReply) => now,
                    Some(Fault::LeaseFromTheRepetition) => active.last_sent,
                    _ => sent,
                });
                active.has_started = true;
                active.pending = None;
                active.note(&record.ops);
                let flight = std::mem::take(&mut active.flight);
                let is_leaving = active.is_leaving;
                self.nodes[node].image.apply(&record);
                self.check.image(node, &self.nodes[node].image);
                if self.nodes[node].serves(self.now) {
                    self.check_alone(node);
                }
                for op in &record.ops {
                    if let Op::Change(id) = op
                        && !flight.is_empty()
                    {
                        self.check.acknowledge(*id, record.header.number);
                        self.tally.acknowledged += 1;
                    }
                }
                for (client, request) in flight {
                    self.answer(client, request, Response::Done);
                }
                if is_leaving {
                    self.retire(node);
                }
            }
            Step::Connect => {
                self.tally.outcomes_looked_up += 1;
                self.open(node);
                if self.fault == Some(Fault::OutcomeByReading) {
                    let Some(active) = self.nodes[node].active() else { return };
                    let step = active.appending.on(Outcome::Connected);
                    return self.step(node, step);
                }
                self.send(node, Kind::Confirm, Request::Confirm);
            }
            Step::Look => {
                let from = active.appending.looks_from();
                self.send(node, Kind::Look, Request::Read { from });
            }
            Step::Fenced => self.retire(node),
            Step::SetBack { acknowledged, end } => {
                self.check.fail_if_whole(format!(
                    "node {node} misses record {acknowledged}, the log ends at {end}"
                ));
                self.retire(node);
            }
            Step::Wait => {}
        }
    }

    /// Ends the node's active role. The clients of the pending record get [`Response::Unknown`], and the clients of
    /// queued changes get [`Response::Away`].
    fn retire(&mut self, node: usize) {
        self.say(|| format!("node {node} is not active any more"));
        let watch = Role::Standby(Watch::new(self.timing));
        let Role::Active(active) = std::mem::replace(&mut self.nodes[node].role, watch) else { return };
        for (client, request) in active.flight {
            self.answer(client, request, Response::Unknown);
        }
        for (client, request) in active.queue.into_iter().filter_map(|(client, _)| client) {
            self.answer(client, request, Response::Away);
        }
        self.nodes[node].is_following = false;
    }

    /// Checks that no other node serves while this node serves.
    fn check_alone(&mut self, node: usize) {
        for other in (0..self.nodes.len()).filter(|other| *other != node) {
            if self.nodes[other].serves(self.now) {
                self.check.fail_if_whole(format!("nodes {node} and {other} serve at the same time"));
            }
        }
    }

    fn reply(&mut self, node: usize, waiting: Waiting, reply: Reply) {
        let now = self.nodes[node].clock(self.now);
        let image = self.nodes[node].image.head().number;
        match (waiting.kind, reply) {
            (Kind::Confirm, Reply::Acknowledged) => {
                self.outcome(node, Outcome::Connected);
            }
            (Kind::Append, Reply::Acknowledged) => self.outcome(node, Outcome::Acknowledged),
            (Kind::Append, Reply::NotInserted | Reply::Taken) => self.outcome(node, Outcome::NotInserted),
            (Kind::Append, Reply::Refused) => self.outcome(node, Outcome::Refused),
            (Kind::Look, Reply::Page(page)) => {
                let digest_at = |number: u64| {
                    page.records
                        .iter()
                        .find(|record| record.header.number == number)
                        .map(|record| record.digest)
                };
                let Some(active) = self.nodes[node].active() else { return };
                let step = active.appending.found(page.end.number, digest_at);
                self.tally.found_visible += usize::from(matches!(step, Step::Committed { .. }));
                self.step(node, step);
            }
            (Kind::Read, Reply::Page(page)) => {
                let seen = page.seen_by(node);
                if let Role::Standby(watch) = &mut self.nodes[node].role {
                    watch.saw(seen, now);
                }
                self.follow(node, &page, false);
            }
            (Kind::Lock, Reply::Locked(page)) => {
                let Role::Taking { expected, .. } = self.nodes[node].role else { return };
                let found = page.seen_by(node);
                if place::may_take(&expected, &found) || self.fault == Some(Fault::NoSecondLook) {
                    let mut id = [0; 16];
                    id[..8].copy_from_slice(&self.dice.next().to_be_bytes());
                    let epoch = Epoch { number: found.epoch.number + 1, id };
                    self.nodes[node].role = Role::Taking { expected, epoch };
                    self.send(node, Kind::Take, Request::Take { epoch });
                } else {
                    self.send(node, Kind::Read, Request::Unlock);
                    self.nodes[node].waiting = None;
                    self.nodes[node].role = Role::Standby(Watch::new(self.timing));
                }
            }
            (Kind::Take, Reply::Acknowledged) => {
                let Role::Taking { epoch, .. } = self.nodes[node].role else { return };
                self.say(|| format!("node {node} takes epoch {}", epoch.number));
                self.tally.takeovers += 1;
                self.nodes[node].role = Role::Entering { epoch };
                self.send(node, Kind::Enter, Request::Read { from: image });
            }
            (Kind::Enter, Reply::Page(page)) => self.enter(node, &page),
            (Kind::Put, Reply::Acknowledged) => self.send(node, Kind::Truncate, Request::Truncate),
            (Kind::Load, Reply::Loaded(snapshot)) => {
                self.tally.rebuilt += 1;
                let image = snapshot.map_or_else(Default::default, |image| (*image).clone());
                self.nodes[node].image = image;
                self.nodes[node].is_broken = false;
                self.check.image(node, &self.nodes[node].image);
            }
            _ => {}
        }
    }

    fn outcome(&mut self, node: usize, outcome: Outcome) {
        let Some(active) = self.nodes[node].active() else { return };
        let step = active.appending.on(outcome);
        self.step(node, step);
    }

    /// Applies the records of a page. Returns true if the image is sound.
    fn follow(&mut self, node: usize, page: &Answer, is_all_durable: bool) -> bool {
        let head = self.nodes[node].image.head();
        let (at_head, rest) = match page.records.split_first() {
            Some((first, rest)) if first.header.number == head.number => (Some(first.digest), rest),
            _ => (None, &page.records[..]),
        };
        let found = rest.iter().map(|record| Found { header: record.header, digest: record.digest });
        let mut found: Vec<_> = found.collect();
        let mut at_head = at_head;
        if self.fault == Some(Fault::NoChain) {
            at_head = None;
            if let Some(first) = found.first_mut() {
                first.header.previous = head.digest;
            }
        }
        let history = History::default();
        let shown = Page { history, first: page.first, end: page.end, at_head, records: &found };
        let applies_all = is_all_durable || self.fault == Some(Fault::NewestApplied);
        let next = place::next(history, &head, &shown, applies_all);
        self.nodes[node].is_following = matches!(next, Next::Apply(_));
        match next {
            Next::Apply(count) => {
                for record in &rest[..count] {
                    self.nodes[node].image.apply(record);
                    self.check.image(node, &self.nodes[node].image);
                }
            }
            Next::Rebuild => self.nodes[node].is_broken = true,
            Next::SetBack { image, end } => {
                self.check.fail_if_whole(format!("node {node} at {image} refuses a log that ends at {end}"));
                // The simulated operator decides to discard the image.
                self.nodes[node].is_broken = true;
            }
            Next::Damaged { number } => self.check.fail(format!("record {number} breaks the chain")),
        }
        self.nodes[node].is_following
    }

    fn enter(&mut self, node: usize, page: &Answer) {
        let Role::Entering { epoch } = self.nodes[node].role else { return };
        if page.epoch != epoch {
            self.nodes[node].role = Role::Standby(Watch::new(self.timing));
            return;
        }
        if !self.follow(node, page, true) {
            return;
        }
        let lease_timing = match self.fault {
            Some(Fault::LongLease) => Timing { takeover_after: self.timing.takeover_after * 16 / 15 },
            _ => self.timing,
        };
        let now = self.nodes[node].clock(self.now);
        let mut appending = Appending::new(History::default(), epoch, page.end);
        let record = Record::new(appending.header(), Vec::new(), None);
        let step = appending.append(Rc::clone(&record), record.digest, now);
        let mut active = Active::new(appending, Lease::new(lease_timing));
        active.note(&self.nodes[node].image.ops);
        active.pending = Some(record);
        self.nodes[node].role = Role::Active(Box::new(active));
        self.step(node, step);
    }

    fn ask(&mut self, node: usize, (client, request): (usize, u64), change: Option<u64>, floor: u64) {
        let serves = self.nodes[node].serves(self.now);
        let image = self.nodes[node].image.head().number;
        let Some(active) = self.nodes[node].active().filter(|_| serves) else {
            return self.answer(client, request, Response::Away);
        };
        let Some(id) = change else {
            self.check_alone(node);
            self.check.read(image, floor);
            self.tally.reads += 1;
            return self.answer(client, request, Response::Done);
        };
        let op = Op::Change(id);
        if active.is_open(op) {
            return;
        }
        if !self.nodes[node].image.contains(op) {
            let Some(active) = self.nodes[node].active() else { return };
            return active.queue.push((Some((client, request)), op));
        }
        self.check_alone(node);
        self.check.acknowledge(id, image);
        self.answer(client, request, Response::Done);
    }

    fn answer(&mut self, client: usize, request: u64, response: Response) {
        if !self.dice.one_in(50) || self.is_quiet() {
            let wait = self.dice.between(200, 10 * MS);
            self.after(wait, Event::Response { client, request, response });
        }
    }

    fn receive(&mut self, client: usize, request: u64, response: Response) {
        let asking = &mut self.clients[client];
        if asking.request != request || !asking.is_busy {
            return;
        }
        asking.tries += 1;
        asking.is_refused &= response == Response::Away;
        if response != Response::Done {
            asking.node = self.dice.below(self.nodes.len());
        }
        let gives_up = asking.tries > 6 && asking.is_refused && self.dice.one_in(8) && self.now < FAULTS_END;
        if response == Response::Done || gives_up || asking.change.is_none() {
            asking.is_busy = false;
            if let Some(id) = asking.change.filter(|_| gives_up) {
                self.check.refused.insert(id);
            }
        }
        let wait = self.dice.between(20 * MS, 500 * MS);
        self.after(wait, Event::Wake { client });
    }

    fn wake(&mut self, client: usize) {
        let waking = &mut self.clients[client];
        if !waking.is_busy {
            if self.now > CLIENTS_END {
                return;
            }
            (waking.is_busy, waking.is_refused, waking.tries) = (true, true, 0);
            waking.change = (!self.dice.one_in(3)).then_some(self.next_change);
            self.next_change += 1;
        }
        waking.request += 1;
        let (node, request, change) = (waking.node, waking.request, waking.change);
        let floor = self.check.newest_acknowledged;
        self.after(3 * SECOND, Event::Timeout { client, request });
        if !self.dice.one_in(50) {
            let wait = self.dice.between(200, 10 * MS);
            self.after(wait, Event::Ask { node, client, request, change, floor });
        }
    }
}
