//! Figures about a business by week or month.

use chrono::NaiveDate;
use domain::{InsightPeriod, StaffId};
use schemars::JsonSchema;
use serde::Serialize;

/// Figures about a business in consecutive periods.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Insights")]
pub struct InsightsView {
    /// The first date of the first period, in the business's time zone.
    #[schemars(with = "NaiveDate")]
    pub from: String,
    /// The last date of the last period, in the business's time zone.
    #[schemars(with = "NaiveDate")]
    pub to: String,
    /// The length of the periods.
    pub by: InsightPeriod,
    /// The time zone of the business.
    pub timezone: String,
    /// The periods, in order.
    pub periods: Vec<PeriodView>,
}

/// The figures of a period. An appointment is counted in the period of its `starts_at`, and a call in the period of its
/// `started_at`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "InsightsPeriod")]
pub struct PeriodView {
    /// The first date of the period.
    #[schemars(with = "NaiveDate")]
    pub from: String,
    /// The last date of the period.
    #[schemars(with = "NaiveDate")]
    pub to: String,
    /// The number of confirmed appointments.
    pub bookings: u32,
    /// The number of cancelled appointments.
    pub cancellations: u32,
    /// The number of appointments to which the customer did not come.
    pub no_shows: u32,
    /// The number of contacts whose first confirmed appointment is in the period.
    pub new_customers: u32,
    /// The number of contacts who have a confirmed appointment in the period and had one before the period.
    pub returning_customers: u32,
    /// The number of confirmed appointments whose contact was erased.
    pub unknown_customers: u32,
    /// The median time from the booking to the start, in minutes. It is null if there is no confirmed appointment.
    pub lead_time_minutes: Option<i64>,
    /// The number of calls.
    pub calls: u32,
    /// The number of completed calls.
    pub calls_answered: u32,
    /// The number of calls in which an appointment was booked.
    pub calls_converted: u32,
    /// The figures of each staff member who is active or has confirmed appointments in the period.
    pub staff: Vec<StaffPeriodView>,
}

/// The figures of a staff member in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "InsightsStaffMember")]
pub struct StaffPeriodView {
    /// The staff member.
    pub staff_id: StaffId,
    /// The name of the staff member. It is empty if it cannot be read.
    pub staff_name: String,
    /// The total duration of the confirmed appointments, in minutes.
    pub booked_minutes: i64,
    /// `booked_minutes` as a percentage of the minutes in which the staff member can be booked. Only figures of the
    /// current week and of later weeks contain it. It is null for past weeks, for months, and for a week in which the
    /// staff member cannot be booked at all.
    pub utilisation: Option<i64>,
}
