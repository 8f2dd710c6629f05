//! Appointments and their indexes.

use domain::{AppointmentId, BusinessId, ContactId, Timestamp};
use uuid::Uuid;

use super::kind;
use super::parts::{of_id, of_instant, start, within};
use crate::{Key, KeyRange};

pub fn appointment(business: BusinessId, starts_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, kind::APPOINTMENT), starts_at, id)
}

/// The row by id, whose value is the start.
pub fn appointment_start(business: BusinessId, id: AppointmentId) -> Key {
    of_id(business, kind::APPOINTMENT_START, id)
}

/// The rows by id of the appointments with ids from this instant on, in the order of creation.
pub fn appointments_minted_from(business: BusinessId, from: Timestamp) -> KeyRange {
    let kind = start(business, kind::APPOINTMENT_START);
    let first = Uuid::from_u128(u128::try_from(from.millis()).unwrap_or(0) << 80);
    KeyRange::prefix(kind).starting_at(kind.with(first.as_bytes()))
}

pub fn appointments_starting(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::APPOINTMENT), from, to)
}

/// An index row by contact and start.
pub fn appointment_by_contact(
    business: BusinessId,
    contact: ContactId,
    starts_at: Timestamp,
    id: AppointmentId,
) -> Key {
    of_instant(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact), starts_at, id)
}

pub fn appointments_of_contact(business: BusinessId, contact: ContactId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact))
}

/// An index row by the last change.
pub fn appointment_by_update(business: BusinessId, updated_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, kind::APPOINTMENT_BY_UPDATE), updated_at, id)
}
