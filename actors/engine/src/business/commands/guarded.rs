//! Bookings, moves and cancellations by AI assistants, which may repeat a request or name a wrong appointment.
//!
//! Invariants: if two identical bookings are requested at the same time, the second returns the appointment of the
//! first. Only an appointment that starts at the expected time is moved or cancelled.

use domain::booking::{self, BookRequest, Outcome};
use domain::{
    Appointment, AppointmentId, AuditAction, Conflict, Contact, ProblemCode, Refusal, Right, Timestamp,
};
use serde::{Deserialize, Serialize};
use store::{StoreError, Weight};
use view::AppointmentView;

use super::appointments::{Book, BookingContact, Cancel, Reschedule, amend, book, known};
use crate::business::{Change, Context, Decision, Shown, survivor};
use crate::error::Result;

super::listed!(BookOnce, StartingAt<Cancel>, StartingAt<Reschedule>);

/// If the expected start in a request is wrong, the refusal names this field and contains the actual start.
pub const EXPECTED_STARTS_AT: &str = "expected_starts_at";

/// Books an appointment. If the contact already has a pending or confirmed appointment for the same service and start,
/// returns this appointment instead. If the request names a staff member, the existing appointment must be with this
/// staff member.
#[derive(Clone, Debug)]
pub struct BookOnce(pub Book);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BookedView {
    #[serde(flatten)]
    pub appointment: AppointmentView,
    /// True if the appointment already existed and nothing was changed. A repeated request usually gets the stored
    /// answer, which contains this field. If the contact was erased or merged after the first request, a repeated
    /// request gets the current appointment instead. This field is then missing, and is read as false.
    #[serde(default)]
    pub already_booked: bool,
}

impl Change for BookOnce {
    type Gives = Shown<BookedView>;
    const RIGHT: Option<Right> = Book::RIGHT;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self(asked) = self;
        if let Some((appointment, contact)) = held(context, &asked.request, &asked.contact)? {
            let appointment = context.state.show(&appointment, Some(&contact));
            return Ok(Decision::answering(BookedView { appointment, already_booked: true }));
        }
        book(
            context,
            asked,
            |_| (),
            |appointment| Decision::answering(BookedView { appointment, already_booked: false }),
        )
    }
}

/// The contact's oldest active appointment for the requested service and start.
fn held(
    context: &Context<'_>,
    request: &BookRequest,
    asking: &BookingContact,
) -> Result<Option<(Appointment, Contact)>, StoreError> {
    let Some(contact) = known(context, asking)? else { return Ok(None) };
    let wanted = |staff| request.staff_id.is_none_or(|asked| asked == staff);
    let starting = context.schedule().busy.starting_at(request.starts_at);
    let mut ids: Vec<AppointmentId> =
        starting.filter(|(staff, _)| wanted(*staff)).map(|(_, appointment)| appointment).collect();
    ids.sort_unstable();
    for id in ids {
        let Some(appointment) = context.state.appointment(id)? else { continue };
        let Some(whose) = appointment.contact_id else { continue };
        let is_theirs = survivor(context.state, context.state.id, whose)? == Some(contact.id);
        if appointment.service_id == request.service_id && is_theirs {
            return Ok(Some((appointment, contact)));
        }
    }
    Ok(None)
}

#[derive(Clone, Debug)]
pub struct StartingAt<C> {
    /// The instants that match the expected start. There are two if the expected local time occurs twice on that day.
    pub expected: Vec<Timestamp>,
    pub change: C,
}

/// If the appointment already has the new start, for example because the request is repeated, nothing changes.
impl Change for StartingAt<Reschedule> {
    type Gives = Shown<AppointmentView>;
    const RIGHT: Option<Right> = Reschedule::RIGHT;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { expected, change: Reschedule { id, request } } = self;
        let (at, schedule) = (context.at, context.schedule());
        amend(context, id, AuditAction::AppointmentRescheduled, |before| {
            match booking::reschedule(&schedule, before, &request, at) {
                Ok(Outcome::Unchanged) => Ok(Outcome::Unchanged),
                _ if !expected.contains(&before.starts_at) => Err(elsewhere(before)),
                outcome => outcome,
            }
        })
    }
}

impl Change for StartingAt<Cancel> {
    type Gives = Shown<AppointmentView>;
    const WEIGHT: Weight = Cancel::WEIGHT;
    const RIGHT: Option<Right> = Cancel::RIGHT;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { expected, change: Cancel { id } } = self;
        let at = context.at;
        amend(context, id, AuditAction::AppointmentCancelled, |before| {
            if expected.contains(&before.starts_at) {
                Ok(booking::cancel(before, at))
            } else {
                Err(elsewhere(before))
            }
        })
    }
}

pub(super) fn elsewhere(appointment: &Appointment) -> Refusal {
    let starts_at = appointment.starts_at;
    let now = ProblemCode::now(starts_at);
    Refusal::conflict(Conflict::StartsElsewhere(starts_at), EXPECTED_STARTS_AT, now)
}
