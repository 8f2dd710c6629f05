//! Appointments of a business: bookings by the team, and confirmation of pending appointments.

use chrono::TimeDelta;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    AppointmentId, AppointmentStatus, Attendance, AttendanceFilter, ContactId, ServiceId, Source, StaffId,
    Text, Timestamp,
};
use engine::business::AppointmentFilter;
use engine::business::commands::ForOperator;
use engine::business::commands::appointments::{
    Book, Cancel, Confirm, Decline, PatchAppointment, Reschedule,
};
use view::OperatorAppointmentView;

use crate::api::contacts::NewContactBody;
use crate::http::lists::CommaList;
use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::http::read::Null;
use crate::rest::contact::{booking_contact, one_contact, one_contact_described};
use crate::rest::prelude::*;
use crate::tables::{self, Exported};
use crate::{json_object, list_query, query_object};

/// The duration of an appointment that the team sets.
type Minutes = Whole<5, 720>;

fn party(ignore_buffers: Option<bool>, ignore_calendars: Option<bool>, overrides: Option<bool>) -> Party {
    match overrides {
        Some(true) => Party::Override,
        _ => Party::Team {
            ignore_buffers: ignore_buffers.unwrap_or(false),
            ignore_calendars: ignore_calendars.unwrap_or(false),
            any_minute: false,
        },
    }
}

fn duration(minutes: Option<Minutes>) -> Option<TimeDelta> {
    minutes.map(|minutes| TimeDelta::minutes(minutes.get().into()))
}

json_object! {
    /// A booking by the team. The appointment is confirmed immediately, in every booking mode.
    pub(crate) struct TeamBookBody {
        /// The service to book.
        service_id: ServiceId,
        /// The start time.
        starts_at: Timestamp,
        /// The staff member. The default is any free staff member.
        staff_id: Option<StaffId>,
        /// The id of an existing contact, instead of `contact`.
        contact_id: Option<ContactId>,
        /// The contact's details, instead of `contact_id`. The service uses the contact with this phone. If no contact
        /// has this phone, it uses the contact with this email. If no contact has this email either, or if only a name
        /// is sent, it creates a contact.
        contact: Option<NewContactBody>,
        /// Has no effect, because a booking by the team is always confirmed.
        allow_pending: Option<bool>,
        /// The channel of the booking. The default is `dashboard`.
        source: Option<Source>,
        /// Whether the appointment may overlap the buffers of other appointments. The default is false.
        ignore_buffers: Option<bool> = false,
        /// Whether the appointment may overlap busy times of connected calendars. The default is false.
        ignore_calendars: Option<bool> = false,
        /// The duration in minutes. The default is the duration of the service.
        duration_minutes: Option<Minutes>,
        /// Whether to accept a time that is not bookable. The default is false. If true, `staff_id` is required,
        /// and `starts_at` must be on a whole minute and not more than 30 days in the past. Appointments of one
        /// staff member still cannot overlap. The value true implies `ignore_buffers` and `ignore_calendars`.
        overrides as "override": Option<bool> = false,
    }
    check one_contact, described one_contact_described
}

json_object! {
    /// A move by the team, or a change to the duration. The appointment is confirmed afterwards, in every booking mode.
    pub(crate) struct TeamRescheduleBody {
        /// The new start time.
        starts_at: Timestamp,
        /// The new staff member. The default is the current one.
        staff_id: Option<StaffId>,
        /// Has no effect, because a move by the team is always confirmed.
        allow_pending: Option<bool>,
        /// The channel of the move. It has no effect: the appointment keeps the `source` of its booking.
        source: Option<Source>,
        /// Whether the appointment may overlap the buffers of other appointments. The default is false.
        ignore_buffers: Option<bool> = false,
        /// Whether the appointment may overlap busy times of connected calendars. The default is false.
        ignore_calendars: Option<bool> = false,
        /// The new duration in minutes. The default is the current one.
        duration_minutes: Option<Minutes>,
        /// Whether to accept a time that is not bookable. The default is false. If true, `staff_id` is required,
        /// and `starts_at` must be on a whole minute and not more than 30 days in the past. Appointments of one
        /// staff member still cannot overlap. The value true implies `ignore_buffers` and `ignore_calendars`, and
        /// also permits a move of a confirmed appointment that has ended.
        overrides as "override": Option<bool> = false,
    }
}

json_object! {
    /// A change that the team makes to an appointment. The change does not affect `updated_at`. An absent property
    /// keeps its value; null clears it.
    pub(crate) struct AppointmentPatchBody {
        /// The team's notes.
        notes: Patch<Option<Text<1, 1000>>>,
        /// Whether the customer came. Only a confirmed appointment can have an attendance. The value
        /// `arrived` is possible from the start of the appointment's local day, and the other values from the
        /// start of the appointment.
        attendance: Patch<Option<Attendance>>,
        /// The data that the customer entered in the booking form. It can be cleared, but not changed.
        booked_as: Patch<Null>,
    }
}

list_query! {
    /// The filters of the team's list of appointments.
    pub(crate) struct TeamAppointmentsQuery => AppointmentFilter {
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
        /// Only appointments with these attendances, separated by commas; `none` selects appointments without
        /// an attendance.
        attendance: CommaList<AttendanceFilter, 4>,
        /// Only appointments changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
    }
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<TeamAppointmentsQuery>,
    business: Business,
) -> Result<Listed<OperatorAppointmentView>, ApiError> {
    let asked = query.open(&context, business.list("appointments"))?;
    Ok(asked.listed(business.appointments_as(&asked.filter, &asked.page).await?))
}

pub(super) async fn update(
    context: Context,
    Body(body): Body<AppointmentPatchBody>,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<OperatorAppointmentView>, ApiError> {
    let clears_booked_as = body.booked_as.set().is_some();
    let (notes, attendance) = (body.notes.set(), body.attendance.set());
    context.change(PatchAppointment { id, notes, attendance, clears_booked_as }).await
}

pub(super) async fn book(
    context: Context,
    Body(body): Body<TeamBookBody>,
) -> Result<Created<OperatorAppointmentView>, ApiError> {
    let _ = body.allow_pending; // bookings by the team are never pending
    context
        .change(ForOperator(Book {
            request: BookRequest {
                service_id: body.service_id,
                starts_at: body.starts_at,
                staff_id: body.staff_id,
                source: body.source.unwrap_or(Source::Dashboard),
                party: party(body.ignore_buffers, body.ignore_calendars, body.overrides),
                duration: duration(body.duration_minutes),
            },
            contact: booking_contact(body.contact_id, body.contact)?,
        }))
        .await
}

pub(super) async fn reschedule(
    context: Context,
    Body(body): Body<TeamRescheduleBody>,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<OperatorAppointmentView>, ApiError> {
    let _ = (body.allow_pending, body.source); // a move by the team is never pending and keeps the source
    let party = party(body.ignore_buffers, body.ignore_calendars, body.overrides);
    let duration = duration(body.duration_minutes);
    let request = MoveRequest { starts_at: body.starts_at, staff_id: body.staff_id, party, duration };
    context.change(ForOperator(Reschedule { id, request })).await
}

pub(super) async fn confirm(
    context: Context,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<OperatorAppointmentView>, ApiError> {
    context.change(ForOperator(Confirm { id })).await
}

pub(super) async fn decline(
    context: Context,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<OperatorAppointmentView>, ApiError> {
    context.change(ForOperator(Decline { id })).await
}

pub(super) async fn cancel(
    context: Context,
    Path(id): Path<AppointmentId>,
) -> Result<Changed<OperatorAppointmentView>, ApiError> {
    context.change(ForOperator(Cancel { id })).await
}

query_object! {
    /// The period that the CSV file of appointments covers.
    pub(crate) struct AppointmentFileQuery {
        /// Only appointments that start at or after this instant.
        from: Option<Timestamp>,
        /// Only appointments that start before this instant.
        to: Option<Timestamp>,
    }
}

pub(super) async fn table(
    context: Context,
    Query(query): Query<AppointmentFileQuery>,
    business: Business,
) -> Result<Table, ApiError> {
    let of = Exported::Appointments { from: query.from, to: query.to };
    super::contacts::file(&context, &business, tables::appointments::NAME, of).await
}
