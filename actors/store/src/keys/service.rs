//! Rows about the whole store: its format, clock, repair and imports.

use domain::BusinessId;

use super::installation_kind;
use super::kind;
use super::parts::{of_id, start};
use crate::Key;

/// A part of the map for the repair of a business's stamps.
pub fn repair_part(business: BusinessId, number: u32) -> Key {
    start(business, kind::REPAIR).with(&number.to_be_bytes())
}

/// The row that exists during a repair of stamps.
pub fn repair() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::REPAIR).with(&[0; 16])
}

/// A business that is being imported. The nil UUID means that all of them are valid and durable.
pub fn moving(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::MOVING, business)
}

pub fn clock() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::CLOCK).with(&[0; 16])
}

pub fn round() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::ROUND).with(&[0; 16])
}

/// The row that exists during a conversion of the store.
pub fn upgrade() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::UPGRADE).with(&[0; 16])
}

pub fn meta() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::META).with(&[0; 16])
}
