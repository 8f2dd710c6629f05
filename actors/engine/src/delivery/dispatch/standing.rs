//! An endpoint's *standing* is a class of reliability, derived from its latest attempts. The standing
//! limits the permits of the endpoint. The module is pure.

use std::collections::BTreeMap;
use std::time::Duration;

use net::DELIVERY_TIME_MAX;

pub(in crate::delivery) const ATTEMPTS_MAX: usize = 8;
/// A moment, as the time since the dispatcher's start. The moments of due times are read from the clock of schedules,
/// which continues while the machine is suspended. All other moments are read from a clock that stops during a
/// suspension.
pub(super) type Moment = Duration;

pub(super) const QUICK: Duration = Duration::from_secs(1);
/// An endpoint is [`Standing::Alive`] for this time after a quick delivery.
pub(super) const ALIVE_TIME: Duration = Duration::from_secs(10);
/// The maximum number of concurrent attempts of a new endpoint. Each attempt that ends doubles this limit for the
/// endpoint, up to [`ATTEMPTS_MAX`].
const ATTEMPTS_AT_FIRST: usize = 2;
const COST_UNKNOWN: Duration = QUICK;

/// How likely an endpoint is to return a permit soon. The variants begin with the most likely one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A quick delivery ended within the last [`ALIVE_TIME`].
    Alive,
    /// The latest attempt succeeded, and the average duration of the latest attempts is short.
    Good,
    /// The endpoint is new, or its attempts end quickly but fail.
    Unknown,
    /// The average duration of the latest attempts is long, or an attempt in progress is slow.
    ///
    /// After a start of the engine, no durations are known. If the endpoint's first due delivery already has a failed
    /// attempt, the endpoint is slow until its next attempt has ended.
    Slow,
}

impl Standing {
    pub(super) const COUNT: usize = 4;

    /// While all endpoints of this standing together hold fewer permits than this number, they need not leave permits
    /// free for other endpoints. When they hold this number, [`Self::leaves_free`] applies.
    pub(super) fn always(self, permits: usize) -> usize {
        match self {
            Self::Alive => 0,
            Self::Good | Self::Unknown | Self::Slow => permits / 64,
        }
    }

    /// The number of permits that endpoints of this standing must leave free for endpoints of a higher standing.
    /// `first` is true if the business holds no permit.
    pub(super) fn leaves_free(self, permits: usize, first: bool) -> usize {
        match (self, first) {
            (Self::Alive, _) => 0,
            (Self::Good, true) => permits / 32,
            (Self::Unknown, true) => permits / 16,
            (Self::Good | Self::Unknown, false) => permits / 4,
            (Self::Slow, _) => permits / 2,
        }
    }
}

pub(super) struct Held {
    pub(super) since: Moment,
    /// The expected duration of the attempt. The endpoint's tag includes it until the attempt ends.
    pub(super) charged: Duration,
    /// The endpoint's standing when it took the permit.
    pub(super) standing: Standing,
}

#[derive(Clone, Copy, Default)]
pub(super) enum CutOff {
    #[default]
    No,
    /// A local outage holds the endpoint back. The number is the endpoint's position among the held-back
    /// endpoints.
    Held(u64),
    /// The endpoint is no longer held back. The number is its former position. If an outage holds the endpoint back
    /// again before its next attempt, the endpoint returns to this position.
    Woken(u64),
}

#[derive(Default)]
pub(super) struct Endpoint {
    /// The number of further permits that the endpoint can use now.
    pub(super) wants: usize,
    /// The next due time, if no delivery is due now.
    pub(super) due: Option<Moment>,
    pub(super) cut_off: CutOff,
    /// The endpoint's tag ([`super::fair`]). If tags are equal, the smallest `turn` (the longest wait) is first.
    pub(super) tag: u64,
    pub(super) turn: u64,
    pub(super) seen: Moment,
    /// The permits that the endpoint holds. The key is the number of a permit; the oldest permit has the smallest.
    held: BTreeMap<u64, Held>,
    limit: usize,
    /// A moving average of the durations of the attempts. The newest duration has a weight of one quarter.
    cost: Option<Duration>,
    /// Whether the endpoint's first due delivery already had a failed attempt when the engine started.
    failed_before: bool,
    /// The time of the last delivery that took at most [`QUICK`]. A failed attempt clears this field.
    took_at: Option<Moment>,
}

impl Endpoint {
    pub(super) fn new(now: Moment) -> Self {
        Self { seen: now, limit: ATTEMPTS_AT_FIRST, ..Self::default() }
    }

    /// Limits the endpoint to one attempt at first. The outcome of this attempt shows whether the endpoint responds
    /// again.
    pub(super) fn note_failed_before(&mut self) {
        if self.cost.is_none() {
            (self.failed_before, self.limit) = (true, 1);
        }
    }

    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    pub(super) fn waits(&self) -> bool {
        self.wants > 0 && self.held.len() < self.limit
    }

    pub(super) fn is_idle(&self) -> bool {
        self.wants == 0 && self.held.is_empty()
    }

    pub(super) fn waits_for_nothing(&self) -> bool {
        self.is_idle() && self.due.is_none() && !matches!(self.cut_off, CutOff::Held(_))
    }

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

    pub(super) fn give_back(&mut self, number: u64) -> Option<Held> {
        self.held.remove(&number)
    }

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
