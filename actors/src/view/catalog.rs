//! Services and staff.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::HoursView;
use crate::domain::{Currency, Service, ServiceId, StaffHours, StaffId, StaffMember, Timestamp};

/// A service, as integrations see it; they see active ones only.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Service")]
pub struct ServiceView {
    /// Its id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// What it is; empty when nobody said.
    pub description: String,
    /// How long it takes, in minutes.
    pub duration_minutes: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl From<&Service> for ServiceView {
    fn from(service: &Service) -> Self {
        Self {
            id: service.id,
            name: service.name.clone(),
            description: service.description.clone(),
            duration_minutes: service.duration_minutes,
            created_at: service.created_at,
            updated_at: service.updated_at,
        }
    }
}

/// A service, as the operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorService")]
pub struct OperatorServiceView {
    /// What integrations see.
    #[serde(flatten)]
    pub service: ServiceView,
    /// Whether it can be booked.
    pub active: bool,
    /// How long before an appointment the staff member is kept free, in minutes.
    pub buffer_before_minutes: u32,
    /// How long after an appointment the staff member is kept free, in minutes.
    pub buffer_after_minutes: u32,
    /// How long before it begins customers have to book, in minutes.
    pub min_notice_minutes: u32,
    /// How many local days ahead customers can book; null for as far as they like.
    pub max_advance_days: Option<u32>,
    /// What it costs, in hundredths of the currency.
    pub price_cents: Option<u32>,
    /// The currency of the price, by its ISO 4217 code.
    #[schemars(with = "Option<Currency>")]
    pub currency: Option<String>,
}

impl From<&Service> for OperatorServiceView {
    fn from(service: &Service) -> Self {
        Self {
            service: service.into(),
            active: service.active,
            buffer_before_minutes: service.buffers.before_minutes(),
            buffer_after_minutes: service.buffers.after_minutes(),
            min_notice_minutes: service.min_notice_minutes,
            max_advance_days: service.max_advance_days,
            price_cents: service.price.map(|price| price.cents),
            currency: service.price.map(|price| price.currency.as_str().to_owned()),
        }
    }
}

/// A staff member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StaffMember")]
pub struct StaffView {
    /// Their id.
    pub id: StaffId,
    /// Their name.
    pub name: String,
    /// Whether they take appointments.
    pub active: bool,
    /// IANA name of the zone they see times in.
    pub timezone: Cow<'static, str>,
    /// The services they offer.
    pub service_ids: Vec<ServiceId>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

impl From<&StaffMember> for StaffView {
    fn from(staff: &StaffMember) -> Self {
        Self {
            id: staff.id,
            name: staff.name.clone(),
            active: staff.active,
            timezone: staff.zone.name().into(),
            service_ids: staff.service_ids.clone(),
            created_at: staff.created_at,
            updated_at: staff.updated_at,
        }
    }
}

/// A staff member, as the operator sees them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorStaffMember")]
pub struct OperatorStaffView {
    /// What integrations see.
    #[serde(flatten)]
    pub staff: StaffView,
    /// Their own hours, on the business's clocks; null where they are there whenever it is open.
    pub hours: Option<Vec<HoursView>>,
}

impl From<&StaffMember> for OperatorStaffView {
    fn from(staff: &StaffMember) -> Self {
        let windows = |hours: &StaffHours| hours.days().iter().map(HoursView::from).collect();
        Self { staff: staff.into(), hours: staff.hours.as_ref().map(windows) }
    }
}
