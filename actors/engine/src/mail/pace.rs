//! The pace of mails to the relay. The module is pure.
//!
//! Invariants:
//!
//! - After a failure of the relay, the service sends one mail at a time, as a probe, until the relay responds. The
//!   pause between two probes grows up to [`REST_MAX`]. Mails that wait during a pause use up no attempts.
//! - A relay that refuses a mail has responded. The refusal is not a failure of the relay, so it delays no other mail.

use std::time::Duration;

use tokio::time::Instant;

/// The maximum number of mails that are sent at the same time. Each mail has a connection to the relay.
pub(super) const SENDS_MAX: usize = 8;
/// The pause after the first failure of the relay. Each further failure doubles the pause, up to [`REST_MAX`].
const REST: Duration = Duration::from_secs(1);
/// The longest pause. It is not longer than the shortest delay between two attempts of a mail. So if only one mail is
/// waiting, the pause after a failed attempt does not delay the next attempt of this mail.
const REST_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Pace {
    failures: u32,
    rests_until: Option<Instant>,
}

impl Pace {
    pub(super) fn room(&self, under_way: usize, now: Instant) -> usize {
        let most = match self.rests_until {
            Some(until) if now < until => 0,
            Some(_) => 1,
            None => SENDS_MAX,
        };
        most.saturating_sub(under_way)
    }

    pub(super) fn rests_until(&self, now: Instant) -> Option<Instant> {
        self.rests_until.filter(|until| now < *until)
    }

    pub(super) fn answered(&mut self) {
        *self = Self::default();
    }

    pub(super) fn failed(&mut self, now: Instant) {
        // Failures of mails that were sent concurrently count as one failure.
        if self.rests_until(now).is_none() {
            let rest = REST.saturating_mul(1 << self.failures.min(6)).min(REST_MAX);
            self.failures = self.failures.saturating_add(1);
            self.rests_until = Some(now + rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failing_relay_gets_one_mail_at_a_time_after_growing_pauses() {
        let (mut pace, mut now) = (Pace::default(), Instant::now());
        assert_eq!((pace.room(0, now), pace.room(3, now), pace.room(99, now)), (8, 5, 0));
        let mut rests = Vec::new();
        for _ in 0..8 {
            pace.failed(now);
            pace.failed(now); // another mail that was being sent
            assert_eq!(pace.room(0, now), 0);
            let until = pace.rests_until(now).unwrap();
            rests.push((until - now).as_secs());
            now = until;
            assert_eq!((pace.room(0, now), pace.room(1, now)), (1, 0));
        }
        assert_eq!(rests, [1, 2, 4, 8, 16, 32, 60, 60]);
        pace.answered();
        assert_eq!(pace.room(1, now), SENDS_MAX - 1);
    }
}
