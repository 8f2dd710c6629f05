//! Who failed to sign in, by address and by e-mail address.
//!
//! What always holds: nothing is ever locked. An address that failed too often is refused for a while; an e-mail address,
//! known or not, is answered later and later, and the right password still works.

use std::net::IpAddr;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::domain::Timestamp;
use crate::tally::{Counted, Tally};

/// How many failures an address (IPv6: a network of 64 bits) has in a window.
const FAILURES_MAX: u32 = 30;
/// The window of both, in milliseconds: 15 minutes.
const WINDOW_MILLIS: i64 = 15 * 60 * 1_000;
/// How many addresses, and how many e-mail addresses, are counted in it.
const COUNTED_MAX: usize = 65_536;
/// So many failures of an e-mail address are answered at once.
const PROMPT: u32 = 5;
/// The longest that an answer waits.
const DELAY_MAX: Duration = Duration::from_secs(5);

/// The failures to sign in.
pub(crate) struct Attempts {
    addresses: Tally<IpAddr>,
    emails: Tally<[u8; 32]>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            addresses: Tally::new(FAILURES_MAX, WINDOW_MILLIS, COUNTED_MAX),
            emails: Tally::new(u32::MAX, WINDOW_MILLIS, COUNTED_MAX),
        }
    }
}

impl Attempts {
    /// After how long an address may try again, if it failed too often.
    pub(super) fn refused(&self, network: IpAddr, now: Timestamp) -> Option<Duration> {
        let left = || Duration::from_millis(self.addresses.millis_left(now).unsigned_abs());
        self.addresses.is_used_up(&network, now).then(left)
    }

    /// Counts a failure; gives how long its answer waits.
    pub(super) fn failed(&self, network: IpAddr, email: &str, now: Timestamp) -> Duration {
        self.addresses.count(network, now);
        let email = digest(email);
        if self.emails.count(email, now) == Counted::Full {
            return DELAY_MAX; // nobody knows how often
        }
        delay(self.emails.counted(&email, now))
    }

    /// How long an answer waits that is none of a failure.
    pub(super) fn delay(&self, email: &str, now: Timestamp) -> Duration {
        delay(self.emails.counted(&digest(email), now))
    }
}

/// From the failure behind the prompt ones on a second more each.
fn delay(failures: u32) -> Duration {
    Duration::from_secs(u64::from(failures.saturating_sub(PROMPT))).min(DELAY_MAX)
}

fn digest(email: &str) -> [u8; 32] {
    Sha256::digest(email).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_wait_from_the_sixth_failure_on_and_never_longer_than_five_seconds() {
        let (attempts, now) = (Attempts::default(), Timestamp::from_millis(0));
        let address = |number: u8| IpAddr::from([192, 0, 2, number]);
        let waits: Vec<u64> =
            (0..12).map(|number| attempts.failed(address(number), "a@b.c", now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5]);
        assert_eq!(attempts.delay("a@b.c", now).as_secs(), 5);
        assert_eq!(attempts.delay("other@b.c", now).as_secs(), 0);
        let later = Timestamp::from_millis(WINDOW_MILLIS);
        assert_eq!(attempts.delay("a@b.c", later).as_secs(), 0);
    }

    #[test]
    fn an_address_is_refused_after_30_failures_until_the_window_is_over() {
        let (attempts, now) = (Attempts::default(), Timestamp::from_millis(60_000));
        let address = IpAddr::from([192, 0, 2, 1]);
        for number in 0..FAILURES_MAX {
            assert_eq!(attempts.refused(address, now), None, "{number}");
            attempts.failed(address, &format!("{number}@b.c"), now);
        }
        assert_eq!(attempts.refused(address, now), Some(Duration::from_secs(14 * 60)));
        assert_eq!(attempts.refused(IpAddr::from([192, 0, 2, 2]), now), None);
        assert_eq!(attempts.refused(address, Timestamp::from_millis(WINDOW_MILLIS)), None);
    }
}
