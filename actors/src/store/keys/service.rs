//! What concerns the store as a whole: what it is, how far its clock has come, its repair.

use super::installation_kind;
use super::kind;
use super::parts::start;
use crate::domain::BusinessId;
use crate::store::Key;

/// Part of the map by which a business's stamps are being repaired.
pub fn repair_part(business: BusinessId, number: u32) -> Key {
    start(business, kind::REPAIR).with(&number.to_be_bytes())
}

/// That stamps are being repaired.
pub fn repair() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::REPAIR).with(&[0; 16])
}

/// How far steady time has come.
pub fn clock() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::CLOCK).with(&[0; 16])
}

/// That the store is being converted to a later format.
pub fn upgrade() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::UPGRADE).with(&[0; 16])
}

/// What the store is.
pub fn meta() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::META).with(&[0; 16])
}
