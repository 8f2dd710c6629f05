//! What is known of an endpoint by its latest attempts, and what that lets it take. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use net::DELIVERY_TIME_MAX;

/// How many attempts of one endpoint may be under way at once.
pub(in crate::delivery) const ATTEMPTS_MAX: usize = 8;
/// An instant on the dispatcher's clock: how long ago it began. When something is due is counted by the clock of schedules
/// instead, which goes on while the machine is suspended.
pub(super) type Moment = Duration;

/// An attempt that takes longer is slow.
pub(super) const QUICK: Duration = Duration::from_secs(1);
/// An endpoint that took something quickly so short a time ago is alive.
pub(super) const ALIVE_TIME: Duration = Duration::from_secs(10);
/// How many attempts a new endpoint gets at once; the number doubles with each that ends.
const ATTEMPTS_AT_FIRST: usize = 2;
/// What an attempt to an endpoint is taken to cost of which nothing is known.
const COST_UNKNOWN: Duration = QUICK;

/// How far an endpoint is trusted to give a place back soon, the most trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It took something quickly a moment ago.
    Alive,
    /// It took the last attempt, and the latest ones were quick.
    Good,
    /// Nothing speaks for it or against it: it is new, or it fails quickly.
    Unknown,
    /// Its latest attempts were slow, or one that is under way is.
    Slow,
}

impl Standing {
    /// How many there are.
    pub(super) const COUNT: usize = 4;

    /// So many of the places the endpoints of this standing may hold together, however few are free.
    pub(super) fn always(self, places: usize) -> usize {
        match self {
            Self::Alive => 0,
            Self::Good | Self::Unknown | Self::Slow => places / 64,
        }
    }

    /// So many of the places an endpoint of this standing has to leave free, for those that are trusted more; fewer
    /// where it is the first place of its business.
    pub(super) fn leaves_free(self, places: usize, first: bool) -> usize {
        match (self, first) {
            (Self::Alive, _) => 0,
            (Self::Good, true) => places / 32,
            (Self::Unknown, true) => places / 16,
            (Self::Good | Self::Unknown, false) => places / 4,
            (Self::Slow, _) => places / 2,
        }
    }
}

/// A place that is held.
pub(super) struct Held {
    pub(super) since: Moment,
    /// What it was charged, until it is known what it takes.
    pub(super) charged: Duration,
    /// What was thought of the endpoint when it took the place.
    pub(super) standing: Standing,
}

/// What an outage of ours does to an endpoint.
#[derive(Clone, Copy)]
pub(super) enum CutOff {
    No,
    /// It is held back, and has waited to try all the same since this turn.
    Held(u64),
    /// It was held back since this turn, and is looked at now. Held back again, it has waited since then.
    Woken(u64),
}

/// What is known of an endpoint.
pub(super) struct Endpoint {
    /// How many places it could use now, beside those it holds.
    pub(super) wants: usize,
    /// When it has to be looked at next, if it only waits.
    pub(super) due: Option<Moment>,
    pub(super) cut_off: CutOff,
    /// Its virtual time within its business, and its turn among those with the same.
    pub(super) tag: u64,
    pub(super) turn: u64,
    /// When anything was last known of it.
    pub(super) seen: Moment,
    /// The places it holds, by number, which is also by age.
    held: BTreeMap<u64, Held>,
    /// How many it may hold.
    limit: usize,
    /// What its latest attempts took, the newest counting for a quarter.
    cost: Option<Duration>,
    /// Whether what waits had failed before anything was known of it.
    failed_before: bool,
    /// When it last took something quickly, unless it has failed since.
    took_at: Option<Moment>,
}

impl Endpoint {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            wants: 0,
            due: None,
            cut_off: CutOff::No,
            tag: 0,
            turn: 0,
            seen: now,
            held: BTreeMap::new(),
            limit: ATTEMPTS_AT_FIRST,
            cost: None,
            failed_before: false,
            took_at: None,
        }
    }

    /// Its first attempt shall show whether it answers again.
    pub(super) fn note_failed_before(&mut self) {
        if self.cost.is_none() {
            (self.failed_before, self.limit) = (true, 1);
        }
    }

    /// How many places it holds.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Whether it could use a place now and may have one more.
    pub(super) fn waits(&self) -> bool {
        self.wants > 0 && self.held.len() < self.limit
    }

    /// Whether it neither holds a place nor could use one.
    pub(super) fn is_idle(&self) -> bool {
        self.wants == 0 && self.held.is_empty()
    }

    /// Whether neither a place nor a moment nor the end of an outage is waited for, and no place is held.
    pub(super) fn waits_for_nothing(&self) -> bool {
        self.is_idle() && self.due.is_none() && !matches!(self.cut_off, CutOff::Held(_))
    }

    /// What is thought of it now.
    pub(super) fn standing(&self, now: Moment) -> Standing {
        let hangs = self.held.values().next().is_some_and(|oldest| now.saturating_sub(oldest.since) > QUICK);
        match (self.cost, self.took_at) {
            _ if hangs => Standing::Slow,
            (Some(cost), _) if cost > QUICK => Standing::Slow,
            (None, _) if self.failed_before => Standing::Slow,
            (_, Some(at)) if now.saturating_sub(at) <= ALIVE_TIME => Standing::Alive,
            (_, Some(_)) => Standing::Good,
            (_, None) => Standing::Unknown,
        }
    }

    /// Takes a place.
    pub(super) fn take(&mut self, number: u64, now: Moment) -> &Held {
        let charged = match self.cost {
            Some(cost) => cost,
            None if self.failed_before => DELIVERY_TIME_MAX,
            None => COST_UNKNOWN,
        };
        let standing = self.standing(now);
        self.wants -= 1;
        self.held.entry(number).or_insert(Held { since: now, charged, standing })
    }

    /// Gives a place back.
    pub(super) fn give_back(&mut self, number: u64) -> Option<Held> {
        self.held.remove(&number)
    }

    /// Notes that an attempt has ended: whether the endpoint took the event, and how long that took.
    pub(super) fn note(&mut self, delivered: bool, took: Duration, now: Moment) {
        self.cost = Some(self.cost.map_or(took, |cost| (cost * 3 + took) / 4));
        self.took_at = match (delivered, took <= QUICK) {
            (true, true) => Some(now),
            (true, false) => self.took_at,
            (false, _) => None,
        };
        self.limit = (self.limit * 2).min(ATTEMPTS_MAX);
        self.seen = now;
    }
}
