//! Stamps of the changes of a business.
//!
//! Invariants:
//! - Stamps never decrease, even when the clock goes back.
//! - A list ordered by `updated_at` ends at a fence. No later change has a stamp up to that fence, so a
//!   client that continues there misses nothing.
//! - No later change has the stamp of a member's removal. A new membership of the same person is
//!   distinguished by its stamp.
//! - `newest <= next`. A list or a removal moves `next` at most to a millisecond after the newest change, or
//!   to the present if that is later.
//!
//! Lists from an earlier process are unknown here. Their fences are before the earliest stamp of this process
//! ([`crate::clock::Clocks::stamps_from`]).

use chrono::TimeDelta;
use domain::Timestamp;

const TICK: TimeDelta = TimeDelta::milliseconds(1);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    newest: Timestamp,
    next: Timestamp,
}

impl Stamps {
    /// Follows a change with the stamp `newest`, which a list may already have shown.
    pub(crate) fn after(newest: Timestamp, from: Timestamp) -> Self {
        Self { newest, next: from.max(newest + TICK) }
    }

    /// The stamp of a change at `now`: the present, or a later instant if the clock has gone back.
    pub(crate) fn at(self, now: Timestamp) -> Timestamp {
        now.max(self.next)
    }

    pub(crate) fn made(&mut self, at: Timestamp) {
        debug_assert!(at >= self.next, "a stamp goes back");
        *self = Self { newest: at, next: at };
    }

    /// Forces a later stamp on the next change.
    pub(crate) fn part(&mut self) {
        self.next = self.next.max(self.newest + TICK);
    }

    /// The present, or the tick before it when a later change may still get the present's stamp.
    pub(crate) fn fence(&mut self, now: Timestamp) -> Timestamp {
        let fence = self.newest.max(self.next - TICK).max(now - TICK);
        self.next = fence + TICK;
        fence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_change_after_a_list_bears_a_later_stamp_than_the_list_showed() {
        let mut stamps = Stamps::after(instant(10), Timestamp::MIN);
        stamps.made(stamps.at(instant(20)));
        assert_eq!(stamps.fence(instant(20)), instant(20), "what was made at this instant is shown");
        assert_eq!(stamps.at(instant(20)), instant(21));
        assert_eq!(stamps.fence(instant(30)), instant(29));
        assert_eq!(stamps.at(instant(30)), instant(30));
    }

    #[test]
    fn lists_alone_take_no_stamp_into_the_future() {
        let mut stamps = Stamps::after(instant(10), Timestamp::MIN);
        stamps.made(instant(20));
        let fences = [(); 5].map(|()| stamps.fence(instant(20)));
        assert_eq!(fences, [instant(20); 5]);
        assert_eq!(stamps.at(instant(20)), instant(21));
    }

    #[test]
    fn what_follows_where_two_shall_be_told_apart_bears_the_next_stamp_and_no_later_one() {
        let mut stamps = Stamps::after(instant(100), Timestamp::MIN);
        stamps.made(stamps.at(instant(50)));
        assert_eq!(stamps.at(instant(50)), instant(101), "changes may share a stamp");
        stamps.part();
        stamps.part();
        assert_eq!((stamps.at(instant(50)), stamps.at(instant(500))), (instant(102), instant(500)));
        stamps.fence(instant(50));
        assert_eq!(stamps.at(instant(50)), instant(102));
        stamps.made(instant(102));
        assert_eq!(stamps.at(instant(50)), instant(102));
    }

    #[test]
    fn a_clock_that_has_gone_back_takes_no_stamp_back() {
        let mut stamps = Stamps::after(instant(100), Timestamp::MIN);
        assert_eq!((stamps.at(instant(50)), stamps.fence(instant(50))), (instant(101), instant(100)));
        stamps.made(instant(101));
        assert_eq!((stamps.at(instant(50)), stamps.fence(instant(50))), (instant(101), instant(101)));
        assert_eq!(stamps.at(instant(50)), instant(102));
    }

    #[test]
    fn no_stamp_is_before_the_earliest_one_that_the_clock_allows() {
        let mut stamps = Stamps::after(instant(10), instant(100));
        assert_eq!((stamps.at(instant(50)), stamps.at(instant(101))), (instant(100), instant(101)));
        assert_eq!(stamps.fence(instant(50)), instant(99));
        assert_eq!(stamps.at(instant(50)), instant(100));
        assert_eq!(Stamps::after(instant(100), instant(10)).at(instant(50)), instant(101));
    }
}
