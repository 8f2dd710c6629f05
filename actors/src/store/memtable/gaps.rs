//! Ranges of keys in which there is no row: who looks for the first row of a queue finds it at once, however many before
//! it were deleted and are still in the tables or the tree.
//!
//! What always holds: no two of them overlap, so a row that is written is in one of them at most, and that is given up.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::store::Key;

/// So many are known at most; those that are given up for others are found again when they are needed.
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
        self.0.insert(run.from, last);
        if self.0.len() > GAPS_MAX {
            self.0.pop_first();
        }
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
