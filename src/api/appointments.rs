//! `/appointments`: list, get, book, cancel and reschedule.

use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{AppointmentId, AppointmentStatus, ContactId, ServiceId, Source, StaffId, Timestamp};
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::{Book, Cancel, Reschedule};
use view::{AppointmentView, SomeAppointmentView};

use crate::http::lists::CommaList;
use crate::rest::contact::{ContactBody, booking_contact, one_contact, one_contact_described};
use crate::rest::prelude::{
    ApiError, Body, Business, Changed, Context, Created, ListQuery, Listed, One, Path, Query, RecordId,
};
use crate::{json_object, list_query};

json_object! {
    /// A booking that is asked for.
    pub(crate) struct BookBody {
        /// The service to book.
        service_id: ServiceId,
        /// When, as `GET /availability` lists it.
        starts_at: Timestamp,
        /// With whom; without it a free staff member is chosen.
        staff_id: Option<StaffId>,
        /// For which contact; this or `contact`.
        contact_id: Option<ContactId>,
        /// For whom: found by phone, then by email, else created; this or `contact_id`.
        contact: Option<ContactBody>,
        /// Whether a request that the team has yet to confirm will do.
        allow_pending: Option<bool>,
    }
    check one_contact, described one_contact_described
}

json_object! {
    /// A move that is asked for.
    pub(crate) struct RescheduleBody {
        /// To when, as `GET /availability` lists it.
        starts_at: Timestamp,
        /// To whom; without it the staff member stays.
        staff_id: Option<StaffId>,
        /// Whether a move that the team has yet to confirm will do.
        allow_pending: Option<bool>,
    }
}

list_query! {
    /// Which appointments are asked for.
    pub(crate) struct AppointmentsQuery => AppointmentFilter {
        /// Only these statuses, separated by commas.
        status: CommaList<AppointmentStatus, 4>,
        /// Only those that start at or after this instant.
        from: Option<Timestamp>,
        /// Only those that start before this instant.
        to: Option<Timestamp>,
        /// Only this service's.
        service_id: Option<ServiceId>,
        /// Only this staff member's.
        staff_id: Option<StaffId>,
        /// Only this contact's.
        contact_id: Option<ContactId>,
        /// Only those changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
    }
}

pub(crate) async fn list<V: SomeAppointmentView>(
    context: Context,
    Query(query): Query<AppointmentsQuery>,
    business: Business,
) -> Result<Listed<V>, ApiError> {
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
    };
    context.change(Reschedule { id, request }).await
}

/// An integration may create a pending booking only with `allow_pending`.
fn integration(allow_pending: Option<bool>) -> Party {
    Party::Integration { allow_pending: allow_pending.unwrap_or(false) }
}
