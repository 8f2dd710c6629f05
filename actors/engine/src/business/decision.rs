//! The result of a decision as data: writes, events, audit entry and answer.

use chrono::NaiveDate;
use domain::availability::Overridden;
use domain::{
    Actor, AlertTrigger, AppointmentId, AuditAction, AuditedField, CallId, ContactId, ConversationId,
    EventType, FieldChange, MailId, ResourceId, Timestamp,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::request::{Gives, Removed};
use super::write::Write;
use crate::mail::NewMail;

#[derive(Clone, Debug)]
pub(super) struct AuditDraft {
    pub(super) action: AuditAction,
    pub(super) resource_id: uuid::Uuid,
    pub(super) changes: Vec<FieldChange>,
}

#[derive(Debug)]
pub struct Decision<G: Gives> {
    value: G::Value,
    /// The answer to store for a repeated request. With `None`, `value` is stored. See [`super::Change::replay`].
    remembered: Option<G::Value>,
    decided: Decided,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Decided {
    pub(super) writes: Vec<Write>,
    pub(super) audit: Vec<AuditDraft>,
    pub(super) events: Vec<(EventType, Vec<u8>)>,
    /// Mails in addition to the mails of the team's alerts.
    pub(super) mails: Vec<(MailId, NewMail)>,
    /// The due time of the notice in the written rows, or `None` if they contain no notice.
    pub(super) waits: Option<Timestamp>,
    /// The author that the audit log names instead of the author of the request.
    pub(super) by: Option<Actor>,
    /// The alerts that cannot be derived from the written records: alerts about failing endpoints and calendars, and
    /// about events that were changed in calendars.
    pub(super) alerts: Vec<AlertTrigger>,
    /// The ended conversation whose summary the model must write after the commit.
    pub(super) summarize: Option<ConversationId>,
    /// A new code, and the contact who gets the code by mail after the commit.
    pub(super) code: Option<(ContactId, String)>,
}

impl Decided {
    pub(super) fn note(&mut self, action: AuditAction, id: impl ResourceId) {
        self.audit.push(AuditDraft { action, resource_id: id.uuid(), changes: Vec::new() });
    }
}

impl Decision<Removed> {
    pub fn gone() -> Self {
        Self::answering(())
    }
}

impl<G: Gives> Decision<G> {
    pub fn answering(value: G::Value) -> Self {
        Self { value, remembered: None, decided: Decided::default() }
    }

    pub(super) fn into_parts(self, is_kept: bool) -> (Decided, G::Value, Option<Vec<u8>>) {
        let Self { value, remembered, decided } = self;
        let kept = is_kept.then(|| G::render(remembered.as_ref().unwrap_or(&value)));
        (decided, value, kept)
    }

    /// Sets the value that is stored instead of the answer. If the request is repeated, the answer is built from this
    /// value.
    #[must_use]
    pub(super) fn remember(mut self, value: G::Value) -> Self {
        self.remembered = Some(value);
        self
    }

    /// Adds the writes, audit entries, events, summary request and code of the decision `other`, and returns the answer
    /// of `other`. Mails and alerts of `other` are lost, so `other` must have none.
    pub(super) fn with<H: Gives>(mut self, other: Decision<H>) -> (Self, H::Value) {
        let Decided { writes, audit, events, summarize, code, .. } = other.decided;
        self.decided.summarize = self.decided.summarize.or(summarize);
        self.decided.code = self.decided.code.or(code);
        self.decided.writes.extend(writes);
        self.decided.audit.extend(audit);
        self.decided.events.extend(events);
        (self, other.value)
    }

    /// Sets the author that the audit log names instead of the author of the request.
    #[must_use]
    pub(super) fn by(mut self, actor: Actor) -> Self {
        self.decided.by = Some(actor);
        self
    }

    /// Asks the model for the summary of an ended conversation, after the commit.
    #[must_use]
    pub(super) fn summarize(mut self, id: ConversationId) -> Self {
        self.decided.summarize = Some(id);
        self
    }

    /// Mails a new code to a contact, after the commit.
    #[must_use]
    pub(super) fn send_code(mut self, contact: ContactId, code: String) -> Self {
        self.decided.code = Some((contact, code));
        self
    }

    /// True if the appointment is active after this decision. Returns `None` if the decision does not change the
    /// appointment.
    pub(super) fn has_active(&self, id: AppointmentId) -> Option<bool> {
        self.decided.writes.iter().rev().find_map(|write| match write {
            Write::Appointment { after, .. } if after.id == id => Some(after.is_active()),
            _ => None,
        })
    }

    /// Removes a call from the messages that this decision writes.
    #[must_use]
    pub(super) fn without_call(mut self, call: CallId) -> Self {
        for write in &mut self.decided.writes {
            if let Write::Message { after, .. } = write
                && after.call_id == Some(call)
            {
                after.call_id = None;
            }
        }
        self
    }

    #[must_use]
    pub fn write(mut self, write: Write) -> Self {
        self.decided.writes.push(write);
        self
    }

    #[must_use]
    pub(super) fn write_all(mut self, writes: Vec<Write>) -> Self {
        self.decided.writes.extend(writes);
        self
    }

    #[must_use]
    pub fn note(self, action: AuditAction, id: impl ResourceId) -> Self {
        self.noted(action, id, Vec::new())
    }

    #[must_use]
    pub fn note_changes<V: Serialize>(
        self,
        action: AuditAction,
        id: impl ResourceId,
        (before, after): (&V, &V),
    ) -> Self {
        self.noted(action, id, changed_fields(before, after))
    }

    /// Like `note_changes`, but takes the answer of this decision as the new state of the resource.
    #[must_use]
    pub fn note_change_from(self, action: AuditAction, id: impl ResourceId, before: &G::Value) -> Self {
        let changes = changed_fields(before, &self.value);
        self.noted(action, id, changes)
    }

    /// Adds the number of created records to the audit entry.
    #[must_use]
    pub(super) fn counted(self, count: u64) -> Self {
        self.also(AuditedField::Created, &json!(count))
    }

    /// Adds a change to the last audit entry: `field` had no value and now has the value `to`.
    fn also(mut self, field: AuditedField, to: &Value) -> Self {
        if let Some(entry) = self.decided.audit.last_mut() {
            let (field, from) = (field.as_str().to_owned(), Value::Null.to_string());
            entry.changes.push(FieldChange { field, from, to: to.to_string() });
        }
        self
    }

    /// Adds to the audit entry the rules that the change overrode.
    #[must_use]
    pub(super) fn overrode(self, rules: &[Overridden]) -> Self {
        if rules.is_empty() { self } else { self.also(AuditedField::Override, &json!(rules)) }
    }

    /// Adds the id of the merged contact to the audit entry.
    #[must_use]
    pub(super) fn merged(self, from: ContactId) -> Self {
        self.also(AuditedField::Merged, &json!(from))
    }

    fn noted(mut self, action: AuditAction, id: impl ResourceId, changes: Vec<FieldChange>) -> Self {
        self.decided.audit.push(AuditDraft { action, resource_id: id.uuid(), changes });
        self
    }

    #[must_use]
    pub(super) fn alert(mut self, alert: AlertTrigger) -> Self {
        self.decided.alerts.push(alert);
        self
    }

    #[must_use]
    pub(super) fn mail(mut self, id: MailId, mail: NewMail) -> Self {
        self.decided.mails.push((id, mail));
        self
    }

    /// `due` is the due time of a notice that the change writes. After the commit, the outbox is notified of this time.
    #[must_use]
    pub(super) fn waits(mut self, due: Option<Timestamp>) -> Self {
        self.decided.waits = due;
        self
    }

    #[must_use]
    pub fn announce_too<V: Serialize>(mut self, event: EventType, resource: &V) -> Self {
        self.decided.events.push((event, view::render(resource)));
        self
    }
}

/// Fields that the audit log omits, because the service itself sets them.
const UNAUDITED: [&str; 2] = ["updated_at", "calendar_sync_status"];

/// The fields that differ between two states of a resource, except [`UNAUDITED`].
fn changed_fields<V: Serialize>(before: &V, after: &V) -> Vec<FieldChange> {
    let (Ok(Value::Object(before)), Ok(Value::Object(after))) =
        (serde_json::to_value(before), serde_json::to_value(after))
    else {
        return Vec::new();
    };
    let differing = after
        .into_iter()
        .filter(|(field, to)| !UNAUDITED.contains(&field.as_str()) && before.get(field) != Some(to));
    let change = |(field, to): (String, Value)| FieldChange {
        from: before.get(&field).unwrap_or(&Value::Null).to_string(),
        to: to.to_string(),
        field,
    };
    let changes: Vec<_> = differing.map(change).collect();
    let is_known = |it: &FieldChange| it.audited().is_some() || it.field.parse::<NaiveDate>().is_ok();
    debug_assert!(changes.iter().all(is_known), "`AuditedField` has each audited field: {changes:?}");
    changes
}
