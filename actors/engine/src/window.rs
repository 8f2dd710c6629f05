//! Counts events per key within windows of time, for all rate limits.
//!
//! Invariants:
//!
//! - An event that [`Windows::count`] refuses, or that has a timestamp in the future, is not counted.
//! - A table contains at most `max` keys. A new key replaces the least recently counted key, so that many
//!   unknown keys cannot block other keys.
//! - A call removes at most [`FORGOTTEN_AT_ONCE`] expired keys, so no call iterates over the table.

use std::collections::VecDeque;
use std::hash::Hash;

use chrono::TimeDelta;
use domain::Timestamp;
use lru::LruCache;

pub const KEYS_MAX: usize = 65_536;
/// The maximum number of expired keys that one call removes. Each call adds at most one key, so expired keys do not
/// accumulate.
const FORGOTTEN_AT_ONCE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    pub within: TimeDelta,
}

#[derive(Debug)]
pub struct Windows<K: Eq + Hash> {
    rates: Vec<Rate>,
    /// Instants are rounded down to a multiple of this: 1 ms, or the length of a fixed window.
    grain: i64,
    max: usize,
    entries: LruCache<K, Counts>,
}

type Counts = VecDeque<(Timestamp, u32)>;

impl<K: Eq + Hash> Windows<K> {
    /// A table with sliding windows. When an event is checked, the window of each rate ends at the time of this event.
    /// The event is allowed only if all rates allow it.
    pub fn sliding(rates: &[Rate]) -> Self {
        Self { rates: rates.to_vec(), grain: 1, max: KEYS_MAX, entries: LruCache::unbounded() }
    }

    /// A table with fixed windows. For all keys, the windows begin at multiples of their length.
    pub fn fixed(rate: Rate) -> Self {
        Self { grain: rate.within.num_milliseconds(), ..Self::sliding(&[rate]) }
    }

    #[must_use]
    pub fn with_keys_max(self, max: usize) -> Self {
        Self { max, ..self }
    }

    /// Counts an event. Returns how many further events are allowed now. The error is the time from which an
    /// event is allowed again.
    pub fn count(&mut self, key: K, now: Timestamp) -> Result<u32, Timestamp> {
        if let Some(free) = self.free_at(&key, now) {
            return Err(free);
        }
        Ok(self.note(key, now))
    }

    /// Returns the instant from which another event is allowed, or `None` if an event is allowed now.
    pub fn free_at(&self, key: &K, now: Timestamp) -> Option<Timestamp> {
        let counts = self.entries.peek(key)?;
        let now = window_of(counts, now, self.grain);
        let over = self.rates.iter().filter_map(|rate| {
            let mut left = rate.count;
            let (oldest, _) = counts.iter().rev().filter(|(at, _)| *at <= now).find(|(_, count)| {
                left = left.saturating_sub(*count);
                left == 0
            })?;
            Some(*oldest + rate.within).filter(|free| *free > now)
        });
        over.max()
    }

    /// The number of events within the longest window. If there were more events than the largest `count` of the rates,
    /// the number may be too small, because the table may have dropped the oldest events.
    pub fn counted(&self, key: &K, now: Timestamp) -> u32 {
        self.entries.peek(key).map_or(0, |counts| within(counts, self.longest(), now))
    }

    pub fn is_full_without(&mut self, key: &K, now: Timestamp) -> bool {
        self.forget(now);
        self.entries.len() >= self.max && !self.entries.contains(key)
    }

    /// Counts an event, even if a rate is already exceeded. Returns the number of further events that all rates allow.
    pub fn note(&mut self, key: K, now: Timestamp) -> u32 {
        self.forget(now);
        if self.entries.len() >= self.max && !self.entries.contains(&key) {
            self.entries.pop_lru();
        }
        let (rates, longest) = (&self.rates, self.longest().within);
        let counts = self.entries.get_or_insert_mut(key, Counts::new);
        let at = window_of(counts, now, self.grain);
        match counts.back_mut() {
            Some((newest, count)) if *newest == at => *count += 1,
            _ => counts.push_back((at, 1)),
        }
        let most = rates.iter().map(|rate| rate.count).max();
        let mut all: u32 = counts.iter().map(|(_, count)| count).sum();
        while let Some((first, count)) = counts.front()
            && (Some(all - count) >= most || *first + longest <= at)
        {
            all -= count;
            counts.pop_front();
        }
        let left = rates.iter().map(|rate| rate.count.saturating_sub(within(counts, *rate, at)));
        left.min().unwrap_or_default()
    }

    pub fn take_back(&mut self, key: &K, at: Timestamp) {
        let Some(counts) = self.entries.peek_mut(key) else { return };
        let at = rounded(at, self.grain);
        let Some(place) = counts.iter().rposition(|(one, _)| *one == at) else { return };
        counts[place].1 -= 1;
        if counts[place].1 == 0 {
            counts.remove(place);
        }
        if counts.is_empty() {
            self.entries.pop(key);
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn forget(&mut self, now: Timestamp) {
        for _ in 0..FORGOTTEN_AT_ONCE {
            let Some((_, counts)) = self.entries.peek_lru() else { return };
            if within(counts, self.longest(), window_of(counts, now, self.grain)) > 0 {
                return;
            }
            self.entries.pop_lru();
        }
    }

    fn longest(&self) -> Rate {
        *self.rates.iter().max_by_key(|rate| rate.within).expect("at least one rate is given")
    }
}

fn within(counts: &Counts, rate: Rate, now: Timestamp) -> u32 {
    counts.iter().filter(|(at, _)| *at <= now && *at + rate.within > now).map(|(_, count)| count).sum()
}

/// Returns the start of the window to which an event at `now` belongs. Another event may have begun the next window
/// after the caller read `now` from the clock. In this case, the event at `now` belongs to this next window too.
fn window_of(counts: &Counts, now: Timestamp, grain: i64) -> Timestamp {
    let now = rounded(now, grain);
    let just_after = now + TimeDelta::milliseconds(grain);
    counts.back().map(|(newest, _)| *newest).filter(|newest| *newest == just_after).unwrap_or(now)
}

fn rounded(at: Timestamp, grain: i64) -> Timestamp {
    Timestamp::from_millis(at.millis().div_euclid(grain) * grain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Rate = Rate { count: 2, within: TimeDelta::hours(1) };
    const DAY: Rate = Rate { count: 3, within: TimeDelta::days(1) };

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    #[test]
    fn a_sliding_window_returns_the_next_allowed_instant_and_limits_no_other_key() {
        let mut windows = Windows::sliding(&[HOUR, DAY]);
        assert_eq!(windows.count(1, at(0)), Ok(1));
        assert_eq!(windows.count(1, at(30)), Ok(0));
        assert_eq!(windows.count(1, at(31)), Err(at(60)), "the window slides with the clock");
        assert_eq!(windows.free_at(&2, at(31)), None);
        assert_eq!(windows.count(1, at(60)), Ok(0));
        assert_eq!(windows.free_at(&1, at(120)), Some(at(24 * 60)));
        assert_eq!((windows.counted(&1, at(60)), windows.counted(&1, at(24 * 60 + 30))), (3, 1));
    }

    #[test]
    fn a_fixed_window_ends_for_all_keys_at_once() {
        let mut windows = Windows::fixed(HOUR);
        for (minute, expected) in [(59, Ok(1)), (59, Ok(0)), (59, Err(at(60))), (60, Ok(1)), (119, Ok(0))] {
            assert_eq!(windows.count(1, at(minute)), expected, "{minute}");
        }
        assert_eq!(windows.count(1, at(119)), Err(at(120)));
        assert_eq!(
            windows.entries.peek(&1),
            Some(&VecDeque::from([(at(60), 2)])),
            "no earlier window is kept"
        );
    }

    #[test]
    fn a_clock_that_lags_at_the_start_of_a_fixed_window_allows_no_further_event() {
        let mut windows = Windows::fixed(Rate { count: 1, ..HOUR });
        assert_eq!(windows.count(1, at(60)), Ok(0));
        assert_eq!(windows.count(1, at(59)), Err(at(120)));
        assert_eq!(windows.count(1, at(-600)), Ok(0), "the clock was set back");
    }

    #[test]
    fn a_removed_event_is_not_counted() {
        let mut windows = Windows::sliding(&[HOUR]);
        windows.note(1, at(0));
        windows.note(1, at(1));
        windows.take_back(&1, at(0));
        assert_eq!((windows.free_at(&1, at(2)), windows.counted(&1, at(2))), (None, 1));
        windows.take_back(&1, at(1));
        windows.take_back(&1, at(1));
        assert!(windows.is_empty());
    }

    #[test]
    fn a_new_key_in_a_full_table_replaces_the_least_recently_counted_key() {
        let mut windows = Windows::sliding(&[HOUR]).with_keys_max(2);
        for (key, minute) in [(1, 0), (2, 1), (1, 2)] {
            assert!(!windows.is_full_without(&key, at(minute)));
            windows.note(key, at(minute));
        }
        assert!(windows.is_full_without(&3, at(3)) && !windows.is_full_without(&2, at(3)));
        windows.note(3, at(3));
        let counted = |windows: &Windows<i32>| [1, 2, 3].map(|key| windows.counted(&key, at(3)));
        assert_eq!(counted(&windows), [2, 0, 1]);
        assert!(!windows.is_full_without(&4, at(500)));
        windows.note(4, at(500));
        assert_eq!(windows.len(), 1, "expired keys are removed");
    }

    #[test]
    fn a_call_removes_no_more_keys_than_its_bound() {
        let mut windows = Windows::fixed(HOUR);
        for key in 0..100 {
            windows.note(key, at(0));
        }
        for left in [97, 93, 89] {
            windows.note(1_000, at(60));
            assert_eq!(windows.len(), left);
        }
    }

    #[test]
    fn events_with_a_future_time_stamp_are_not_counted() {
        let mut windows = Windows::sliding(&[Rate { count: 1, ..HOUR }]);
        windows.note(1, at(1_000_000));
        assert_eq!((windows.free_at(&1, at(0)), windows.counted(&1, at(0))), (None, 0));
        assert_eq!(windows.count(1, at(0)), Ok(0));
    }
}
