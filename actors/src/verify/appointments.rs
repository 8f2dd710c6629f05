//! Appointments and their index rows.

use std::collections::HashMap;

use super::business::id_in;
use super::findings::Checker;
use crate::domain::{Appointment, AppointmentId, BusinessId, ContactId, StaffId, Timestamp};
use crate::store::keys::kind;
use crate::store::{Key, keys};

/// The index rows that an appointment asks for.
fn rows(of: BusinessId, a: &Appointment) -> Vec<(&'static str, Key, Vec<u8>)> {
    let start = keys::millis_value(a.starts_at);
    let mut rows = vec![("by id", keys::appointment_start(of, a.id), start.clone())];
    if let Some(contact) = a.contact_id {
        let by_contact = keys::appointment_by_contact(of, contact, a.starts_at, a.id);
        rows.push(("by contact", by_contact, Vec::new()));
    }
    if a.updated_at != a.created_at {
        rows.push(("by change", keys::appointment_by_update(of, a.updated_at, a.id), start));
    }
    rows
}

/// Looks at an appointment; they come in the order of their starts.
pub(super) fn appointment(
    checker: &mut Checker<'_>,
    held: &mut HashMap<StaffId, (Timestamp, AppointmentId)>,
    value: &[u8],
) {
    let Some(a) = checker.decoded::<Appointment>(value) else { return };
    let of = checker.of;
    checker.stands_at(&keys::appointment(of, a.starts_at, a.id));
    for (name, key, value) in rows(of, &a) {
        checker.expect(name, &key, &value);
    }
    checker.refers_to_contact(a.contact_id);
    checker.refers("service", &keys::service(of, a.service_id));
    checker.refers("staff member", &keys::staff(of, a.staff_id));
    if a.updated_at < a.created_at {
        checker.wrong("it was changed before it was created");
    }
    if !a.is_active() {
        return;
    }
    if let Some((until, other)) = held.get(&a.staff_id)
        && *until > a.starts_at
    {
        checker.wrong(format_args!("appointment {} overlaps {other} of the same staff member", a.id));
    }
    let latest = held.entry(a.staff_id).or_insert((a.ends_at, a.id));
    if latest.0 < a.ends_at {
        *latest = (a.ends_at, a.id);
    }
}

/// Looks at an index row of an appointment.
pub(super) fn index(checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let Some(id) = checker.read(keys::id_at_end::<AppointmentId>(&key)) else { return };
    let starts_at = match kind {
        kind::APPOINTMENT_BY_CONTACT => {
            let at = checker.read(keys::instant_and_id::<AppointmentId>(&key)).map(|(at, _)| at);
            if id_in::<ContactId>(checker).is_none() { None } else { at }
        }
        _ => checker.read(keys::millis_from_value(value)),
    };
    let Some(starts_at) = starts_at else { return };
    let appointment = checker.record::<Appointment>(&keys::appointment(of, starts_at, id));
    let asked = appointment.is_some_and(|a| rows(of, &a).iter().any(|row| row.1 == key && row.2 == value));
    checker.belongs(asked);
}
