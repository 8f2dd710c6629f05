//! Limits on failed sign-ins, by IP address and by email address.
//!
//! Invariants:
//!
//! - No account is ever locked. An IP address with too many failures is refused until some of the failures
//!   have expired.
//! - After some failures with an email address, the responses to sign-ins with this address are delayed, even if no
//!   account has the address. A sign-in with the right password still succeeds.
//! - An attempt counts as a failure from its start until its password is verified. Therefore concurrent
//!   attempts cannot exceed a limit.

use std::net::IpAddr;
use std::time::Duration;

use chrono::TimeDelta;
use domain::Timestamp;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::error::{EngineError, Result};
use crate::quota::{Quota, QuotaPermit};
use crate::sources::Sources;
use crate::window::{Rate, Windows};

const FAILURES: Rate = Rate { count: 30, within: TimeDelta::minutes(15) };
/// The maximum number of counted failures of an email address. After one more failure, the oldest failure no longer
/// counts. An attempt in progress counts as a failure until it succeeds, so it may push an older failure out of the
/// count. Therefore the maximum is much greater than the number of failures that affect the delay.
const FAILURES_OF_EMAIL: Rate = Rate { count: 64, within: FAILURES.within };
/// If an email address has at most this number of counted failures, the response is not delayed. Each further failure
/// adds one second to the delay, up to [`DELAY_MAX`] seconds.
const PROMPT: u32 = 5;
const DELAY_MAX: u32 = 5;
/// The maximum number of attempts in progress from one IP address. Without this limit, one IP address could delay the
/// attempts from all other addresses.
const AT_ONCE_MAX: usize = 8;

pub(crate) struct Attempts {
    failures: Mutex<Failures>,
    at_once: Quota<IpAddr>,
}

struct Failures {
    addresses: Sources,
    emails: Windows<[u8; 32]>,
}

/// An attempt in progress. It counts as a failure unless [`Self::forgive`] removes it from the count.
pub(super) struct Try<'a> {
    attempts: &'a Attempts,
    network: IpAddr,
    email: [u8; 32],
    at: Timestamp,
    _under_way: QuotaPermit<IpAddr, &'a Quota<IpAddr>>,
}

impl Default for Attempts {
    fn default() -> Self {
        let emails = Windows::sliding(&[FAILURES_OF_EMAIL]);
        let failures = Failures { addresses: Sources::new(FAILURES), emails };
        Self { failures: Mutex::new(failures), at_once: Quota::new(usize::MAX, AT_ONCE_MAX) }
    }
}

impl Attempts {
    /// Counts an attempt. If the IP address has had too many failures, does not count the attempt, and returns the time
    /// to wait. Fails with [`EngineError::Overloaded`] if [`AT_ONCE_MAX`] attempts from the IP address are in progress.
    pub(super) fn begin(
        &self,
        network: IpAddr,
        email: &str,
        now: Timestamp,
    ) -> Result<Result<Try<'_>, Duration>> {
        let mut failures = self.failures.lock();
        if let Some(free) = failures.addresses.free_at(network, now) {
            return Ok(Err((free - now).to_std().unwrap_or_default()));
        }
        let under_way = self.at_once.take(network).ok_or(EngineError::Overloaded)?;
        let email: [u8; 32] = Sha256::digest(email).into();
        failures.addresses.note(network, now);
        failures.emails.note(email, now);
        Ok(Ok(Try { attempts: self, network, email, at: now, _under_way: under_way }))
    }
}

impl Try<'_> {
    pub(super) fn delay(&self) -> Duration {
        let failures = self.attempts.failures.lock().emails.counted(&self.email, self.at);
        Duration::from_secs(failures.saturating_sub(PROMPT).min(DELAY_MAX).into())
    }

    /// Removes the attempt from the count, because the password was right or was not checked. Returns how long the
    /// response must be delayed.
    pub(super) fn forgive(&self) -> Duration {
        {
            let mut failures = self.attempts.failures.lock();
            failures.addresses.take_back(self.network, self.at);
            failures.emails.take_back(&self.email, self.at);
        }
        self.delay()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    fn begin<'a>(attempts: &'a Attempts, from: u8, email: &str, now: Timestamp) -> Try<'a> {
        attempts.begin(address(from), email, now).unwrap().unwrap_or_else(|wait| panic!("{wait:?}"))
    }

    #[test]
    fn answers_wait_from_the_sixth_failure_on_and_never_longer_than_five_seconds() {
        let attempts = Attempts::default();
        let waits: Vec<u64> =
            (0..12).map(|number| begin(&attempts, number, "a@b.c", at(0)).delay().as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5]);
        assert_eq!(begin(&attempts, 99, "other@b.c", at(0)).forgive().as_secs(), 0);
        assert_eq!(begin(&attempts, 99, "a@b.c", at(14)).forgive().as_secs(), 5);
        assert_eq!(begin(&attempts, 99, "a@b.c", at(15)).forgive().as_secs(), 0);
    }

    #[test]
    fn an_address_is_refused_after_30_failures_in_any_quarter_of_an_hour() {
        let attempts = Attempts::default();
        for number in 0..30 {
            begin(&attempts, 1, &format!("{number}@b.c"), at(10 + number / 15)); // 15 in each of two minutes
        }
        let refused = |from, now| attempts.begin(address(from), "x@b.c", now).unwrap().err();
        assert_eq!(refused(1, at(20)), Some(Duration::from_secs(5 * 60)));
        assert_eq!(refused(2, at(20)), None);
        assert_eq!(refused(1, at(25)), None, "the first fifteen failures have expired");
        for number in 0..14 {
            begin(&attempts, 1, &format!("{number}@b.c"), at(25));
        }
        assert!(refused(1, at(25)).is_some(), "the later fifteen failures still count");
    }

    #[test]
    fn a_site_of_many_networks_is_refused_as_a_whole() {
        let attempts = Attempts::default();
        let network = |number: u16| IpAddr::from([0x2001, 0xdb8, 7, number, 0, 0, 0, 0]);
        let mut tried = 0;
        for number in 0..u16::MAX {
            let email = format!("{}@b.c", number % 1_000);
            tried += usize::from(attempts.begin(network(number), &email, at(0)).unwrap().is_ok());
        }
        assert_eq!(tried, (FAILURES.count * crate::sources::NETWORKS) as usize);
        begin(&attempts, 1, "a@b.c", at(0));
    }

    #[test]
    fn attempts_in_progress_count_until_their_password_is_verified() {
        let attempts = Attempts::default();
        let under_way: Vec<_> = (0..AT_ONCE_MAX).map(|_| begin(&attempts, 1, "a@b.c", at(0))).collect();
        assert!(matches!(attempts.begin(address(1), "b@b.c", at(0)), Err(EngineError::Overloaded)));
        begin(&attempts, 2, "b@b.c", at(0));
        assert_eq!(under_way[0].delay().as_secs(), AT_ONCE_MAX as u64 - u64::from(PROMPT));
        for one in &under_way {
            one.forgive();
        }
        drop(under_way);
        for number in 0..30 {
            begin(&attempts, 1, &format!("{number}@b.c"), at(0));
        }
        assert!(attempts.begin(address(1), "a@b.c", at(0)).unwrap().is_err());
    }
}
