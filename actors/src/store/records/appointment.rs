//! Appointments.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::Appointment;
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct AppointmentRecordV1 {
    id: IdBytes,
    status: u8,
    starts_at: i64,
    ends_at: i64,
    service_id: IdBytes,
    staff_id: IdBytes,
    /// The nil UUID, which is never minted, where the contact was erased.
    contact_id: IdBytes,
    source: u8,
    calendar_sync_status: u8,
    announced: bool,
    move_unannounced: bool,
    created_at: i64,
    updated_at: i64,
}

record!(Appointment, "appointment", 1 => AppointmentRecordV1);

impl Layout<Appointment> for AppointmentRecordV1 {
    fn freeze(value: &Appointment) -> Self {
        Self {
            id: bytes_of(value.id),
            status: value.status.number(),
            starts_at: value.starts_at.millis(),
            ends_at: value.ends_at.millis(),
            service_id: bytes_of(value.service_id),
            staff_id: bytes_of(value.staff_id),
            contact_id: value.contact_id.map_or([0; 16], bytes_of),
            source: value.source.number(),
            calendar_sync_status: value.calendar_sync_status.number(),
            announced: value.announced,
            move_unannounced: value.move_unannounced,
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Appointment, StoreError> {
        if self.ends_at <= self.starts_at {
            return Err(StoreError::damaged(record, "it ends before it starts"));
        }
        Ok(Appointment {
            id: id_of(self.id),
            status: word(record, self.status)?,
            starts_at: instant(record, self.starts_at)?,
            ends_at: instant(record, self.ends_at)?,
            service_id: id_of(self.service_id),
            staff_id: id_of(self.staff_id),
            contact_id: (self.contact_id != [0; 16]).then(|| id_of(self.contact_id)),
            source: word(record, self.source)?,
            calendar_sync_status: word(record, self.calendar_sync_status)?,
            announced: self.announced,
            move_unannounced: self.move_unannounced,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;
    use crate::domain::{AppointmentStatus, Timestamp};
    use crate::domain::{CalendarSyncStatus, Source};

    fn appointment() -> Appointment {
        Appointment {
            id: id_of([0xa1; 16]),
            status: AppointmentStatus::Confirmed,
            starts_at: Timestamp::from_millis(1_772_442_000_000),
            ends_at: Timestamp::from_millis(1_772_443_800_000),
            service_id: id_of([0xa2; 16]),
            staff_id: id_of([0xa3; 16]),
            contact_id: Some(id_of([0xa4; 16])),
            source: Source::Voice,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced: true,
            move_unannounced: false,
            created_at: Timestamp::from_millis(-1),
            updated_at: Timestamp::from_millis(300),
        }
    }

    #[test]
    fn an_appointment_has_these_bytes() {
        check(
            &appointment(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102fd00358d5b39030000fd8023c45b\
             39030000a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a40101010001fb5802",
        );
    }

    #[test]
    fn an_appointment_whose_contact_was_erased_has_these_bytes() {
        check(
            &Appointment { contact_id: None, ..appointment() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102fd00358d5b39030000fd8023c45b\
             39030000a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3000000000000000000000000000000000101010001fb5802",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&appointment(), |bytes| bytes[17] = 9);
        let backwards = Appointment { ends_at: appointment().starts_at, ..appointment() };
        check_damage(&backwards, |_| {});
    }
}
