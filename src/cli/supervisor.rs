//! Notifications to the supervisor of the process, such as systemd (`sd_notify(3)`).
//!
//! Invariants: without `NOTIFY_SOCKET` nothing is sent. The runtime notifies the watchdog, so a blocked
//! runtime is detected, and a slow disk does not cause a restart.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// The interval of requests for more time while the store opens, and below it the requested time.
const EXTEND_EVERY: Duration = Duration::from_secs(10);
const EXTEND_BY_MICROSECONDS: u32 = 60_000_000;

pub(super) struct Supervisor {
    opening: JoinHandle<()>,
}

impl Supervisor {
    /// Notifies the watchdog until the runtime ends, and requests more time until the service listens.
    pub(super) fn begin() -> Self {
        if let Some(watchdog) = sd_notify::watchdog_enabled() {
            tokio::spawn(again(watchdog / 2, || tell(NotifyState::Watchdog)));
        }
        let extend = || tell(NotifyState::ExtendTimeoutUsec(EXTEND_BY_MICROSECONDS));
        Self { opening: tokio::spawn(again(EXTEND_EVERY, extend)) }
    }

    pub(super) fn ready(self) {
        self.opening.abort();
        tell(NotifyState::Ready);
    }
}

pub(super) fn stopping() {
    tell(NotifyState::Stopping);
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(error = &error as &dyn std::error::Error, "cannot notify the supervisor");
    }
}

/// Calls `act` now and after each pause.
async fn again(pause: Duration, act: impl Fn()) {
    loop {
        act();
        sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn something_is_done_at_once_and_after_each_pause() {
        let times = Cell::new(0);
        let acting = again(Duration::from_secs(15), || times.set(times.get() + 1));
        assert!(timeout(Duration::from_secs(31), acting).await.is_err());
        assert_eq!(times.get(), 3);
    }
}
