//! Who gets the next place. Pure: what happened and when in, who gets a place out.
//!
//! Two rules decide. The first says who *may* have one more place: whoever holds fewer than are free. Of the free
//! places those do not count that an endpoint of its [`Standing`] has to leave to others. A business alone may so use
//! about half of what it may use at all, many get equal parts, and there is nearly always a place for the next one. The
//! same holds for an endpoint among those of its business: what it and its business hold counts together.
//!
//! The second says whose turn it is among those who may: the business that has used the least of places and time, and
//! then the endpoint of it that has. Both are start-time fair queueing (Goyal, Vin, Cheng 1996): a flow's *tag* is the
//! time that its attempts took so far; while it wants nothing it saves nothing up, because it goes on from the tag that
//! was served last. An attempt is charged what the endpoint's latest ones took as soon as it has its place, and what it
//! did take once it gives it back, so that attempts that hang count at once.

pub(super) mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::{BusinessId, WebhookId};

use super::standing::{CutOff, Endpoint, Moment, Standing};
use crate::delivery::EndpointKey;

/// A place that was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) key: EndpointKey,
    pub(super) number: u64,
}

/// The endpoints of a business of which something is known.
#[derive(Default)]
struct Business {
    tag: u64,
    turn: u64,
    /// The tag of its endpoint that was served last.
    served: u64,
    held: usize,
    endpoints: BTreeMap<WebhookId, Endpoint>,
    /// Where it stands among those that wait, for each standing of its endpoints.
    stands: [Option<(usize, Rank)>; Standing::COUNT],
}

/// Whose turn it is: the least tag, and of those the one that waits longest.
type Rank = (u64, u64);

/// The businesses that wait with an endpoint of some standing, by what has to be free for them beside that, then by
/// whose turn it is.
type Waiting = BTreeMap<usize, BTreeSet<(Rank, BusinessId)>>;

/// The places, who holds them, and who waits for one or for its time.
pub(super) struct Fair {
    places: usize,
    held: usize,
    /// How many of those were granted to endpoints of each standing.
    held_by: [usize; Standing::COUNT],
    /// The tag of the business that was served last.
    served: u64,
    turns: u64,
    businesses: BTreeMap<BusinessId, Business>,
    waiting: [Waiting; Standing::COUNT],
    /// The endpoints that only wait, by when they are to be looked at.
    due: BTreeSet<(Moment, EndpointKey)>,
    /// The endpoints that an outage of ours holds back, the one first that has waited longest to try.
    cut_off: BTreeSet<(u64, EndpointKey)>,
    /// How many endpoints could use a place and have none of those they could use.
    wanting: usize,
    /// How far those that are gone were forgotten, while that is not through.
    swept: Option<BusinessId>,
    stopped: bool,
}

const STANDINGS: [Standing; Standing::COUNT] =
    [Standing::Alive, Standing::Good, Standing::Unknown, Standing::Slow];

impl Fair {
    /// So many places, at least one.
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: places.max(1),
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

    /// How many places are held.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// How many endpoints wait, for a place, for their time or for the end of an outage.
    pub(super) fn waiting(&self) -> usize {
        self.wanting + self.due.len() + self.cut_off.len()
    }

    /// Whether any endpoint could use a place.
    pub(super) fn is_any_wanted(&self) -> bool {
        self.wanting > 0
    }

    /// Whether an outage holds any endpoint back.
    pub(super) fn is_any_cut_off(&self) -> bool {
        !self.cut_off.is_empty()
    }

    /// When an endpoint has to be looked at next.
    pub(super) fn next_due(&self) -> Option<Moment> {
        self.due.first().map(|(due, _)| *due)
    }

    /// An endpoint could use so many more places than it holds, and waits for nothing else.
    pub(super) fn want(&mut self, key: EndpointKey, count: usize, now: Moment) {
        self.plan(key, count, None, now);
    }

    /// An endpoint is to be looked at as soon as it may have a place.
    pub(super) fn wake(&mut self, key: EndpointKey, now: Moment) {
        let wants = self.endpoint(key).map_or(0, |endpoint| endpoint.wants);
        self.plan(key, wants.max(1), None, now);
    }

    /// An endpoint could use no place before this moment, or until it is woken.
    pub(super) fn rest(&mut self, key: EndpointKey, until: Option<Moment>, now: Moment) {
        self.plan(key, 0, until, now);
    }

    /// Gives back a place. Of an attempt that was made, it is told whether the event was taken, and how long that took.
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
        self.held_by[standing.expect("a place is given back once") as usize] -= 1;
        self.held -= 1;
    }

    /// Grants a place to whose turn it is, if anybody who waits may have one.
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
                // It is thought of otherwise by now, for time has passed.
                self.business(id, |_| (), now);
                continue;
            };
            return Some(self.grant_to(EndpointKey { business: id, endpoint: *endpoint }, now));
        }
        None
    }

    /// Nobody gets a place any more.
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

    /// What is known of an endpoint.
    pub(super) fn endpoint(&self, key: EndpointKey) -> Option<&Endpoint> {
        self.businesses.get(&key.business)?.endpoints.get(&key.endpoint)
    }

    /// What is known of an endpoint that something was planned for: how it stands must not change.
    fn planned(&mut self, key: EndpointKey) -> &mut Endpoint {
        let business = self.businesses.get_mut(&key.business);
        let endpoint = business.and_then(|business| business.endpoints.get_mut(&key.endpoint));
        endpoint.expect("what was planned for is known")
    }

    /// Sets what an endpoint waits for.
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

    /// So many free places count for an endpoint of this standing, whose business may hold none yet.
    fn room(&self, standing: Standing, first: bool) -> usize {
        let free = self.places - self.held;
        let always = standing.always(self.places).saturating_sub(self.held_by[standing as usize]);
        free.saturating_sub(standing.leaves_free(self.places, first)).max(always.min(free))
    }

    /// Which business's turn it is among those who may have a place.
    fn next(&self) -> Option<BusinessId> {
        let mut next: Option<(Rank, BusinessId)> = None;
        for (at, standing) in STANDINGS.into_iter().enumerate() {
            // A business needs nothing beside the place exactly when it holds none.
            let of_first = self.waiting[at].get(&0).filter(|_| self.room(standing, true) > 0);
            let more = self.waiting[at].range(1..self.room(standing, false).max(1));
            for waiting in of_first.into_iter().chain(more.map(|(_, waiting)| waiting)) {
                let first = *waiting.first().expect("an empty set is taken out");
                next = Some(next.map_or(first, |next| next.min(first)));
            }
        }
        next.map(|(_, id)| id)
    }

    /// Changes what is known of a business, and puts it where it then stands among those that wait.
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
    /// Of how many endpoints anything is known.
    pub(super) fn known(&self) -> usize {
        self.businesses.values().map(|business| business.endpoints.len()).sum()
    }

    /// Whether nobody gets a place any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether nobody who waits may have a place: looked up one by one, in no order.
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

/// A duration as tags count it.
fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
