//! Which instant a time on the wall clock of a zone is.
//!
//! What always holds: a time that a change of the clocks skips, or shows twice, is never guessed.

use chrono::{DateTime, LocalResult, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz;

/// Why a time on the wall clock is no instant, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WallClockError {
    /// The clocks skip it: the earlier and the later instant that it is by the offsets of after and before.
    Skipped(DateTime<Tz>, DateTime<Tz>),
    /// The clocks show it twice, at these instants.
    Twice(DateTime<Tz>, DateTime<Tz>),
}

/// The instant at which the clocks of the zone show this time.
///
/// # Errors
/// When they never do, or twice.
pub(crate) fn instant(local: NaiveDateTime, zone: Tz) -> Result<DateTime<Tz>, WallClockError> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(instant) => Ok(instant),
        LocalResult::Ambiguous(first, second) => Err(WallClockError::Twice(first, second)),
        LocalResult::None => {
            // No clock change is longer than a day: read with the offsets of before and after it.
            let by = |hours| {
                let near = zone.from_utc_datetime(&(local + TimeDelta::hours(hours)));
                zone.from_utc_datetime(&(local - near.offset().fix()))
            };
            Err(WallClockError::Skipped(by(24), by(-24)))
        }
    }
}
