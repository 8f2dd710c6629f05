//! The believed time, a pure function of the readings of the wall clock and the steady clock.
//!
//! An *offset* is the wall clock minus the steady clock. A reading whose offset is within
//! [`FOLLOWED_MAX_MILLIS`] of the believed offset is believed, because NTP corrects clocks in small steps.
//! Any other reading is a *jump*. A jump is believed after its offset has lasted for [`HELD_MIN_MILLIS`],
//! with readings at most [`GAP_MAX_MILLIS`] apart. Until then the steady clock advances the believed time.
//!
//! The *stored time* is the believed time that the store contains at the start. At the start, the wall clock
//! may be earlier than the stored time, for example because the machine's clock has no battery. In this case
//! the wall clock is not believed at first. It is believed later, when it reaches the believed time, or when
//! a further jump of the wall clock is believed.

pub(super) const FOLLOWED_MAX_MILLIS: i64 = 60_000;
pub(super) const HELD_MIN_MILLIS: i64 = 10 * 60_000;
/// The maximum time between two readings that confirm a jump. The supervisor reads the clocks once a minute,
/// but a reading may be late.
pub(super) const GAP_MAX_MILLIS: i64 = 3 * 60_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    /// Believed time minus steady time, in milliseconds.
    offset: i64,
    jump: Option<Jump>,
    /// The offset of the wall clock, if the wall clock was earlier than the stored time when the service started. It is
    /// `None` as soon as the wall clock is believed.
    behind: Option<i64>,
    /// A lower limit for the believed time. If the wall clock was earlier than the stored time at the start, the limit
    /// is [`KeptTime::now`] until a jump is believed. In all other cases it is `i64::MIN`, which means no limit.
    kept: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KeptTime {
    pub(super) written: i64,
    /// The time `written` plus the time that has passed since then, or only `written` if the machine has
    /// restarted.
    pub(super) now: i64,
}

#[derive(Clone, Copy, Debug)]
struct Jump {
    offset: i64,
    since: i64,
    seen: i64,
}

impl Belief {
    /// The belief at the start: the wall clock is believed unless it is earlier than the stored time. All
    /// times are in milliseconds.
    pub(super) fn new(wall: i64, steady: i64, kept: Option<KeptTime>) -> Self {
        let first = Self { offset: wall - steady, jump: None, behind: None, kept: i64::MIN };
        match kept {
            Some(kept) if wall < kept.written => {
                Self { offset: kept.now - steady, behind: Some(first.offset), kept: kept.now, ..first }
            }
            _ => first,
        }
    }

    pub(super) fn read(&mut self, wall: i64, steady: i64) -> i64 {
        let offset = wall - steady;
        let near = |other: i64| (offset - other).abs() <= FOLLOWED_MAX_MILLIS;
        let believed = Self { offset, jump: None, behind: None, ..*self };
        if near(self.offset) || self.behind.is_some() && offset > self.offset {
            *self = believed;
            return wall.max(self.kept); // the believed time stops for at most a minute
        }
        if let Some(behind) = self.behind.as_mut().filter(|behind| near(**behind)) {
            *behind = offset; // NTP may have slewed the clock
            self.jump = None;
            return self.offset + steady;
        }
        match &mut self.jump {
            Some(jump) if near(jump.offset) && steady - jump.seen <= GAP_MAX_MILLIS => {
                jump.seen = steady;
                if steady - jump.since >= HELD_MIN_MILLIS {
                    *self = Self { kept: i64::MIN, ..believed };
                    return wall;
                }
            }
            _ => self.jump = Some(Jump { offset, since: steady, seen: steady }),
        }
        self.offset + steady
    }

    pub(super) fn offset(&self) -> i64 {
        self.offset
    }

    /// Returns the wall clock minus the believed time in milliseconds, or `None` if the wall clock is believed.
    pub(super) fn doubted(&self) -> Option<i64> {
        let doubted = self.jump.map(|jump| jump.offset).or(self.behind)?;
        Some(doubted - self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    const YEAR: i64 = 365 * 86_400_000;
    const WALL: i64 = 1_772_442_000_000;
    const BOOT: i64 = 5_000;

    /// Reads the clocks once a minute. At each reading the wall clock is ahead of the true time by the given
    /// milliseconds. For each reading, returns how many milliseconds the believed time is ahead of the true
    /// time.
    fn each_minute(ahead: &[i64]) -> Vec<i64> {
        let mut belief = Belief::new(WALL, BOOT, None);
        let minutes = (1..).map(|minute: i64| minute * MINUTE);
        let read =
            |(ahead, passed): (&i64, i64)| belief.read(WALL + passed + ahead, BOOT + passed) - WALL - passed;
        ahead.iter().zip(minutes).map(read).collect()
    }

    #[test]
    fn a_difference_of_up_to_a_minute_is_believed() {
        for ahead in [MINUTE, -MINUTE, 1] {
            assert_eq!(each_minute(&[ahead, 0]), [ahead, 0]);
        }
        for ahead in [MINUTE + 1, -MINUTE - 1, YEAR, -YEAR] {
            assert_eq!(each_minute(&[ahead, 0]), [0, 0]);
        }
        // A clock that changes in small steps is believed, even if the sum of the steps is large.
        let slewed: Vec<_> = (1..200).map(|step| step * MINUTE).collect();
        assert_eq!(each_minute(&slewed), slewed);
    }

    #[test]
    fn a_jump_is_believed_once_it_has_held_for_ten_minutes() {
        for ahead in [2 * MINUTE, -2 * MINUTE, 3 * YEAR, -3 * YEAR] {
            // The eleventh reading is ten minutes after the first reading, so it is believed.
            let mut believed = vec![0; 10];
            believed.extend([ahead; 3]);
            assert_eq!(each_minute(&[ahead; 13]), believed);
            // The jump is also believed if NTP corrects the clock in small steps during the ten minutes.
            let slewed: Vec<_> = (0..12).map(|step| ahead + step).collect();
            assert_eq!(each_minute(&slewed)[9..], [0, ahead + 10, ahead + 11]);
        }
    }

    #[test]
    fn a_jump_that_ends_within_ten_minutes_is_never_believed() {
        let mut ahead = [YEAR; 30];
        (ahead[9], ahead[18]) = (0, 5);
        let believed = each_minute(&ahead);
        assert!(believed[..28].iter().all(|ahead| *ahead == 0 || *ahead == 5), "{believed:?}");
        assert_eq!(believed[29], YEAR, "the third jump lasts ten minutes and must be believed");
    }

    #[test]
    fn a_second_jump_restarts_the_ten_minutes() {
        let mut ahead = [YEAR; 24];
        ahead[9..].fill(YEAR + 2 * MINUTE);
        assert_eq!(each_minute(&ahead)[18..20], [0, YEAR + 2 * MINUTE]);
    }

    /// The belief after a restart of the machine. The wall clock is `ahead` milliseconds later than the stored time.
    fn started(ahead: i64) -> Belief {
        Belief::new(WALL + ahead, BOOT, Some(KeptTime { written: WALL, now: WALL }))
    }

    #[test]
    fn a_clock_that_stays_earlier_than_the_stored_time_is_never_believed() {
        for behind in [-2 * MINUTE, -YEAR] {
            let mut belief = started(behind);
            for minute in 0..60 {
                let passed = minute * MINUTE;
                // NTP corrects the wall clock by one second per minute. This is too little: the wall clock remains
                // earlier than the believed time, which is the stored time plus `passed`.
                let read = belief.read(WALL + behind + passed + minute * 1_000, BOOT + passed);
                assert_eq!(read, WALL + passed, "after {minute} minutes");
            }
            assert!(belief.doubted().unwrap() < 0);
        }
        assert_eq!(started(0).doubted(), None);
        assert_eq!(started(1).read(WALL + 1, BOOT), WALL + 1);
    }

    #[test]
    fn the_first_reading_at_or_after_the_believed_time_is_believed_immediately() {
        for ahead in [0, 1, 2 * MINUTE, YEAR] {
            let mut belief = started(-YEAR);
            let passed = 30 * MINUTE;
            assert_eq!(belief.read(WALL - YEAR + passed, BOOT + passed), WALL + passed);
            assert_eq!(belief.read(WALL + passed + ahead, BOOT + passed), WALL + passed + ahead);
            assert_eq!(belief.doubted(), None);
            // The clock is believed now. If it then jumps to an earlier time, the jump is not believed immediately.
            let glitch = WALL + passed + ahead - YEAR;
            assert_eq!(belief.read(glitch, BOOT + passed), WALL + passed + ahead);
        }
    }

    #[test]
    fn a_jump_to_before_the_stored_time_is_believed_after_ten_minutes() {
        let mut belief = started(-YEAR);
        for minute in 0..10 {
            let passed = minute * MINUTE;
            assert_eq!(belief.read(WALL - YEAR / 2 + passed, BOOT + passed), WALL + passed);
        }
        let passed = 10 * MINUTE;
        assert_eq!(belief.read(WALL - YEAR / 2 + passed, BOOT + passed), WALL - YEAR / 2 + passed);
        assert_eq!(belief.doubted(), None);
    }

    #[test]
    fn the_believed_time_waits_for_a_clock_that_is_less_than_a_minute_early() {
        let mut belief = started(-30_000);
        for (seconds, believed) in [(0, 0), (1, 0), (30, 0), (31, 1_000), (90, 60_000)] {
            let passed = seconds * 1_000;
            assert_eq!(belief.read(WALL - 30_000 + passed, BOOT + passed), WALL + believed);
            assert_eq!(belief.doubted(), None);
        }
    }

    #[test]
    fn the_stored_time_advances_until_the_machine_restarts() {
        let hour = 60 * MINUTE;
        let kept = KeptTime { written: WALL, now: WALL + hour };
        let mut belief = Belief::new(WALL - 1, BOOT, Some(kept));
        assert_eq!(belief.read(WALL - 1, BOOT), WALL + hour);
        // This wall clock is earlier than `now`, but not earlier than `written`. It is believed, because it may have
        // been corrected while the service was stopped.
        assert_eq!(Belief::new(WALL, BOOT, Some(kept)).read(WALL, BOOT), WALL);
    }

    #[test]
    fn readings_that_are_too_far_apart_do_not_confirm_a_jump() {
        for (gap, believed) in [(GAP_MAX_MILLIS, YEAR), (GAP_MAX_MILLIS + 1, 0)] {
            let mut belief = Belief::new(WALL, BOOT, None);
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
