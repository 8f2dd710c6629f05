//! Checks of appointments and their index rows.

use std::collections::HashMap;

use domain::{Appointment, AppointmentId, ContactId, StaffId, Timestamp};
use store::keys::{self, kind};

use super::business::id_in;
use super::findings::Checker;

/// Checks an appointment. Appointments arrive in the order of their starts.
pub(super) fn appointment(
    checker: &mut Checker<'_>,
    held: &mut HashMap<StaffId, (Timestamp, AppointmentId)>,
    value: &[u8],
) {
    let Some(a) = checker.kept::<Appointment>(value) else { return };
    let of = checker.of;
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
    checker.leads_to(appointment.as_ref(), value);
}
