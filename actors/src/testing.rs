//! What tests on paused time share: a clock that goes with it, and chance that is none.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::Timestamp;
use crate::ports::{Clock, Random};

/// A wall clock that goes with tokio's time, and jumps when it is told to.
pub(crate) struct WallClock {
    started: Instant,
    off_hours: AtomicI64,
}

impl WallClock {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), off_hours: AtomicI64::new(0) }
    }

    /// From now on it is off by so many hours.
    pub(crate) fn is_off(&self, hours: i64) {
        self.off_hours.store(hours, Ordering::Relaxed);
    }
}

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        let off = chrono::TimeDelta::hours(self.off_hours.load(Ordering::Relaxed));
        start + chrono::TimeDelta::from_std(self.started.elapsed()).unwrap() + off
    }

    fn steady(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Bytes that count up.
#[derive(Default)]
pub(crate) struct Counting(AtomicU64);

impl Random for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed) as u8);
    }
}
