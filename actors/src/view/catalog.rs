//! Services and staff.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{Service, ServiceId, StaffId, StaffMember, Timestamp};

/// A service, as integrations see it; they see active ones only.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorService")]
pub struct OperatorServiceView {
    /// What integrations see.
    #[serde(flatten)]
    pub service: ServiceView,
    /// Whether it can be booked.
    pub active: bool,
}

impl From<&Service> for OperatorServiceView {
    fn from(service: &Service) -> Self {
        Self { service: service.into(), active: service.active }
    }
}

/// A staff member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "StaffMember")]
pub struct StaffView {
    /// Their id.
    pub id: StaffId,
    /// Their name.
    pub name: String,
    /// Whether they take appointments.
    pub active: bool,
    /// IANA name of the zone they see times in.
    pub timezone: &'static str,
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
            timezone: staff.zone.name(),
            service_ids: staff.service_ids.clone(),
            created_at: staff.created_at,
            updated_at: staff.updated_at,
        }
    }
}
