//! Services and staff members as the APIs show them.

use std::borrow::Cow;

use domain::{Currency, DayHours, Service, ServiceId, StaffId, StaffMember, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contacts::said;

/// A service, as integrations see it. They do not see inactive services.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Service")]
pub struct ServiceView {
    /// The service's id.
    pub id: ServiceId,
    /// The name of the service.
    pub name: String,
    /// The description. It may be empty.
    pub description: String,
    /// The duration in minutes.
    pub duration_minutes: u32,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

impl From<&Service> for ServiceView {
    fn from(service: &Service) -> Self {
        let Service { id, name, description, duration_minutes, created_at, updated_at, .. } = service.clone();
        Self { id, name, description, duration_minutes, created_at, updated_at }
    }
}

/// A service, as the operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorService")]
pub struct OperatorServiceView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub service: ServiceView,
    /// Whether the service can be booked.
    pub active: bool,
    /// The number of minutes for which the staff member is kept free before an appointment.
    pub buffer_before_minutes: u32,
    /// The number of minutes for which the staff member is kept free after an appointment.
    pub buffer_after_minutes: u32,
    /// The minimum number of minutes between a customer's booking and the start.
    pub min_notice_minutes: u32,
    /// The maximum number of local days between today and the start, for bookings by customers. Null means that there
    /// is no limit.
    pub max_advance_days: Option<u32>,
    /// The price in hundredths of the currency unit.
    pub price_cents: Option<u32>,
    /// The ISO 4217 code of the price's currency.
    #[schemars(with = "Option<Currency>")]
    pub currency: Option<String>,
    /// The heading above the service in lists on the dashboard pages.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub category: Option<Option<String>>,
    /// The position in lists on pages. Services with the same position are in the order of their creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub position: Option<u32>,
    /// The index of a colour in the palette, 1 to 12.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub color: Option<Option<u32>>,
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
            category: Some(service.category.clone()),
            position: Some(service.position),
            color: Some(service.color),
        }
    }
}

/// A staff member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StaffMember")]
pub struct StaffView {
    /// The staff member's id.
    pub id: StaffId,
    /// The staff member's name.
    pub name: String,
    /// Whether the staff member takes appointments.
    pub active: bool,
    /// The IANA name of the time zone in which the staff member sees times.
    pub timezone: Cow<'static, str>,
    /// The services that the staff member offers.
    pub service_ids: Vec<ServiceId>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
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
    /// The fields that integrations see.
    #[serde(flatten)]
    pub staff: StaffView,
    /// The staff member's own hours, in the business's time zone. Null means that the staff member is present during
    /// all opening hours.
    pub hours: Option<Vec<DayHours>>,
    /// The position in lists on pages. Staff members with the same position are in the order of their creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub position: Option<u32>,
    /// The index of a colour in the palette, 1 to 12.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub color: Option<Option<u32>>,
}

impl From<&StaffMember> for OperatorStaffView {
    fn from(staff: &StaffMember) -> Self {
        Self {
            staff: staff.into(),
            hours: staff.hours.as_ref().map(|hours| hours.days().to_vec()),
            position: Some(staff.position),
            color: Some(staff.color),
        }
    }
}

/// All staff members who offer a service, including inactive ones.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ServiceStaff")]
pub struct ServiceStaffView {
    /// The service's id.
    pub service_id: ServiceId,
    /// The staff members who offer the service, in the order of their creation.
    pub staff_ids: Vec<StaffId>,
}
