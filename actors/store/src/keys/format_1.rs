//! The keys that only stores of format 1 have, for their conversion.

use domain::{AppointmentId, BusinessId, Timestamp};

use super::kind::kinds;
use super::parts::{of_id, of_instant, start};
use crate::{Key, KeyRange};

kinds! {
    /// An appointment: its id → `Appointment`.
    APPOINTMENT = 0x20, 33;
    /// Its start and id → its end, contact, service and status.
    APPOINTMENT_BY_START = 0x21, 41;
    /// Its last change and id → nothing.
    APPOINTMENT_BY_UPDATE = 0x23, 41;
}

pub fn appointments(business: BusinessId) -> KeyRange {
    KeyRange::prefix(start(business, APPOINTMENT))
}

pub fn appointment(business: BusinessId, id: AppointmentId) -> Key {
    of_id(business, APPOINTMENT, id)
}

pub fn appointment_by_start(business: BusinessId, starts_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, APPOINTMENT_BY_START), starts_at, id)
}

/// An index row by the last change. In format 1 every appointment had one.
pub fn appointment_by_update(business: BusinessId, updated_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, APPOINTMENT_BY_UPDATE), updated_at, id)
}
