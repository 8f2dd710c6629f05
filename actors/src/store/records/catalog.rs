//! Services and staff members.

use serde::{Deserialize, Serialize};

use super::{IdBytes, bytes_of, id_of, instant, zone};
use crate::domain::{SERVICE_MINUTES, Service, StaffMember};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct ServiceRecordV1 {
    id: IdBytes,
    name: String,
    description: String,
    duration_minutes: u32,
    active: bool,
    created_at: i64,
    updated_at: i64,
}

record!(Service, "service", 1 => ServiceRecordV1);

impl Layout<Service> for ServiceRecordV1 {
    fn freeze(value: &Service) -> Self {
        Self {
            id: bytes_of(value.id),
            name: value.name.clone(),
            description: value.description.clone(),
            duration_minutes: value.duration_minutes,
            active: value.active,
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Service, StoreError> {
        if !SERVICE_MINUTES.contains(&self.duration_minutes) {
            return Err(StoreError::damaged(record, "no service takes that long"));
        }
        Ok(Service {
            id: id_of(self.id),
            name: self.name,
            description: self.description,
            duration_minutes: self.duration_minutes,
            active: self.active,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct StaffMemberRecordV1 {
    id: IdBytes,
    name: String,
    active: bool,
    zone: String,
    service_ids: Vec<IdBytes>,
    created_at: i64,
    updated_at: i64,
}

record!(StaffMember, "staff", 1 => StaffMemberRecordV1);

impl Layout<StaffMember> for StaffMemberRecordV1 {
    fn freeze(value: &StaffMember) -> Self {
        Self {
            id: bytes_of(value.id),
            name: value.name.clone(),
            active: value.active,
            zone: value.zone.name().to_owned(),
            service_ids: value.service_ids.iter().copied().map(bytes_of).collect(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<StaffMember, StoreError> {
        Ok(StaffMember {
            id: id_of(self.id),
            name: self.name,
            active: self.active,
            zone: zone(record, &self.zone)?,
            service_ids: self.service_ids.into_iter().map(id_of).collect(),
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::Timestamp;

    fn service() -> Service {
        Service {
            id: id_of([0xa1; 16]),
            name: "Coupe".into(),
            description: String::new(),
            duration_minutes: 45,
            active: true,
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    fn staff() -> StaffMember {
        StaffMember {
            id: id_of([0xa2; 16]),
            name: "Ada".into(),
            active: false,
            zone: chrono_tz::UTC,
            service_ids: vec![id_of([0xa1; 16]), id_of([0xa3; 16])],
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_service_has_these_bytes() {
        check(
            &service(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a105436f757065002d01fd00358d5b39\
             030000fd02358d5b39030000",
        );
    }

    #[test]
    fn a_staff_member_has_these_bytes() {
        check(
            &staff(),
            "01a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a203416461000355544302a1a1a1a1a1\
             a1a1a1a1a1a1a1a1a1a1a1a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3fd00358d5b\
             39030000fd02358d5b39030000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&service(), |bytes| replace(bytes, b"Coupe\0\x2d", b"Coupe\0\x04"));
        check_damage(&service(), |bytes| replace(bytes, b"\x2d\x01", b"\x2d\x02"));
        check_damage(&staff(), |bytes| replace(bytes, b"UTC", b"ABC"));
    }
}
