//! The bounds of an engine. A simulation sets them lower than the service, so that few records reach them.

use crate::backup::BACKUP_ROWS;
use crate::delivery::PERMITS;
use crate::mail::WAITING_MAX;
use crate::people::Hashing;
use crate::scans::SCAN_ROWS_MAX;
use crate::upgrade::Upgrades;

const ACTORS_AT_REST: usize = 4_096;

pub const BUSINESS_ACTORS: usize = 2_000;
const PERSON_ACTORS: usize = 10_000;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of rows that a list request reads, [`SCAN_ROWS_MAX`]; at least 1.
    pub scan_rows: usize,
    /// The maximum number of concurrent delivery attempts, up to the response heads; at least 1.
    pub delivery_permits: usize,
    /// While more endpoint actors run than this, an actor that only waits is stopped immediately; otherwise
    /// after ten minutes without use.
    pub actors_at_rest: usize,
    /// The maximum number of running business actors, at least 1. It is exceeded while all of them have work
    /// in progress.
    pub business_actors: usize,
    pub person_actors: usize,
    /// The maximum number of rows per step of a backup, [`BACKUP_ROWS`]; at least 1.
    pub backup_rows: usize,
    pub upgrades: Upgrades,
    pub hashing: Hashing,
    /// The maximum number of waiting mails of a business, [`WAITING_MAX`].
    pub mails_waiting: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            scan_rows: SCAN_ROWS_MAX,
            delivery_permits: PERMITS,
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
