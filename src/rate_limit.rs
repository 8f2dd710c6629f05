//! Limits the number of requests per minute of each API key, and of each address that sends requests without
//! a valid key or with a wrong token.
//!
//! Invariants: a window is one minute of the wall clock. Refused requests are not counted. A request without
//! a valid key never uses a key's allowance. A table of addresses has at most
//! [`KEYS_MAX`](engine::window::KEYS_MAX) entries.

use std::hash::Hash;
use std::net::IpAddr;

use chrono::TimeDelta;
use domain::{KeyId, Timestamp};
use engine::window::{Rate, Windows};
use parking_lot::Mutex;

use crate::server::network;

const WINDOW_MILLIS: i64 = 60_000;

/// The state of a rate limit, which the headers of every response contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    /// The Unix time in seconds at which the window ends.
    pub(crate) reset: i64,
    /// Whole seconds until the end of the window, at least 1.
    pub(crate) seconds_left: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Within(Allowance),
    Over(Allowance),
    /// The table of addresses is full and does not contain this address.
    Unavailable(Allowance),
}

#[derive(Debug)]
pub(crate) struct RateLimit {
    keys: Limit<KeyId>,
    addresses: Addresses,
}

impl RateLimit {
    pub(crate) fn new(limit: u32) -> Self {
        Self { keys: Limit::new(limit), addresses: Addresses::new(limit) }
    }

    pub(crate) fn key(&self, key: KeyId, now: Timestamp) -> Verdict {
        self.keys.count(key, now)
    }

    pub(crate) fn peer(&self, address: IpAddr, now: Timestamp) -> Verdict {
        self.addresses.count(address, now)
    }
}

/// The rate limits of API keys or feeds. The table has no maximum size, so it always has space for a
/// further key or feed.
#[derive(Debug)]
pub(crate) struct Limit<K: Eq + Hash> {
    limit: u32,
    windows: Mutex<Windows<K>>,
}

impl<K: Eq + Hash> Limit<K> {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, windows: Mutex::new(a_minute(limit).with_keys_max(usize::MAX)) }
    }

    pub(crate) fn count(&self, key: K, now: Timestamp) -> Verdict {
        verdict(self.limit, self.windows.lock().count(key, now).ok(), now)
    }
}

/// The rate limits of addresses. An IPv6 /64 counts as one address.
#[derive(Debug)]
pub(crate) struct Addresses {
    limit: u32,
    windows: Mutex<Windows<IpAddr>>,
}

impl Addresses {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, windows: Mutex::new(a_minute(limit)) }
    }

    pub(crate) fn count(&self, address: IpAddr, now: Timestamp) -> Verdict {
        let (address, mut windows) = (network(address), self.windows.lock());
        // If the table is full, a new address is refused. Adding it could remove the count of an address that
        // has reached its limit.
        if windows.is_full_without(&address, now) {
            return Verdict::Unavailable(allowance(self.limit, 0, now));
        }
        verdict(self.limit, windows.count(address, now).ok(), now)
    }
}

fn a_minute<K: Eq + Hash>(limit: u32) -> Windows<K> {
    Windows::fixed(Rate { count: limit, within: TimeDelta::milliseconds(WINDOW_MILLIS) })
}

fn verdict(limit: u32, left: Option<u32>, now: Timestamp) -> Verdict {
    match left {
        Some(left) => Verdict::Within(allowance(limit, left, now)),
        None => Verdict::Over(allowance(limit, 0, now)),
    }
}

fn allowance(limit: u32, remaining: u32, now: Timestamp) -> Allowance {
    let reset = (now.millis().div_euclid(WINDOW_MILLIS) + 1) * WINDOW_MILLIS;
    let seconds_left = (reset - now.millis() + 999) / 1_000;
    Allowance { limit, remaining, reset: reset / 1_000, seconds_left }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_772_442_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(START + seconds * 1_000)
    }

    fn key(n: u128) -> KeyId {
        uuid::Uuid::from_u128(n).into()
    }

    #[test]
    fn a_key_has_its_limit_each_minute_and_refused_requests_are_not_counted() {
        let limits = RateLimit::new(3);
        for left in [2, 1, 0] {
            let allowance =
                Allowance { limit: 3, remaining: left, reset: START / 1_000 + 60, seconds_left: 50 };
            assert_eq!(limits.key(key(1), at(10)), Verdict::Within(allowance));
        }
        for _ in 0..5 {
            assert!(matches!(limits.key(key(1), at(59)), Verdict::Over(Allowance { seconds_left: 1, .. })));
        }
        assert!(
            matches!(limits.key(key(2), at(59)), Verdict::Within(_)),
            "another key has its own allowance"
        );
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Within(Allowance { remaining: 2, .. })));
    }

    #[test]
    fn a_clock_that_is_set_back_by_less_than_a_minute_allows_no_further_requests() {
        let limits = RateLimit::new(1);
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Within(_)));
        assert!(matches!(limits.key(key(2), at(59)), Verdict::Within(_)));
        assert!(matches!(limits.key(key(1), at(59)), Verdict::Over(_)));
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Over(_)));
        assert!(matches!(limits.key(key(1), at(-600)), Verdict::Within(_)), "a new window begins");
    }

    #[test]
    fn the_table_of_addresses_is_bounded_and_emptied_each_minute() {
        let addresses = Addresses { limit: 1, windows: Mutex::new(a_minute(1).with_keys_max(2)) };
        let limits = RateLimit { addresses, ..RateLimit::new(1) };
        let [a, b, c] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(|text| text.parse::<IpAddr>().unwrap());
        assert!(matches!(limits.peer(a, at(0)), Verdict::Within(_)));
        assert!(matches!(limits.peer(b, at(0)), Verdict::Within(_)));
        assert!(matches!(limits.peer(c, at(0)), Verdict::Unavailable(Allowance { remaining: 0, .. })));
        assert!(matches!(limits.peer(a, at(1)), Verdict::Over(_)), "a known address must still be counted");
        assert!(matches!(limits.peer(c, at(60)), Verdict::Within(_)));
        assert_eq!(limits.addresses.windows.lock().len(), 1);
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Within(_)));
        assert!(matches!(limits.key(key(2), at(120)), Verdict::Within(_)));
        assert_eq!(limits.keys.windows.lock().len(), 1);
    }

    #[test]
    fn an_address_over_its_limit_is_allowed_again_in_the_next_minute() {
        let failures = Addresses::new(2);
        let [a, same, b] =
            ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"].map(|ip| ip.parse().unwrap());
        assert!(matches!(failures.count(a, at(0)), Verdict::Within(Allowance { remaining: 1, .. })));
        assert!(matches!(failures.count(same, at(1)), Verdict::Within(Allowance { remaining: 0, .. })));
        assert!(matches!(failures.count(a, at(59)), Verdict::Over(Allowance { seconds_left: 1, .. })));
        assert!(matches!(failures.count(b, at(59)), Verdict::Within(_)));
        assert!(matches!(failures.count(same, at(60)), Verdict::Within(Allowance { remaining: 1, .. })));
    }
}
