//! Calls and their indexes.

use domain::{BusinessId, CallId, ContactId, Timestamp};

use super::kind;
use super::parts::{of_id, of_instant, start, within};
use crate::{Key, KeyRange};

pub fn call(business: BusinessId, id: CallId) -> Key {
    of_id(business, kind::CALL, id)
}

pub fn call_by_start(business: BusinessId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_START), started_at, id)
}

/// The index rows of calls that started within `from..to`, in order of their starts.
pub fn calls_started(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::CALL_BY_START), from, to)
}

/// An index row by contact and start.
pub fn call_by_contact(business: BusinessId, contact: ContactId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(of_id(business, kind::CALL_BY_CONTACT, contact), started_at, id)
}

/// The index rows of a contact's calls that started within `from..to`, in order of their starts.
pub fn calls_of_contact(
    business: BusinessId,
    contact: ContactId,
    from: Timestamp,
    to: Timestamp,
) -> KeyRange {
    within(of_id(business, kind::CALL_BY_CONTACT, contact), from, to)
}

/// An index row by the last change.
pub fn call_by_update(business: BusinessId, updated_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_UPDATE), updated_at, id)
}
