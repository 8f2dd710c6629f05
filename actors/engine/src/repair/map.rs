//! Maps stamps in the future to corrected stamps. The newest stamp becomes the present, and the order of the stamps
//! stays the same. The module is pure.

use domain::Timestamp;

pub(super) struct Stamps {
    /// The newest stamp that is not after the present.
    pub(super) newest_kept: Timestamp,
    /// The stamps after the present, in milliseconds.
    pub(super) later: Vec<i64>,
}

impl Stamps {
    pub(super) fn new() -> Self {
        Self { newest_kept: Timestamp::MIN, later: Vec::new() }
    }

    pub(super) fn add(&mut self, stamp: Timestamp, present: Timestamp) {
        if stamp <= present {
            self.newest_kept = self.newest_kept.max(stamp);
        } else if self.later.last() != Some(&stamp.millis()) {
            self.later.push(stamp.millis());
        }
    }
}

pub(super) struct StampMap {
    present: Timestamp,
    newest_kept: Timestamp,
    /// The future stamps in milliseconds, each once, in order.
    later: Vec<i64>,
}

impl StampMap {
    pub(super) fn new(stamps: Stamps, present: Timestamp) -> Self {
        let Stamps { newest_kept, mut later } = stamps;
        later.sort_unstable();
        later.dedup();
        Self { present, newest_kept, later }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.later.is_empty()
    }

    pub(super) fn later(&self) -> &[i64] {
        &self.later
    }

    pub(super) fn newest_kept(&self) -> Timestamp {
        self.newest_kept
    }

    /// The corrected value of a timestamp. Only timestamps in the future change. The latest of them becomes the
    /// present. The corrected values keep their order and are one millisecond apart. If there are too few milliseconds
    /// between the newest unchanged timestamp and the present, several timestamps get the same value.
    pub(super) fn moved(&self, stamp: Timestamp) -> Timestamp {
        if stamp <= self.present {
            return stamp;
        }
        let at = self.later.partition_point(|other| *other < stamp.millis()).min(self.later.len() - 1);
        let room = self.present.millis() - self.newest_kept.millis();
        let (rank, count) = (at as i64 + 1, self.later.len() as i64);
        let moved = if count <= room {
            self.present.millis() - (count - rank)
        } else {
            self.newest_kept.millis() + (i128::from(rank) * i128::from(room) / i128::from(count)) as i64
        };
        Timestamp::from_millis(moved)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn map(all: &[i64], present: i64) -> StampMap {
        let present = Timestamp::from_millis(present);
        let mut stamps = Stamps::new();
        all.iter().for_each(|stamp| stamps.add(Timestamp::from_millis(*stamp), present));
        StampMap::new(stamps, present)
    }

    #[test]
    fn the_last_stamp_becomes_the_present_and_the_others_precede_it() {
        let map = map(&[50, 90, 300, 200, 300, 1_000], 100);
        let moved = |stamp| map.moved(Timestamp::from_millis(stamp)).millis();
        assert_eq!([50, 90, 100, 200, 300, 1_000].map(moved), [50, 90, 100, 98, 99, 100]);
    }

    #[test]
    fn stamps_without_room_share_a_millisecond() {
        let map = map(&[99, 200, 201, 202], 100);
        let moved = |stamp| map.moved(Timestamp::from_millis(stamp)).millis();
        assert_eq!([99, 200, 201, 202].map(moved), [99, 99, 99, 100]);
    }

    proptest! {
        #[test]
        fn the_order_is_kept_and_no_stamp_is_after_the_present(
            all in proptest::collection::vec(0..400i64, 1..60),
            present in 0..200i64,
        ) {
            let map = map(&all, present);
            let roomy = map.later().len() as i64 <= present - map.newest_kept().millis();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let moved: Vec<_> = sorted.iter().map(|at| map.moved(Timestamp::from_millis(*at)).millis()).collect();
            prop_assert!(moved.is_sorted());
            prop_assert!(moved.iter().all(|at| *at <= present));
            prop_assert!(!roomy || moved.is_sorted_by(|a, b| a < b), "{sorted:?} {moved:?}");
            for (before, after) in sorted.iter().zip(&moved).filter(|(before, _)| **before <= present) {
                prop_assert_eq!(before, after);
            }
        }
    }
}
