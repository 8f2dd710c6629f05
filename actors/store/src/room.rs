//! The free space of the disk, and the refusal of changes when the free space is low.
//!
//! If less space is free than the operator's *reserve*, changes that enlarge the store are refused. Below a quarter of
//! the reserve, only changes that release space are accepted. Below the *floor*, a sixteenth of the reserve, nothing is
//! written: a failed write stops the store, and a start needs space too. Invariants:
//!
//! - The disk is checked at most once a second. The free space is estimated to have shrunk by [`WRITE_AMPLIFICATION`]
//!   times the bytes that were submitted since the last check.
//! - When the free space falls below one of these three bounds, the refusal for this bound begins. It ends only when
//!   the free space is at least the bound plus an eighth of the bound.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Backend, Space};

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// An upper bound of the number of bytes by which the log grows per submitted byte. Measurements showed about 2.
const WRITE_AMPLIFICATION: u64 = 4;

pub const RESERVE_BYTES_DEFAULT: u64 = 1 << 30;
/// The default reserve is at most the size of the disk divided by this number.
const RESERVE_PARTS: u64 = 20;
const LAST_PARTS: u64 = 4;
const FLOOR_PARTS: u64 = 16;
const STEP_BYTES: u64 = 8 << 20;
/// The minimum of the floor: the size of two segments of the log. After the free space has fallen to the floor, changes
/// that were accepted earlier may still need this space. They may fill the log's current segment and the next one.
const FLOOR_BYTES_MIN: u64 = 2 * STEP_BYTES;
const LAST_BYTES_MIN: u64 = FLOOR_BYTES_MIN + STEP_BYTES;
/// A reserve is either 0 or at least this size.
pub const RESERVE_BYTES_MIN: u64 = LAST_BYTES_MIN + STEP_BYTES;
/// When the free space falls below a bound, changes are refused. They are accepted again when the free space is at
/// least `bound + bound / SLACK_PARTS`.
const SLACK_PARTS: u64 = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskReserve {
    /// The default reserve: 1 GiB, or 5 % of the disk if that is less, but at least [`RESERVE_BYTES_MIN`].
    #[default]
    Usual,
    /// With 0, there is no reserve, so the disk may become full. Otherwise the reserve has this size in bytes, but at
    /// least [`RESERVE_BYTES_MIN`].
    Bytes(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) reserve: u64,
    last: u64,
    floor: u64,
}

impl DiskReserve {
    pub(super) fn bounds(self, total: u64) -> Bounds {
        let reserve = match self {
            Self::Bytes(0) => return Bounds { reserve: 0, last: 0, floor: 0 },
            Self::Usual => RESERVE_BYTES_DEFAULT.min(total / RESERVE_PARTS),
            Self::Bytes(bytes) => bytes,
        };
        Bounds {
            reserve: reserve.max(RESERVE_BYTES_MIN),
            last: (reserve / LAST_PARTS).max(LAST_BYTES_MIN),
            floor: (reserve / FLOOR_PARTS).max(FLOOR_BYTES_MIN),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoomLevel {
    #[default]
    Ample,
    /// Changes that permanently enlarge the store are refused.
    Scarce,
    /// Only changes that release space are accepted.
    Exhausted,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Grows,
    /// The change writes only rows that expire later, so it does not enlarge the store permanently.
    Keeps,
    /// The change stops, ends or revokes a resource. It must be possible even on a nearly full disk.
    Frees,
}

impl Weight {
    pub(super) fn down_to(self) -> RoomLevel {
        match self {
            Self::Grows => RoomLevel::Ample,
            Self::Keeps => RoomLevel::Scarce,
            Self::Frees => RoomLevel::Exhausted,
        }
    }
}

/// The change is refused because too little disk space is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the disk is nearly full")]
pub struct DiskFull;

#[derive(Default)]
pub(super) struct Room {
    submitted: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    reserve: DiskReserve,
    level: RoomLevel,
    looked_at: Option<Instant>,
    space: Option<Space>,
    /// The number of submitted bytes that the disk already contained at the last check. These bytes have already
    /// reduced the free space in `space`. So only the other submitted bytes are subtracted from the free space.
    written: u64,
}

impl Room {
    pub(super) fn set_reserve(&self, reserve: DiskReserve) {
        let mut seen = self.seen.lock();
        seen.reserve = reserve;
        seen.looked_at = None;
    }

    pub(super) fn submitted(&self, bytes: usize) {
        self.submitted.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the current level, and the disk space at the last check. `written` returns the number of bytes that are
    /// durable.
    pub(super) fn level(
        &self,
        backend: &dyn Backend,
        written: impl Fn() -> u64,
    ) -> (RoomLevel, Option<Space>) {
        let mut seen = self.seen.lock();
        let now = Instant::now();
        if seen.looked_at.is_none_or(|at| now.duration_since(at) >= LOOK_EVERY) {
            seen.looked_at = Some(now);
            // `written` is read before the free space. A write between the two reads may count twice, but is
            // never missed.
            let written = written().saturating_sub(backend.unsaved_bytes());
            match backend.space() {
                Ok(space) => (seen.space, seen.written) = (Some(space), written),
                Err(error) => tracing::warn!(%error, "the free space of the disk cannot be determined"),
            }
        }
        let Some(space) = seen.space else { return (seen.level, None) };
        let under_way = self.submitted.load(Ordering::Relaxed).saturating_sub(seen.written);
        let free = space.free.saturating_sub(under_way.saturating_mul(WRITE_AMPLIFICATION));
        let bounds = seen.reserve.bounds(space.total);
        let level = next_level(seen.level, free, bounds);
        if level != seen.level {
            seen.level = level;
            tell(level, space, bounds.reserve);
        }
        (level, Some(space))
    }
}

fn next_level(before: RoomLevel, free: u64, bounds: Bounds) -> RoomLevel {
    let below = |bound: u64, level: RoomLevel| {
        let slack = if before >= level { bound / SLACK_PARTS } else { 0 };
        free < bound + slack
    };
    if below(bounds.floor, RoomLevel::Full) {
        RoomLevel::Full
    } else if below(bounds.last, RoomLevel::Exhausted) {
        RoomLevel::Exhausted
    } else if below(bounds.reserve, RoomLevel::Scarce) {
        RoomLevel::Scarce
    } else {
        RoomLevel::Ample
    }
}

fn tell(level: RoomLevel, space: Space, reserve: u64) {
    macro_rules! say {
        ($level:ident, $text:literal) => {
            tracing::$level!(disk.free = space.free, disk.reserve = reserve, $text)
        };
    }
    match level {
        RoomLevel::Ample => say!(info, "the disk has room again"),
        RoomLevel::Scarce => {
            say!(warn, "the disk is nearly full: changes that enlarge the store are refused");
        }
        RoomLevel::Exhausted => say!(
            error,
            "the disk is almost full: only changes that release space are written, and deliveries wait"
        ),
        RoomLevel::Full => say!(error, "the disk is full: nothing is written until there is free space"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;

    #[test]
    fn the_usual_reserve_is_the_lesser_of_1_gib_and_a_twentieth_of_the_disk() {
        let bounds = |reserve: DiskReserve, total| {
            let Bounds { reserve, last, floor } = reserve.bounds(total);
            (reserve / MIB, last / MIB, floor / MIB)
        };
        for (total, expected) in [
            (1 << 40, (1_024, 256, 64)),
            (20 * GIB, (1_024, 256, 64)),
            (10 * GIB, (512, 128, 32)),
            (2 * GIB, (102, 25, 16)),
            (GIB, (51, 24, 16)),
            (200 * MIB, (32, 24, 16)), // the minimum, which the storage engine needs
            (0, (32, 24, 16)),
        ] {
            assert_eq!(bounds(DiskReserve::Usual, total), expected, "{total}");
        }
        assert_eq!(bounds(DiskReserve::Bytes(400 * MIB), GIB), (400, 100, 25));
        assert_eq!(bounds(DiskReserve::Bytes(1), GIB), (32, 24, 16));
        assert_eq!(bounds(DiskReserve::Bytes(0), GIB), (0, 0, 0));
    }

    #[test]
    fn changes_that_need_less_space_are_accepted_at_more_levels() {
        let levels = [RoomLevel::Ample, RoomLevel::Scarce, RoomLevel::Exhausted, RoomLevel::Full];
        for (weight, expected) in [(Weight::Grows, 1), (Weight::Keeps, 2), (Weight::Frees, 3)] {
            let done = levels.iter().filter(|level| **level <= weight.down_to());
            assert_eq!(done.count(), expected, "{weight:?}");
        }
    }

    #[test]
    fn a_level_begins_at_its_bound_and_ends_above_it() {
        use RoomLevel::{Ample, Exhausted, Full, Scarce};
        let next = |before, free| next_level(before, free, Bounds { reserve: 800, last: 200, floor: 80 });
        for (before, free, expected) in [
            (Ample, 800, Ample),
            (Ample, 799, Scarce),
            (Scarce, 899, Scarce),
            (Scarce, 900, Ample),
            (Scarce, 200, Scarce),
            (Scarce, 199, Exhausted),
            (Ample, 199, Exhausted),
            (Exhausted, 224, Exhausted),
            (Exhausted, 225, Scarce),
            (Exhausted, 899, Scarce),
            (Exhausted, 900, Ample),
            (Exhausted, 80, Exhausted),
            (Exhausted, 79, Full),
            (Ample, 79, Full),
            (Full, 89, Full),
            (Full, 90, Exhausted),
            (Full, 224, Exhausted),
            (Full, 225, Scarce),
            (Full, 900, Ample),
        ] {
            assert_eq!(next(before, free), expected, "{before:?} {free}");
        }
        let none = DiskReserve::Bytes(0).bounds(GIB);
        assert_eq!(next_level(Full, 0, none), Ample, "without a reserve nothing is refused");
    }

    #[tokio::test(start_paused = true)]
    async fn submitted_bytes_count_until_a_check_includes_them() {
        let disk = super::super::MemoryBackend::new();
        let session = disk.session().unwrap();
        let room = Room::default();
        room.set_reserve(DiskReserve::Bytes(GIB));
        disk.set_free(GIB + 400);
        let level = |written: u64| room.level(&session, || written).0;
        assert_eq!(level(0), RoomLevel::Ample);
        room.submitted(100);
        assert_eq!(level(0), RoomLevel::Ample, "400 bytes are enough for 100 submitted bytes");
        room.submitted(1);
        assert_eq!(level(0), RoomLevel::Scarce);
        // From here on, all 101 submitted bytes are on the disk: the argument of `level` is 101. The free space that
        // the next check measures does not include these bytes. So the check does not subtract them again.
        disk.set_free(2 * GIB);
        assert_eq!(level(101), RoomLevel::Scarce, "the disk is checked at most once a second");
        tokio::time::advance(LOOK_EVERY).await;
        assert_eq!(level(101), RoomLevel::Ample);
        disk.set_free(0);
        assert_eq!(level(101), RoomLevel::Ample);
        tokio::time::advance(LOOK_EVERY).await;
        assert_eq!(level(101), RoomLevel::Full);
    }
}
