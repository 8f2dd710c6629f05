//! Special days: dates on which a business is closed, or open at other hours than those of the week.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::{DayWindows, Timestamp};

/// How many special days a business keeps at most.
pub const SPECIAL_DAYS_MAX: usize = 1_000;

/// The special days of a business, by their date.
pub type SpecialDays = BTreeMap<NaiveDate, SpecialDay>;

/// A date whose windows take the place of those that the week would open on it. One that runs over midnight from the day
/// before stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecialDay {
    /// The local date.
    pub date: NaiveDate,
    /// The windows that open on it; none where it is closed.
    pub hours: DayWindows,
    /// What day it is, at most 200 characters.
    pub note: Option<String>,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
