//! Work in steps: the erasure of contacts, the wiping of events, and the deletion of businesses.

use domain::{BusinessId, ContactId, EventId};

use super::installation_kind;
use super::kind;
use super::parts::{of_id, start};
use crate::Key;

pub fn erasure(business: BusinessId, contact: ContactId) -> Key {
    of_id(business, kind::ERASURE, contact)
}

/// The progress of the current erasure.
pub fn erasing(business: BusinessId) -> Key {
    start(business, kind::ERASING).with(&[0; 16])
}

pub fn wipe(business: BusinessId, event: EventId) -> Key {
    of_id(business, kind::WIPE, event)
}

pub fn ending(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::ENDING, business)
}

pub fn unfinished(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::UNFINISHED, business)
}
