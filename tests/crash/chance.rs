//! Random numbers from a seed, and the settings in environment variables.

use std::time::Duration;

/// Random numbers from a seed (SplitMix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    /// A random duration that is at most `within`.
    pub(crate) fn moment(&mut self, within: Duration) -> Duration {
        let micros = usize::try_from(within.as_micros()).unwrap();
        Duration::from_micros(u64::try_from(self.below(micros.max(1))).unwrap())
    }

    /// Waits for a random duration, so that the next action of the test happens at a random moment of the
    /// process's work.
    pub(crate) async fn let_pass(&mut self, within: Duration) {
        sleep_for(self.moment(within)).await;
    }

    /// A second random source, for a concurrent client.
    pub(crate) fn fork(&mut self) -> Self {
        let high = u64::try_from(self.below(usize::MAX)).unwrap();
        Self(high.rotate_left(32) ^ self.0)
    }
}

/// Waits for a fraction of a second in real time, because the program runs as a separate process without simulated
/// time. Tests call this function in three cases: a kill must happen at a random moment, a receiver must be slow,
/// or the test waits for work whose end it cannot observe. No result depends on the duration.
pub(crate) async fn sleep_for(moment: Duration) {
    tokio::time::sleep(moment).await;
}

/// The number in this environment variable, or the default.
pub(crate) fn number_of(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

/// The seed of the run, from `CRASH_SEED` or random.
pub(crate) fn seed() -> u64 {
    match std::env::var("CRASH_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => u64::from_be_bytes(*uuid::Uuid::new_v4().as_bytes().first_chunk().unwrap()),
    }
}
