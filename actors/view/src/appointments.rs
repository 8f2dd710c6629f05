//! Appointments as the APIs show them.

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
    /// The IANA name of the business's time zone.
    pub timezone: Cow<'static, str>,
    /// The booked service.
    pub service_id: ServiceId,
    /// The service's name.
    pub service_name: String,
    /// The staff member who carries out the appointment.
    pub staff_id: StaffId,
    /// The staff member's name.
    pub staff_name: String,
    /// The contact. It is null after the contact was erased.
    pub contact_id: Option<ContactId>,
    /// The contact's name.
    pub contact_name: Option<String>,
    /// The contact's phone number in E.164 form.
    pub contact_phone: Option<String>,
    /// The channel through which the appointment was booked.
    pub source: Source,
    /// The state of the copy of the appointment in the staff member's own calendar.
    pub calendar_sync_status: CalendarSyncStatus,
    /// The buffers. They are not serialised, so a stored response does not contain them.
    #[serde(skip)]
    pub buffers: Buffers,
    /// The attendance. It is not serialised, because integrations do not see it.
    #[serde(skip)]
    pub attendance: Option<Attendance>,
    /// The time at which the appointment was booked or requested.
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
    /// The note that the customer entered in the booking form.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub customer_note: Option<Option<String>>,
    /// The data that the customer entered in the booking form. It is null if no customer booked the appointment.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BookedAsView>")]
    pub booked_as: Option<Option<BookedAsView>>,
    /// Whether the customer came. It is null until the team sets it. A move or a cancellation sets it to null again.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Attendance>")]
    pub attendance: Option<Option<Attendance>>,
}

/// The name, phone number and email address that a customer entered in the booking form.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BookedAs")]
pub struct BookedAsView {
    /// The name.
    pub name: Option<String>,
    /// The phone number in E.164 form.
    pub phone: Option<String>,
    /// The email address.
    pub email: Option<String>,
    /// The language of the booking page.
    pub locale: Locale,
    /// Whether the customer agreed to get text messages about this appointment.
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
    /// The contact. It is `None` if the contact was erased or cannot be read.
    pub contact: Option<&'a Contact>,
}

impl SomeAppointmentView for OperatorAppointmentView {
    fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self {
        // An erasure deletes the contact first and the notes of its appointments later. Until then, the view hides the
        // notes.
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
