//! Delays the restart of actors that have failed. The first `patience` failures of an actor cause no delay.
//! The next failure causes a delay of 1 s, and each further failure doubles the delay, up to 60 s.

use std::hash::Hash;
use std::time::Duration;

use dashmap::DashMap;
use tokio::time::Instant;

const DELAY: Duration = Duration::from_secs(1);
const DELAY_MAX: Duration = Duration::from_secs(60);
/// The count of an actor's failures starts again at 0 if the actor does not fail for this time after its last delay.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

pub(super) struct BackOff<I> {
    failed: DashMap<I, Failed>,
    patience: u32,
}

#[derive(Clone, Copy)]
struct Failed {
    times: u32,
    until: Instant,
}

impl<I: Copy + Eq + Hash> BackOff<I> {
    pub(super) fn new(patience: u32) -> Self {
        Self { failed: DashMap::new(), patience }
    }

    pub(super) fn failed(&self, id: I) -> Duration {
        let now = Instant::now();
        let mut failed = self.failed.entry(id).or_insert(Failed { times: 0, until: now });
        if now >= failed.until + FORGOTTEN_AFTER {
            failed.times = 0;
        }
        failed.times = failed.times.saturating_add(1);
        let delay = match failed.times.checked_sub(self.patience + 1) {
            Some(doubled) => DELAY.saturating_mul(1 << doubled.min(6)).min(DELAY_MAX),
            None => Duration::ZERO,
        };
        failed.until = now + delay;
        delay
    }

    pub(super) fn remaining(&self, id: I) -> Option<Duration> {
        let until = self.failed.get(&id)?.until;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    pub(super) fn forget(&self) {
        let now = Instant::now();
        self.failed.retain(|_, failed| now < failed.until + FORGOTTEN_AFTER);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn delays_double_up_to_a_minute_and_restart_after_a_minute_without_a_failure() {
        let back_off = BackOff::new(1);
        let mut delays = Vec::new();
        for _ in 0..9 {
            let delay = back_off.failed(7);
            assert_eq!(back_off.remaining(7), (!delay.is_zero()).then_some(delay));
            advance(delay).await;
            assert_eq!(back_off.remaining(7), None);
            delays.push(delay.as_secs());
        }
        assert_eq!(delays, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(back_off.failed(8), Duration::ZERO, "failures are counted per actor");
        advance(FORGOTTEN_AFTER - Duration::from_millis(1)).await;
        back_off.forget();
        assert_eq!(back_off.failed.len(), 2);
        advance(Duration::from_millis(1)).await;
        assert_eq!(back_off.failed(7), Duration::ZERO);
        back_off.forget();
        assert_eq!(back_off.failed.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn without_patience_the_first_failure_causes_a_delay() {
        let back_off = BackOff::new(0);
        assert_eq!([back_off.failed(1), back_off.failed(1)], [DELAY, 2 * DELAY]);
    }
}
