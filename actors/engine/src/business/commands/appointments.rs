//! Changes to appointments: booking, moving, confirming, declining, cancelling and editing.

use domain::availability::{Overridden, Schedule};
use domain::booking::{self, BookRequest, MoveRequest, Outcome, Party};
use domain::{
    Appointment, AppointmentId, AppointmentStatus, Attendance, AuditAction, BudgetKind, Busy,
    CalendarSyncStatus, Conflict, Contact, ContactDetails, ContactId, Named, Problem, ProblemCode, Refusal,
    Right, Text,
};
use serde::Serialize;
use store::{StoreError, Weight, unless_set_aside};
use view::{AppointmentView, OperatorAppointmentView, SomeAppointmentView};

use super::{contacts, for_both};
use crate::business::{Change, Context, Decision, Gives, New, Shown, Write};
use crate::error::Result;

super::listed!(Book, BookNoted, Cancel, Confirm, Decline, PatchAppointment, Reschedule);

#[derive(Clone, Debug)]
pub struct Book {
    pub request: BookRequest,
    pub contact: BookingContact,
}

#[derive(Clone, Debug)]
pub enum BookingContact {
    Known(ContactId),
    /// The contact with this phone number. If there is none, the contact with this email address. If there is none
    /// either, a new contact.
    Described(ContactDetails),
    /// Contact details that a customer entered and that are not verified. The service finds or creates the contact as
    /// for `Described`, with one difference: if a new contact has a phone number, the service does not store the
    /// entered email address in the contact. If the budget allows no new contact, every booking with such details is
    /// refused, also for an existing contact. So a refusal does not show whether the contact exists.
    Entered(ContactDetails),
}

impl Book {
    fn decide_as<V: SomeAppointmentView>(self, context: &mut Context<'_>) -> Result<Decision<New<V>>> {
        book(context, self, |_| (), Decision::answering)
    }
}

pub(super) fn known(context: &Context<'_>, contact: &BookingContact) -> Result<Option<Contact>, StoreError> {
    match contact {
        BookingContact::Known(id) => context.contact(*id),
        BookingContact::Described(details) | BookingContact::Entered(details) => {
            contacts::find(context, details.phone.as_ref(), details.email.as_ref())
        }
    }
}

/// Books an appointment. `entered` sets the fields of the appointment that the booking rules do not set, for example
/// notes. `answer` builds the answer.
pub(in crate::business) fn book<V: SomeAppointmentView, G: Gives>(
    context: &mut Context<'_>,
    asked: Book,
    entered: impl FnOnce(&mut Appointment),
    answer: impl FnOnce(V) -> Decision<G>,
) -> Result<Decision<G>> {
    let Book { request, contact } = asked;
    let known = known(context, &contact)?;
    let mut problems = Vec::new();
    if known.is_none() && matches!(contact, BookingContact::Known(_)) {
        problems.push(Problem::new("contact_id", ProblemCode::NotOfTheBusiness(Named::Contact)));
    }
    let mut past = Busy::default();
    let schedule = context.schedule_at(request.starts_at, request.party, &mut past)?;
    booking::check_booking(&schedule, &request, problems)?;
    let is_new = known.is_none();
    let described = match contact {
        BookingContact::Described(details) if is_new => Some(details),
        BookingContact::Entered(mut details) => {
            details.email = details.email.filter(|_| details.phone.is_none());
            Some(details)
        }
        BookingContact::Described(_) | BookingContact::Known(_) => None,
    };
    let described = described.map(|details| details.into_contact(context.mint(), context.at));
    let contact = known.or_else(|| described.clone()).expect("`check_booking` refuses an unknown contact");
    let (mut appointment, event) =
        booking::book(&schedule, &request, context.mint(), contact.id, context.at)?;
    let overridden = overridden(&schedule, request.party, &appointment);
    entered(&mut appointment);
    context.state.set_synced(None, &mut appointment)?;
    if let Some(described) = &described {
        context.check_budget(BudgetKind::Contacts, described, "contact")?;
    }
    let mut decision = answer(context.state.show(&appointment, Some(&contact)));
    let event = event.filter(|event| context.announces(*event));
    let booked =
        event.map(|event| (event, context.state.show::<AppointmentView>(&appointment, Some(&contact))));
    if is_new {
        decision = decision.with_new_contact(context, contact);
    }
    if let Some((event, booked)) = booked {
        decision = decision.announce_too(event, &booked);
    }
    let (id, status) = (appointment.id, appointment.status);
    let action = if status == AppointmentStatus::Pending {
        AuditAction::AppointmentRequested
    } else {
        AuditAction::AppointmentBooked
    };
    let decision = decision.write(Write::Appointment { before: None, after: appointment });
    Ok(decision.note(action, id).overrode(&overridden))
}

/// A booking with the team's notes.
#[derive(Clone, Debug)]
pub struct BookNoted {
    pub book: Book,
    pub notes: Option<Text<1, 1000>>,
}

impl Change for BookNoted {
    type Gives = New<AppointmentView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let notes = self.notes.map(Text::into_string);
        book(context, self.book, |booked| booked.notes = notes, Decision::answering)
    }
}

fn overridden(schedule: &Schedule<'_>, party: Party, after: &Appointment) -> Vec<Overridden> {
    if party == Party::Override { schedule.overridden(after) } else { Vec::new() }
}

#[derive(Clone, Debug)]
pub struct Reschedule {
    pub id: AppointmentId,
    pub request: MoveRequest,
}

impl Reschedule {
    fn decide_as<V: SomeAppointmentView>(self, context: &mut Context<'_>) -> Result<Decision<Shown<V>>> {
        let Self { id, request } = self;
        let (mut past, mut rules) = (Busy::default(), Vec::new());
        let schedule = context.schedule_at(request.starts_at, request.party, &mut past)?;
        let decision = amend(context, id, AuditAction::AppointmentRescheduled, |before| {
            let outcome = booking::reschedule(&schedule, before, &request, context.at)?;
            if let Outcome::Changed { after, .. } = &outcome {
                rules = overridden(&schedule, request.party, after);
            }
            Ok(outcome)
        })?;
        Ok(decision.overrode(&rules))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Confirm {
    pub id: AppointmentId,
}

impl Confirm {
    fn decide_as<V: SomeAppointmentView>(self, context: &mut Context<'_>) -> Result<Decision<Shown<V>>> {
        let at = context.at;
        amend(context, self.id, AuditAction::AppointmentConfirmed, |before| booking::confirm(before, at))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Decline {
    pub id: AppointmentId,
}

impl Decline {
    fn decide_as<V: SomeAppointmentView>(self, context: &mut Context<'_>) -> Result<Decision<Shown<V>>> {
        let at = context.at;
        amend(context, self.id, AuditAction::AppointmentDeclined, |before| booking::decline(before, at))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Cancel {
    pub id: AppointmentId,
}

impl Cancel {
    fn decide_as<V: SomeAppointmentView>(self, context: &mut Context<'_>) -> Result<Decision<Shown<V>>> {
        let at = context.at;
        amend(context, self.id, AuditAction::AppointmentCancelled, |before| Ok(booking::cancel(before, at)))
    }
}

/// Changes fields that integrations cannot see, so `updated_at` does not change.
#[derive(Clone, Debug)]
pub struct PatchAppointment {
    pub id: AppointmentId,
    pub notes: Option<Option<Text<1, 1000>>>,
    pub attendance: Option<Option<Attendance>>,
    /// Whether to remove the contact details that the customer entered for the booking.
    pub clears_booked_as: bool,
}

impl PatchAppointment {
    /// A patch that changes nothing.
    pub fn of(id: AppointmentId) -> Self {
        Self { id, notes: None, attendance: None, clears_booked_as: false }
    }
}

impl Change for PatchAppointment {
    type Gives = Shown<OperatorAppointmentView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let schedule = context.schedule();
        amend(context, self.id, AuditAction::AppointmentUpdated, |before| {
            if before.contact_id.is_none() && matches!(self.notes, Some(Some(_))) {
                return Err(Refusal::conflict(Conflict::ContactErased, "notes", ProblemCode::ContactErased));
            }
            let mut after = before.clone();
            after.notes = self.notes.map_or(after.notes, |notes| notes.map(Text::into_string));
            if let Some(attendance) = self.attendance.filter(|attendance| *attendance != before.attendance) {
                attendance.map_or(Ok(()), |it| booking::check_attendance(&schedule, before, it))?;
                after.attendance = attendance;
            }
            after.booked_as = after.booked_as.filter(|_| !self.clears_booked_as);
            Ok(if after == *before { Outcome::Unchanged } else { Outcome::Changed { after, event: None } })
        })
    }
}

for_both! {
    Book => New<AppointmentView, OperatorAppointmentView>, Grows;
    Reschedule => Shown<AppointmentView, OperatorAppointmentView>, Grows;
    Confirm => Shown<AppointmentView, OperatorAppointmentView>, Frees;
    Decline => Shown<AppointmentView, OperatorAppointmentView>, Frees;
    Cancel => Shown<AppointmentView, OperatorAppointmentView>, Frees;
}

/// The fields whose changes the audit log lists. The audit log omits the notes and the data that the customer entered,
/// because the contact may be erased later.
#[derive(Serialize)]
struct Audited {
    #[serde(flatten)]
    appointment: AppointmentView,
    attendance: Option<Attendance>,
}

pub(in crate::business) fn amend<V: SomeAppointmentView>(
    context: &Context<'_>,
    id: AppointmentId,
    action: AuditAction,
    rule: impl FnOnce(&Appointment) -> Result<Outcome, Refusal>,
) -> Result<Decision<Shown<V>>> {
    let Some(before) = context.state.appointment(id)? else {
        return Err(Refusal::NotFound(Named::Appointment).into());
    };
    // An undecodable contact does not block the change to its appointment.
    let read = unless_set_aside(context.state.contact_of(before.contact_id))?;
    let is_erased = before.contact_id.is_some() && matches!(read, Some(None));
    let contact = read.flatten();
    let shown: V = context.state.show(&before, contact.as_ref());
    if context.check_match(&shown).is_err() {
        // The service changes `calendar_sync_status` without a request. Therefore an entity tag also matches if the
        // appointment has changed only in this field.
        let variants = CalendarSyncStatus::ALL.iter().map(|status| {
            let variant = Appointment { calendar_sync_status: *status, ..before.clone() };
            context.state.show::<V>(&variant, contact.as_ref())
        });
        context.check_match_of_any(&shown, variants)?;
    }
    // If this change moves the appointment, the erasure job may not see the new row. So if the contact was erased, this
    // change itself removes the contact's data.
    let mut known = if is_erased { before.erased() } else { before.clone() };
    // If the contact was merged, this change also moves the appointment to the survivor.
    known.contact_id = contact.as_ref().map_or(known.contact_id, |contact| Some(contact.id));
    match rule(&known)? {
        Outcome::Unchanged => Ok(Decision::answering(shown)),
        Outcome::Changed { mut after, event } => {
            context.state.set_synced(Some(&before), &mut after)?;
            let audited = [&before, &after].map(|it| Audited {
                appointment: context.state.show(it, contact.as_ref()),
                attendance: it.attendance,
            });
            let mut decision = Decision::answering(context.state.show(&after, contact.as_ref()))
                .note_changes(action, id, (&audited[0], &audited[1]));
            if let Some(event) = event.filter(|event| context.announces(*event)) {
                decision = decision.announce_too(event, &audited[1].appointment);
            }
            Ok(decision.write(Write::Appointment { before: Some(before), after }))
        }
    }
}
