//! How many files the process may have open at once; each connection is one.

use crate::server::{CONNECTIONS_MAX, RESERVE_MAX};

/// Both listeners with all their connections.
const LISTENERS: u64 = 2 * (CONNECTIONS_MAX + RESERVE_MAX) as u64;

/// Attempts to deliver webhooks: a connection each, once the name is looked up.
const DELIVERIES: u64 = 1_024;

/// Look-ups of names: two questions each, to three name servers, three times while they are silent.
const LOOKUPS: u64 = 2 * 3 * 3 * 2_048;

/// Connections kept open for the next webhook, the store, the log, and what the runtime needs.
const OTHERS: u64 = 512;

/// So many can be in use when everything is at its bound.
pub(super) const WANTED: u64 = LISTENERS + DELIVERIES + LOOKUPS + OTHERS;

/// Raises the limit to the most that the process may ask for, and says in the log how much that is. A service that may
/// open fewer than it could use still serves: it refuses connections earlier, and puts deliveries off.
pub(super) fn raise_limit() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < WANTED => tracing::warn!(
            limit,
            wanted = WANTED,
            "the limit of open files is lower than what all connections at once need"
        ),
        Ok(limit) => tracing::info!(limit, "the limit of open files"),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            wanted = WANTED,
            "the limit of open files could not be raised"
        ),
    }
}
