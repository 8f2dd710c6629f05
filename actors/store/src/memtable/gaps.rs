//! Ranges of keys without a row. A scan for the first row of a queue skips the deleted rows before it, which may still
//! be in the tables or the tree.
//!
//! Invariant: gaps do not overlap. A written row is in at most one gap, which is then dropped.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::Key;

/// The maximum number of gaps. A further gap drops all others. Scans find the needed gaps again.
const GAPS_MAX: usize = 4_096;

/// The gaps, from the first key to the last, both inclusive.
#[derive(Default)]
pub(super) struct Gaps(BTreeMap<Key, Key>);

/// A gap that a scan is extending. The scan has found no row so far.
#[derive(Clone, Copy)]
pub(super) struct Run {
    from: Key,
    /// The end of the known part; `None` while it is empty.
    last: Option<Key>,
}

impl Gaps {
    /// The first key to read for a scan from `from`: after the gap that contains it.
    pub(super) fn begin(&self, from: Key) -> (Bound<Key>, Run) {
        match self.around(&from) {
            Some((from, last)) => (Bound::Excluded(last), Run { from, last: Some(last) }),
            None => (Bound::Included(from), Run { from, last: None }),
        }
    }

    /// Records that there is no row from the start of the run to `last`. `None` if a row was written in between.
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

    pub(super) fn fill(&mut self, key: &Key) {
        if let Some((from, _)) = self.around(key) {
            self.0.remove(&from);
        }
    }

    #[cfg(test)]
    pub(super) fn ranges(&self) -> Vec<(Key, Key)> {
        self.0.iter().map(|(from, last)| (*from, *last)).collect()
    }

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
        // A known gap is extended.
        let (from, run) = gaps.begin(key(0));
        assert_eq!(from, Bound::Excluded(key(0)));
        gaps.extend(run, key(1)).unwrap();
        assert_eq!(gaps.ranges().len(), GAPS_MAX);
        let run = gaps.begin(key(2 * GAPS_MAX)).1;
        gaps.extend(run, key(2 * GAPS_MAX + 1)).unwrap();
        assert_eq!(gaps.ranges(), [(key(2 * GAPS_MAX), key(2 * GAPS_MAX + 1))]);
        // The scan of a dropped gap does not continue it.
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
        // A scan from within the gap starts after it and extends the same gap.
        let (from, run) = gaps.begin(key(3));
        assert_eq!(from, Bound::Excluded(key(9)));
        gaps.extend(run, key(12)).unwrap();
        assert_eq!(gaps.ranges(), [(key(0), key(12))]);
    }
}
