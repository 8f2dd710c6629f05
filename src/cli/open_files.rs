//! The limit of open files of the process. Each connection needs one.

use crate::server::{CONNECTIONS_MAX, RESERVE_MAX};

/// Both listeners with the maximum of connections.
const LISTENERS: u64 = 2 * (CONNECTIONS_MAX + RESERVE_MAX) as u64;

/// Webhook attempts, with one connection each.
const DELIVERIES: u64 = 1_024;

/// Look-ups of names: two queries each, to three name servers, three attempts.
const LOOKUPS: u64 = 2 * 3 * 3 * 2_048;

/// Idle webhook connections, the store, the log and the runtime.
const OTHERS: u64 = 512;

/// The number of files that the service needs at its maximum load.
pub(super) const WANTED: u64 = LISTENERS + DELIVERIES + LOOKUPS + OTHERS;

/// Raises the soft limit to the hard limit and logs it. With a lower limit than [`WANTED`] the service works,
/// but refuses connections earlier and postpones deliveries.
pub(super) fn raise_limit() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < WANTED => tracing::warn!(
            limit,
            wanted = WANTED,
            "the limit of open files is lower than the service needs at its maximum load"
        ),
        Ok(limit) => tracing::info!(limit, "the limit of open files"),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            wanted = WANTED,
            "cannot raise the limit of open files"
        ),
    }
}
