//! The time for which the active node may serve.
//!
//! Each record renews the lease. The new lease begins when the active node first sends the record, and becomes valid
//! when the record is acknowledged. It lasts 5/8 of [`Timing::takeover_after`].
//!
//! When a standby sees a record, the lease of this record has already begun. Without a hand-over, the standby takes
//! over only if no further record follows for `takeover_after`. So the lease ends before the takeover, provided that
//! the clock of the standby runs at most 60 % faster than the clock of the active node. The offsets of the clocks do
//! not matter.

use std::time::Duration;

/// The time limits, which must be equal on all nodes.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub takeover_after: Duration,
}

impl Timing {
    /// The length of a lease.
    pub fn lease(self) -> Duration {
        self.takeover_after * 5 / 8
    }
}

/// The lease of the active node. All times are times of the node's own clock, which must also run while the
/// machine is suspended.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    length: Duration,
    sent: Option<Duration>,
}

impl Lease {
    /// A lease that is not valid yet.
    pub fn new(timing: Timing) -> Self {
        Self { length: timing.lease(), sent: None }
    }

    /// Renews the lease after the database has acknowledged a record. `sent` is the time at which the node
    /// first sent the record.
    pub fn acknowledged(&mut self, sent: Duration) {
        self.sent = self.sent.max(Some(sent));
    }

    /// The remaining time of the lease. The node reads a response from its image, then calls this method, and may send
    /// the response only if the result is not zero.
    pub fn left(&self, now: Duration) -> Duration {
        self.sent.map_or(Duration::ZERO, |sent| (sent + self.length).saturating_sub(now))
    }

    pub fn is_held(&self, now: Duration) -> bool {
        !self.left(now).is_zero()
    }

    /// Ends the lease, for example before a hand-over.
    pub fn end(&mut self) {
        self.length = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_lease_counts_from_the_send_and_ends_after_five_eighths_of_the_takeover_time() {
        let mut lease = Lease::new(Timing { takeover_after: 8 * SECOND });
        assert!(!lease.is_held(Duration::ZERO));
        lease.acknowledged(10 * SECOND);
        assert_eq!(lease.left(12 * SECOND), 3 * SECOND);
        lease.acknowledged(9 * SECOND);
        assert!(lease.is_held(15 * SECOND - Duration::from_nanos(1)));
        assert!(!lease.is_held(15 * SECOND));
    }

    #[test]
    fn an_ended_lease_is_not_renewed() {
        let mut lease = Lease::new(Timing { takeover_after: 8 * SECOND });
        lease.acknowledged(10 * SECOND);
        lease.end();
        lease.acknowledged(11 * SECOND);
        assert!(!lease.is_held(11 * SECOND));
    }
}
