//! `book_appointment`, `reschedule_appointment`, `cancel_appointment`.
//!
//! What always holds: what is asked for twice is done once, and what is moved or cancelled starts when whoever asks
//! believes; both are decided where the change is. A refusal proposes what can be had instead, and never says who has
//! what cannot.

use actors::business::commands::appointments::{Book, Cancel, Reschedule};
use actors::business::commands::guarded::{BookOnce, EXPECTED_STARTS_AT, StartingAt};
use actors::domain::booking::{BookRequest, MoveRequest, Party};
use actors::domain::{AppointmentId, Refusal, ServiceId, SlotReason, Source, StaffId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::appointments::{Appointment, Rendered};
use super::asking::Asking;
use super::catalog::{Catalog, For};
use super::moment::WallClock;
use super::open_times::proposed;
use super::refused::Refused;
use super::values::{IdText, IdempotencyKey, Named, Weekday, When};
use crate::json_object;
use crate::rest::contact::{ContactBody, booking_contact, one_contact};
use crate::rest::error::ApiError;

json_object! {
    /// A booking that is asked for.
    pub(super) struct Booking {
        /// Name or id.
        service: Named,
        /// Local time, e.g. 2026-11-24T10:00, or with offset.
        starts_at: When,
        /// Name or id; anyone when left out.
        staff: Option<Named>,
        /// A known contact; else contact.
        contact_id: Option<IdText>,
        /// With phone or email; found by them or created.
        contact: Option<ContactBody>,
        /// Whether a request the team may decline will do.
        allow_pending: Option<bool>,
        /// Checked against starts_at.
        weekday: Option<Weekday>,
        /// The same key again gives the first answer.
        idempotency_key: Option<IdempotencyKey>,
    }
    check one_contact
}

json_object! {
    /// A move that is asked for.
    pub(super) struct Move {
        /// Its id.
        appointment_id: IdText,
        /// When it starts now.
        expected_starts_at: When,
        /// New time, local or with offset.
        starts_at: When,
        /// Name or id; stays when left out.
        staff: Option<Named>,
        /// Whether a request the team may decline will do.
        allow_pending: Option<bool>,
        /// Checked against starts_at.
        weekday: Option<Weekday>,
    }
}

json_object! {
    /// A cancellation that is asked for.
    pub(super) struct Cancellation {
        /// Its id.
        appointment_id: IdText,
        /// When it starts now.
        expected_starts_at: When,
    }
}

/// An appointment that is booked.
#[derive(Serialize, JsonSchema)]
pub(super) struct Booked {
    already_booked: bool,
    #[serde(flatten)]
    appointment: Appointment,
}

/// What is taken of the answer to a booking.
#[derive(Deserialize)]
struct RenderedBooking {
    /// An answer that is given again once its contact was erased shows the appointment alone, as it is.
    #[serde(default)]
    already_booked: bool,
    #[serde(flatten)]
    appointment: Rendered,
}

pub(super) async fn book(asking: Asking, booking: Booking) -> Result<Booked, Refused> {
    let catalog = Catalog::read(&asking.business).await?;
    let clock = catalog.clock();
    let service_id = catalog.service(&asking, &booking.service, For::Booking)?;
    let staff_id =
        booking.staff.map(|staff| catalog.staff_member(&asking, &staff, For::Booking)).transpose()?;
    let starts_at = clock.instant("starts_at", booking.starts_at)?;
    clock.check_weekday(starts_at, booking.weekday)?;
    let contact_id = booking.contact_id.map(|id| id.get()).transpose()?;
    let request = BookRequest {
        service_id,
        starts_at,
        staff_id,
        source: Source::Mcp,
        party: assistant(booking.allow_pending),
    };
    let change = BookOnce(Book { request, contact: booking_contact(contact_id, booking.contact)? });
    let wanted = Wanted { service_id, staff_id, starts_at };
    let answer = match asking.change(booking.idempotency_key.as_ref(), change).await {
        Ok(answer) => answer,
        Err(refused) => return Err(explained(&asking, clock, refused, Some(wanted)).await),
    };
    let rendered: RenderedBooking =
        serde_json::from_slice(&answer.body).map_err(|error| Refused::Fault(ApiError::internal(error)))?;
    let appointment = Appointment::read(rendered.appointment)?;
    Ok(Booked { already_booked: rendered.already_booked, appointment })
}

pub(super) async fn reschedule(asking: Asking, asked: Move) -> Result<Appointment, Refused> {
    let id: AppointmentId = asked.appointment_id.get()?;
    let catalog = Catalog::read(&asking.business).await?;
    let clock = catalog.clock();
    let expected = clock.instant("expected_starts_at", asked.expected_starts_at)?;
    let starts_at = clock.instant("starts_at", asked.starts_at)?;
    clock.check_weekday(starts_at, asked.weekday)?;
    let staff_id =
        asked.staff.map(|staff| catalog.staff_member(&asking, &staff, For::Booking)).transpose()?;
    let request = MoveRequest { starts_at, staff_id, party: assistant(asked.allow_pending) };
    let change = StartingAt { expected, change: Reschedule { id, request } };
    match asking.change(None, change).await {
        Ok(answer) => Appointment::in_body(&answer.body),
        Err(refused) => {
            // Who else could take it is only looked for once it is known that nobody can.
            let current = asking.business.appointment(id).await?;
            let wanted = current.map(|current| Wanted {
                service_id: current.service_id,
                staff_id: Some(staff_id.unwrap_or(current.staff_id)),
                starts_at,
            });
            Err(explained(&asking, clock, refused, wanted).await)
        }
    }
}

pub(super) async fn cancel(asking: Asking, asked: Cancellation) -> Result<Appointment, Refused> {
    let id: AppointmentId = asked.appointment_id.get()?;
    let clock = WallClock(asking.business.business().await?.zone);
    let expected = clock.instant("expected_starts_at", asked.expected_starts_at)?;
    match asking.change(None, StartingAt { expected, change: Cancel { id } }).await {
        Ok(answer) => Appointment::in_body(&answer.body),
        Err(refused) => Err(explained(&asking, clock, refused, None).await),
    }
}

/// An assistant is an integration, which waits for the team only if it says so.
fn assistant(allow_pending: Option<bool>) -> Party {
    Party::Integration { allow_pending: allow_pending.unwrap_or(false) }
}

/// What somebody wanted and cannot have.
struct Wanted {
    service_id: ServiceId,
    staff_id: Option<StaffId>,
    starts_at: Timestamp,
}

/// A refusal with what can be had instead.
async fn explained(asking: &Asking, clock: WallClock, refused: Refused, wanted: Option<Wanted>) -> Refused {
    match (&refused, wanted) {
        (Refused::Rules(Refusal::Conflict { details, .. }), _) => {
            let starts = details.iter().find(|detail| detail.path == EXPECTED_STARTS_AT);
            let starts = starts.and_then(|detail| Timestamp::parse(&detail.message).ok());
            match starts {
                Some(starts) => Refused::told(format!(
                    "Nothing was done: the appointment starts at {} ({}), not when expected_starts_at says. Make sure \
                     that it is the one that is meant, then send that.",
                    clock.spoken(starts),
                    clock.local(starts)
                )),
                None => refused,
            }
        }
        (Refused::Rules(Refusal::SlotUnavailable(reason)), Some(wanted)) => {
            let time = clock.spoken(wanted.starts_at);
            let why = match reason {
                SlotReason::Taken => format!("{time} is taken."),
                SlotReason::Past => format!("{time} is in the past."),
                SlotReason::OutsideHours => {
                    format!("{time} is outside opening hours, or too near their end.")
                }
                SlotReason::OffGrid => {
                    format!("{time} is not one of the start times, which are 30 minutes apart.")
                }
                other => format!("{time} cannot be booked: {other}."),
            };
            match proposed(asking, clock, (wanted.service_id, wanted.staff_id), wanted.starts_at).await {
                Ok(instead) => Refused::told(format!("{why} {instead}")),
                Err(fault) => fault,
            }
        }
        _ => refused,
    }
}
