//! Stamps of the changes to a business.
//!
//! Invariants:
//! - Stamps never decrease, even when the clock goes back.
//! - A list ordered by `updated_at` ends at an instant, its *fence*. Every later change has a stamp after
//!   the fence, so a client that continues at the fence misses no change.
//! - A change after a member's removal has a later stamp than the removal, so the stamp distinguishes a new
//!   membership of the person from the removed one.
//! - `newest` is the stamp of the last change. `next` is the earliest stamp that the next change may get. `next` is
//!   never before `newest`. A change sets both to its stamp, so the next change may get the same stamp. After a removal
//!   or a list, `next` is at least one millisecond after `newest`. After a list, `next` is also not before the time of
//!   the list.
//!
//! An actor does not know the fences of lists that clients read before the actor started.
//! [`crate::clock::Clocks::stamps_from`] keeps the actor's stamps after these fences.

use chrono::TimeDelta;
use domain::Timestamp;

const TICK: TimeDelta = TimeDelta::milliseconds(1);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    newest: Timestamp,
    next: Timestamp,
}

impl Stamps {
    /// The next stamp is after `newest`, the stamp of the last change, and not before `from`.
    pub(crate) fn after(newest: Timestamp, from: Timestamp) -> Self {
        Self { newest, next: from.max(newest + TICK) }
    }

    /// Returns the stamp of a change that is made at `now`. It is the later of `now` and `next`.
    pub(crate) fn at(self, now: Timestamp) -> Timestamp {
        now.max(self.next)
    }

    pub(crate) fn made(&mut self, at: Timestamp) {
        debug_assert!(at >= self.next, "a stamp decreases");
        *self = Self { newest: at, next: at };
    }

    /// Ensures that the next change has a later stamp than the newest change.
    pub(crate) fn part(&mut self) {
        self.next = self.next.max(self.newest + TICK);
    }

    /// Returns the fence of a list at `now`. Every later change has a stamp after this fence.
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
    fn a_change_after_a_list_has_a_stamp_after_its_fence() {
        let mut stamps = Stamps::after(instant(10), Timestamp::MIN);
        stamps.made(stamps.at(instant(20)));
        assert_eq!(
            stamps.fence(instant(20)),
            instant(20),
            "the list must contain the change made at this instant"
        );
        assert_eq!(stamps.at(instant(20)), instant(21));
        assert_eq!(stamps.fence(instant(30)), instant(29));
        assert_eq!(stamps.at(instant(30)), instant(30));
    }

    #[test]
    fn lists_alone_move_no_stamp_into_the_future() {
        let mut stamps = Stamps::after(instant(10), Timestamp::MIN);
        stamps.made(instant(20));
        let fences = [(); 5].map(|()| stamps.fence(instant(20)));
        assert_eq!(fences, [instant(20); 5]);
        assert_eq!(stamps.at(instant(20)), instant(21));
    }

    #[test]
    fn a_change_after_a_removal_has_exactly_the_next_stamp() {
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
    fn stamps_do_not_decrease_when_the_clock_goes_back() {
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
