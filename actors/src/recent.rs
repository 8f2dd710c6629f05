//! Counting what somebody did of late, within spans of time that go with the clock. Pure: the instants are given.
//!
//! What always holds: a table holds at most so many, and whoever was counted longest ago makes room for somebody new, so
//! that a crowd that nobody knows keeps nobody out; asking costs no walk over the table.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

use chrono::TimeDelta;

use crate::domain::Timestamp;

/// How many a table counts.
pub(crate) const COUNTED_MAX: usize = 65_536;

/// So many in so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(crate) count: usize,
    pub(crate) within: TimeDelta,
}

/// What was done of late, by who did it.
#[derive(Debug)]
pub(crate) struct Recent<K> {
    rates: Vec<Rate>,
    max: usize,
    of: HashMap<K, Done>,
    /// Whoever is counted, the one longest ago first.
    order: BTreeMap<u64, K>,
    turns: u64,
}

/// When somebody did it, and their place in the order.
#[derive(Debug)]
struct Done {
    at: VecDeque<Timestamp>,
    turn: u64,
}

impl<K: Eq + Hash + Clone> Recent<K> {
    /// Nothing was done, and all of these rates hold.
    pub(crate) fn new(rates: &[Rate]) -> Self {
        Self::bounded(rates, COUNTED_MAX)
    }

    /// The same, in a table of at most so many.
    pub(crate) fn bounded(rates: &[Rate], max: usize) -> Self {
        Self { rates: rates.to_vec(), max, of: HashMap::new(), order: BTreeMap::new(), turns: 0 }
    }

    /// When it may be done once more, if not now.
    pub(crate) fn free_at(&self, key: &K, now: Timestamp) -> Option<Timestamp> {
        let done = &self.of.get(key)?.at;
        let over = self.rates.iter().filter_map(|rate| {
            let oldest = *done.get(done.len().checked_sub(rate.count)?)?;
            // What a clock that was ahead has noted says nothing.
            Some(oldest + rate.within).filter(|free| *free > now && oldest <= now)
        });
        over.max()
    }

    /// How often it was done within the longest span, as far as the rates have to know.
    pub(crate) fn counted(&self, key: &K, now: Timestamp) -> usize {
        let since = |at: &&Timestamp| **at <= now && **at + self.longest() > now;
        self.of.get(key).map_or(0, |done| done.at.iter().filter(since).count())
    }

    /// Counts that it is done now.
    pub(crate) fn note(&mut self, key: K, now: Timestamp) {
        let most = self.rates.iter().map(|rate| rate.count).max().unwrap_or_default();
        self.turns += 1;
        let done = self.of.entry(key.clone()).or_insert_with(|| Done { at: VecDeque::new(), turn: 0 });
        self.order.remove(&done.turn);
        done.turn = self.turns;
        done.at.push_back(now);
        while done.at.len() > most {
            done.at.pop_front();
        }
        self.order.insert(self.turns, key);
        self.forget(now);
    }

    /// Takes back what was counted at that instant.
    pub(crate) fn take_back(&mut self, key: &K, at: Timestamp) {
        let Some(done) = self.of.get_mut(key) else { return };
        if let Some(place) = done.at.iter().rposition(|one| *one == at) {
            done.at.remove(place);
        }
        if done.at.is_empty() {
            self.order.remove(&done.turn);
            self.of.remove(key);
        }
    }

    /// Forgets those who have their whole allowance, and whoever is one too many.
    fn forget(&mut self, now: Timestamp) {
        while let Some((turn, key)) = self.order.first_key_value() {
            let last = self.of.get(key).and_then(|done| done.at.back());
            let counts = last.is_some_and(|last| *last <= now && *last + self.longest() > now);
            if counts && self.of.len() <= self.max {
                return;
            }
            let (turn, key) = (*turn, key.clone());
            self.order.remove(&turn);
            self.of.remove(&key);
        }
    }

    fn longest(&self) -> TimeDelta {
        self.rates.iter().map(|rate| rate.within).max().unwrap_or_default()
    }
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
    fn it_is_told_when_the_next_one_may_be_and_others_are_not_held_up() {
        let mut recent = Recent::new(&[HOUR, DAY]);
        recent.note(1, at(0));
        recent.note(1, at(30));
        assert_eq!(recent.free_at(&1, at(31)), Some(at(60)), "the span goes with the clock");
        assert_eq!(recent.free_at(&2, at(31)), None);
        assert_eq!(recent.free_at(&1, at(60)), None);
        recent.note(1, at(60));
        assert_eq!(recent.free_at(&1, at(120)), Some(at(24 * 60)));
        assert_eq!((recent.counted(&1, at(60)), recent.counted(&1, at(24 * 60 + 30))), (3, 1));
    }

    #[test]
    fn what_is_taken_back_was_never_counted() {
        let mut recent = Recent::new(&[HOUR]);
        recent.note(1, at(0));
        recent.note(1, at(1));
        recent.take_back(&1, at(0));
        assert_eq!((recent.free_at(&1, at(2)), recent.counted(&1, at(2))), (None, 1));
        recent.take_back(&1, at(1));
        recent.take_back(&1, at(1));
        assert!(recent.of.is_empty() && recent.order.is_empty());
    }

    #[test]
    fn in_a_full_table_whoever_was_counted_longest_ago_makes_room() {
        let mut recent = Recent { max: 2, ..Recent::new(&[HOUR]) };
        for (key, minute) in [(1, 0), (2, 1), (1, 2), (3, 3)] {
            assert_eq!(recent.free_at(&key, at(minute)), None, "nobody new is refused");
            recent.note(key, at(minute));
        }
        assert_eq!(
            (recent.counted(&1, at(3)), recent.counted(&2, at(3)), recent.counted(&3, at(3))),
            (2, 0, 1)
        );
        recent.note(4, at(500));
        assert_eq!((recent.of.len(), recent.order.len()), (1, 1), "whoever is long ago is forgotten");
    }

    #[test]
    fn what_a_clock_of_the_future_has_noted_holds_nobody_up() {
        let mut recent = Recent::new(&[Rate { count: 1, ..HOUR }]);
        recent.note(1, at(1_000_000));
        assert_eq!((recent.free_at(&1, at(0)), recent.counted(&1, at(0))), (None, 0));
    }
}
