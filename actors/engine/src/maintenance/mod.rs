//! The background jobs, and what those of the installation use.

mod age_marks;
pub(crate) mod business;
mod daily_count;
mod daily_round;
pub(crate) mod deleted_businesses;
pub(crate) mod due;
mod erased_events;
pub(crate) mod erasure;
mod expired_accounts;
mod expired_logs;
pub(crate) mod interrupted_imports;
mod progress;
mod retention;

use std::sync::{Arc, Weak};

pub(crate) use self::age_marks::{Ages, Round};
pub(crate) use self::daily_round::Housekeeping;
pub(crate) use self::expired_accounts::sweep_people;
pub(crate) use self::expired_logs::sweep;
pub(crate) use self::progress::Chores;
use crate::business::Businesses;
use crate::moving::Moving;
use crate::people::Persons;
use crate::shared::Shared;

pub(crate) struct Maintenance {
    pub(crate) shared: Arc<Shared>,
    pub(crate) businesses: Arc<Businesses>,
    pub(crate) people: Arc<Persons>,
    pub(crate) moving: Arc<Moving>,
    pub(crate) round: Arc<daily_round::Round>,
}

/// `None` after the engine has closed.
pub(crate) fn open(maintenance: &Weak<Maintenance>) -> Option<Arc<Maintenance>> {
    maintenance.upgrade().filter(|maintenance| maintenance.shared.check_open().is_ok())
}
