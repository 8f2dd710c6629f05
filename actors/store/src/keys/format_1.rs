//! The keys that only stores of format 1 have, for their conversion.

use domain::{AppointmentId, BusinessId, Timestamp};

use super::parts::{of_id, of_instant, start};
use crate::{Key, KeyRange};

/// An appointment: its id → `Appointment`.
const APPOINTMENT: u8 = 0x20;
/// Its start and id → its end, contact, service and status.
const APPOINTMENT_BY_START: u8 = 0x21;
/// Its last change and id → nothing.
const APPOINTMENT_BY_UPDATE: u8 = 0x23;

pub(super) fn has_width(key: &[u8], kind: u8) -> bool {
    match kind {
        APPOINTMENT => key.len() == 33,
        APPOINTMENT_BY_START | APPOINTMENT_BY_UPDATE => key.len() == 41,
        _ => false,
    }
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
