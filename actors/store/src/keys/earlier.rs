//! The kinds of keys that only stores of earlier formats contain. The documentation of [`super::kind`] explains how to
//! read the comments of the kinds.

use domain::{AppointmentId, BusinessId, Timestamp};

pub use self::functions::*;
use super::kind::kinds;
use super::parts::{key_of, of_kind};
use crate::{Key, KeyRange};

kinds! {
    business
    /// An appointment in format 1. The value is the `Appointment`.
    APPOINTMENT = 0x20, 33, fn appointment(id: AppointmentId);
    /// An entry of the index of appointments by start. The value contains the end, the contact, the service and the
    /// status.
    APPOINTMENT_BY_START = 0x21, 41, fn appointment_by_start(starts_at: Timestamp, id: AppointmentId);
    /// An entry of the index of appointments by last change. The value is empty. In format 1, every appointment has
    /// this row.
    APPOINTMENT_BY_UPDATE = 0x23, 41, fn appointment_by_update(updated_at: Timestamp, id: AppointmentId);
    /// The names of several contacts in formats 1 to 8. Since format 9, the search texts contain the names.
    CONTACT_NAMES = 0x34, 33;
}

pub fn appointments(business: BusinessId) -> KeyRange {
    of_kind(business, APPOINTMENT)
}
