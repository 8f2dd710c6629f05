//! What a change comes to, as data: what is written, announced, noted and answered.

use domain::{AuditAction, EventType, FieldChange, MailId, ResourceId, WebhookId};
use serde::Serialize;
use serde_json::Value;

use super::context::Context;
use super::request::{Gives, Removed};
use super::write::Write;
use crate::mail::NewMail;

/// What the audit log shall say of a change.
#[derive(Clone, Debug)]
pub(super) struct AuditDraft {
    pub(super) action: AuditAction,
    pub(super) resource_id: uuid::Uuid,
    pub(super) changes: Vec<FieldChange>,
}

/// What a change comes to: its answer, the records to write, what is announced, and what the audit log says.
#[derive(Debug)]
pub struct Decision<G: Gives> {
    value: G::Value,
    /// What is remembered of the answer, if not all of it; see [`super::Change::replay`].
    remembered: Option<G::Value>,
    decided: Decided,
}

/// The same without the answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decided {
    pub(super) writes: Vec<Write>,
    pub(super) audit: Vec<AuditDraft>,
    /// What happened, with the resource as the API shows it.
    pub(super) events: Vec<(EventType, Vec<u8>)>,
    /// What is mailed of it, beside the alerts of the team.
    pub(super) mails: Vec<(MailId, NewMail)>,
    /// An endpoint that is turned off for its failures, of which the team is told.
    pub(super) turned_off: Option<WebhookId>,
}

impl Decision<Removed> {
    /// A resource is no more, and the answer has no body.
    pub fn gone() -> Self {
        Self::answering(())
    }
}

impl<G: Gives> Decision<G> {
    /// This is answered. Without more nothing changes.
    pub fn answering(value: G::Value) -> Self {
        Self { value, remembered: None, decided: Decided::default() }
    }

    /// What is done, the answer, and where the request `is_kept` the answer as it is kept for the same request again.
    pub(super) fn into_parts(self, is_kept: bool) -> (Decided, G::Value, Option<Vec<u8>>) {
        let Self { value, remembered, decided } = self;
        let kept = is_kept.then(|| G::render(remembered.as_ref().unwrap_or(&value)));
        (decided, value, kept)
    }

    /// Remembers this instead of the answer: the change makes the answer of it again, or that is all that is answered
    /// again.
    #[must_use]
    pub(super) fn remember(mut self, value: G::Value) -> Self {
        self.remembered = Some(value);
        self
    }

    /// Writes a record.
    #[must_use]
    pub fn write(mut self, write: Write) -> Self {
        self.decided.writes.push(write);
        self
    }

    /// Notes a creation in the audit log.
    #[must_use]
    pub fn note(self, action: AuditAction, id: impl ResourceId) -> Self {
        self.noted(action, id, Vec::new())
    }

    /// Notes a change in the audit log, with the fields in which the resource differs.
    #[must_use]
    pub fn note_changes<V: Serialize>(
        self,
        action: AuditAction,
        id: impl ResourceId,
        (before, after): (&V, &V),
    ) -> Self {
        self.noted(action, id, changed_fields(before, after))
    }

    /// The same, where the answer shows the resource as the change leaves it.
    #[must_use]
    pub fn note_change_from(self, action: AuditAction, id: impl ResourceId, before: &G::Value) -> Self {
        let changes = changed_fields(before, &self.value);
        self.noted(action, id, changes)
    }

    fn noted(mut self, action: AuditAction, id: impl ResourceId, changes: Vec<FieldChange>) -> Self {
        self.decided.audit.push(AuditDraft { action, resource_id: id.uuid(), changes });
        self
    }

    /// Has the team told that an endpoint was turned off.
    #[must_use]
    pub(super) fn alert(mut self, turned_off: WebhookId) -> Self {
        self.decided.turned_off = Some(turned_off);
        self
    }

    /// Has something mailed, where mail is sent.
    #[must_use]
    pub(super) fn mail(mut self, id: MailId, mail: NewMail) -> Self {
        self.decided.mails.push((id, mail));
        self
    }

    /// Announces an event about the resource that is answered, where an endpoint subscribes to it.
    #[must_use]
    pub fn announce(mut self, context: &Context<'_>, event: EventType) -> Self {
        if context.announces(event) {
            self.decided.events.push((event, view::render(&self.value)));
        }
        self
    }

    /// Announces an event about another resource.
    #[must_use]
    pub fn announce_too<V: Serialize>(mut self, event: EventType, resource: &V) -> Self {
        self.decided.events.push((event, view::render(resource)));
        self
    }
}

/// The fields in which two states of a resource differ, `updated_at` apart.
fn changed_fields<V: Serialize>(before: &V, after: &V) -> Vec<FieldChange> {
    let (Ok(Value::Object(before)), Ok(Value::Object(after))) =
        (serde_json::to_value(before), serde_json::to_value(after))
    else {
        return Vec::new();
    };
    let differing =
        after.into_iter().filter(|(field, to)| field != "updated_at" && before.get(field) != Some(to));
    let change = |(field, to): (String, Value)| FieldChange {
        from: before.get(&field).unwrap_or(&Value::Null).to_string(),
        to: to.to_string(),
        field,
    };
    differing.map(change).collect()
}
