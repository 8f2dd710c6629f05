//! `/appointments` lists, shows, books, cancels and reschedules appointments.

use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{AppointmentId, AppointmentStatus, ContactId, ServiceId, Source, StaffId, Timestamp};
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::{Book, Cancel, Reschedule};
use view::{AppointmentView, SomeAppointmentView};

use crate::http::lists::CommaList;
use crate::rest::contact::{ContactBody, booking_contact, one_contact, one_contact_described};
use crate::rest::prelude::*;
use crate::{json_object, list_query};

json_object! {
    /// A booking.
    pub(crate) struct BookBody {
        /// The service to book.
        service_id: ServiceId,
        /// The start time, as in `GET /availability`.
        starts_at: Timestamp,
        /// The staff member. The default is any free staff member.
        staff_id: Option<StaffId>,
        /// The id of an existing contact, instead of `contact`.
        contact_id: Option<ContactId>,
        /// The contact's details, instead of `contact_id`. The appointment is for the contact with this phone. If no
        /// contact has this phone, it is for the contact with this email. If no contact has this email either, the
        /// appointment is for a new contact.
        contact: Option<ContactBody>,
        /// Whether a pending appointment, which the team still has to confirm, is acceptable.
        allow_pending: Option<bool>,
    }
    check one_contact, described one_contact_described
}

json_object! {
    /// A move to another time.
    pub(crate) struct RescheduleBody {
        /// The new start time, as in `GET /availability`.
        starts_at: Timestamp,
        /// The new staff member. The default is the current one.
        staff_id: Option<StaffId>,
        /// Whether a pending appointment, which the team still has to confirm, is acceptable.
        allow_pending: Option<bool>,
    }
}

list_query! {
    /// The filters of a list of appointments.
    pub(crate) struct AppointmentsQuery => AppointmentFilter {
        /// Only appointments with these statuses, separated by commas.
        status: CommaList<AppointmentStatus, 4>,
        /// Only appointments that start at or after this instant.
        from: Option<Timestamp>,
        /// Only appointments that start before this instant.
        to: Option<Timestamp>,
        /// Only appointments of this service.
        service_id: Option<ServiceId>,
        /// Only appointments with this staff member.
        staff_id: Option<StaffId>,
        /// Only appointments of this contact.
        contact_id: Option<ContactId>,
        /// Only appointments changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
    }
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<AppointmentsQuery>,
    business: Business,
) -> Result<Listed<AppointmentView>, ApiError> {
    let asked = query.open(&context, business.list("appointments"))?;
    Ok(asked.listed(business.appointments_as(&asked.filter, &asked.page).await?))
}

pub(crate) async fn show<V: SomeAppointmentView>(
    _: Context,
    Path(id): Path<AppointmentId>,
    business: Business,
) -> Result<One<V>, ApiError> {
    Ok(One::of(&business.appointment_as::<V>(id).await?.ok_or(AppointmentId::NOT_FOUND)?))
}

pub(super) async fn book(
    context: Context,
    Body(body): Body<BookBody>,
) -> Result<Created<AppointmentView>, ApiError> {
    let request = BookRequest {
        service_id: body.service_id,
        starts_at: body.starts_at,
        staff_id: body.staff_id,
        source: Source::Api,
        party: integration(body.allow_pending),
        duration: None,
    };
    let contact = booking_contact(body.contact_id, body.contact)?;
    context.change(Book { request, contact }).await
}

pub(super) async fn cancel(
    context: Context,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<AppointmentView>, ApiError> {
    context.change(Cancel { id }).await
}

pub(super) async fn reschedule(
    context: Context,
    Body(body): Body<RescheduleBody>,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<AppointmentView>, ApiError> {
    let request = MoveRequest {
        starts_at: body.starts_at,
        staff_id: body.staff_id,
        party: integration(body.allow_pending),
        duration: None,
    };
    context.change(Reschedule { id, request }).await
}

/// Returns the party of a change by an integration. The appointment may become pending only if `allow_pending` is true.
pub(crate) fn integration(allow_pending: Option<bool>) -> Party {
    Party::Integration { allow_pending: allow_pending.unwrap_or(false) }
}
