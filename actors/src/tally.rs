//! Counting what comes from somebody within windows of time, in tables that are bounded.
//!
//! What always holds: a window is a fixed stretch of the wall clock, the same for everybody; what is beyond the limit is
//! not counted; a table never holds more than it may, and is empty again when the window turns.

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;

use crate::domain::Timestamp;

/// What was counted in one window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    number: i64,
    count: u32,
}

impl Window {
    /// Counts one more in the window of this number, unless the limit is reached; gives what is left, or `None` when it
    /// is.
    pub fn count(&mut self, number: i64, limit: u32) -> Option<u32> {
        if self.number != number {
            *self = Self { number, count: 0 };
        }
        let left = limit.checked_sub(self.count).filter(|left| *left > 0)?;
        self.count += 1;
        Some(left - 1)
    }

    /// Which window it is of.
    pub fn number(self) -> i64 {
        self.number
    }
}

/// The number of the window that it is, where this one was the last to be seen. Whoever read the clock just before the
/// window turned belongs to the one that has begun. A clock that was set back further begins anew.
pub fn window_of(now: Timestamp, millis: i64, seen: i64) -> i64 {
    let number = now.millis().div_euclid(millis);
    if number == seen.saturating_sub(1) { seen } else { number }
}

/// What becomes of what is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It was counted, and so much is left.
    Within(u32),
    /// The limit is reached.
    Over,
    /// The table is full, and whoever it is is not in it.
    Full,
}

/// Counts by whoever it is.
#[derive(Debug)]
pub struct Tally<K> {
    limit: u32,
    millis: i64,
    max: usize,
    windows: Mutex<Windows<K>>,
}

/// What was counted in the present window.
#[derive(Debug)]
struct Windows<K> {
    number: i64,
    of: HashMap<K, Window>,
}

impl<K: Eq + Hash> Tally<K> {
    /// At most so much of each in windows of so many milliseconds, of at most so many.
    pub fn new(limit: u32, millis: i64, max: usize) -> Self {
        let windows = Windows { number: i64::MIN, of: HashMap::new() };
        Self { limit, millis, max, windows: Mutex::new(windows) }
    }

    /// Counts one more.
    pub fn count(&self, who: K, now: Timestamp) -> Counted {
        let mut windows = self.windows.lock();
        let number = windows.turn(now, self.millis);
        if windows.of.len() >= self.max && !windows.of.contains_key(&who) {
            return Counted::Full;
        }
        let left = windows.of.entry(who).or_default().count(number, self.limit);
        left.map_or(Counted::Over, Counted::Within)
    }

    /// How much was counted in the present window; counts nothing.
    pub fn counted(&self, who: &K, now: Timestamp) -> u32 {
        let mut windows = self.windows.lock();
        windows.turn(now, self.millis);
        windows.of.get(who).map_or(0, |window| window.count)
    }

    /// How many are in the table.
    pub fn len(&self) -> usize {
        self.windows.lock().of.len()
    }

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Milliseconds until the window turns.
    pub fn millis_left(&self, now: Timestamp) -> i64 {
        self.millis - now.millis().rem_euclid(self.millis)
    }
}

impl<K> Windows<K> {
    fn turn(&mut self, now: Timestamp, millis: i64) -> i64 {
        let number = window_of(now, millis, self.number);
        if number != self.number {
            self.number = number;
            self.of.clear();
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_limit_in_a_window_and_the_table_has_its_own() {
        let tally = Tally::new(2, 1_000, 2);
        let at = Timestamp::from_millis;
        assert_eq!(tally.count('a', at(0)), Counted::Within(1));
        assert_eq!(tally.count('a', at(1)), Counted::Within(0));
        assert_eq!(tally.count('a', at(2)), Counted::Over);
        assert_eq!((tally.counted(&'a', at(3)), tally.millis_left(at(3))), (2, 997));
        assert_eq!(tally.count('b', at(4)), Counted::Within(1));
        assert_eq!(tally.count('c', at(5)), Counted::Full);
        assert_eq!((tally.counted(&'c', at(1_000)), tally.len()), (0, 0));
    }
}
