//! The bounds of an engine that a simulation sets lower than the service runs with, so that few records reach them.

use crate::backup::BACKUP_ROWS;
use crate::delivery::PLACES;
use crate::mail::WAITING_MAX;
use crate::people::Hashing;
use crate::scans::SCAN_ROWS_MAX;
use crate::upgrade::Upgrades;

/// How many actors of webhook endpoints may run though they only wait.
const ACTORS_AT_REST: usize = 4_096;

/// How many actors of businesses run, unless the settings say otherwise.
pub const BUSINESS_ACTORS: usize = 2_000;
/// How many actors of people run.
const PERSON_ACTORS: usize = 10_000;

/// What bounds an engine. The default is what the service runs with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many rows a request for part of a list reads at most, [`SCAN_ROWS_MAX`]; at least 1.
    pub scan_rows: usize,
    /// How many attempts to deliver may be under way, up to the heads of their responses; at least 1.
    pub places: usize,
    /// While more actors of webhook endpoints run than this, one that only waits is put away at once; otherwise once it
    /// was unused for ten minutes.
    pub actors_at_rest: usize,
    /// How many actors of businesses run, [`BUSINESS_ACTORS`]; at least 1. While all of them have work under way, more
    /// run.
    pub business_actors: usize,
    /// How many actors of people run, in the same way.
    pub person_actors: usize,
    /// How many rows one step of a backup reads, [`BACKUP_ROWS`]; at least 1.
    pub backup_rows: usize,
    /// Whether a store of an earlier format may be converted.
    pub upgrades: Upgrades,
    /// How much work a password is to hash.
    pub hashing: Hashing,
    /// How many mails of a business may wait, [`WAITING_MAX`].
    pub mails_waiting: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scan_rows: SCAN_ROWS_MAX,
            places: PLACES,
            actors_at_rest: ACTORS_AT_REST,
            business_actors: BUSINESS_ACTORS,
            person_actors: PERSON_ACTORS,
            backup_rows: BACKUP_ROWS,
            upgrades: Upgrades::Allowed,
            hashing: Hashing::Owasp,
            mails_waiting: WAITING_MAX,
        }
    }
}
