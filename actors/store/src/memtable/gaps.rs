//! Gaps: ranges of keys that have no row. The tables and the tree may still contain deleted rows there.
//! Without gaps, a scan for the first row of a queue would have to read all deleted rows before it.
//!
//! Invariant: gaps do not overlap. When a row is written, the gap that contains its key is dropped.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::Key;

/// The maximum number of gaps. When there are more, all gaps are dropped, and later scans find them again.
const GAPS_MAX: usize = 4_096;

/// The first and the last key of each gap. Both belong to the gap.
#[derive(Default)]
pub(super) struct Gaps(BTreeMap<Key, Key>);

/// The gap in which a scan reads. The scan extends the gap until it finds a row.
#[derive(Clone, Copy)]
pub(super) struct Run {
    from: Key,
    /// The last key of the gap. It is `None` if the gap is new and the scan has not extended it yet.
    last: Option<Key>,
}

impl Gaps {
    /// Returns the key at which a scan from `from` must begin: `from`, or the first key after the gap that contains
    /// `from`.
    pub(super) fn begin(&self, from: Key) -> (Bound<Key>, Run) {
        match self.around(&from) {
            Some((from, last)) => (Bound::Excluded(last), Run { from, last: Some(last) }),
            None => (Bound::Included(from), Run { from, last: None }),
        }
    }

    /// Makes `last` the last key of the gap of a scan. Returns the extended gap. Returns `None` and changes nothing in
    /// two cases:
    ///
    /// - The gap is new, and another gap already contains its first key.
    /// - The gap is not new, and it was dropped or changed since its last extension.
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
    fn one_gap_above_the_maximum_drops_all_others() {
        let mut gaps = Gaps::default();
        for number in 0..GAPS_MAX {
            let run = gaps.begin(key(2 * number)).1;
            assert!(gaps.extend(run, key(2 * number)).is_some());
        }
        // The second scan extends the gap that the first scan found.
        let (from, run) = gaps.begin(key(0));
        assert_eq!(from, Bound::Excluded(key(0)));
        gaps.extend(run, key(1)).unwrap();
        assert_eq!(gaps.ranges().len(), GAPS_MAX);
        let run = gaps.begin(key(2 * GAPS_MAX)).1;
        gaps.extend(run, key(2 * GAPS_MAX + 1)).unwrap();
        assert_eq!(gaps.ranges(), [(key(2 * GAPS_MAX), key(2 * GAPS_MAX + 1))]);
        // A scan finds a gap, and then a row is written in the gap. The write removes the gap, so the scan cannot
        // extend the gap.
        let (_, run) = gaps.begin(key(2 * GAPS_MAX));
        gaps.fill(&key(2 * GAPS_MAX + 1));
        assert!(gaps.extend(run, key(2 * GAPS_MAX + 2)).is_none());
        assert!(gaps.ranges().is_empty());
    }

    #[test]
    fn a_gap_within_a_gap_of_another_scan_is_not_added() {
        let mut gaps = Gaps::default();
        let (_, inner) = gaps.begin(key(5));
        let (_, outer) = gaps.begin(key(0));
        gaps.extend(outer, key(9)).unwrap();
        assert!(gaps.extend(inner, key(7)).is_none());
        assert_eq!(gaps.ranges(), [(key(0), key(9))]);
        // A scan that begins within a gap skips the rest of the gap. If it finds no row after the gap, it extends the
        // gap.
        let (from, run) = gaps.begin(key(3));
        assert_eq!(from, Bound::Excluded(key(9)));
        gaps.extend(run, key(12)).unwrap();
        assert_eq!(gaps.ranges(), [(key(0), key(12))]);
    }
}
