//! Decides when a standby may become active.
//!
//! A standby measures how long the newest record of the log stays the same. It uses its own clock. The measurement
//! begins when the first response with this record arrives. The active node sent the record before this time. The
//! takeover is one transaction: it locks the place, reads the newest record again, and begins a new epoch. The node is
//! active only after the database has acknowledged the commit of this transaction. Before the acknowledgement, a
//! failover of the database can remove the new epoch. Another node can then begin an epoch with the same number.

use std::time::Duration;

use super::chain::{Epoch, Head};
use super::lease::Timing;

/// The end of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub epoch: Epoch,
    pub newest: Head,
    /// True if the newest record hands the log over to this node. In this case, the node that appended the
    /// record has stopped serving.
    pub is_handed_over: bool,
}

/// The end of the log as a standby has seen it.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    after: Duration,
    seen: Option<(Seen, Duration)>,
}

impl Watch {
    pub fn new(timing: Timing) -> Self {
        Self { after: timing.takeover_after, seen: None }
    }

    /// Records the end of the log, as a response reports it. `received` is the time at which this response arrived.
    pub fn saw(&mut self, seen: Seen, received: Duration) {
        if self.seen.is_none_or(|(earlier, _)| earlier != seen) {
            self.seen = Some((seen, received));
        }
    }

    /// Returns the end of the log if a takeover is due. The transaction of the takeover must find the same end.
    pub fn due(&self, now: Duration) -> Option<Seen> {
        let (seen, since) = self.seen?;
        let is_due = seen.is_handed_over || now.saturating_sub(since) >= self.after;
        is_due.then_some(seen)
    }

    /// Restarts the measurement.
    pub fn restart(&mut self) {
        self.seen = None;
    }
}

/// True if the takeover may commit. `found` is the end of the log, read while the transaction holds the lock of the
/// place.
pub fn may_take(expected: &Seen, found: &Seen) -> bool {
    expected == found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Digest;

    const SECOND: Duration = Duration::from_secs(1);

    fn seen(number: u64) -> Seen {
        let newest = Head { number, digest: Digest([number as u8; 32]) };
        Seen { epoch: Epoch::default(), newest, is_handed_over: false }
    }

    #[test]
    fn a_takeover_is_due_when_the_log_has_not_grown_for_the_whole_time() {
        let mut watch = Watch::new(Timing { takeover_after: 6 * SECOND });
        assert_eq!(watch.due(100 * SECOND), None);
        watch.saw(seen(4), 10 * SECOND);
        watch.saw(seen(5), 12 * SECOND);
        watch.saw(seen(5), 17 * SECOND);
        assert_eq!(watch.due(18 * SECOND - Duration::from_nanos(1)), None);
        assert_eq!(watch.due(18 * SECOND), Some(seen(5)));
        assert!(may_take(&seen(5), &seen(5)) && !may_take(&seen(5), &seen(6)));
        watch.restart();
        assert_eq!(watch.due(100 * SECOND), None);
    }

    #[test]
    fn a_handed_over_log_is_taken_immediately() {
        let mut watch = Watch::new(Timing { takeover_after: 6 * SECOND });
        watch.saw(Seen { is_handed_over: true, ..seen(4) }, 10 * SECOND);
        assert!(watch.due(10 * SECOND).is_some());
    }
}
