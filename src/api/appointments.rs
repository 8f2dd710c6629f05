//! `/appointments`: list, get, book, cancel and reschedule.

use std::convert::identity;

use actors::business::AppointmentFilter;
use actors::business::commands::appointments::{Book, Cancel, Reschedule};
use actors::domain::booking::{BookRequest, MoveRequest, Party};
use actors::domain::{
    AppointmentId, AppointmentStatus, ContactId, Refusal, ServiceId, Source, StaffId, Timestamp,
};

use crate::http::call::Call;
use crate::http::contact::{ContactBody, booking_contact, one_contact};
use crate::http::cursor::CursorText;
use crate::http::query::{CommaList, Limit};
use crate::http::routes::Handled;
use crate::{json_object, query_object};

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
    check one_contact
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

query_object! {
    /// Which appointments are asked for.
    pub(super) struct AppointmentsQuery {
        /// Only these statuses, separated by commas.
        status: Option<CommaList<AppointmentStatus, 4>>,
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
        /// At most so many.
        limit: Limit<50, 100>,
        /// Where an earlier page ended.
        cursor: Option<CursorText>,
    }
}

pub(super) async fn list(call: Call) -> Handled {
    let query: AppointmentsQuery = call.query()?;
    let mut status = query.status.map(CommaList::into_vec).unwrap_or_default();
    status.sort();
    status.dedup();
    let words: Vec<&str> = status.iter().map(|status| status.as_str()).collect();
    let binding = call
        .binding("appointments")?
        .with(words.join(",").as_bytes())
        .with_filter(query.from)
        .with_filter(query.to)
        .with_filter(query.service_id)
        .with_filter(query.staff_id)
        .with_filter(query.contact_id)
        .with_filter(query.updated_since);
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let filter = AppointmentFilter {
        status,
        from: query.from,
        to: query.to,
        service_id: query.service_id,
        staff_id: query.staff_id,
        contact_id: query.contact_id,
        updated_since: query.updated_since,
    };
    let found = call.business()?.appointments(&filter, &page).await?;
    call.list(found, &binding, identity)
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let id: AppointmentId = call.id("appointment_id", "appointment")?;
    let appointment = call.business()?.appointment(id).await?;
    call.one(&appointment.ok_or(Refusal::NotFound("appointment"))?)
}

pub(super) async fn book(mut call: Call) -> Handled {
    let body: BookBody = call.body().await?;
    call.change(Book {
        request: BookRequest {
            service_id: body.service_id,
            starts_at: body.starts_at,
            staff_id: body.staff_id,
            source: Source::Api,
            party: integration(body.allow_pending),
        },
        contact: booking_contact(body.contact_id, body.contact)?,
    })
    .await
}

pub(super) async fn cancel(mut call: Call) -> Handled {
    call.no_body().await?;
    let id = call.id("appointment_id", "appointment")?;
    call.change(Cancel { id }).await
}

pub(super) async fn reschedule(mut call: Call) -> Handled {
    let body: RescheduleBody = call.body().await?;
    let request = MoveRequest {
        starts_at: body.starts_at,
        staff_id: body.staff_id,
        party: integration(body.allow_pending),
    };
    let id = call.id("appointment_id", "appointment")?;
    call.change(Reschedule { id, request }).await
}

/// An integration, which waits for the team only if it says so.
fn integration(allow_pending: Option<bool>) -> Party {
    Party::Integration { allow_pending: allow_pending.unwrap_or(false) }
}
