//! Saves and changes messages that callers leave.

use domain::{
    AuditAction, EventType, MessageDetails, MessageId, MessageStatus, Named, Problem, ProblemCode, Refusal,
    Right, StaffId, TakenMessage,
};
use store::keys;
use view::MessageView;

use super::contacts;
use crate::business::{Change, Context, Decision, New, Shown, Write};
use crate::error::Result;

const NO_STAFF: ProblemCode = ProblemCode::NotOfTheBusiness(Named::Staff);

/// Saves a message. Without a `contact_id`, its contact is found by the caller's phone number.
#[derive(Clone, Debug)]
pub struct TakeMessage {
    pub details: MessageDetails,
}

impl Change for TakeMessage {
    type Gives = New<MessageView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let details = self.details;
        let contact = match details.contact_id {
            Some(id) => context.contact(id)?,
            None => contacts::find(context, details.caller_phone.as_ref(), None)?,
        };
        let mut problems = Vec::new();
        if !context.has(details.call_id.map(|id| keys::call(context.state.id, id)))? {
            problems.push(Problem::new("call_id", ProblemCode::NotOfTheBusiness(Named::Call)));
        }
        if details.contact_id.is_some() && contact.is_none() {
            problems.push(Problem::new("contact_id", ProblemCode::NotOfTheBusiness(Named::Contact)));
        }
        if details.staff_id.is_some_and(|id| context.staff(id).is_none()) {
            problems.push(Problem::new("staff_id", NO_STAFF));
        }
        Refusal::check(problems)?;
        let message = details.into_message(context.mint(), contact.map(|contact| contact.id), context.at);
        let shown = MessageView::from(&message);
        Ok(Decision::answering(shown)
            .note(AuditAction::MessageTaken, message.id)
            .announce(context, EventType::MessageTaken)
            .write(Write::Message { before: None, after: message }))
    }
}

#[derive(Clone, Debug)]
pub struct PatchMessage {
    pub id: MessageId,
    pub status: Option<MessageStatus>,
    pub staff_id: Option<Option<StaffId>>,
}

impl Change for PatchMessage {
    type Gives = Shown<MessageView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.read::<TakenMessage>(&keys::message(context.state.id, self.id))?;
        let before = before.ok_or(Refusal::NotFound(Named::Message))?;
        let shown = context.state.show_message(&before)?;
        context.check_match(&shown)?;
        if self.staff_id.flatten().is_some_and(|id| context.staff(id).is_none()) {
            return Err(Refusal::invalid("staff_id", NO_STAFF).into());
        }
        let mut after = before.clone();
        after.status = self.status.unwrap_or(after.status);
        after.staff_id = self.staff_id.unwrap_or(after.staff_id);
        if after == before {
            return Ok(Decision::answering(shown));
        }
        after.updated_at = context.at;
        let now_shown = context.state.show_message(&after)?;
        Ok(Decision::answering(now_shown)
            .note_change_from(AuditAction::MessageUpdated, self.id, &shown)
            .write(Write::Message { before: Some(before), after }))
    }
}
