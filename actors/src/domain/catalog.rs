//! What can be booked and with whom: services and staff members (spec §2).

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use chrono_tz::Tz;

use super::{ServiceId, StaffId, Timestamp};

/// How long a service may be, in minutes.
pub const SERVICE_MINUTES: RangeInclusive<u32> = 5..=1440;

/// A service that customers can book while it is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its id.
    pub id: ServiceId,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// What it is; empty when nobody said.
    pub description: String,
    /// How long it takes, in minutes of elapsed time, within [`SERVICE_MINUTES`].
    pub duration_minutes: u32,
    /// Whether it can be booked.
    pub active: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Service {
    /// How long it takes, in elapsed time.
    pub fn duration(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.duration_minutes))
    }
}

/// Someone who carries out services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffMember {
    /// Their id.
    pub id: StaffId,
    /// Their name, 1 to 200 characters.
    pub name: String,
    /// Whether they take appointments.
    pub active: bool,
    /// The zone they see times in; opening hours are in the business's.
    pub zone: Tz,
    /// The services they offer, each once.
    pub service_ids: Vec<ServiceId>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

impl StaffMember {
    /// Whether they are active and offer the service.
    pub fn offers(&self, service: ServiceId) -> bool {
        self.active && self.service_ids.contains(&service)
    }
}
