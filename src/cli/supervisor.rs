//! The messages to the supervisor that has started the service, such as systemd (`sd_notify(3)`).
//!
//! What always holds: without `NOTIFY_SOCKET` in the environment nothing is sent; the watchdog is fed by the runtime, so
//! a disk that hangs does not starve it, and a runtime that hangs does.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// The supervisor is asked this often for more time while the store opens, and for this much.
const EXTEND_EVERY: Duration = Duration::from_secs(10);
const EXTEND_BY_MICROSECONDS: u32 = 60_000_000;

/// The supervisor of a service that starts.
pub(super) struct Supervisor {
    opening: JoinHandle<()>,
}

impl Supervisor {
    /// Feeds the watchdog, if there is one, until the runtime ends, and asks for more time until the service listens.
    pub(super) fn begin() -> Self {
        if let Some(watchdog) = sd_notify::watchdog_enabled() {
            tokio::spawn(again(watchdog / 2, || tell(NotifyState::Watchdog)));
        }
        let extend = || tell(NotifyState::ExtendTimeoutUsec(EXTEND_BY_MICROSECONDS));
        Self { opening: tokio::spawn(again(EXTEND_EVERY, extend)) }
    }

    /// Says that the service listens.
    pub(super) fn ready(self) {
        self.opening.abort();
        tell(NotifyState::Ready);
    }
}

/// Says that the service stops.
pub(super) fn stopping() {
    tell(NotifyState::Stopping);
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the supervisor could not be told the state"
        );
    }
}

/// Acts now, and again after each pause.
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
