//! Requests per key and minute (spec §8), and per peer address for requests without a valid key.
//!
//! What always holds: a window is one minute of the wall clock; a request that is refused is not counted; a request
//! without a valid key never uses up a key's allowance; the table of addresses never holds more than
//! [`PEERS_MAX`] of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};

use actors::domain::{KeyId, Timestamp};
use dashmap::DashMap;
use parking_lot::Mutex;

use crate::server::network;

/// How many peer addresses are counted in one minute.
pub(crate) const PEERS_MAX: usize = 65_536;
/// Milliseconds of a window.
const WINDOW_MILLIS: i64 = 60_000;

/// What is left of an allowance, for the headers of every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Requests allowed per minute.
    pub(crate) limit: u32,
    /// Requests left in this minute.
    pub(crate) remaining: u32,
    /// Unix time in seconds at which the window resets.
    pub(crate) reset: i64,
    /// Whole seconds until then, at least 1.
    pub(crate) seconds_left: i64,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is within its allowance and was counted.
    Within(Allowance),
    /// The allowance is used up.
    Over(Allowance),
    /// The table of addresses is full, and this address is not in it.
    Unavailable(Allowance),
}

/// The requests of one minute.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    minute: i64,
    count: u32,
}

impl Window {
    /// Counts a request unless the limit is reached; gives what is left, or `None` when it is.
    fn count(&mut self, minute: i64, limit: u32) -> Option<u32> {
        if self.minute != minute {
            *self = Self { minute, count: 0 };
        }
        let left = limit.checked_sub(self.count).filter(|left| *left > 0)?;
        self.count += 1;
        Some(left - 1)
    }
}

/// The counters.
#[derive(Debug)]
pub(crate) struct RateLimit {
    limit: u32,
    peers_max: usize,
    keys: DashMap<KeyId, Window>,
    peers: Mutex<HashMap<IpAddr, Window>>,
    /// The minute whose windows the tables hold.
    minute: AtomicI64,
}

impl RateLimit {
    /// Counters that allow so many requests a minute.
    pub(crate) fn new(limit: u32) -> Self {
        Self {
            limit,
            peers_max: PEERS_MAX,
            keys: DashMap::new(),
            peers: Mutex::new(HashMap::new()),
            minute: AtomicI64::new(i64::MIN),
        }
    }

    /// Counts a request that carries a valid key.
    pub(crate) fn key(&self, key: KeyId, now: Timestamp) -> Verdict {
        let minute = self.turn(now);
        let left = self.keys.entry(key).or_default().count(minute, self.limit);
        self.verdict(left, now)
    }

    /// Counts a request without a valid key.
    pub(crate) fn peer(&self, address: IpAddr, now: Timestamp) -> Verdict {
        let minute = self.turn(now);
        let mut peers = self.peers.lock();
        let full = peers.len() >= self.peers_max;
        match peers.get_mut(&network(address)) {
            Some(window) => self.verdict(window.count(minute, self.limit), now),
            None if full => Verdict::Unavailable(self.allowance(0, now)),
            None => {
                let left = peers.entry(network(address)).or_default().count(minute, self.limit);
                self.verdict(left, now)
            }
        }
    }

    fn verdict(&self, left: Option<u32>, now: Timestamp) -> Verdict {
        match left {
            Some(left) => Verdict::Within(self.allowance(left, now)),
            None => Verdict::Over(self.allowance(0, now)),
        }
    }

    fn allowance(&self, remaining: u32, now: Timestamp) -> Allowance {
        let reset = (now.millis().div_euclid(WINDOW_MILLIS) + 1) * WINDOW_MILLIS;
        let seconds_left = (reset - now.millis() + 999) / 1_000;
        Allowance { limit: self.limit, remaining, reset: reset / 1_000, seconds_left }
    }

    /// The present minute; whoever comes first in it throws the windows of others away.
    fn turn(&self, now: Timestamp) -> i64 {
        let minute = now.millis().div_euclid(WINDOW_MILLIS);
        let present = self.minute.load(Ordering::Acquire);
        // A request that read the clock just before the minute turned belongs to the one that has begun. A clock that
        // was set back further begins anew.
        if minute == present.saturating_sub(1) {
            return present;
        }
        if minute != present && self.minute.swap(minute, Ordering::AcqRel) != minute {
            self.keys.retain(|_, window| window.minute == minute);
            keep(&mut self.peers.lock(), minute);
        }
        minute
    }
}

fn keep<K: Eq + Hash>(windows: &mut HashMap<K, Window>, minute: i64) {
    windows.retain(|_, window| window.minute == minute);
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
    fn a_key_has_its_limit_each_minute_and_what_is_refused_is_not_counted() {
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
    fn a_clock_that_lags_behind_the_turn_of_the_minute_gives_nothing_back() {
        let limits = RateLimit::new(1);
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Within(_)));
        assert!(matches!(limits.key(key(2), at(59)), Verdict::Within(_)));
        assert!(matches!(limits.key(key(1), at(59)), Verdict::Over(_)));
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Over(_)));
        assert!(matches!(limits.key(key(1), at(-600)), Verdict::Within(_)), "the clock was set back");
    }

    #[test]
    fn the_table_of_addresses_is_bounded_and_empties_with_the_minute() {
        let limits = RateLimit { peers_max: 2, ..RateLimit::new(1) };
        let [a, b, c] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(|text| text.parse::<IpAddr>().unwrap());
        assert!(matches!(limits.peer(a, at(0)), Verdict::Within(_)));
        assert!(matches!(limits.peer(b, at(0)), Verdict::Within(_)));
        assert!(matches!(limits.peer(c, at(0)), Verdict::Unavailable(Allowance { remaining: 0, .. })));
        assert!(matches!(limits.peer(a, at(1)), Verdict::Over(_)), "a known address is still counted");
        assert!(matches!(limits.peer(c, at(60)), Verdict::Within(_)));
        assert_eq!(limits.peers.lock().len(), 1);
        assert!(matches!(limits.key(key(1), at(60)), Verdict::Within(_)));
        assert!(matches!(limits.key(key(2), at(120)), Verdict::Within(_)));
        assert_eq!(limits.keys.len(), 1);
    }
}
