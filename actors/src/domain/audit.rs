//! The audit log: who changed what (spec §5 rule 9).

use uuid::Uuid;

use super::{AuditId, KeyId, PersonId, Timestamp};

/// Who made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An integration, with this key.
    ApiKey(KeyId),
    /// The operator or the team, through the operator API.
    Operator,
    /// One of the business's people, or a person in their own account.
    Person(PersonId),
    /// The service itself.
    System,
}

/// One field that a change gave another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field's name in the API.
    pub field: String,
    /// Its JSON before.
    pub from: String,
    /// Its JSON after.
    pub to: String,
}

/// One change of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id; ids grow in the order of the changes.
    pub id: AuditId,
    /// When the change was made.
    pub at: Timestamp,
    /// Who made it.
    pub actor: Actor,
    /// What was done, such as `appointment.cancelled`.
    pub action: String,
    /// The kind of record, such as `appointment`.
    pub resource_type: String,
    /// The record.
    pub resource_id: Uuid,
    /// The fields that changed. Empty for a creation: the record is what was created, and the entries after it say
    /// from which value each field was changed.
    pub changes: Vec<FieldChange>,
}
