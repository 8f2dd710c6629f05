//! Booking, moving and cancelling for whoever may ask twice or may have misread: assistants.
//!
//! What always holds: both guards are decided where the change is, in the actor. Of two requests that ask for the same
//! booking the second sees what the first has made, however close they come; and what is moved or cancelled starts, at
//! that moment, when whoever asks believes.

use domain::booking::{self, BookRequest, Outcome};
use domain::{
    Appointment, AppointmentId, AuditAction, Conflict, Contact, ProblemCode, Refusal, Right, Timestamp,
};
use serde::{Deserialize, Serialize};
use store::{StoreError, Weight};
use view::AppointmentView;

use super::appointments::{Book, BookingContact, Cancel, Reschedule, amend, book, known};
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::Shown;
use crate::error::EngineError;

/// The place that a refusal names when an appointment starts at another time than is believed; the detail is when it
/// does.
pub const EXPECTED_STARTS_AT: &str = "expected_starts_at";

/// Books a time for a contact, unless they have it already: a pending or confirmed appointment for the same service at
/// the same time, however it was booked, with the staff member who is asked for, if one is.
#[derive(Clone, Debug)]
pub struct BookOnce(pub Book);

/// An appointment that is booked, and whether it was before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BookedView {
    /// The appointment.
    #[serde(flatten)]
    pub appointment: AppointmentView,
    /// Whether it was booked already, so that nothing was changed. An answer that is given again once its contact was
    /// erased has the appointment alone.
    #[serde(default)]
    pub already_booked: bool,
}

impl Change for BookOnce {
    type Gives = Shown<BookedView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self(asked) = self;
        if let Some((appointment, contact)) = held(context, &asked.request, &asked.contact)? {
            let appointment = context.show(&appointment, Some(&contact));
            return Ok(Decision::answering(BookedView { appointment, already_booked: true }));
        }
        book(context, asked, |appointment| {
            Decision::answering(BookedView { appointment, already_booked: false })
        })
    }

    fn weight(&self) -> Weight {
        self.0.weight()
    }

    fn needs(&self) -> Option<Right> {
        self.0.needs()
    }
}

/// What whoever asks for a booking has at that time already, if anything: the contact for whom it would be booked, and
/// nobody else. Of several the one that was booked first.
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
        let Some(appointment) = context.appointment(id)? else { continue };
        if appointment.service_id == request.service_id && appointment.contact_id == Some(contact.id) {
            return Ok(Some((appointment, contact)));
        }
    }
    Ok(None)
}

/// A change of an appointment that is made only where it starts when whoever asks believes.
#[derive(Clone, Debug)]
pub struct StartingAt<C> {
    /// When they believe that it starts: one instant, or both that the clocks show as the time they name.
    pub expected: Vec<Timestamp>,
    /// The change.
    pub change: C,
}

/// One that stands there already, as after the same request before, is moved: it stays unchanged.
impl Change for StartingAt<Reschedule> {
    type Gives = Shown<AppointmentView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self { expected, change: Reschedule { id, request } } = self;
        let (at, schedule) = (context.at(), context.schedule());
        amend(context, id, AuditAction::AppointmentRescheduled, |before| {
            match booking::reschedule(&schedule, before, &request, at) {
                Ok(Outcome::Unchanged) => Ok(Outcome::Unchanged),
                _ if !expected.contains(&before.starts_at) => Err(elsewhere(before)),
                outcome => outcome,
            }
        })
    }

    fn weight(&self) -> Weight {
        self.change.weight()
    }

    fn needs(&self) -> Option<Right> {
        self.change.needs()
    }
}

impl Change for StartingAt<Cancel> {
    type Gives = Shown<AppointmentView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self { expected, change: Cancel { id } } = self;
        let at = context.at();
        amend(context, id, AuditAction::AppointmentCancelled, |before| {
            if expected.contains(&before.starts_at) {
                Ok(booking::cancel(before, at))
            } else {
                Err(elsewhere(before))
            }
        })
    }

    fn weight(&self) -> Weight {
        self.change.weight()
    }

    fn needs(&self) -> Option<Right> {
        self.change.needs()
    }
}

fn elsewhere(appointment: &Appointment) -> Refusal {
    let starts_at = appointment.starts_at;
    let now = ProblemCode::Now(starts_at.to_string());
    Refusal::conflict(Conflict::StartsElsewhere(starts_at), EXPECTED_STARTS_AT, now)
}
