//! Appointments.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NotesView, View};
use crate::domain::{
    Appointment, AppointmentId, AppointmentStatus, Buffers, CalendarSyncStatus, Contact, ContactId,
    ServiceId, Source, StaffId, Timestamp,
};

/// An appointment, with the names it refers to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Appointment")]
pub struct AppointmentView {
    /// Its id.
    pub id: AppointmentId,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// IANA name of the business's zone.
    pub timezone: Cow<'static, str>,
    /// What is booked.
    pub service_id: ServiceId,
    /// Its name.
    pub service_name: String,
    /// With whom.
    pub staff_id: StaffId,
    /// Their name.
    pub staff_name: String,
    /// For whom; null once they were erased.
    pub contact_id: Option<ContactId>,
    /// Their name.
    pub contact_name: Option<String>,
    /// Their phone number, E.164.
    pub contact_phone: Option<String>,
    /// Where the booking came from.
    pub source: Source,
    /// Whether it stands in the staff member's own calendar.
    pub calendar_sync_status: CalendarSyncStatus,
    /// The time that stays free before and after it. No API shows it, so a repeated answer has none.
    #[serde(skip)]
    pub buffers: Buffers,
    /// When it was booked or asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// An appointment, as the business's team sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorAppointment")]
pub struct OperatorAppointmentView {
    /// What integrations see.
    #[serde(flatten)]
    pub appointment: AppointmentView,
    /// What the team notes of it.
    #[serde(flatten)]
    pub notes: NotesView,
}

/// Some view of an appointment.
pub trait SomeAppointmentView: View {
    /// The appointment with the names it refers to.
    fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self;
}

/// What an appointment refers to, as it is at the moment.
#[derive(Clone, Copy, Debug)]
pub struct AppointmentParties<'a> {
    /// The business's zone, by its IANA name.
    pub timezone: &'static str,
    /// The service's name.
    pub service_name: &'a str,
    /// The staff member's name.
    pub staff_name: &'a str,
    /// The contact, unless they were erased or cannot be read.
    pub contact: Option<&'a Contact>,
}

impl SomeAppointmentView for OperatorAppointmentView {
    fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self {
        // Those of an appointment whose contact was erased go in steps behind that.
        let notes = parties.contact.and_then(|_| appointment.notes.clone());
        let notes = (&notes).into();
        Self { appointment: SomeAppointmentView::new(appointment, parties), notes }
    }
}

impl SomeAppointmentView for AppointmentView {
    fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self {
        Self {
            id: appointment.id,
            status: appointment.status,
            starts_at: appointment.starts_at,
            ends_at: appointment.ends_at,
            timezone: parties.timezone.into(),
            service_id: appointment.service_id,
            service_name: parties.service_name.to_owned(),
            staff_id: appointment.staff_id,
            staff_name: parties.staff_name.to_owned(),
            contact_id: parties.contact.map(|contact| contact.id),
            contact_name: parties.contact.and_then(|contact| contact.name.clone()),
            contact_phone: parties.contact.and_then(|contact| contact.phone.clone()),
            source: appointment.source,
            calendar_sync_status: appointment.calendar_sync_status,
            buffers: appointment.buffers,
            created_at: appointment.created_at,
            updated_at: appointment.updated_at,
        }
    }
}
