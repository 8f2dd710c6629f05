use domain::{Appointment, Buffers};

use crate::codec::record;

record!(Appointment, "appointment", {
    1: id, status, starts_at, ends_at, service_id, staff_id, contact_id via nil_for_none, source,
       calendar_sync_status, announced, move_unannounced, created_at, updated_at;
    2: buffers = Buffers::default();
    3: notes = None;
} check |appointment| {
    if appointment.ends_at > appointment.starts_at { Ok(()) } else { Err("it ends before it starts") }
});

/// The nil UUID is never issued, so it means that there is no id.
mod nil_for_none {
    use domain::{ContactId, ResourceId};
    use uuid::Uuid;

    use crate::StoreError;
    use crate::codec::{Field, Fields};

    pub(super) fn write(id: &Option<ContactId>, to: &mut Vec<u8>) {
        id.map_or(Uuid::nil(), ResourceId::uuid).write(to);
    }

    pub(super) fn read(from: &mut Fields<'_>) -> Result<Option<ContactId>, StoreError> {
        let id = Uuid::read(from)?;
        Ok((!id.is_nil()).then(|| id.into()))
    }
}

#[cfg(test)]
mod tests {
    use domain::{AppointmentStatus, CalendarSyncStatus, Source, Timestamp};

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
    use super::*;

    fn appointment() -> Appointment {
        Appointment {
            id: id_of([0xa1; 16]),
            status: AppointmentStatus::Confirmed,
            starts_at: Timestamp::from_millis(1_772_442_000_000),
            ends_at: Timestamp::from_millis(1_772_443_800_000),
            buffers: Buffers::new(15, 240).unwrap(),
            service_id: id_of([0xa2; 16]),
            staff_id: id_of([0xa3; 16]),
            contact_id: Some(id_of([0xa4; 16])),
            source: Source::Voice,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced: true,
            move_unannounced: false,
            created_at: Timestamp::from_millis(-1),
            updated_at: Timestamp::from_millis(300),
            notes: Some("Bring X".into()),
        }
    }

    #[test]
    fn an_appointment_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102fd00358d5b39030000fd8023c45b\
             39030000a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a40101010001fb5802";
        check(&appointment(), &format!("03{first}0ff0010742 72696e672058"));
        let without = Appointment { notes: None, ..appointment() };
        check(&without, &format!("03{first}0ff000"));
        check_old(&without, &format!("02{first}0ff0"));
        let plain = Appointment { buffers: Buffers::default(), ..without };
        check(&plain, &format!("03{first}000000"));
        check_old(&plain, &format!("01{first}"));
    }

    #[test]
    fn an_appointment_whose_contact_was_erased_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102fd00358d5b39030000fd8023c45b\
             39030000a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3000000000000000000000000000000000101010001fb5802";
        let of_nobody = appointment().erased();
        check(&of_nobody, &format!("03{first}0ff000"));
        check_old(&of_nobody, &format!("02{first}0ff0"));
        check_old(&Appointment { buffers: Buffers::default(), ..of_nobody }, &format!("01{first}"));
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&appointment(), |bytes| bytes[17] = 9);
        let backwards = Appointment { ends_at: appointment().starts_at, ..appointment() };
        check_damage(&backwards, |_| {});
        check_damage(&appointment(), |bytes| replace(bytes, b"\x0f\xf0", b"\xf1\xf0"));
    }
}
