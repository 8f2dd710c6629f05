//! The room on the disk, and what is refused when it gets scarce.
//!
//! The operator keeps a reserve of free space. Below it, what makes the store larger for good is refused; below the
//! last part of it nothing is written at all, so that the service never fills the disk by its own doing: a storage
//! engine that cannot write has failed, and one that starts needs some room, too. What always holds:
//!
//! - the room is looked at when somebody wants to write, at most once a second, and between two looks what was
//!   submitted since counts as if it took [`WRITE_AMPLIFICATION`] times its length;
//! - a level is left again only with some more room than it was entered with, so that it does not flap;
//! - a change is refused before it is decided, so a refused one has changed nothing.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Backend, Space};

/// How long what was seen of the disk is good.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// So many bytes the log may grow by for one that is submitted: pages are written anew as a whole. Measured: about two.
const WRITE_AMPLIFICATION: u64 = 4;

/// The reserve when none is set, unless the disk is small.
pub const RESERVE_BYTES_DEFAULT: u64 = 1 << 30;
/// The reserve of a small disk: one part in so many of it.
const RESERVE_PARTS: u64 = 20;
/// The last part of the reserve, in which nothing is written: one in so many.
const LAST_PARTS: u64 = 4;
/// The least that the last part is, if there is a reserve: some segments of the storage engine.
pub const LAST_BYTES_MIN: u64 = 32 << 20;
/// So much of a bound more than the bound has to be free until a level is left: one part in so many.
const SLACK_PARTS: u64 = 8;

/// How much of the disk the store leaves free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskReserve {
    /// 1 GiB, or 5 % of the disk if that is less.
    #[default]
    Usual,
    /// So many bytes, at least twice [`LAST_BYTES_MIN`]; none at all when 0, and then the disk may get full.
    Bytes(u64),
}

impl DiskReserve {
    /// The reserve and the last part of it, in bytes, on a disk of this size.
    fn bounds(self, total: u64) -> (u64, u64) {
        let reserve = match self {
            Self::Bytes(0) => return (0, 0),
            Self::Usual => RESERVE_BYTES_DEFAULT.min(total / RESERVE_PARTS),
            Self::Bytes(bytes) => bytes,
        };
        let last = (reserve / LAST_PARTS).max(LAST_BYTES_MIN);
        (reserve.max(2 * last), last)
    }
}

/// What the disk has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum RoomLevel {
    /// Everything.
    Ample = 0,
    /// Not for what makes the store larger for good.
    Scarce = 1,
    /// Nothing is written.
    Exhausted = 2,
}

/// The disk has too little room for what was asked for; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the disk is nearly full")]
pub struct DiskFull;

/// What is known of the room.
#[derive(Default)]
pub(super) struct Room {
    /// How many bytes were submitted to be written.
    submitted: AtomicU64,
    /// The newest [`RoomLevel`].
    level: AtomicU8,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    reserve: DiskReserve,
    looked_at: Option<Instant>,
    space: Option<Space>,
    /// What had been written of what was submitted before the disk was looked at: it is in what was seen.
    written: u64,
}

impl Room {
    /// Sets the reserve.
    pub(super) fn set_reserve(&self, reserve: DiskReserve) {
        let mut seen = self.seen.lock();
        seen.reserve = reserve;
        seen.looked_at = None;
    }

    /// Notes that so many bytes will be written.
    pub(super) fn submitted(&self, bytes: usize) {
        self.submitted.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// What there is room for, and what was seen of the disk last. `written` gives how much of what was submitted is
    /// on the disk.
    pub(super) fn level(
        &self,
        backend: &dyn Backend,
        written: impl Fn() -> u64,
    ) -> (RoomLevel, Option<Space>) {
        let mut seen = self.seen.lock();
        let now = Instant::now();
        if seen.looked_at.is_none_or(|at| now.duration_since(at) >= LOOK_EVERY) {
            seen.looked_at = Some(now);
            let written = written(); // before looking: what is written meanwhile counts twice rather than not at all
            match backend.space() {
                Ok(space) => (seen.space, seen.written) = (Some(space), written),
                Err(error) => tracing::warn!(%error, "the system does not say how much of the disk is free"),
            }
        }
        let before = level_of(self.level.load(Ordering::Relaxed));
        let Some(space) = seen.space else { return (before, None) };
        let under_way = self.submitted.load(Ordering::Relaxed).saturating_sub(seen.written);
        let free = space.free.saturating_sub(under_way.saturating_mul(WRITE_AMPLIFICATION));
        let (reserve, last) = seen.reserve.bounds(space.total);
        let level = next_level(before, free, (reserve, last));
        if level != before {
            self.level.store(level as u8, Ordering::Relaxed);
            tell(level, space, reserve);
        }
        (level, Some(space))
    }
}

fn level_of(number: u8) -> RoomLevel {
    match number {
        0 => RoomLevel::Ample,
        1 => RoomLevel::Scarce,
        _ => RoomLevel::Exhausted,
    }
}

/// The level with so many bytes free, after this one.
fn next_level(before: RoomLevel, free: u64, (reserve, last): (u64, u64)) -> RoomLevel {
    let below = |bound: u64, level: RoomLevel| {
        let slack = if before >= level { bound / SLACK_PARTS } else { 0 };
        free < bound + slack
    };
    if below(last, RoomLevel::Exhausted) {
        RoomLevel::Exhausted
    } else if below(reserve, RoomLevel::Scarce) {
        RoomLevel::Scarce
    } else {
        RoomLevel::Ample
    }
}

/// Says in the log that the level has changed.
fn tell(level: RoomLevel, space: Space, reserve: u64) {
    let free = space.free;
    match level {
        RoomLevel::Ample => {
            tracing::info!(disk.free = free, disk.reserve = reserve, "the disk has room again");
        }
        RoomLevel::Scarce => tracing::warn!(
            disk.free = free,
            disk.reserve = reserve,
            "the disk is nearly full: what makes the store larger is refused"
        ),
        RoomLevel::Exhausted => tracing::error!(
            disk.free = free,
            disk.reserve = reserve,
            "the disk is full: nothing is written until there is room, deliveries wait"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;

    #[test]
    fn the_usual_reserve_is_the_lesser_of_1_gib_and_a_twentieth_of_the_disk() {
        for (total, expected) in [
            (1 << 40, (GIB, 256 * MIB)),
            (20 * GIB, (GIB, 256 * MIB)),
            (10 * GIB, (512 * MIB, 128 * MIB)),
            (GIB, (64 * MIB, 32 * MIB)), // never less than the store needs itself
            (0, (64 * MIB, 32 * MIB)),
        ] {
            assert_eq!(DiskReserve::Usual.bounds(total), expected, "{total}");
        }
        assert_eq!(DiskReserve::Bytes(400 * MIB).bounds(GIB), (400 * MIB, 100 * MIB));
        assert_eq!(DiskReserve::Bytes(1).bounds(GIB), (64 * MIB, 32 * MIB));
        assert_eq!(DiskReserve::Bytes(0).bounds(GIB), (0, 0));
    }

    #[test]
    fn a_level_is_entered_at_its_bound_and_left_above_it() {
        use RoomLevel::{Ample, Exhausted, Scarce};
        let next = |before, free| next_level(before, free, (800, 200));
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
        ] {
            assert_eq!(next(before, free), expected, "{before:?} {free}");
        }
        assert_eq!(next_level(Exhausted, 0, (0, 0)), Ample, "without a reserve nothing is refused");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_submitted_counts_until_it_is_seen_on_the_disk() {
        let disk = super::super::MemoryBackend::new();
        let session = disk.session().unwrap();
        let room = Room::default();
        room.set_reserve(DiskReserve::Bytes(GIB));
        disk.set_free(GIB + 400);
        let level = |written: u64| room.level(&session, || written).0;
        assert_eq!(level(0), RoomLevel::Ample);
        room.submitted(100);
        assert_eq!(level(0), RoomLevel::Ample, "just enough, if all of it is written four times");
        room.submitted(1);
        assert_eq!(level(0), RoomLevel::Scarce);
        // A look that finds them written, and the disk as it was: they took nothing of it.
        disk.set_free(2 * GIB);
        assert_eq!(level(101), RoomLevel::Scarce, "it was looked at within this second");
        tokio::time::advance(LOOK_EVERY).await;
        assert_eq!(level(101), RoomLevel::Ample);
        disk.set_free(0);
        assert_eq!(level(101), RoomLevel::Ample);
        tokio::time::advance(LOOK_EVERY).await;
        assert_eq!(level(101), RoomLevel::Exhausted);
    }
}
