//! The limits of an engine. A simulation may set smaller limits than the service, so that few records are enough to
//! reach them.

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
    pub scan_rows: usize,
    pub delivery_permits: usize,
    /// If more endpoint actors than this number are running, an endpoint actor is stopped as soon as it has no work.
    pub actors_at_rest: usize,
    /// If more business actors than this number are running, idle ones are stopped. If none is idle, a new actor starts
    /// anyway. The number is at least 1.
    pub business_actors: usize,
    pub person_actors: usize,
    pub backup_rows: usize,
    pub upgrades: Upgrades,
    pub hashing: Hashing,
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
