//! Calls and their indexes.

use domain::{BusinessId, CallId, ContactId, Timestamp};

use super::kind;
use super::parts::{of_id, of_instant, start, within};
use crate::{Key, KeyRange};

/// A call.
pub fn call(business: BusinessId, id: CallId) -> Key {
    of_id(business, kind::CALL, id)
}

/// A call in the order of starts.
pub fn call_by_start(business: BusinessId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_START), started_at, id)
}

/// The calls, in the order of starts, that started within `from..to`.
pub fn calls_started(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::CALL_BY_START), from, to)
}

/// A call among those of its contact, in the order of starts.
pub fn call_by_contact(business: BusinessId, contact: ContactId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(of_id(business, kind::CALL_BY_CONTACT, contact), started_at, id)
}

/// The calls of a contact, in the order of starts, that started within `from..to`.
pub fn calls_of_contact(
    business: BusinessId,
    contact: ContactId,
    from: Timestamp,
    to: Timestamp,
) -> KeyRange {
    within(of_id(business, kind::CALL_BY_CONTACT, contact), from, to)
}

/// A call in the order of changes.
pub fn call_by_update(business: BusinessId, updated_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_UPDATE), updated_at, id)
}
