//! CSV files of appointments. Times are in the time zone of the business, in the form that spreadsheets read
//! as dates. The start is also given in UTC, which is unambiguous even when the clocks are set back.

use bytes::Bytes;
use chrono_tz::Tz;
use domain::{Attendance, Timestamp};
use view::OperatorAppointmentView;

pub(crate) const NAME: &str = "appointments.csv";

const COLUMNS: [&str; 14] = [
    "starts_at",
    "ends_at",
    "timezone",
    "starts_at_utc",
    "status",
    "attendance",
    "service",
    "staff",
    "contact",
    "contact_phone",
    "source",
    "notes",
    "customer_note",
    "id",
];

pub(crate) fn head() -> Bytes {
    super::head(COLUMNS)
}

pub(crate) fn rows(appointments: &[OperatorAppointmentView]) -> Vec<u8> {
    super::written(appointments.iter().map(|it| {
        let appointment = &it.appointment;
        let zone: Tz = appointment.timezone.parse().unwrap_or(Tz::UTC);
        let local = |at: Timestamp| at.utc().with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
        let attendance = it.attendance.flatten().map(Attendance::as_str);
        [
            local(appointment.starts_at),
            local(appointment.ends_at),
            appointment.timezone.to_string(),
            appointment.starts_at.to_string(),
            appointment.status.to_string(),
            attendance.unwrap_or_default().to_owned(),
            appointment.service_name.clone(),
            appointment.staff_name.clone(),
            appointment.contact_name.clone().unwrap_or_default(),
            appointment.contact_phone.clone().unwrap_or_default(),
            appointment.source.to_string(),
            it.notes.get().unwrap_or_default().to_owned(),
            it.customer_note.clone().flatten().unwrap_or_default(),
            appointment.id.to_string(),
        ]
    }))
}
