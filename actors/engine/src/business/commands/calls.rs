//! Saves the calls that a telephony system reports, and marks calls as handled.

use domain::{
    AuditAction, BudgetKind, CallDetails, CallId, CallRecord, Contact, ContactDetails, EventType, Named,
    Phone, Problem, ProblemCode, Refusal, Right, Text,
};
use store::keys;
use view::{CallView, OperatorCallView, SomeCallView};

use super::contacts;
use crate::business::{Change, Context, Decision, New, Shown, Write};
use crate::error::Result;

super::listed!(MarkCall, RecordCall);

/// Saves a finished call. If `contact_id` is `None`, the contact is found by phone number, or created.
#[derive(Clone, Debug)]
pub struct RecordCall {
    pub details: CallDetails,
    pub contact_name: Option<Text<1, 200>>,
}

impl Change for RecordCall {
    type Gives = New<OperatorCallView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let known = known(context, &self.details)?;
        self.details.check(unknown(context, &self.details, known.as_ref())?)?;
        let id = context.mint();
        call_of(context, self, id)
    }
}

/// Returns the existing contact of a call, if there is one.
fn known(context: &Context<'_>, details: &CallDetails) -> Result<Option<Contact>> {
    Ok(match details.contact_id {
        Some(id) => context.contact(id)?,
        None => contacts::find(context, details.caller(), None)?,
    })
}

/// Saves a finished call with the given id. The same change may create the call's appointment and message.
pub(super) fn call_of(
    context: &mut Context<'_>,
    recorded: RecordCall,
    id: CallId,
) -> Result<Decision<New<OperatorCallView>>> {
    let RecordCall { details, contact_name } = recorded;
    let known = known(context, &details)?;
    let new = match (&known, details.caller()) {
        (None, Some(phone)) => Some(newcomer(context, phone.clone(), contact_name)),
        _ => None,
    };
    // The call is saved even if the budget has no room for a new contact.
    let new = new.filter(|new| context.has_room(BudgetKind::Contacts, new));
    let contact = known.as_ref().or(new.as_ref());
    let call = details.into_call(id, contact.map(|contact| contact.id), context.at);
    let name = contact.and_then(|contact| contact.name.as_deref());
    let announced = context.announces(EventType::CallCompleted).then(|| CallView::new(&call, name));
    let mut decision = Decision::answering(OperatorCallView::new(&call, name));
    if let Some(contact) = new {
        decision = decision.with_new_contact(context, contact);
    }
    if let Some(seen) = announced {
        decision = decision.announce_too(EventType::CallCompleted, &seen);
    }
    Ok(decision.note(AuditAction::CallCompleted, call.id).write(Write::Call { before: None, after: call }))
}

/// Marks a call as handled, or removes the mark. Integrations do not see the mark, so `updated_at` does not
/// change.
#[derive(Clone, Copy, Debug)]
pub struct MarkCall {
    pub id: CallId,
    pub handled: bool,
}

impl Change for MarkCall {
    type Gives = Shown<OperatorCallView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.read::<CallRecord>(&keys::call(context.state.id, self.id))?;
        let before = before.ok_or(Refusal::NotFound(Named::Call))?;
        let shown = context.state.show_call::<OperatorCallView>(&before)?;
        context.check_match(&shown)?;
        if before.handled_at.is_some() == self.handled {
            return Ok(Decision::answering(shown));
        }
        let after = CallRecord { handled_at: self.handled.then_some(context.at), ..before.clone() };
        let now_shown = OperatorCallView { handled_at: Some(after.handled_at), ..shown.clone() };
        Ok(Decision::answering(now_shown)
            .note_change_from(AuditAction::CallUpdated, self.id, &shown)
            .write(Write::Call { before: Some(before), after }))
    }
}

fn unknown(context: &Context<'_>, details: &CallDetails, contact: Option<&Contact>) -> Result<Vec<Problem>> {
    let of = context.state.id;
    let mut problems = Vec::new();
    if details.contact_id.is_some() && contact.is_none() {
        problems.push(Problem::new("contact_id", ProblemCode::NotOfTheBusiness(Named::Contact)));
    }
    let appointment = details.appointment_id.map(|id| keys::appointment_start(of, id));
    if !context.has(appointment)? {
        problems.push(Problem::new("appointment_id", ProblemCode::NotOfTheBusiness(Named::Appointment)));
    }
    let message = details.message_id.map(|id| keys::message(of, id));
    if !context.has(message)? {
        problems.push(Problem::new("message_id", ProblemCode::NotOfTheBusiness(Named::Message)));
    }
    Ok(problems)
}

fn newcomer(context: &mut Context<'_>, phone: Phone, name: Option<Text<1, 200>>) -> Contact {
    let details = ContactDetails { name, phone: Some(phone), ..ContactDetails::default() };
    details.into_contact(context.mint(), context.at)
}
