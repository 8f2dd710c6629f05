//! The limit on open files, and notifications to the supervisor of the process, such as systemd
//! (`sd_notify(3)`).
//!
//! Invariants: without `NOTIFY_SOCKET` nothing is sent. The async runtime notifies the watchdog, so the
//! supervisor detects a blocked runtime. A slow disk does not block the runtime and causes no restart.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::server::{CONNECTIONS_MAX, RESERVE_MAX};

/// While the store opens, the service asks its supervisor at this interval for more time to start.
const EXTEND_EVERY: Duration = Duration::from_secs(10);
/// The additional time to start that each request asks for, in microseconds.
const EXTEND_BY_MICROSECONDS: u32 = 60_000_000;

/// Starts a task that asks systemd for more time to start, and returns the handle of this task. The caller stops the
/// task. If the watchdog is enabled, also starts a task that notifies the watchdog until the runtime ends.
pub(super) fn starting() -> JoinHandle<()> {
    if let Some(watchdog) = sd_notify::watchdog_enabled() {
        tokio::spawn(again(watchdog / 2, || tell(NotifyState::Watchdog)));
    }
    tokio::spawn(again(EXTEND_EVERY, || tell(NotifyState::ExtendTimeoutUsec(EXTEND_BY_MICROSECONDS))))
}

pub(super) fn tell(state: NotifyState<'_>) {
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

/// The maximum number of connections of both listeners.
const LISTENERS: u64 = 2 * (CONNECTIONS_MAX + RESERVE_MAX) as u64;

/// The maximum number of concurrent webhook attempts, with one connection each.
const DELIVERIES: u64 = 1_024;

/// The maximum number of sockets for 2,048 concurrent name look-ups. A look-up makes two queries, and sends
/// each query up to three times to each of three name servers.
const LOOKUPS: u64 = 2 * 3 * 3 * 2_048;

/// The number of files for idle webhook connections, the store, the log and the runtime.
const OTHERS: u64 = 512;

/// The number of files that the service needs at its maximum load.
pub(super) const FILES_WANTED: u64 = LISTENERS + DELIVERIES + LOOKUPS + OTHERS;

/// Raises the soft limit on open files. If the limit stays below [`FILES_WANTED`], fewer connections are accepted.
pub(super) fn raise_file_limit() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < FILES_WANTED => tracing::warn!(
            limit,
            wanted = FILES_WANTED,
            "the limit of open files is lower than the service needs at its maximum load"
        ),
        Ok(limit) => tracing::info!(limit, "the limit of open files"),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            wanted = FILES_WANTED,
            "cannot raise the limit of open files"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_function_runs_immediately_and_after_each_pause() {
        let times = Cell::new(0);
        let acting = again(Duration::from_secs(15), || times.set(times.get() + 1));
        assert!(timeout(Duration::from_secs(31), acting).await.is_err());
        assert_eq!(times.get(), 3);
    }
}
