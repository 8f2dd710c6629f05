//! The audit log as the APIs show it.

use domain::{
    Actor, AuditAction, AuditEntry, AuditId, AuditedKind, FieldChange, KeyId, ResourceId, Timestamp,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::Serializer;

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditEntry")]
pub struct AuditView {
    /// The entry's id.
    pub id: AuditId,
    /// The time of the change.
    pub at: Timestamp,
    /// The author of the change.
    pub actor: ActorView,
    /// The action.
    #[schemars(with = "String")]
    pub action: AuditAction,
    /// The kind of record.
    #[schemars(with = "String")]
    pub resource_type: AuditedKind,
    /// The record's id.
    #[schemars(with = "KeyId")]
    pub resource_id: uuid::Uuid,
    /// The changed fields. The list is empty if the record was created.
    pub changes: Vec<FieldChangeView>,
}

/// The author of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditActor")]
pub struct ActorView {
    /// `api_key`, `operator`, `person` or `system`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The id of the key or the person.
    #[schemars(with = "Option<KeyId>")]
    pub id: Option<uuid::Uuid>,
}

/// A field whose value was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FieldChange")]
pub struct FieldChangeView {
    /// The field's name.
    pub field: String,
    /// The value before the change.
    #[serde(serialize_with = "raw")]
    #[schemars(with = "serde_json::Value")]
    pub from: String,
    /// The value after the change.
    #[serde(serialize_with = "raw")]
    #[schemars(with = "serde_json::Value")]
    pub to: String,
}

/// Serialises a text that already contains JSON as a JSON value.
fn raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { id, at, actor, action, resource_type, resource_id, changes } = entry;
        let actor = match actor {
            Actor::ApiKey(id) => ActorView { kind: "api_key", id: Some(id.uuid()) },
            Actor::Operator => ActorView { kind: "operator", id: None },
            Actor::Person(id) => ActorView { kind: "person", id: Some(id.uuid()) },
            Actor::System => ActorView { kind: "system", id: None },
            Actor::Customer => ActorView { kind: "customer", id: None },
            Actor::Receptionist(id) => ActorView { kind: "receptionist", id: Some(id.uuid()) },
        };
        let change = |FieldChange { field, from, to }| FieldChangeView { field, from, to };
        let changes = changes.into_iter().map(change).collect();
        Self { id, at, actor, action, resource_type, resource_id, changes }
    }
}
