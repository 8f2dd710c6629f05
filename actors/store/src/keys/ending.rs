//! What goes in steps: contacts that are being erased, events to be wiped, businesses that were ended.

use domain::{BusinessId, ContactId, EventId};

use super::installation_kind;
use super::kind;
use super::parts::{of_id, start};
use crate::Key;

/// A contact that is being erased.
pub fn erasure(business: BusinessId, contact: ContactId) -> Key {
    of_id(business, kind::ERASURE, contact)
}

/// How far the erasing has come that is under way.
pub fn erasing(business: BusinessId) -> Key {
    start(business, kind::ERASING).with(&[0; 16])
}

/// An event that is to be wiped.
pub fn wipe(business: BusinessId, event: EventId) -> Key {
    of_id(business, kind::WIPE, event)
}

/// A business that was ended and of which rows may be left.
pub fn ending(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::ENDING, business)
}

/// A business in which somebody is being erased, or an event is to be wiped.
pub fn unfinished(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::UNFINISHED, business)
}
