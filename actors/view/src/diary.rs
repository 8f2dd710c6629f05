//! Special days, time off, and the appointments that are outside bookable time after a change, as the APIs show them.

use chrono::NaiveDate;
use domain::{AppointmentId, BlockedTime, BlockedTimeId, LocalWindow, SpecialDay, StaffId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum number of ids in `affected`.
pub const AFFECTED_IDS_MAX: usize = 100;

/// A date on which a business is closed or has different opening hours.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SpecialDay")]
pub struct SpecialDayView {
    /// The date, in the business's time zone.
    #[schemars(with = "NaiveDate")]
    pub date: String,
    /// Whether the business is closed on this date.
    pub closed: bool,
    /// The opening hours of the date.
    pub windows: Vec<LocalWindow>,
    /// A note about the day.
    pub note: Option<String>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

impl From<&SpecialDay> for SpecialDayView {
    fn from(day: &SpecialDay) -> Self {
        let windows = day.hours.windows().to_vec();
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

/// A special day that was deleted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SpecialDayRemoved")]
pub struct SpecialDayRemovedView {
    /// The date of the deleted special day. The weekly opening hours now apply to this date again.
    #[schemars(with = "NaiveDate")]
    pub date: String,
    /// The appointments of the date that are outside bookable time.
    pub affected: AffectedView,
}

/// A staff member's time off.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TimeOff")]
pub struct TimeOffView {
    /// The id of the time off.
    pub id: BlockedTimeId,
    /// The staff member who is absent.
    pub staff_id: StaffId,
    /// The first instant of the time off.
    pub starts_at: Timestamp,
    /// The first instant after the time off.
    pub ends_at: Timestamp,
    /// A note about the reason.
    pub note: Option<String>,
    /// The time of creation. Time off is never changed.
    pub created_at: Timestamp,
}

impl From<&BlockedTime> for TimeOffView {
    fn from(time: &BlockedTime) -> Self {
        let BlockedTime { id, staff_id, starts_at, ends_at, note, created_at, .. } = time.clone();
        Self { id, staff_id, starts_at, ends_at, note, created_at }
    }
}

/// The future appointments that the change affects and that are outside bookable time, because of this change or an
/// earlier one. They stay booked. Buffers and the minimum notice are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Affected")]
pub struct AffectedView {
    /// The number of appointments.
    pub count: usize,
    /// The ids of the first 100 appointments, sorted by start.
    #[schemars(length(max = AFFECTED_IDS_MAX))]
    pub ids: Vec<AppointmentId>,
}

impl AffectedView {
    pub fn new(mut ids: Vec<AppointmentId>) -> Self {
        let count = ids.len();
        ids.truncate(AFFECTED_IDS_MAX);
        Self { count, ids }
    }
}

/// A changed resource, and the affected appointments that are outside bookable time after the change.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{V}Change")]
pub struct AffectingView<V> {
    /// The resource.
    #[serde(flatten)]
    pub resource: V,
    /// The affected appointments that are outside bookable time after the change.
    pub affected: AffectedView,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_hundred_appointments_are_listed_and_all_are_counted() {
        let some =
            |count: u128| AffectedView::new((0..count).map(|nth| Uuid::from_u128(nth).into()).collect());
        let (few, many) = (some(100), some(101));
        assert_eq!((few.count, few.ids.len()), (100, 100));
        assert_eq!((many.count, many.ids.len()), (101, 100));
        assert_eq!(many.ids[0], Uuid::nil().into());
    }
}
