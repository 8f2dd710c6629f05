//! Decides which endpoint gets the next permit. The module is pure.
//!
//! Rule 1 limits which endpoints may take a further permit. It compares two numbers. The first is the number of permits
//! that the business holds plus the number that the endpoint itself holds. The second is the number of unused permits
//! minus the number that the endpoint must leave free for endpoints of a higher [`Standing`]. The endpoint may take a
//! permit only if the first number is smaller than the second. By this rule, a single busy business uses about half of
//! the permits, many busy businesses get equal parts, and a new business nearly always gets a permit.
//!
//! Rule 2 chooses among the allowed endpoints by start-time fair queueing (Goyal, Vin, Cheng 1996). The *tag* of a
//! business or endpoint is the time that its attempts have taken. The rule first chooses the business with the smallest
//! tag, and then the endpoint of this business with the smallest tag. Idle time earns no credit: the first request
//! after an idle time raises the tag to the tag of the business or endpoint that was served last. The start of an
//! attempt adds the expected duration to the tag, so an attempt counts before it ends. The end of the attempt
//! replaces the expected duration with the real duration.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

use domain::{BusinessId, WebhookId};

use super::EndpointKey;
use super::standing::{CutOff, Endpoint, Moment, Standing};

/// An endpoint without waiting deliveries is removed from memory this long after its last activity.
pub(super) const REMEMBERED: Duration = Duration::from_secs(600);
const SWEPT_PER_STEP: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) key: EndpointKey,
    pub(super) number: u64,
}

#[derive(Default)]
struct Business {
    tag: u64,
    turn: u64,
    /// When an endpoint of this business gets a permit, this field is raised to the tag of the endpoint, unless the
    /// field is already larger.
    served: u64,
    held: usize,
    endpoints: BTreeMap<WebhookId, Endpoint>,
    /// One element for the queue ([`Waiting`]) of each [`Standing`]. An element contains the first two parts of the
    /// business's entry in the queue: the sum of permits and the rank. It is `None` if the queue has no such entry.
    stands: [Option<(usize, Rank)>; Standing::COUNT],
}

/// The order in which businesses get permits: the smallest tag, then the longest wait.
type Rank = (u64, u64);

/// A queue for one [`Standing`]. It contains the businesses that have a waiting endpoint of this standing.
///
/// Rule 1 computes a sum for each endpoint: the permits that the business holds plus the permits that the endpoint
/// holds. The entry of a business begins with the smallest sum of its waiting endpoints of this standing. The business
/// can get a permit only if this sum is smaller than the number of permits that are free for this standing. Entries are
/// ordered by this sum, and then by rank.
type Waiting = BTreeSet<(usize, Rank, BusinessId)>;

#[derive(Default)]
pub(super) struct Fair {
    permits: usize,
    pub(super) held: usize,
    held_by: [usize; Standing::COUNT],
    /// When a business gets a permit, this field is raised to the tag of the business, unless the field is already
    /// larger.
    served: u64,
    turns: u64,
    businesses: BTreeMap<BusinessId, Business>,
    waiting: [Waiting; Standing::COUNT],
    /// The endpoints whose next delivery is not due yet, ordered by its due time.
    due: BTreeSet<(Moment, EndpointKey)>,
    /// The endpoints that a local outage holds back. The endpoint that has waited longest is first.
    pub(super) cut_off: BTreeSet<(u64, EndpointKey)>,
    pub(super) wanting: usize,
    swept: Option<BusinessId>,
    stopped: bool,
}

const STANDINGS: [Standing; Standing::COUNT] =
    [Standing::Alive, Standing::Good, Standing::Unknown, Standing::Slow];

impl Fair {
    pub(super) fn new(permits: usize) -> Self {
        Self { permits: permits.max(1), ..Self::default() }
    }

    /// The number of endpoints that wait for a permit, a due time or the end of an outage.
    pub(super) fn waiting(&self) -> usize {
        self.wanting + self.due.len() + self.cut_off.len()
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

    /// Records that the endpoint needs no permit until the time `until`. If `until` is `None`, it needs no permit until
    /// it is woken.
    pub(super) fn rest(&mut self, key: EndpointKey, until: Option<Moment>, now: Moment) {
        self.plan(key, 0, until, now);
    }

    /// Takes back a permit. `ended` contains whether the attempt succeeded, and its duration. `ended` is `None` if no
    /// attempt was made.
    pub(super) fn give_back(&mut self, granted: Granted, ended: Option<(bool, Duration)>, now: Moment) {
        let Granted { key, number } = granted;
        let business = self.businesses.get_mut(&key.business).expect("the holder is registered");
        let endpoint = business.endpoints.get_mut(&key.endpoint).expect("the holder is registered");
        let held = endpoint.give_back(number).expect("each permit is returned once");
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
        self.held_by[held.standing as usize] -= 1;
        self.held -= 1;
        self.place(key.business, now);
    }

    pub(super) fn grant(&mut self, now: Moment) -> Option<Granted> {
        while !self.stopped {
            let id = self.next()?;
            let business = self.businesses.get(&id).expect("a waiting endpoint is registered");
            let may = |endpoint: &Endpoint| {
                let room = self.room(endpoint.standing(now), business.held == 0);
                endpoint.waits() && business.held + endpoint.held() < room
            };
            let may = business.endpoints.iter().filter(|(_, endpoint)| may(endpoint));
            let first = may.min_by_key(|(_, endpoint)| (endpoint.tag, endpoint.turn));
            let Some((endpoint, _)) = first else {
                // No endpoint of the chosen business may start an attempt now. The business was chosen because its
                // position in the queues is outdated: the standing of an endpoint has changed in the meantime.
                // `place` corrects the position, and the loop chooses again.
                self.place(id, now);
                continue;
            };
            return Some(self.grant_to(EndpointKey { business: id, endpoint: *endpoint }, now));
        }
        None
    }

    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.due.clear();
        self.cut_off.clear();
    }

    fn grant_to(&mut self, key: EndpointKey, now: Moment) -> Granted {
        self.turns += 1;
        let number = self.turns;
        let business = self.businesses.get_mut(&key.business).expect("a waiting endpoint is registered");
        let endpoint = business.endpoints.get_mut(&key.endpoint).expect("a waiting endpoint is registered");
        let held = endpoint.take(number, now);
        let (charged, standing) = (micros(held.charged), held.standing);
        self.served = self.served.max(business.tag);
        business.served = business.served.max(endpoint.tag);
        business.tag = business.tag.saturating_add(charged);
        endpoint.tag = endpoint.tag.saturating_add(charged);
        (business.turn, endpoint.turn) = (number, number);
        business.held += 1;
        self.wanting -= usize::from(endpoint.wants == 0);
        self.held += 1;
        self.held_by[standing as usize] += 1;
        self.place(key.business, now);
        Granted { key, number }
    }

    pub(super) fn endpoint(&self, key: EndpointKey) -> Option<&Endpoint> {
        self.businesses.get(&key.business)?.endpoints.get(&key.endpoint)
    }

    /// Returns an endpoint that `plan` has registered. The caller must not change the endpoint's standing, because the
    /// queue position of the business depends on this standing.
    fn planned(&mut self, key: EndpointKey) -> &mut Endpoint {
        let business = self.businesses.get_mut(&key.business);
        let endpoint = business.and_then(|business| business.endpoints.get_mut(&key.endpoint));
        endpoint.expect("a planned endpoint is registered")
    }

    fn plan(&mut self, key: EndpointKey, wants: usize, due: Option<Moment>, now: Moment) {
        if self.stopped {
            return;
        }
        self.turns += 1;
        let (served, turn) = (self.served, self.turns);
        let business = self.businesses.entry(key.business).or_default();
        if business.held == 0 && business.endpoints.values().all(Endpoint::is_idle) {
            (business.tag, business.turn) = (business.tag.max(served), turn);
        }
        let served = business.served;
        let endpoint = business.endpoints.entry(key.endpoint).or_insert_with(|| Endpoint::new(now));
        if endpoint.is_idle() {
            (endpoint.tag, endpoint.turn) = (endpoint.tag.max(served), turn);
        }
        self.wanting += usize::from(wants > 0);
        self.wanting -= usize::from(endpoint.wants > 0);
        if let Some(was_due) = endpoint.due {
            self.due.remove(&(was_due, key));
        }
        if let CutOff::Held(since) = endpoint.cut_off {
            self.cut_off.remove(&(since, key));
            endpoint.cut_off = CutOff::Woken(since);
        }
        (endpoint.wants, endpoint.due, endpoint.seen) = (wants, due, now);
        self.due.extend(due.map(|due| (due, key)));
        self.place(key.business, now);
    }

    /// Holds an endpoint back during a local outage. An endpoint that is held back again keeps its position.
    pub(super) fn cut_off(&mut self, key: EndpointKey, now: Moment) {
        if self.stopped {
            return;
        }
        self.plan(key, 0, None, now);
        let turn = self.turns;
        let endpoint = self.planned(key);
        let since = if let CutOff::Woken(since) = endpoint.cut_off { since } else { turn };
        endpoint.cut_off = CutOff::Held(since);
        self.cut_off.insert((since, key));
    }

    /// Wakes the held-back endpoints with the longest wait, at most `most` of them.
    pub(super) fn release(&mut self, most: usize, now: Moment) {
        for _ in 0..most {
            let Some((_, key)) = self.cut_off.first().copied() else { return };
            self.plan(key, 1, None, now);
            self.planned(key).cut_off = CutOff::No;
        }
    }

    /// Registers an endpoint that has waiting deliveries in the store. Does not change the due time of an endpoint that
    /// already waits, because the information in memory is newer.
    pub(super) fn register(&mut self, key: EndpointKey, until: Moment, failed_before: bool, now: Moment) {
        if failed_before {
            let business = self.businesses.entry(key.business).or_default();
            let endpoint = business.endpoints.entry(key.endpoint).or_insert_with(|| Endpoint::new(now));
            endpoint.note_failed_before();
            self.place(key.business, now);
        }
        if self.endpoint(key).is_none_or(Endpoint::waits_for_nothing) {
            self.plan(key, 0, Some(until), now);
        }
    }

    /// Requests permits for due endpoints, at most `most` of them. Returns whether more endpoints are due.
    pub(super) fn tick(&mut self, most: usize, by: Moment, now: Moment) -> bool {
        let first = |fair: &Self| fair.due.first().copied().filter(|(due, _)| *due <= by);
        for _ in 0..most {
            let Some((_, key)) = first(self) else { return false };
            self.plan(key, 1, None, now);
        }
        first(self).is_some()
    }

    /// One step of a *sweep*, which removes idle endpoints from memory. Returns true for the last step.
    pub(super) fn sweep(&mut self, now: Moment) -> bool {
        let from = self.swept.take().map_or(Bound::Unbounded, Bound::Excluded);
        let (mut looked_at, mut empty) = (0, Vec::new());
        for (id, business) in self.businesses.range_mut((from, Bound::Unbounded)) {
            if looked_at >= SWEPT_PER_STEP {
                break;
            }
            looked_at += business.endpoints.len().max(1);
            self.swept = Some(*id);
            business.endpoints.retain(|_, endpoint| {
                !endpoint.waits_for_nothing() || now.saturating_sub(endpoint.seen) < REMEMBERED
            });
            if business.endpoints.is_empty() {
                empty.push(*id);
            }
        }
        for id in empty {
            self.businesses.remove(&id);
        }
        if looked_at < SWEPT_PER_STEP {
            self.swept = None;
        }
        self.swept.is_none()
    }

    /// The number of permits that count as free for endpoints of this standing. `first` is true if the business holds
    /// no permit.
    fn room(&self, standing: Standing, first: bool) -> usize {
        let free = self.permits - self.held;
        let always = standing.always(self.permits).saturating_sub(self.held_by[standing as usize]);
        free.saturating_sub(standing.leaves_free(self.permits, first)).max(always.min(free))
    }

    fn next(&self) -> Option<BusinessId> {
        let mut next: Option<(Rank, BusinessId)> = None;
        for (at, standing) in STANDINGS.into_iter().enumerate() {
            let mut from = (0, (0, 0), BusinessId::INSTALLATION);
            while let Some(&(needs, rank, id)) = self.waiting[at].range(from..).next() {
                // `needs` includes all permits that the business holds. If it is zero, the business holds no permit.
                if needs >= self.room(standing, needs == 0) {
                    break;
                }
                next = Some(next.map_or((rank, id), |next| next.min((rank, id))));
                from.0 = needs + 1;
            }
        }
        next.map(|(_, id)| id)
    }

    /// Updates the position of a changed business among the waiting businesses.
    fn place(&mut self, id: BusinessId, now: Moment) {
        let business = self.businesses.entry(id).or_default();
        let mut stands = [None; Standing::COUNT];
        for endpoint in business.endpoints.values().filter(|endpoint| endpoint.waits()) {
            let needs = business.held + endpoint.held();
            let stand = &mut stands[endpoint.standing(now) as usize];
            let least = stand.map_or(needs, |(least, _): (usize, Rank)| least.min(needs));
            *stand = Some((least, (business.tag, business.turn)));
        }
        let before = std::mem::replace(&mut business.stands, stands);
        for ((waiting, before), after) in self.waiting.iter_mut().zip(before).zip(stands) {
            if before != after {
                if let Some((needs, rank)) = before {
                    waiting.remove(&(needs, rank, id));
                }
                waiting.extend(after.map(|(needs, rank)| (needs, rank, id)));
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

    /// True if no waiting endpoint may take a permit by rule 1 of this module. Checks every endpoint.
    pub(super) fn no_endpoint_may(&self, now: Moment) -> bool {
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
