//! What concerns the store as a whole: what it is, how far its clock has come, its repair, imports.

use domain::BusinessId;

use super::installation_kind;
use super::kind;
use super::parts::{of_id, start};
use crate::Key;

/// Part of the map by which a business's stamps are being repaired.
pub fn repair_part(business: BusinessId, number: u32) -> Key {
    start(business, kind::REPAIR).with(&number.to_be_bytes())
}

/// That stamps are being repaired.
pub fn repair() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::REPAIR).with(&[0; 16])
}

/// A business that is being imported; under the nil UUID, that all of them are good and on the disk.
pub fn moving(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::MOVING, business)
}

/// How far steady time has come.
pub fn clock() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::CLOCK).with(&[0; 16])
}

/// How far the round through the businesses that nobody uses has come.
pub fn round() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::ROUND).with(&[0; 16])
}

/// That the store is being converted to a later format.
pub fn upgrade() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::UPGRADE).with(&[0; 16])
}

/// What the store is.
pub fn meta() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::META).with(&[0; 16])
}
