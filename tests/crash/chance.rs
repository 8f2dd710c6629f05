//! Repeatable randomness and the number of rounds.

use std::time::Duration;

/// Randomness from a seed (SplitMix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    /// Some moment within this time, for something to happen at.
    pub(crate) fn moment(&mut self, within: Duration) -> Duration {
        let micros = usize::try_from(within.as_micros()).unwrap();
        Duration::from_micros(u64::try_from(self.below(micros.max(1))).unwrap())
    }

    /// Lets such a moment come. What a real process does meanwhile is its own affair: it is to be met in the midst of it.
    pub(crate) async fn let_pass(&mut self, within: Duration) {
        come(self.moment(within)).await;
    }

    /// Another source, for someone who works beside.
    pub(crate) fn fork(&mut self) -> Self {
        let high = u64::try_from(self.below(usize::MAX)).unwrap();
        Self(high.rotate_left(32) ^ self.0)
    }
}

/// Lets a moment come: the only place in which tests let real time pass, fractions of a second of it. They run the program as
/// a process of its own, which has no simulated time: a kill shall meet it at some moment of its work, a receiver shall be
/// slow for it, and where nothing tells from outside that it is through with something, it is left alone before one looks.
/// No outcome depends on how long that is.
pub(crate) async fn come(moment: Duration) {
    tokio::time::sleep(moment).await;
}

/// The number that this variable names, or the usual one.
pub(crate) fn number_of(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

/// The seed of the run: `CRASH_SEED`, or any.
pub(crate) fn seed() -> u64 {
    match std::env::var("CRASH_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => u64::from_be_bytes(*uuid::Uuid::new_v4().as_bytes().first_chunk().unwrap()),
    }
}
