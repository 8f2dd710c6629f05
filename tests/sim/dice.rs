//! A generator of random numbers.

use parking_lot::Mutex;
use ports::Random;

/// A generator of random numbers (SplitMix64). The seed determines the numbers.
pub(crate) struct Dice(Mutex<u64>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        let mut state = self.0.lock();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    /// Returns a number from `from` to `to`, both included.
    pub(crate) fn between(&self, from: u64, to: u64) -> u64 {
        from + self.next() % (to - from + 1)
    }

    pub(crate) fn pick<'a, T>(&self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn any<T: Copy>(&self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| *self.pick(from))
    }

    /// Returns true with a probability of one in `times`.
    pub(crate) fn once_in(&self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns the value with a probability of one in `times`, otherwise `None`.
    pub(crate) fn maybe<T>(&self, times: usize, value: impl FnOnce() -> T) -> Option<T> {
        self.once_in(times).then(value)
    }
}

impl Random for Dice {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes()[..chunk.len()]);
        }
    }
}
