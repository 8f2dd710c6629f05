//! Decides which endpoint gets the next permit. The module is pure.
//!
//! Rule 1 limits which endpoints may take a further permit: an endpoint's business, and the endpoint within
//! its business, must hold fewer permits than are free. Permits that the endpoint's [`Standing`] reserves for
//! others do not count as free. A business alone thus uses about half of the permits, many businesses get
//! equal parts, and a newcomer nearly always finds a free permit.
//!
//! Rule 2 chooses among the allowed endpoints by start-time fair queueing (Goyal, Vin, Cheng 1996): first the
//! business with the least used time, then its endpoint with the least used time. A flow's *tag* is the time
//! that its attempts have taken. An idle flow collects no credit, because it continues from the tag that was
//! served last. An attempt is charged the endpoint's recent duration at its start and corrected at its end,
//! so hanging attempts count immediately.

pub(super) mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::{BusinessId, WebhookId};

use super::standing::{CutOff, Endpoint, Moment, Standing};
use crate::delivery::EndpointKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) key: EndpointKey,
    pub(super) number: u64,
}

#[derive(Default)]
struct Business {
    tag: u64,
    turn: u64,
    /// The tag of its endpoint that was served last.
    served: u64,
    held: usize,
    endpoints: BTreeMap<WebhookId, Endpoint>,
    /// Its position among the waiting businesses, for each standing of its endpoints.
    stands: [Option<(usize, Rank)>; Standing::COUNT],
}

/// The order of turns: the smallest tag, then the longest wait.
type Rank = (u64, u64);

/// The waiting businesses of one standing, by the number of further free permits that they need, then by rank.
type Waiting = BTreeMap<usize, BTreeSet<(Rank, BusinessId)>>;

pub(super) struct Fair {
    permits: usize,
    held: usize,
    held_by: [usize; Standing::COUNT],
    /// The tag of the business that was served last.
    served: u64,
    turns: u64,
    businesses: BTreeMap<BusinessId, Business>,
    waiting: [Waiting; Standing::COUNT],
    /// The endpoints that only wait, by their due times.
    due: BTreeSet<(Moment, EndpointKey)>,
    /// The endpoints that a local outage holds back. The longest wait is first.
    cut_off: BTreeSet<(u64, EndpointKey)>,
    /// How many endpoints want a permit and have none.
    wanting: usize,
    /// The last business of an unfinished sweep.
    swept: Option<BusinessId>,
    stopped: bool,
}

const STANDINGS: [Standing; Standing::COUNT] =
    [Standing::Alive, Standing::Good, Standing::Unknown, Standing::Slow];

impl Fair {
    pub(super) fn new(permits: usize) -> Self {
        Self {
            permits: permits.max(1),
            held: 0,
            held_by: [0; Standing::COUNT],
            served: 0,
            turns: 0,
            businesses: BTreeMap::new(),
            waiting: Default::default(),
            due: BTreeSet::new(),
            cut_off: BTreeSet::new(),
            wanting: 0,
            swept: None,
            stopped: false,
        }
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// The number of endpoints that wait for a permit, a due time or the end of an outage.
    pub(super) fn waiting(&self) -> usize {
        self.wanting + self.due.len() + self.cut_off.len()
    }

    pub(super) fn is_any_wanted(&self) -> bool {
        self.wanting > 0
    }

    pub(super) fn is_any_cut_off(&self) -> bool {
        !self.cut_off.is_empty()
    }

    pub(super) fn next_due(&self) -> Option<Moment> {
        self.due.first().map(|(due, _)| *due)
    }

    pub(super) fn want(&mut self, key: EndpointKey, count: usize, now: Moment) {
        self.plan(key, count, None, now);
    }

    pub(super) fn wake(&mut self, key: EndpointKey, now: Moment) {
        let wants = self.endpoint(key).map_or(0, |endpoint| endpoint.wants);
        self.plan(key, wants.max(1), None, now);
    }

    /// The endpoint needs no permit before `until`. Without `until`, it needs no permit before the next
    /// wake-up.
    pub(super) fn rest(&mut self, key: EndpointKey, until: Option<Moment>, now: Moment) {
        self.plan(key, 0, until, now);
    }

    /// Returns a permit. If an attempt was made, `ended` contains whether it succeeded, and its duration.
    pub(super) fn give_back(&mut self, granted: Granted, ended: Option<(bool, Duration)>, now: Moment) {
        let Granted { key, number } = granted;
        let mut standing = None;
        self.business(
            key.business,
            |business| {
                let Some(endpoint) = business.endpoints.get_mut(&key.endpoint) else { return };
                let Some(held) = endpoint.give_back(number) else { return };
                standing = Some(held.standing);
                for tag in [&mut endpoint.tag, &mut business.tag] {
                    let took = micros(now.saturating_sub(held.since));
                    *tag = tag.saturating_sub(micros(held.charged)).saturating_add(took);
                }
                if let Some((delivered, took)) = ended {
                    endpoint.note(delivered, took, now);
                    if let CutOff::Woken(_) = endpoint.cut_off {
                        endpoint.cut_off = CutOff::No; // its attempt was made
                    }
                }
                business.held -= 1;
            },
            now,
        );
        self.held_by[standing.expect("a permit is given back once") as usize] -= 1;
        self.held -= 1;
    }

    pub(super) fn grant(&mut self, now: Moment) -> Option<Granted> {
        while !self.stopped {
            let id = self.next()?;
            let business = self.businesses.get(&id).expect("who waits is known");
            let may = |endpoint: &Endpoint| {
                let room = self.room(endpoint.standing(now), business.held == 0);
                endpoint.waits() && business.held + endpoint.held() < room
            };
            let may = business.endpoints.iter().filter(|(_, endpoint)| may(endpoint));
            let first = may.min_by_key(|(_, endpoint)| (endpoint.tag, endpoint.turn));
            let Some((endpoint, _)) = first else {
                // The endpoint's standing has changed with time, so its position is computed again.
                self.business(id, |_| (), now);
                continue;
            };
            return Some(self.grant_to(EndpointKey { business: id, endpoint: *endpoint }, now));
        }
        None
    }

    /// No permit is granted after this call.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.due.clear();
        self.cut_off.clear();
    }

    fn grant_to(&mut self, key: EndpointKey, now: Moment) -> Granted {
        self.turns += 1;
        let number = self.turns;
        let mut served = self.served;
        let (mut wants_none, mut standing) = (false, Standing::Unknown);
        self.business(
            key.business,
            |business| {
                let endpoint = business.endpoints.get_mut(&key.endpoint).expect("who waits is known");
                let held = endpoint.take(number, now);
                let charged = micros(held.charged);
                standing = held.standing;
                served = served.max(business.tag);
                business.served = business.served.max(endpoint.tag);
                for (tag, turn) in
                    [(&mut business.tag, &mut business.turn), (&mut endpoint.tag, &mut endpoint.turn)]
                {
                    *tag = tag.saturating_add(charged);
                    *turn = number;
                }
                business.held += 1;
                wants_none = endpoint.wants == 0;
            },
            now,
        );
        self.wanting -= usize::from(wants_none);
        self.served = served;
        self.held += 1;
        self.held_by[standing as usize] += 1;
        Granted { key, number }
    }

    pub(super) fn endpoint(&self, key: EndpointKey) -> Option<&Endpoint> {
        self.businesses.get(&key.business)?.endpoints.get(&key.endpoint)
    }

    /// The endpoint's record for a change of plan. The caller must not change its standing.
    fn planned(&mut self, key: EndpointKey) -> &mut Endpoint {
        let business = self.businesses.get_mut(&key.business);
        let endpoint = business.and_then(|business| business.endpoints.get_mut(&key.endpoint));
        endpoint.expect("an endpoint with a planned attempt is known")
    }

    fn plan(&mut self, key: EndpointKey, wants: usize, due: Option<Moment>, now: Moment) {
        if self.stopped {
            return;
        }
        self.turns += 1;
        let (served, turn) = (self.served, self.turns);
        let (mut wanted, mut was_due, mut was_cut_off) = (0, None, CutOff::No);
        self.business(
            key.business,
            |business| {
                let is_idle = business.held == 0 && business.endpoints.values().all(Endpoint::is_idle);
                if is_idle {
                    (business.tag, business.turn) = (business.tag.max(served), turn);
                }
                let served = business.served;
                let endpoint = business.endpoints.entry(key.endpoint).or_insert_with(|| Endpoint::new(now));
                if endpoint.is_idle() {
                    (endpoint.tag, endpoint.turn) = (endpoint.tag.max(served), turn);
                }
                (wanted, was_due) = (endpoint.wants, endpoint.due);
                was_cut_off = endpoint.cut_off;
                (endpoint.wants, endpoint.due, endpoint.seen) = (wants, due, now);
                if let CutOff::Held(since) = was_cut_off {
                    endpoint.cut_off = CutOff::Woken(since);
                }
            },
            now,
        );
        self.wanting += usize::from(wants > 0);
        self.wanting -= usize::from(wanted > 0);
        if let Some(was_due) = was_due {
            self.due.remove(&(was_due, key));
        }
        if let CutOff::Held(since) = was_cut_off {
            self.cut_off.remove(&(since, key));
        }
        self.due.extend(due.map(|due| (due, key)));
    }

    /// The free permits that count for an endpoint of this standing. `first`: its business holds no permit.
    fn room(&self, standing: Standing, first: bool) -> usize {
        let free = self.permits - self.held;
        let always = standing.always(self.permits).saturating_sub(self.held_by[standing as usize]);
        free.saturating_sub(standing.leaves_free(self.permits, first)).max(always.min(free))
    }

    fn next(&self) -> Option<BusinessId> {
        let mut next: Option<(Rank, BusinessId)> = None;
        for (at, standing) in STANDINGS.into_iter().enumerate() {
            // A business needs no further free permit exactly when it holds none.
            let of_first = self.waiting[at].get(&0).filter(|_| self.room(standing, true) > 0);
            let more = self.waiting[at].range(1..self.room(standing, false).max(1));
            for waiting in of_first.into_iter().chain(more.map(|(_, waiting)| waiting)) {
                let first = *waiting.first().expect("an empty set is taken out");
                next = Some(next.map_or(first, |next| next.min(first)));
            }
        }
        next.map(|(_, id)| id)
    }

    /// Changes a business and updates its position among the waiting ones.
    fn business(&mut self, id: BusinessId, change: impl FnOnce(&mut Business), now: Moment) {
        let business = self.businesses.entry(id).or_default();
        change(business);
        let mut stands = [None; Standing::COUNT];
        for endpoint in business.endpoints.values().filter(|endpoint| endpoint.waits()) {
            let needs = business.held + endpoint.held();
            let stand = &mut stands[endpoint.standing(now) as usize];
            let least = stand.map_or(needs, |(least, _): (usize, Rank)| least.min(needs));
            *stand = Some((least, (business.tag, business.turn)));
        }
        let before = std::mem::replace(&mut business.stands, stands);
        for ((waiting, before), after) in self.waiting.iter_mut().zip(before).zip(stands) {
            if before == after {
                continue;
            }
            if let Some((needs, rank)) = before {
                let of_need = waiting.get_mut(&needs).expect("who waits is listed");
                of_need.remove(&(rank, id));
                if of_need.is_empty() {
                    waiting.remove(&needs);
                }
            }
            if let Some((needs, rank)) = after {
                waiting.entry(needs).or_default().insert((rank, id));
            }
        }
    }
}

#[cfg(test)]
impl Fair {
    pub(super) fn known(&self) -> usize {
        self.businesses.values().map(|business| business.endpoints.len()).sum()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether no waiting endpoint may have a permit. A slow check of every endpoint, for tests.
    pub(super) fn nobody_may(&self, now: Moment) -> bool {
        self.businesses.values().all(|business| {
            let held: usize = business.endpoints.values().map(Endpoint::held).sum();
            assert_eq!(held, business.held);
            let may = |endpoint: &Endpoint| {
                endpoint.waits() && held + endpoint.held() < self.room(endpoint.standing(now), held == 0)
            };
            !business.endpoints.values().any(may)
        })
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
