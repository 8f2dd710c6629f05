//! The keys of stores of format 1 that later formats do not have, for converting them.

use domain::{AppointmentId, BusinessId, Timestamp};

use super::parts::{of_id, of_instant, start};
use crate::{Key, KeyRange};

/// An appointment: its id → `Appointment`.
const APPOINTMENT: u8 = 0x20;
/// Its start and id → when it ends, with whom, of which service and in which status.
const APPOINTMENT_BY_START: u8 = 0x21;
/// When it last changed and its id → nothing.
const APPOINTMENT_BY_UPDATE: u8 = 0x23;

/// Whether a key has the length that keys of its kind have.
pub(super) fn has_width(key: &[u8], kind: u8) -> bool {
    match kind {
        APPOINTMENT => key.len() == 33,
        APPOINTMENT_BY_START | APPOINTMENT_BY_UPDATE => key.len() == 41,
        _ => false,
    }
}

/// All appointments, by their ids.
pub fn appointments(business: BusinessId) -> KeyRange {
    KeyRange::prefix(start(business, APPOINTMENT))
}

/// An appointment, by its id.
pub fn appointment(business: BusinessId, id: AppointmentId) -> Key {
    of_id(business, APPOINTMENT, id)
}

/// An appointment in the order of starts.
pub fn appointment_by_start(business: BusinessId, starts_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, APPOINTMENT_BY_START), starts_at, id)
}

/// An appointment in the order of changes; all had such a row.
pub fn appointment_by_update(business: BusinessId, updated_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, APPOINTMENT_BY_UPDATE), updated_at, id)
}
