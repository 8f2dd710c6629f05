//! Ranges of keys in which there is no row: who looks for the first row of a queue finds it at once, however many before
//! it were deleted and are still in the tables or the tree.
//!
//! What always holds: no two of them overlap, so a row that is written is in one of them at most, and that is given up.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::Key;

/// So many are known at most. With one more all others are given up: those that are needed are found again.
const GAPS_MAX: usize = 4_096;

/// The gaps, from their first key to their last, both included.
#[derive(Default)]
pub(super) struct Gaps(BTreeMap<Key, Key>);

/// A gap that is being found: a scan that has given no row yet.
#[derive(Clone, Copy)]
pub(super) struct Run {
    from: Key,
    /// How far it is known; nothing of it while this is `None`.
    last: Option<Key>,
}

impl Gaps {
    /// Where a scan begins that begins at this key: behind the gap that it is in.
    pub(super) fn begin(&self, from: Key) -> (Bound<Key>, Run) {
        match self.around(&from) {
            Some((from, last)) => (Bound::Excluded(last), Run { from, last: Some(last) }),
            None => (Bound::Included(from), Run { from, last: None }),
        }
    }

    /// No row is from the beginning of the run to this key, or from where it came to last time; `None` where something was
    /// written in between.
    pub(super) fn extend(&mut self, run: Run, last: Key) -> Option<Run> {
        let is_whole = match run.last {
            Some(before) => self.0.get(&run.from) == Some(&before),
            None => self.around(&run.from).is_none(),
        };
        if !is_whole {
            return None;
        }
        while let Some((&within, _)) =
            self.0.range::<Key, _>((Bound::Excluded(run.from), Bound::Included(last))).next_back()
        {
            self.0.remove(&within);
        }
        if self.0.len() >= GAPS_MAX && !self.0.contains_key(&run.from) {
            self.0.clear();
        }
        self.0.insert(run.from, last);
        Some(Run { last: Some(last), ..run })
    }

    /// A row is written under the key.
    pub(super) fn fill(&mut self, key: &Key) {
        if let Some((from, _)) = self.around(key) {
            self.0.remove(&from);
        }
    }

    #[cfg(test)]
    pub(super) fn ranges(&self) -> Vec<(Key, Key)> {
        self.0.iter().map(|(from, last)| (*from, *last)).collect()
    }

    /// The one that the key is in.
    fn around(&self, key: &Key) -> Option<(Key, Key)> {
        let (from, last) = self.0.range::<Key, _>(..=key).next_back()?;
        (key <= last).then_some((*from, *last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        Key::new(&(number as u64).to_be_bytes())
    }

    #[test]
    fn at_its_bound_it_begins_anew() {
        let mut gaps = Gaps::default();
        for number in 0..GAPS_MAX {
            let run = gaps.begin(key(2 * number)).1;
            assert!(gaps.extend(run, key(2 * number)).is_some());
        }
        // One that is known goes on.
        let (from, run) = gaps.begin(key(0));
        assert_eq!(from, Bound::Excluded(key(0)));
        gaps.extend(run, key(1)).unwrap();
        assert_eq!(gaps.ranges().len(), GAPS_MAX);
        let run = gaps.begin(key(2 * GAPS_MAX)).1;
        gaps.extend(run, key(2 * GAPS_MAX + 1)).unwrap();
        assert_eq!(gaps.ranges(), [(key(2 * GAPS_MAX), key(2 * GAPS_MAX + 1))]);
        // Who was finding one that is given up does not go on with it.
        let (_, run) = gaps.begin(key(2 * GAPS_MAX));
        gaps.fill(&key(2 * GAPS_MAX + 1));
        assert!(gaps.extend(run, key(2 * GAPS_MAX + 2)).is_none());
        assert!(gaps.ranges().is_empty());
    }

    #[test]
    fn one_that_another_scan_has_found_meanwhile_is_not_found_again() {
        let mut gaps = Gaps::default();
        let (_, inner) = gaps.begin(key(5));
        let (_, outer) = gaps.begin(key(0));
        gaps.extend(outer, key(9)).unwrap();
        assert!(gaps.extend(inner, key(7)).is_none());
        assert_eq!(gaps.ranges(), [(key(0), key(9))]);
        // What begins in it goes on behind it, and is the same.
        let (from, run) = gaps.begin(key(3));
        assert_eq!(from, Bound::Excluded(key(9)));
        gaps.extend(run, key(12)).unwrap();
        assert_eq!(gaps.ranges(), [(key(0), key(12))]);
    }
}
