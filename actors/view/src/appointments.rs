//! Appointments.

use std::borrow::Cow;

use domain::{
    Appointment, AppointmentId, AppointmentStatus, Attendance, BookedAs, Buffers, CalendarSyncStatus,
    Contact, ContactId, Locale, ServiceId, Source, StaffId, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contacts::said;
use super::{NotesView, View};

/// An appointment, with the names of its service, staff member and contact.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Appointment")]
pub struct AppointmentView {
    /// The appointment's id.
    pub id: AppointmentId,
    /// The status of the appointment.
    pub status: AppointmentStatus,
    /// The start time.
    pub starts_at: Timestamp,
    /// The end time.
    pub ends_at: Timestamp,
    /// IANA name of the business's time zone.
    pub timezone: Cow<'static, str>,
    /// The booked service.
    pub service_id: ServiceId,
    /// The service's name.
    pub service_name: String,
    /// The staff member who holds the appointment.
    pub staff_id: StaffId,
    /// The staff member's name.
    pub staff_name: String,
    /// The contact; null after the contact was erased.
    pub contact_id: Option<ContactId>,
    /// The contact's name.
    pub contact_name: Option<String>,
    /// The contact's phone number, E.164.
    pub contact_phone: Option<String>,
    /// The channel of the booking.
    pub source: Source,
    /// The state of the copy in the staff member's own calendar.
    pub calendar_sync_status: CalendarSyncStatus,
    /// Not serialised, so a stored response contains no buffers.
    #[serde(skip)]
    pub buffers: Buffers,
    /// Not serialised, because integrations do not see it.
    #[serde(skip)]
    pub attendance: Option<Attendance>,
    /// The time of the booking or request.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// An appointment as the team sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorAppointment")]
pub struct OperatorAppointmentView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub appointment: AppointmentView,
    /// The team's notes.
    #[serde(flatten)]
    pub notes: NotesView,
    /// The customer's note from the booking form.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub customer_note: Option<Option<String>>,
    /// What the customer entered in the booking form; null if no customer booked the appointment.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BookedAsView>")]
    pub booked_as: Option<Option<BookedAsView>>,
    /// Whether the customer came; null until the team sets it, and after a move or a cancellation.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Attendance>")]
    pub attendance: Option<Option<Attendance>>,
}

/// The name and addresses of a customer as entered in the booking form.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BookedAs")]
pub struct BookedAsView {
    /// The name.
    pub name: Option<String>,
    /// The phone number, E.164.
    pub phone: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
    /// The language of the page.
    pub locale: Locale,
    /// Whether the customer agreed to texts about this appointment.
    pub texts: bool,
}

impl From<&BookedAs> for BookedAsView {
    fn from(booked: &BookedAs) -> Self {
        Self {
            name: booked.name.clone(),
            phone: booked.phone.as_deref().map(str::to_owned),
            email: booked.email.as_deref().map(str::to_owned),
            locale: booked.locale,
            texts: booked.texts,
        }
    }
}

pub trait SomeAppointmentView: View {
    fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self;
}

#[derive(Clone, Copy, Debug)]
pub struct AppointmentParties<'a> {
    pub timezone: &'static str,
    pub service_name: &'a str,
    pub staff_name: &'a str,
    /// `None` if the contact was erased or cannot be read.
    pub contact: Option<&'a Contact>,
}

impl SomeAppointmentView for OperatorAppointmentView {
    fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self {
        // An erasure deletes the contact first and its appointments' notes later, so they are hidden here.
        let notes = parties.contact.and_then(|_| appointment.notes.clone());
        let notes = (&notes).into();
        let customer_note = parties.contact.and_then(|_| appointment.customer_note.clone());
        let booked_as = parties.contact.and(appointment.booked_as.as_ref()).map(BookedAsView::from);
        Self {
            appointment: SomeAppointmentView::new(appointment, parties),
            notes,
            customer_note: Some(customer_note),
            booked_as: Some(booked_as),
            attendance: Some(appointment.attendance),
        }
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
            contact_phone: parties.contact.and_then(|contact| contact.phone.as_deref()).map(str::to_owned),
            source: appointment.source,
            calendar_sync_status: appointment.calendar_sync_status,
            buffers: appointment.buffers,
            attendance: appointment.attendance,
            created_at: appointment.created_at,
            updated_at: appointment.updated_at,
        }
    }
}
