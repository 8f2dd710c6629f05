//! A clock and randomness that a test controls.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;
use ports::{Clock, Random};

/// A clock that only the test moves.
#[derive(Clone)]
pub(crate) struct TestClock(Arc<AtomicI64>);

impl Default for TestClock {
    /// Monday 2026-03-02, two hours before the salon opens.
    fn default() -> Self {
        let clock = Self(Arc::default());
        clock.set("2026-03-02T06:00:00Z");
        clock
    }
}

impl TestClock {
    /// Sets the time.
    pub(crate) fn set(&self, text: &str) {
        self.0.store(Timestamp::parse(text).unwrap().millis(), Ordering::SeqCst);
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.advance_millis(seconds * 1_000);
    }

    pub(crate) fn advance_millis(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    /// Unix time in seconds.
    pub(crate) fn seconds(&self) -> i64 {
        self.0.load(Ordering::SeqCst).div_euclid(1_000)
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    /// The monotonic clock shows the same time as the wall clock, so it advances when a test moves the wall clock.
    fn steady(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}

/// Random numbers from a seed (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Random bytes from a seed. The sequence of bytes is the same in every run.
#[allow(dead_code, reason = "only one of the test binaries uses it")]
pub(crate) struct Seeded(Mutex<Dice>);

impl Default for Seeded {
    fn default() -> Self {
        Self(Mutex::new(Dice(1)))
    }
}

impl Random for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        let mut dice = self.0.lock();
        bytes.fill_with(|| u8::try_from(dice.below(256)).unwrap());
    }
}
