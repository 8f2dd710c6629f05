//! What is believed of the wall clock, as far as the steady clock bears it out. Pure.
//!
//! The difference of the two clocks is an offset. A reading whose offset lies within [`FOLLOWED_MAX_MILLIS`] of the one
//! believed is followed: clocks are slewed, and NTP steps them a little. Any other reading is a jump, which is believed
//! only once readings have borne it out for [`HELD_MIN_MILLIS`] with no more than [`GAP_MAX_MILLIS`] between them;
//! until then time goes on from the steady clock, and a clock that comes back was never away.

/// How far a reading may lie from what the steady clock lets expect and still be followed, in milliseconds.
pub(super) const FOLLOWED_MAX_MILLIS: i64 = 60_000;
/// How long a jump must have held to be believed, in milliseconds of steady time.
pub(super) const HELD_MIN_MILLIS: i64 = 10 * 60_000;
/// How far apart the readings may be that bear a jump out, in milliseconds of steady time: the supervisor reads once a
/// minute, and may be late.
pub(super) const GAP_MAX_MILLIS: i64 = 3 * 60_000;

/// What is believed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    /// By how much the believed time is ahead of the steady time, in milliseconds.
    offset: i64,
    /// A jump that is not believed yet.
    jump: Option<Jump>,
}

/// A jump, as the readings showed it so far.
#[derive(Clone, Copy, Debug)]
struct Jump {
    offset: i64,
    since: i64,
    seen: i64,
}

impl Belief {
    /// Believes the first reading: nothing is there to hold it against. Both in milliseconds.
    pub(super) fn new(wall: i64, steady: i64) -> Self {
        Self { offset: wall - steady, jump: None }
    }

    /// The believed time, in milliseconds, when the clocks show these.
    pub(super) fn read(&mut self, wall: i64, steady: i64) -> i64 {
        let offset = wall - steady;
        let near = |other: i64| (offset - other).abs() <= FOLLOWED_MAX_MILLIS;
        if near(self.offset) {
            *self = Self { offset, jump: None };
            return wall;
        }
        match &mut self.jump {
            Some(jump) if near(jump.offset) && steady - jump.seen <= GAP_MAX_MILLIS => {
                jump.seen = steady;
                if steady - jump.since >= HELD_MIN_MILLIS {
                    *self = Self { offset, jump: None };
                    return wall;
                }
            }
            _ => self.jump = Some(Jump { offset, since: steady, seen: steady }),
        }
        self.offset + steady
    }

    /// How far the wall clock is ahead of what is believed, in milliseconds, while it is doubted.
    pub(super) fn doubted(&self) -> Option<i64> {
        self.jump.map(|jump| jump.offset - self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    const YEAR: i64 = 365 * 86_400_000;
    const WALL: i64 = 1_772_442_000_000;
    const BOOT: i64 = 5_000;

    /// Reads once a minute, the wall clock ahead by what is said, and gives how far each time the belief is ahead.
    fn each_minute(ahead: &[i64]) -> Vec<i64> {
        let mut belief = Belief::new(WALL, BOOT);
        let minutes = (1..).map(|minute: i64| minute * MINUTE);
        let read =
            |(ahead, passed): (&i64, i64)| belief.read(WALL + passed + ahead, BOOT + passed) - WALL - passed;
        ahead.iter().zip(minutes).map(read).collect()
    }

    #[test]
    fn what_differs_by_a_minute_is_followed_and_no_more() {
        for ahead in [MINUTE, -MINUTE, 1] {
            assert_eq!(each_minute(&[ahead, 0]), [ahead, 0]);
        }
        for ahead in [MINUTE + 1, -MINUTE - 1, YEAR, -YEAR] {
            assert_eq!(each_minute(&[ahead, 0]), [0, 0]);
        }
        // A clock that is slewed goes anywhere.
        let slewed: Vec<_> = (1..200).map(|step| step * MINUTE).collect();
        assert_eq!(each_minute(&slewed), slewed);
    }

    #[test]
    fn a_jump_is_believed_once_it_has_held_for_ten_minutes() {
        for ahead in [2 * MINUTE, -2 * MINUTE, 3 * YEAR, -3 * YEAR] {
            // Seen first in the first minute, so ten have passed at the eleventh reading.
            let mut believed = vec![0; 10];
            believed.extend([ahead; 3]);
            assert_eq!(each_minute(&[ahead; 13]), believed);
            // It may be slewed meanwhile.
            let slewed: Vec<_> = (0..12).map(|step| ahead + step).collect();
            assert_eq!(each_minute(&slewed)[9..], [0, ahead + 10, ahead + 11]);
        }
    }

    #[test]
    fn a_clock_that_comes_back_was_never_away() {
        let mut ahead = [YEAR; 30];
        (ahead[9], ahead[18]) = (0, 5);
        let believed = each_minute(&ahead);
        assert!(believed[..28].iter().all(|ahead| *ahead == 0 || *ahead == 5), "{believed:?}");
        assert_eq!(believed[29], YEAR, "the third time it held");
    }

    #[test]
    fn a_jump_that_jumps_again_has_to_hold_anew() {
        let mut ahead = [YEAR; 24];
        ahead[9..].fill(YEAR + 2 * MINUTE);
        assert_eq!(each_minute(&ahead)[18..20], [0, YEAR + 2 * MINUTE]);
    }

    #[test]
    fn what_nobody_read_for_a_while_has_not_held() {
        for (gap, believed) in [(GAP_MAX_MILLIS, YEAR), (GAP_MAX_MILLIS + 1, 0)] {
            let mut belief = Belief::new(WALL, BOOT);
            let mut last = 0;
            for reading in 0..=HELD_MIN_MILLIS / gap + 1 {
                let passed = reading * gap;
                last = belief.read(WALL + YEAR + passed, BOOT + passed) - WALL - passed;
            }
            assert_eq!(last, believed, "readings {gap} ms apart");
            assert_eq!(belief.doubted(), (believed == 0).then_some(YEAR));
        }
    }
}
