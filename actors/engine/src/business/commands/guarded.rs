//! Guarded booking, moving and cancelling for assistants, which may repeat or misread a request.
//!
//! Invariant: the actor checks both guards when it decides the change. The second of two identical concurrent
//! bookings finds the appointment of the first. A moved or cancelled appointment starts at the expected time.

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

/// The path in a refusal when the appointment starts at another time. The detail contains the actual start.
pub const EXPECTED_STARTS_AT: &str = "expected_starts_at";

/// Books a time, unless the contact has a pending or confirmed appointment for the same service and start,
/// with the requested staff member if the request names one.
#[derive(Clone, Debug)]
pub struct BookOnce(pub Book);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BookedView {
    #[serde(flatten)]
    pub appointment: AppointmentView,
    /// True when the appointment already existed and nothing was changed. After the contact's erasure, a
    /// repeated answer lacks this field.
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

/// The existing appointment of the booking's contact at that time. If there are several, the appointment that
/// was created first.
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

/// Changes an appointment only if it starts at an expected time.
#[derive(Clone, Debug)]
pub struct StartingAt<C> {
    /// The expected start. A local time that occurs twice has two instants.
    pub expected: Vec<Timestamp>,
    pub change: C,
}

/// An appointment that already has the new start stays unchanged, as after a repeated request.
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
