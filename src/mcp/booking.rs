//! The tools `book_appointment`, `reschedule_appointment` and `cancel_appointment`.
//!
//! Invariants:
//! - If a call is repeated with the same idempotency key, the change is made only once.
//! - A move or cancellation happens only if the appointment still has the expected start.
//! - A refusal proposes open times and never names another customer.

use domain::booking::{BookRequest, MoveRequest};
use domain::{AppointmentId, Conflict, Refusal, SlotReason, Source, Timestamp};
use engine::business::commands::appointments::{Book, Cancel, Reschedule};
use engine::business::commands::guarded::{BookOnce, BookedView, StartingAt};
use schemars::JsonSchema;
use serde::Serialize;

use super::appointments::Appointment;
use super::catalog::{Catalog, For};
use super::moment::WallClock;
use super::open_times::{Sought, proposed};
use super::refused::Refused;
use super::tool_call::ToolCall;
use super::values::{IdempotencyKey, Named, Weekday, When, id};
use crate::api::appointments::integration;
use crate::english;
use crate::json_object;
use crate::rest::contact::{ContactBody, booking_contact, one_contact};

const MINUTE_MILLIS: i64 = 60_000;

json_object! {
    pub(super) struct Booking {
        /// The name or id of the service.
        service: Named,
        /// The start: a local time such as 2026-11-24T10:00, or a time with an offset.
        starts_at: When,
        /// The name or id of the staff member. The default is any available staff member.
        staff: Option<Named>,
        /// The id of an existing contact. Send either contact_id or contact.
        contact_id: Option<String>,
        /// The contact. It is found by phone or by email, or is created. Needs a phone or an email.
        contact: Option<ContactBody>,
        /// True to accept a pending appointment, which the team may decline.
        allow_pending: Option<bool>,
        /// The weekday of starts_at. The call is refused if starts_at is on another weekday.
        weekday: Option<Weekday>,
        /// A repeated call with the same key does not book again.
        idempotency_key: Option<IdempotencyKey>,
    }
    check one_contact
}

json_object! {
    pub(super) struct Move {
        /// The id of the appointment.
        appointment_id: String,
        /// The current start of the appointment.
        expected_starts_at: When,
        /// The new start: a local time, or a time with an offset.
        starts_at: When,
        /// The name or id of the new staff member. The default is the current one.
        staff: Option<Named>,
        /// True to accept a pending appointment, which the team may decline.
        allow_pending: Option<bool>,
        /// The weekday of starts_at. The call is refused if starts_at is on another weekday.
        weekday: Option<Weekday>,
    }
}

json_object! {
    pub(super) struct Cancellation {
        /// The id of the appointment.
        appointment_id: String,
        /// The current start of the appointment.
        expected_starts_at: When,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Booked {
    already_booked: bool,
    #[serde(flatten)]
    appointment: Appointment,
}

pub(super) async fn book(asking: ToolCall, booking: Booking) -> Result<Booked, Refused> {
    let catalog = Catalog::read(&asking).await?;
    let clock = catalog.clock();
    let service_id = catalog.service(&booking.service, For::Booking)?;
    let staff_id = booking.staff.map(|staff| catalog.staff_member(&staff, For::Booking)).transpose()?;
    let starts_at = clock.instant("starts_at", booking.starts_at)?;
    clock.check_weekday(starts_at, booking.weekday)?;
    let contact_id = booking.contact_id.map(|text| id(&text)).transpose()?;
    let request = BookRequest {
        service_id,
        starts_at,
        staff_id,
        source: Source::Mcp,
        party: integration(booking.allow_pending),
        duration: None,
    };
    let change = BookOnce(Book { request, contact: booking_contact(contact_id, booking.contact)? });
    let wanted = (Sought { service: service_id, staff: staff_id, moved: None }, starts_at);
    let answer = match asking.change(booking.idempotency_key.as_ref(), change).await {
        Ok(answer) => answer,
        Err(refused) => return Err(explained(&catalog, refused, Some(wanted)).await),
    };
    let BookedView { mut appointment, already_booked } = answer.value;
    if answer.replayed {
        // The call repeats an earlier call, so this is the stored response. Its appointment may have changed since, so
        // the appointment is read again.
        appointment = asking.business.appointment(appointment.id).await?.unwrap_or(appointment);
    }
    let already_booked = already_booked || answer.replayed;
    Ok(Booked { already_booked, appointment: Appointment::of(&appointment)? })
}

pub(super) async fn reschedule(asking: ToolCall, asked: Move) -> Result<Appointment, Refused> {
    let id: AppointmentId = id(&asked.appointment_id)?;
    let catalog = Catalog::read(&asking).await?;
    let clock = catalog.clock();
    let expected = clock.readings("expected_starts_at", asked.expected_starts_at)?;
    let starts_at = clock.instant("starts_at", asked.starts_at)?;
    clock.check_weekday(starts_at, asked.weekday)?;
    let staff_id = asked.staff.map(|staff| catalog.staff_member(&staff, For::Booking)).transpose()?;
    let request =
        MoveRequest { starts_at, staff_id, party: integration(asked.allow_pending), duration: None };
    let change = StartingAt { expected, change: Reschedule { id, request } };
    match asking.change(None, change).await {
        Ok(answer) => Appointment::of(&answer.value),
        Err(refused) => {
            // The appointment is read only after a refusal, since only a refusal proposes open times.
            let current = asking.business.appointment(id).await?;
            let wanted = current.map(|current| {
                let staff = Some(staff_id.unwrap_or(current.staff_id));
                (Sought { service: current.service_id, staff, moved: Some(id) }, starts_at)
            });
            Err(explained(&catalog, refused, wanted).await)
        }
    }
}

pub(super) async fn cancel(asking: ToolCall, asked: Cancellation) -> Result<Appointment, Refused> {
    let id: AppointmentId = id(&asked.appointment_id)?;
    let clock = WallClock(asking.business.business().await?.zone);
    let expected = clock.readings("expected_starts_at", asked.expected_starts_at)?;
    match asking.change(None, StartingAt { expected, change: Cancel { id } }).await {
        Ok(answer) => Appointment::of(&answer.value),
        Err(refused) => Err(explain_conflict(&asking, clock, refused)),
    }
}

/// Adds open times or the next step to a refusal.
async fn explained(catalog: &Catalog<'_>, refused: Refused, wanted: Option<(Sought, Timestamp)>) -> Refused {
    let (Some((sought, starts_at)), clock) = (wanted, catalog.clock()) else { return refused };
    match &refused {
        Refused::Rules(Refusal::Conflict { .. }) => explain_conflict(catalog.asking, clock, refused),
        Refused::Rules(Refusal::Invalid(_)) => catalog.mended(refused, sought.service, sought.staff),
        Refused::Rules(Refusal::SlotUnavailable(reason)) => {
            match why_not(catalog, *reason, sought, starts_at) {
                Err(refused) => refused,
                Ok(why) => match proposed(catalog.asking, clock, sought, starts_at).await {
                    Ok(instead) => Refused::with_text(format!("{why} {instead}")),
                    Err(fault) => fault,
                },
            }
        }
        _ => refused,
    }
}

/// Returns a sentence with the reason why this time cannot be booked. If no other time can be booked either,
/// returns the refusal as the error.
fn why_not(
    catalog: &Catalog<'_>,
    reason: SlotReason,
    sought: Sought,
    starts_at: Timestamp,
) -> Result<String, Refused> {
    let time = catalog.clock().spoken(starts_at, catalog.asking.business.now());
    let asked = sought.staff.map(|staff| catalog.who(staff));
    Ok(match (reason, asked) {
        (SlotReason::ServiceInactive, _) => {
            return Err(Refused::with_text(
                "That service is no longer active, so its appointments can be neither booked nor moved. Use \
                 `book_appointment` to book another service.",
            ));
        }
        (SlotReason::NobodyOffersIt, _) => {
            return Err(Refused::with_text(
                "No active staff member offers that service. Ask the customer to contact the business.",
            ));
        }
        (SlotReason::StaffUnavailable, Some(who)) => {
            let others = catalog.who_offers(sought.service);
            let told = format!("{who} no longer takes appointments for that service. {others}");
            return Err(Refused::with_text(told));
        }
        (SlotReason::Taken, Some(who)) => format!("{who} is not free at {time}."),
        (SlotReason::StaffOff, Some(who)) => format!("{who} has time off at {time}."),
        (SlotReason::Taken, None) => format!("{time} is taken."),
        (SlotReason::Past, _) => format!("{time} is in the past."),
        (SlotReason::OutsideHours, _) => format!("{time} is outside opening hours, or too near their end."),
        (SlotReason::OffGrid, _) if starts_at.millis() % MINUTE_MILLIS != 0 => {
            "Appointments start at full minutes: send starts_at without seconds.".into()
        }
        (SlotReason::OffGrid, _) => {
            format!("{time} is not one of the start times, which are 30 minutes apart.")
        }
        (other, _) => format!("{time} cannot be booked: {}.", english::slot(other)),
    })
}

/// Adds the next step to the refusal if the appointment has ended, or if its start is not the expected start.
fn explain_conflict(asking: &ToolCall, clock: WallClock, refused: Refused) -> Refused {
    let Refused::Rules(Refusal::Conflict { conflict, .. }) = &refused else { return refused };
    match conflict {
        Conflict::StartsElsewhere(starts) => Refused::with_text(format!(
            "Nothing was done: the appointment starts at {} ({}), which differs from expected_starts_at. Check that it \
             is the intended appointment, then send its current start.",
            clock.spoken(*starts, asking.business.now()),
            clock.local(*starts)
        )),
        Conflict::AppointmentStatus(..) | Conflict::AppointmentEnded => Refused::with_text(format!(
            "Nothing was done: {}. Use `book_appointment` to book another time.",
            english::conflict(conflict)
        )),
        _ => refused,
    }
}
