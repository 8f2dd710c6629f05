//! Which stamp the next change of a business bears. Stamps never go back, whatever the clock does, and once a list by
//! change was asked for, no change to come bears one that the list may have shown: a client that goes on from there
//! misses nothing. The removal of a person shares its stamp with nothing that follows: by when it was offered, a
//! membership is told from the one that is gone. What always holds: `newest <= next`, and neither asking nor a removal
//! takes `next` further than a millisecond past the newest change or up to the present, whichever is later.
//!
//! Lists that an earlier life of the service has shown are not known here. Their end is before the earliest stamp that
//! the clock allows in this life ([`crate::clock::Clocks::stamps_from`]).

use chrono::TimeDelta;
use domain::Timestamp;

const TICK: TimeDelta = TimeDelta::milliseconds(1);

/// The stamps of one business.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    /// What the newest change bears.
    newest: Timestamp,
    /// The earliest that the next one may bear.
    next: Timestamp,
}

impl Stamps {
    /// Goes on after a change with this stamp, up to which a list may have been shown already. No stamp is before `from`.
    pub(crate) fn after(newest: Timestamp, from: Timestamp) -> Self {
        Self { newest, next: from.max(newest + TICK) }
    }

    /// What a change bears that is made now: the present, or a later instant where the clock has gone back.
    pub(crate) fn at(self, now: Timestamp) -> Timestamp {
        now.max(self.next)
    }

    /// A change was made with this stamp, which [`Self::at`] gave.
    pub(crate) fn made(&mut self, at: Timestamp) {
        debug_assert!(at >= self.next, "a stamp goes back");
        *self = Self { newest: at, next: at };
    }

    /// What follows the newest change shall not share its stamp.
    pub(crate) fn part(&mut self) {
        self.next = self.next.max(self.newest + TICK);
    }

    /// The instant up to which a list by change shows everything there is, and will be: the present, or the instant
    /// before where no change has been made at it yet and one may follow.
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
