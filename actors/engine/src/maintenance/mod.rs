//! What the background jobs of the installation use.

use std::sync::{Arc, Weak};

use crate::business::Businesses;
use crate::housekeeping::Round;
use crate::moving::Moving;
use crate::people::Persons;
use crate::shared::Shared;

pub(crate) struct Maintenance {
    pub(crate) shared: Arc<Shared>,
    pub(crate) businesses: Arc<Businesses>,
    pub(crate) people: Arc<Persons>,
    pub(crate) moving: Arc<Moving>,
    pub(crate) round: Arc<Round>,
}

/// `None` after the engine has closed.
pub(crate) fn open(maintenance: &Weak<Maintenance>) -> Option<Arc<Maintenance>> {
    maintenance.upgrade().filter(|maintenance| maintenance.shared.check_open().is_ok())
}
