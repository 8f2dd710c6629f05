//! Converts minutes and ids to the types of the model and of the code.

use domain::{AppointmentId, ServiceId, StaffId, Timestamp};
use uuid::Uuid;

pub(crate) const MINUTE_MILLIS: i64 = 60_000;
pub(crate) const DAY_MINUTES: i64 = 1_440;

/// The number of days that the model lists before and after the requested dates. It is sufficient, because zones are at
/// most 14 hours from UTC, and windows and services last at most one day.
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
