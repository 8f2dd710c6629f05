//! Answers the team's questions before a booking or a move: which times are free, and whether the booking or move would
//! be allowed.

use chrono::{NaiveDate, TimeDelta};
use domain::availability::{Overridden, Schedule, Slot, Terms};
use domain::booking::{self, BookRequest, MoveRequest, Outcome, Party};
use domain::{Appointment, AppointmentId, Busy, Named, Refusal, ServiceId, StaffId, Timestamp};
use uuid::Uuid;

use crate::business::BusinessHandle;
use crate::business::state::State;
use crate::error::Result;

/// Whether a booking or a move by the team is allowed without `override`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposal {
    Allowed,
    /// The booking or move needs `override`, because it breaks these rules. The list is empty if `override`
    /// is needed only because the appointment has ended.
    Overrides(Vec<Overridden>),
}

impl BusinessHandle {
    /// The services that can be booked at this time without overriding a rule.
    pub async fn services_at(
        &self,
        start: Timestamp,
        staff: Option<StaffId>,
        terms: Terms,
    ) -> Result<Vec<ServiceId>> {
        self.ask(move |state, now| Ok(state.schedule(now).services_at(start, staff, terms))).await
    }

    /// The times that the team can book, in an inclusive range of local days.
    pub async fn times_to_book(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        days: (NaiveDate, NaiveDate),
        (terms, duration): (Terms, Option<TimeDelta>),
    ) -> Result<Vec<Slot>> {
        self.ask(move |state, now| {
            Ok(state.schedule(now).slots_lasting(service, staff, days, terms, duration)?)
        })
        .await
    }

    /// Checks whether the `party` of the request may make this booking. Makes no booking. Fails with the refusals that
    /// `override` cannot prevent.
    pub async fn try_to_book(&self, request: BookRequest) -> Result<Proposal> {
        let (starts_at, party) = (request.starts_at, request.party);
        self.ask(move |state, now| {
            propose(state, (now, starts_at), party, |schedule, party| {
                let request = BookRequest { party, ..request.clone() };
                let (id, contact) = (AppointmentId::from(Uuid::nil()), Uuid::nil().into());
                Ok(booking::book(schedule, &request, id, contact, now)?.0)
            })
        })
        .await
    }

    /// Checks whether the `party` of the request may move the appointment. Does not move the appointment. Fails like
    /// [`Self::try_to_book`].
    pub async fn try_to_move(&self, id: AppointmentId, request: MoveRequest) -> Result<Proposal> {
        let (starts_at, party) = (request.starts_at, request.party);
        self.ask(move |state, now| {
            let before = state.appointment(id)?.ok_or(Refusal::NotFound(Named::Appointment))?;
            propose(state, (now, starts_at), party, |schedule, party| {
                let request = MoveRequest { party, ..request.clone() };
                match booking::reschedule(schedule, &before, &request, now)? {
                    Outcome::Changed { after, .. } => Ok(after),
                    Outcome::Unchanged => Ok(before.clone()),
                }
            })
        })
        .await
    }
}

/// Returns the proposal for a booking or move by `party`. `make` builds the booked or moved appointment under the rules
/// for the given schedule and party.
fn propose(
    state: &State,
    (now, starts_at): (Timestamp, Timestamp),
    party: Party,
    make: impl Fn(&Schedule<'_>, Party) -> Result<Appointment, Refusal>,
) -> Result<Proposal> {
    if make(&state.schedule(now), party).is_ok() {
        return Ok(Proposal::Allowed);
    }
    let mut past = Busy::default();
    let schedule = state.schedule_at((now, starts_at), Party::Override, &mut past)?;
    let made = make(&schedule, Party::Override)?;
    Ok(Proposal::Overrides(schedule.overridden(&made)))
}
