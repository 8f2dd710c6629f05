//! Saves calls that telephony adapters report.

use domain::{
    AuditAction, BudgetKind, CallDetails, Contact, ContactDetails, EventType, Named, Phone, Problem,
    ProblemCode, Right, Text,
};
use store::keys;
use view::CallView;

use super::contacts;
use crate::business::{Change, Context, Decision, New, Write};
use crate::error::Result;

/// Saves a finished call. Without a `contact_id`, the contact is found by phone number, or created.
#[derive(Clone, Debug)]
pub struct RecordCall {
    pub details: CallDetails,
    pub contact_name: Option<Text<1, 200>>,
}

impl Change for RecordCall {
    type Gives = New<CallView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { details, contact_name } = self;
        let known = match details.contact_id {
            Some(id) => context.contact(id)?,
            None => contacts::find(context, details.caller(), None)?,
        };
        details.check(unknown(context, &details, known.as_ref())?)?;
        let new = match (&known, details.caller()) {
            (None, Some(phone)) => Some(newcomer(context, phone.clone(), contact_name)),
            _ => None,
        };
        // The call is saved even if the budget has no room for a new contact.
        let new = new.filter(|new| context.has_room(BudgetKind::Contacts, new));
        let contact = known.as_ref().or(new.as_ref());
        let call = details.into_call(context.mint(), contact.map(|contact| contact.id), context.at);
        let shown = CallView::new(&call, contact.and_then(|contact| contact.name.as_deref()));
        let mut decision = Decision::answering(shown);
        if let Some(contact) = new {
            decision = decision.with_new_contact(context, contact);
        }
        Ok(decision
            .note(AuditAction::CallCompleted, call.id)
            .announce(context, EventType::CallCompleted)
            .write(Write::Call { before: None, after: call }))
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
