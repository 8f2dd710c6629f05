//! Special days: dates on which a business is closed or has different opening hours.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::{DayWindows, Timestamp};

pub const SPECIAL_DAYS_MAX: usize = 1_000;

pub type SpecialDays = BTreeMap<NaiveDate, SpecialDay>;

/// The windows replace those of the week. A window that started on the day before is not affected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecialDay {
    pub date: NaiveDate,
    /// Empty if closed.
    pub hours: DayWindows,
    /// At most 200 characters.
    pub note: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
