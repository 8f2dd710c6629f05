//! Contacts and their indexes.

use domain::{BusinessId, ContactId, Timestamp};

use super::kind;
use super::parts::{digest, of_id, of_instant, start};
use crate::{Key, KeyRange};

pub fn contact(business: BusinessId, id: ContactId) -> Key {
    of_id(business, kind::CONTACT, id)
}

/// The contact with this phone number. The key contains a hash, so the caller compares the record.
pub fn contact_by_phone(business: BusinessId, phone: &str) -> Key {
    start(business, kind::CONTACT_BY_PHONE).with(&digest(phone))
}

/// The contact with this email address. The key contains a hash, so the caller compares the record.
pub fn contact_by_email(business: BusinessId, email: &str) -> Key {
    start(business, kind::CONTACT_BY_EMAIL).with(&digest(email))
}

/// An index row by the last change.
pub fn contact_by_update(business: BusinessId, updated_at: Timestamp, id: ContactId) -> Key {
    of_instant(start(business, kind::CONTACT_BY_UPDATE), updated_at, id)
}

/// The names of the contacts from this id up to the next such key.
pub fn contact_names(business: BusinessId, from: ContactId) -> Key {
    of_id(business, kind::CONTACT_NAMES, from)
}

/// The rows of names up to this contact. The last one contains the contact's name.
pub fn contact_names_up_to(business: BusinessId, id: ContactId) -> KeyRange {
    KeyRange { from: start(business, kind::CONTACT_NAMES), to: contact_names(business, id).with(&[0]) }
}
