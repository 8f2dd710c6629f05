//! Windows of the wall clock, as records have them: day, and the minutes after midnight of opening and closing.

use super::{Numbered, word};
use crate::domain::{DayHours, LocalTime, LocalWindow};
use crate::store::StoreError;

/// How a window of a week is stored.
pub(super) fn freeze_window(hours: &DayHours) -> (u8, u16, u16) {
    (hours.day.number(), hours.open.minutes(), hours.close.minutes())
}

/// The windows of a week that are stored.
pub(super) fn thaw_windows(
    record: &'static str,
    windows: &[(u8, u16, u16)],
) -> Result<Vec<DayHours>, StoreError> {
    let window = |&(day, open, close): &(u8, u16, u16)| {
        let LocalWindow { open, close } = thaw_ends(record, (open, close))?;
        Ok(DayHours { day: word(record, day)?, open, close })
    };
    windows.iter().map(window).collect()
}

/// The ends of a window that are stored.
pub(super) fn thaw_ends(record: &'static str, (open, close): (u16, u16)) -> Result<LocalWindow, StoreError> {
    let time = |minutes| {
        LocalTime::from_minutes(minutes).ok_or_else(|| StoreError::damaged(record, "a time is behind 24:00"))
    };
    Ok(LocalWindow { open: time(open)?, close: time(close)? })
}
