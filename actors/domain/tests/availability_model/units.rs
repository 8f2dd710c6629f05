//! Minutes and ids, as the model and the program both mean them.

use domain::{AppointmentId, ServiceId, StaffId, Timestamp};
use uuid::Uuid;

pub(crate) const MINUTE_MILLIS: i64 = 60_000;
pub(crate) const DAY_MINUTES: i64 = 1_440;

/// Days that are walked on each side: zones are up to 14 hours off, windows reach a day, services another.
pub(crate) const MARGIN_DAYS: i64 = 5;

pub(crate) fn minute(number: i64) -> Timestamp {
    Timestamp::from_millis(number * MINUTE_MILLIS)
}

pub(crate) fn service_id() -> ServiceId {
    Uuid::from_u128(1).into()
}

pub(crate) fn staff_id(number: usize) -> StaffId {
    Uuid::from_u128(100 + number as u128).into()
}

pub(crate) fn appointment_id(number: usize) -> AppointmentId {
    Uuid::from_u128(10_000 + number as u128).into()
}
