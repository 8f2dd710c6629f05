//! Helpers of tests with paused time: a clock that follows tokio's time, and predictable random bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use ports::{Clock, Random};
use tokio::time::Instant;

use crate::clock::SteadyClock;

/// A wall clock that follows tokio's time and jumps on request.
pub(crate) struct WallClock {
    started: Instant,
    off_hours: AtomicI64,
    suspended_seconds: AtomicU64,
}

impl WallClock {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), off_hours: AtomicI64::new(0), suspended_seconds: AtomicU64::new(0) }
    }

    /// Makes the wall clock `hours` hours fast, or slow if `hours` is negative.
    pub(crate) fn is_off(&self, hours: i64) {
        self.off_hours.store(hours, Ordering::Relaxed);
    }

    /// Suspends the machine for this time. Its clocks continue, but the runtime's timers do not.
    pub(crate) fn suspend(&self, time: Duration) {
        self.suspended_seconds.fetch_add(time.as_secs(), Ordering::Relaxed);
    }
}

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        let off = chrono::TimeDelta::hours(self.off_hours.load(Ordering::Relaxed));
        start + chrono::TimeDelta::from_std(self.steady()).unwrap() + off
    }

    fn steady(&self) -> Duration {
        self.started.elapsed() + Duration::from_secs(self.suspended_seconds.load(Ordering::Relaxed))
    }
}

/// A steady clock that follows paused time.
pub(crate) fn steady() -> SteadyClock {
    let port: Arc<dyn Clock> = Arc::new(WallClock::new());
    SteadyClock::set(port.now(), &port)
}

/// Predictable bytes instead of random bytes: each byte is the previous byte plus one.
#[derive(Default)]
pub(crate) struct Counting(AtomicU64);

impl Random for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed) as u8);
    }
}
