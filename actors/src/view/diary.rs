//! Special days, time off, and what a change leaves outside of when bookings can be made.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{AppointmentId, BlockedTime, BlockedTimeId, LocalWindow, SpecialDay, StaffId, Timestamp};

/// How many of the appointments that lie outside are named; all are counted.
pub const AFFECTED_IDS_MAX: usize = 100;

/// A date on which a business is closed, or open at other hours than those of the week.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SpecialDay")]
pub struct SpecialDayView {
    /// The date, in the business's time zone.
    #[schemars(with = "NaiveDate")]
    pub date: String,
    /// Whether nothing opens on it.
    pub closed: bool,
    /// The windows that open on it.
    pub windows: Vec<WindowView>,
    /// What day it is.
    pub note: Option<String>,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A window of a date.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Window")]
pub struct WindowView {
    /// Local time, `HH:MM`, to `23:59`.
    #[schemars(with = "crate::domain::LocalTime")]
    pub open: String,
    /// Local time, `HH:MM`; earlier than `open` means on the next day.
    #[schemars(with = "crate::domain::LocalTime")]
    pub close: String,
}

impl From<&SpecialDay> for SpecialDayView {
    fn from(day: &SpecialDay) -> Self {
        let window = |window: &LocalWindow| WindowView {
            open: window.open.to_string(),
            close: window.close.to_string(),
        };
        let windows: Vec<WindowView> = day.hours.windows().iter().map(window).collect();
        Self {
            date: day.date.to_string(),
            closed: windows.is_empty(),
            windows,
            note: day.note.clone(),
            created_at: day.created_at,
            updated_at: day.updated_at,
        }
    }
}

/// A special day that is none any more.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SpecialDayRemoved")]
pub struct SpecialDayRemovedView {
    /// The date, which is as the week has it again.
    #[schemars(with = "NaiveDate")]
    pub date: String,
    /// The appointments on it that lie outside.
    pub affected: AffectedView,
}

/// Time that a staff member has off.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TimeOff")]
pub struct TimeOffView {
    /// Its id.
    pub id: BlockedTimeId,
    /// Whose.
    pub staff_id: StaffId,
    /// The first instant of it.
    pub starts_at: Timestamp,
    /// The first instant after it.
    pub ends_at: Timestamp,
    /// What it is for.
    pub note: Option<String>,
    /// When it was added; it never changes.
    pub created_at: Timestamp,
}

impl From<&BlockedTime> for TimeOffView {
    fn from(time: &BlockedTime) -> Self {
        Self {
            id: time.id,
            staff_id: time.staff_id,
            starts_at: time.starts_at,
            ends_at: time.ends_at,
            note: time.note.clone(),
            created_at: time.created_at,
        }
    }
}

/// The appointments to come that a change concerns and that lie outside of when they could be booked, be it by this change
/// or by an earlier one. They stay. What others keep free around them, and how early a service has to be booked, are left
/// out of account.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Affected")]
pub struct AffectedView {
    /// How many there are.
    pub count: usize,
    /// Their ids, by when they start; the first 100.
    #[schemars(length(max = AFFECTED_IDS_MAX))]
    pub ids: Vec<AppointmentId>,
}

impl AffectedView {
    /// These appointments.
    pub fn of(mut ids: Vec<AppointmentId>) -> Self {
        let count = ids.len();
        ids.truncate(AFFECTED_IDS_MAX);
        Self { count, ids }
    }
}

/// A resource as a change has left it, with the appointments that it concerns and that lie outside.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{V}Change")]
pub struct AffectingView<V> {
    /// The resource.
    #[serde(flatten)]
    pub resource: V,
    /// The appointments that it concerns and that lie outside.
    pub affected: AffectedView,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_hundred_are_named_and_all_are_counted() {
        let some =
            |count: u128| AffectedView::of((0..count).map(|nth| Uuid::from_u128(nth).into()).collect());
        let (few, many) = (some(100), some(101));
        assert_eq!((few.count, few.ids.len()), (100, 100));
        assert_eq!((many.count, many.ids.len()), (101, 100));
        assert_eq!(many.ids[0], Uuid::nil().into());
    }
}
