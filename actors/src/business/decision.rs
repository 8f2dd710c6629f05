//! What a change comes to, as data: what is written, announced, noted and answered.

use std::marker::PhantomData;

use serde::Serialize;
use serde_json::Value;

use super::request::{AnswerStatus, Ended, Gives, New, Removed, Shown};
use super::write::Write;
use crate::domain::{AuditAction, EventType, FieldChange, MailId, ResourceId, WebhookId};
use crate::mail::NewMail;
use crate::view::{self, EndedView};

/// What the audit log shall say of a change.
#[derive(Clone, Debug)]
pub(super) struct AuditDraft {
    pub(super) action: AuditAction,
    pub(super) resource_id: uuid::Uuid,
    pub(super) changes: Vec<FieldChange>,
}

/// What a change comes to: the records to write, what is announced, what the audit log says, and the answer, of which
/// the type says what it shows.
#[derive(Debug)]
pub struct Decision<G> {
    decided: Decided,
    gives: PhantomData<fn() -> G>,
}

/// The same, whatever the answer shows.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(super) writes: Vec<Write>,
    pub(super) audit: Vec<AuditDraft>,
    /// What happened, with the resource as the API shows it.
    pub(super) events: Vec<(EventType, Vec<u8>)>,
    /// What is mailed of it, beside the alerts of the team.
    pub(super) mails: Vec<(MailId, NewMail)>,
    /// An endpoint that is turned off for its failures, of which the team is told.
    pub(super) turned_off: Option<WebhookId>,
    pub(super) status: AnswerStatus,
    pub(super) body: Vec<u8>,
    /// What is remembered of the body, if not all of it; see [`super::Change::replay`].
    pub(super) remembered: Option<Vec<u8>>,
}

impl<V: Serialize + 'static> Decision<Shown<V>> {
    /// Nothing changes; the resource is answered as it is.
    pub fn unchanged(resource: &V) -> Self {
        Self::answering(resource)
    }

    /// The resource is answered as it shall be; what is written follows.
    pub fn answering(resource: &V) -> Self {
        Self::with_body(view::render(resource))
    }
}

impl<V: Serialize + 'static> Decision<New<V>> {
    /// A resource was created.
    pub fn created(resource: &V) -> Self {
        Self::with_body(view::render(resource))
    }
}

impl Decision<Removed> {
    /// A resource is no more, and the answer has no body.
    pub fn gone() -> Self {
        Self::with_body(Vec::new())
    }
}

impl Decision<Ended> {
    /// The business is ended; what is answered shows that.
    pub(super) fn ended(shown: &EndedView) -> Self {
        Self::with_body(view::render(shown))
    }
}

impl<G: Gives> Decision<G> {
    fn with_body(body: Vec<u8>) -> Self {
        let decided = Decided {
            writes: Vec::new(),
            audit: Vec::new(),
            events: Vec::new(),
            mails: Vec::new(),
            turned_off: None,
            status: G::STATUS,
            body,
            remembered: None,
        };
        Self { decided, gives: PhantomData }
    }

    /// For the actor, to which it does not matter what is shown.
    pub(super) fn into_decided(self) -> Decided {
        self.decided
    }

    /// Remembers this instead of the whole answer: the change makes the answer of it again, or that is all that is
    /// answered again.
    #[must_use]
    pub(super) fn remember<V: Serialize>(mut self, part: &V) -> Self {
        self.decided.remembered = Some(view::render(part));
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
    pub fn note(mut self, action: AuditAction, id: impl ResourceId) -> Self {
        self.decided.audit.push(AuditDraft { action, resource_id: id.uuid(), changes: Vec::new() });
        self
    }

    /// Notes a change in the audit log, with the fields in which the resource differs.
    #[must_use]
    pub fn note_changes<V: Serialize>(
        mut self,
        action: AuditAction,
        id: impl ResourceId,
        (before, after): (&V, &V),
    ) -> Self {
        let changes = changed_fields(before, after);
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

    /// Announces an event about the resource that is answered.
    #[must_use]
    pub fn announce(mut self, event: EventType) -> Self {
        self.decided.events.push((event, self.decided.body.clone()));
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
