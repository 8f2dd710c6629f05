//! Limits log messages to one per minute for each subject, for example a host. The code calls a subject a *thing*.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

pub(super) const QUIET_TIME: Duration = Duration::from_secs(60);

/// The maximum number of things about which messages are logged within [`QUIET_TIME`]. When this number is reached,
/// messages about further things are not logged.
pub(super) const THINGS_MAX: usize = 1_024;

pub(super) struct LogThrottle<T>(Mutex<HashMap<T, Instant>>);

impl<T> Default for LogThrottle<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Eq + Hash> LogThrottle<T> {
    /// True if a message about the thing may be logged now. The caller must then log this message, because it
    /// already counts as logged.
    pub(super) fn is_due(&self, thing: &T) -> bool {
        let now = Instant::now();
        let is_quiet = |said: &Instant| now < *said + QUIET_TIME;
        let mut said = self.0.lock();
        if said.get(thing).is_some_and(is_quiet) {
            return false;
        }
        if said.len() >= THINGS_MAX {
            said.retain(|_, said| is_quiet(said));
            if said.len() >= THINGS_MAX {
                return false;
            }
        }
        said.insert(thing.clone(), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_thing_is_logged_once_a_minute() {
        let log_throttle = LogThrottle::default();
        assert!(log_throttle.is_due(&1) && !log_throttle.is_due(&1) && log_throttle.is_due(&2));
        tokio::time::sleep(QUIET_TIME - Duration::from_millis(1)).await;
        assert!(!log_throttle.is_due(&1));
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(log_throttle.is_due(&1) && !log_throttle.is_due(&1));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_bound_is_remembered() {
        let log_throttle = LogThrottle::default();
        assert!((0..THINGS_MAX).all(|thing| log_throttle.is_due(&thing)));
        assert!(!log_throttle.is_due(&THINGS_MAX));
        tokio::time::sleep(QUIET_TIME).await;
        assert!(log_throttle.is_due(&THINGS_MAX));
        assert_eq!(log_throttle.0.lock().len(), 1);
    }
}
