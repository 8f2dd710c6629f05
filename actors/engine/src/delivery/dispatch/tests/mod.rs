//! The dispatcher's decisions in simulated time. Some endpoints hang, send their response slowly, fail or
//! succeed. The tests measure how long other endpoints wait for a permit.

mod panics;
mod turns;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use net::DELIVERY_TIME_MAX;
use uuid::Uuid;

use super::*;
use crate::delivery::dispatch::ATTEMPTS_MAX;

const SECOND: Duration = Duration::from_secs(1);
const PROMPT: Duration = Duration::from_millis(20);

fn key(business: usize, endpoint: usize) -> EndpointKey {
    let id = |number: usize| Uuid::from_u128(number as u128);
    EndpointKey { business: id(business + 1).into(), endpoint: id(endpoint + 1).into() }
}

#[derive(Clone, Copy)]
struct Answers {
    after: Duration,
    delivered: bool,
}

const HANGS: Answers = Answers { after: DELIVERY_TIME_MAX, delivered: false };
const ANSWERS: Answers = Answers { after: PROMPT, delivered: true };

struct World {
    fair: Fair,
    now: Moment,
    steps: u64,
    answers: HashMap<EndpointKey, Answers>,
    /// For each endpoint, the times of its waiting events.
    backlog: HashMap<EndpointKey, VecDeque<Moment>>,
    held: BTreeMap<EndpointKey, usize>,
    /// The attempts in progress, by the time at which they end.
    ends: BTreeSet<(Moment, u64, EndpointKey)>,
    to_come: BTreeSet<(Moment, u64, EndpointKey)>,
    /// The start of each attempt and its wait for a permit.
    waits: HashMap<EndpointKey, Vec<(Moment, Duration)>>,
}

impl World {
    fn new(permits: usize) -> Self {
        Self {
            fair: Fair::new(permits),
            now: Duration::ZERO,
            steps: 0,
            answers: HashMap::new(),
            backlog: HashMap::new(),
            held: BTreeMap::new(),
            ends: BTreeSet::new(),
            to_come: BTreeSet::new(),
            waits: HashMap::new(),
        }
    }

    fn event(&mut self, at: Moment, key: EndpointKey, answers: Answers) {
        self.answers.insert(key, answers);
        self.steps += 1;
        self.to_come.insert((at, self.steps, key));
    }

    fn events(&mut self, (from, to): (Moment, Moment), each: Duration, key: EndpointKey, answers: Answers) {
        let mut at = from;
        while at < to {
            self.event(at, key, answers);
            at += each;
        }
    }

    fn run(&mut self, until: Moment) {
        loop {
            let happens = self.to_come.first().map(|(at, ..)| *at);
            let ends = self.ends.first().map(|(at, ..)| *at);
            let next = [happens, ends].into_iter().flatten().min().filter(|next| *next <= until);
            let Some(next) = next else { break };
            self.now = next;
            if ends == Some(next) {
                let (_, number, key) = self.ends.pop_first().unwrap();
                let Answers { after, delivered } = self.answers[&key];
                *self.held.get_mut(&key).unwrap() -= 1;
                self.fair.give_back(Granted { key, number }, Some((delivered, after)), self.now);
                if !delivered {
                    self.event(self.now + 30 * SECOND, key, self.answers[&key]);
                }
                self.want(key);
            } else {
                let (at, _, key) = self.to_come.pop_first().unwrap();
                self.backlog.entry(key).or_default().push_back(at);
                self.want(key);
            }
            self.grant();
        }
        self.now = until;
    }

    fn want(&mut self, key: EndpointKey) {
        let held = self.held.get(&key).copied().unwrap_or(0);
        let due = self.backlog.get(&key).map_or(0, VecDeque::len);
        self.fair.want(key, due.min(ATTEMPTS_MAX - held), self.now);
    }

    fn grant(&mut self) {
        while let Some(Granted { key, number }) = self.fair.grant(self.now) {
            let happened = self.backlog.get_mut(&key).unwrap().pop_front().unwrap();
            self.waits.entry(key).or_default().push((self.now, self.now - happened));
            let held = self.held.entry(key).or_default();
            *held += 1;
            assert!(*held <= ATTEMPTS_MAX);
            self.ends.insert((self.now + self.answers[&key].after, number, key));
        }
    }

    /// The longest time that an attempt of this endpoint waited for a permit. Attempts that began before
    /// `from` are ignored.
    fn longest(&self, key: EndpointKey, from: Moment) -> Duration {
        let waits = self.waits.get(&key).expect("the endpoint never got a permit");
        let left = self.backlog.get(&key).into_iter().flatten().map(|at| self.now - *at);
        waits.iter().filter(|(at, _)| *at >= from).map(|(_, wait)| *wait).chain(left).max().unwrap()
    }

    fn held_of(&self, business: usize) -> usize {
        let of = key(business, 0).business;
        self.held.iter().filter(|(key, _)| key.business == of).map(|(_, held)| held).sum()
    }
}

/// The businesses `KNOWN` and `KNOWN + 1` are measured. Their endpoints have a delivery history.
const KNOWN: usize = 90_000;
const NEW: usize = 91_000;

/// Adds bad endpoints to the world after a minute. Returns the longest waits of two groups of other endpoints:
/// endpoints with a delivery history, and endpoints of new businesses with one event each.
fn beside(mut world: World, bad: impl FnOnce(&mut World, Moment)) -> (Duration, Duration) {
    let minute = 60 * SECOND;
    world.events((Duration::ZERO, 3 * minute), SECOND / 10, key(KNOWN, 0), ANSWERS);
    world.events((Duration::ZERO, 3 * minute), 15 * SECOND, key(KNOWN + 1, 0), ANSWERS);
    bad(&mut world, minute);
    for number in 0..240 {
        world.event(minute + number * SECOND / 2, key(NEW + number as usize, 0), ANSWERS);
    }
    world.run(3 * minute);
    let new = (0..240).map(|number| world.longest(key(NEW + number, 0), Duration::ZERO)).max().unwrap();
    let known = [KNOWN, KNOWN + 1].map(|number| world.longest(key(number, 0), Duration::ZERO));
    (known[0].max(known[1]), new)
}

#[test]
fn endpoints_that_respond_after_seven_seconds_delay_no_other_endpoint() {
    let slow = Answers { after: 7 * SECOND, delivered: true };
    let (known, new) = beside(World::new(PERMITS), |world, from| {
        for number in 0..400 {
            world.events((from, from + 120 * SECOND), SECOND, key(number / 25, number % 25), slow);
        }
    });
    assert!(known < SECOND && new < SECOND, "{known:?} {new:?}");
}

#[test]
fn endpoints_that_drip_the_response_body_delay_no_other_endpoint() {
    // These endpoints send the body slowly, but an attempt returns its permit soon after the head of the
    // response.
    let drips = Answers { after: PROMPT + Duration::from_millis(10), delivered: true };
    let (known, new) = beside(World::new(PERMITS), |world, from| {
        for number in 0..150 {
            world.events((from, from + 60 * SECOND), SECOND / 10, key(number / 25, number % 25), drips);
        }
    });
    assert!(known < SECOND / 10 && new < SECOND / 10, "{known:?} {new:?}");
}

#[test]
fn new_endpoints_that_hang_one_after_another_delay_no_other_endpoint() {
    for businesses in [2, 48] {
        let (known, new) = beside(World::new(PERMITS), |world, from| {
            for number in 0..48 {
                for _ in 0..12 {
                    let endpoint = key(number % businesses, number / businesses);
                    world.event(from + number as u32 * SECOND, endpoint, HANGS);
                }
            }
        });
        assert!(known < SECOND && new < SECOND, "{businesses}: {known:?} {new:?}");
    }
}

#[test]
fn thousands_of_dead_endpoints_delay_no_other_endpoint() {
    for was_good in [false, true] {
        let (known, new) = beside(World::new(PERMITS), |world, from| {
            for number in 0..5_000 {
                let endpoint = key(number / 25, number % 25);
                if was_good {
                    // The endpoint has a recent successful delivery.
                    world.fair.want(endpoint, 1, Duration::ZERO);
                    let granted = world.fair.grant(Duration::ZERO).unwrap();
                    world.fair.give_back(granted, Some((true, PROMPT)), PROMPT);
                }
                world.event(from, endpoint, HANGS);
            }
        });
        assert!(known < SECOND && new < SECOND, "{was_good}: {known:?} {new:?}");
    }
}

/// Deliveries to 2,000 dead endpoints become due at once. There are fewer permits than dead endpoints. An endpoint
/// without earlier deliveries waits until each dead endpoint has been tried once. An endpoint with earlier successful
/// deliveries does not wait.
#[test]
fn thousands_of_businesses_with_a_dead_endpoint_delay_no_known_endpoint() {
    let mut world = World::new(PERMITS);
    let minute = 60 * SECOND;
    world.events((Duration::ZERO, 4 * minute), SECOND / 10, key(KNOWN, 0), ANSWERS);
    world.events((Duration::ZERO, 4 * minute), 15 * SECOND, key(KNOWN + 1, 0), ANSWERS);
    for number in 0..2_000 {
        world.event(minute, key(number, 0), HANGS);
    }
    for number in 0..180 {
        world.event(minute + number * SECOND, key(NEW + number as usize, 0), ANSWERS);
    }
    world.run(4 * minute);
    let known = [KNOWN, KNOWN + 1].map(|number| world.longest(key(number, 0), Duration::ZERO));
    assert!(known.iter().all(|known| *known < SECOND), "{known:?}");
    let new = |number: usize| world.longest(key(NEW + number, 0), Duration::ZERO);
    let among = (0..30).map(new).max().unwrap();
    assert!(among <= 3 * DELIVERY_TIME_MAX, "{among:?}");
    let later = (31..180).map(new).max().unwrap();
    assert!(later < SECOND, "{later:?}");
    assert!(
        (0..2_000).all(|number| !world.waits[&key(number, 0)].is_empty()),
        "every endpoint must be tried"
    );
}
