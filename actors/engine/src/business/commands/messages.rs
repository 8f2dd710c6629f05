//! Saves and changes messages that callers leave.

use domain::{
    AuditAction, Conflict, EventType, MessageDetails, MessageId, MessageStatus, Named, Problem, ProblemCode,
    Refusal, Right, StaffId, TakenMessage, Text, Timestamp,
};
use store::keys;
use view::{MessageView, OperatorMessageView};

use super::contacts;
use crate::business::{Change, Context, Decision, New, Shown, Write};
use crate::error::{EngineError, Result};

super::listed!(PatchMessage, TakeMessage);

const NO_STAFF: ProblemCode = ProblemCode::NotOfTheBusiness(Named::Staff);

/// Saves a message. If `contact_id` is `None`, the contact is found by the caller's phone number.
#[derive(Clone, Debug)]
pub struct TakeMessage {
    pub details: MessageDetails,
}

impl Change for TakeMessage {
    type Gives = New<OperatorMessageView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let call = self.details.call_id.map(|id| keys::call(context.state.id, id));
        let known = if context.has(call)? { Ok(()) } else { Err(no_call()) };
        match (known, take(context, self.details)) {
            (Err(call), Err(EngineError::Refused(Refusal::Invalid(mut problems)))) => {
                problems.insert(0, call);
                Err(Refusal::Invalid(problems).into())
            }
            (Err(call), Ok(_)) => Err(Refusal::Invalid(vec![call]).into()),
            (_, taken) => taken,
        }
    }
}

fn no_call() -> Problem {
    Problem::new("call_id", ProblemCode::NotOfTheBusiness(Named::Call))
}

/// Saves a message. The message may name a call that is saved later.
pub(in crate::business) fn take(
    context: &mut Context<'_>,
    details: MessageDetails,
) -> Result<Decision<New<OperatorMessageView>>> {
    let contact = match details.contact_id {
        Some(id) => context.contact(id)?,
        None => contacts::find(context, details.caller_phone.as_ref(), None)?,
    };
    let mut problems = Vec::new();
    if details.contact_id.is_some() && contact.is_none() {
        problems.push(Problem::new("contact_id", ProblemCode::NotOfTheBusiness(Named::Contact)));
    }
    if details.staff_id.is_some_and(|id| context.staff(id).is_none()) {
        problems.push(Problem::new("staff_id", NO_STAFF));
    }
    Refusal::check(problems)?;
    let message = details.into_message(context.mint(), contact.map(|contact| contact.id), context.at);
    let mut decision = Decision::answering(OperatorMessageView::from(&message));
    if context.announces(EventType::MessageTaken) {
        decision = decision.announce_too(EventType::MessageTaken, &MessageView::from(&message));
    }
    Ok(decision
        .note(AuditAction::MessageTaken, message.id)
        .write(Write::Message { before: None, after: message }))
}

/// Changes the given fields; an inner `None` clears a field.
#[derive(Clone, Debug)]
pub struct PatchMessage {
    pub id: MessageId,
    pub status: Option<MessageStatus>,
    pub staff_id: Option<Option<StaffId>>,
    pub notes: Option<Option<Text<1, 1000>>>,
    pub snoozed_until: Option<Option<Timestamp>>,
}

impl PatchMessage {
    pub fn of(id: MessageId) -> Self {
        Self { id, status: None, staff_id: None, notes: None, snoozed_until: None }
    }
}

impl Change for PatchMessage {
    type Gives = Shown<OperatorMessageView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.read::<TakenMessage>(&keys::message(context.state.id, self.id))?;
        let before = before.ok_or(Refusal::NotFound(Named::Message))?;
        let known = context.state.known_message(before.clone())?;
        let shown = OperatorMessageView::from(&known);
        context.check_match(&shown)?;
        if self.staff_id.flatten().is_some_and(|id| context.staff(id).is_none()) {
            return Err(Refusal::invalid("staff_id", NO_STAFF).into());
        }
        if known.is_erased() && matches!(self.notes, Some(Some(_))) {
            return Err(
                Refusal::conflict(Conflict::ContactErased, "notes", ProblemCode::ContactErased).into()
            );
        }
        let mut after = known.clone();
        after.status = self.status.unwrap_or(after.status);
        after.staff_id = self.staff_id.unwrap_or(after.staff_id);
        after.notes = self.notes.map_or(after.notes, |notes| notes.map(Text::into_string));
        after.snoozed_until = self.snoozed_until.unwrap_or(after.snoozed_until);
        if after == known {
            return Ok(Decision::answering(shown));
        }
        // `updated_at` changes only if integrations can see the change.
        let seen =
            |message: &TakenMessage| TakenMessage { notes: None, snoozed_until: None, ..message.clone() };
        if seen(&after) != seen(&TakenMessage { contact_id: known.contact_id, ..before.clone() }) {
            after.updated_at = context.at;
        }
        // The audit entry omits the notes, which may contain data of a contact that is erased later.
        let logged = [&known, &after]
            .map(|message| OperatorMessageView::from(&TakenMessage { notes: None, ..message.clone() }));
        Ok(Decision::answering(OperatorMessageView::from(&after))
            .note_changes(AuditAction::MessageUpdated, self.id, (&logged[0], &logged[1]))
            .write(Write::Message { before: Some(before), after }))
    }
}
