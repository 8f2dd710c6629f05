//! Booking, moving and cancelling for whoever may ask twice or may have misread: assistants.
//!
//! What always holds: both guards are decided where the change is, in the actor. Of two requests that ask for the same
//! booking the second sees what the first has made, however close they come; and what is moved or cancelled starts, at
//! that moment, when whoever asks believes.

use serde::Serialize;

use super::appointments::{Book, BookingContact, Cancel, Reschedule, amend, book};
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::Shown;
use crate::domain::booking::{self, BookRequest, Outcome};
use crate::domain::{Appointment, AppointmentId, Contact, Refusal, Right, Timestamp};
use crate::error::EngineError;
use crate::store::{StoreError, Weight};
use crate::view::AppointmentView;

/// The place that a refusal names when an appointment starts at another time than is believed; the detail is when it
/// does.
pub const EXPECTED_STARTS_AT: &str = "expected_starts_at";

/// Books a time for a contact, unless they have it already: a pending or confirmed appointment for the same service at
/// the same time, however it was booked, with the staff member who is asked for, if one is.
#[derive(Clone, Debug)]
pub struct BookOnce(pub Book);

/// An appointment that is booked, and whether it was before.
#[derive(Clone, Debug, Serialize)]
pub struct BookedView {
    /// The appointment.
    #[serde(flatten)]
    pub appointment: AppointmentView,
    /// Whether it was booked already, so that nothing was changed.
    pub already_booked: bool,
}

impl Change for BookOnce {
    type Gives = Shown<BookedView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self(asked) = self;
        if let Some((appointment, contact)) = held(context, &asked.request, &asked.contact)? {
            let appointment = context.show(&appointment, Some(&contact));
            return Ok(Decision::unchanged(&BookedView { appointment, already_booked: true }));
        }
        book(context, asked, |appointment| {
            Decision::answering(&BookedView { appointment: appointment.clone(), already_booked: false })
        })
    }

    fn weight(&self) -> Weight {
        self.0.weight()
    }

    fn needs(&self) -> Option<Right> {
        self.0.needs()
    }
}

/// What whoever asks for a booking has at that time already, if anything. Of several the one that was booked first.
fn held(
    context: &Context<'_>,
    request: &BookRequest,
    asking: &BookingContact,
) -> Result<Option<(Appointment, Contact)>, StoreError> {
    let wanted = |staff| request.staff_id.is_none_or(|asked| asked == staff);
    let starting = context.schedule().busy.starting_at(request.starts_at);
    let mut ids: Vec<AppointmentId> =
        starting.filter(|(staff, _)| wanted(*staff)).map(|(_, appointment)| appointment).collect();
    ids.sort_unstable();
    for id in ids {
        let Some(appointment) = context.appointment(id)? else { continue };
        if appointment.service_id != request.service_id {
            continue;
        }
        let Some(contact) = context.contact_of(appointment.contact_id)? else { continue };
        if is_of(&contact, asking) {
            return Ok(Some((appointment, contact)));
        }
    }
    Ok(None)
}

/// Whether a contact is the one that a booking is for: by id, by phone or by email.
fn is_of(contact: &Contact, asking: &BookingContact) -> bool {
    match asking {
        BookingContact::Known(id) => contact.id == *id,
        BookingContact::Described(details) => {
            let phone = details.phone.as_ref().map(|phone| phone.as_str());
            let email = details.email.as_ref().map(|email| email.as_str());
            (phone.is_some() && contact.phone.as_deref() == phone)
                || (email.is_some() && contact.email.as_deref() == email)
        }
    }
}

/// A change of an appointment that is made only where it starts when whoever asks believes.
#[derive(Clone, Debug)]
pub struct StartingAt<C> {
    /// When they believe that it starts.
    pub expected: Timestamp,
    /// The change.
    pub change: C,
}

/// One that stands there already, as after the same request before, is moved: it stays unchanged.
impl Change for StartingAt<Reschedule> {
    type Gives = Shown<AppointmentView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self { expected, change: Reschedule { id, request } } = self;
        let (at, schedule) = (context.at(), context.schedule());
        amend(context, id, "appointment.rescheduled", |before| {
            match booking::reschedule(&schedule, before, &request, at) {
                Ok(Outcome::Unchanged) => Ok(Outcome::Unchanged),
                _ if before.starts_at != expected => Err(elsewhere(before)),
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
        amend(context, id, "appointment.cancelled", |before| {
            if before.starts_at == expected {
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
    let starts_at = appointment.starts_at.to_string();
    Refusal::conflict("the appointment starts at another time", EXPECTED_STARTS_AT, starts_at)
}
