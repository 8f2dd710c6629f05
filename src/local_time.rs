//! Conversion of local times to instants.
//!
//! Invariant: a local time that a clock change skips or repeats gives an error that contains the possible
//! instants.

use chrono::{DateTime, LocalResult, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WallClockError {
    /// A clock change skips this local time. The first instant is this time with the offset after the clock change. The
    /// second instant is this time with the offset before the clock change.
    Skipped(DateTime<Tz>, DateTime<Tz>),
    /// The time occurs twice, at these instants.
    Twice(DateTime<Tz>, DateTime<Tz>),
}

pub(crate) fn instant(local: NaiveDateTime, zone: Tz) -> Result<DateTime<Tz>, WallClockError> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(instant) => Ok(instant),
        LocalResult::Ambiguous(first, second) => Err(WallClockError::Twice(first, second)),
        LocalResult::None => {
            // A clock change skips this time. One day earlier the zone has the offset before the change, and one day
            // later the offset after the change.
            let by = |hours| {
                let near = zone.from_utc_datetime(&(local + TimeDelta::hours(hours)));
                zone.from_utc_datetime(&(local - near.offset().fix()))
            };
            Err(WallClockError::Skipped(by(24), by(-24)))
        }
    }
}
