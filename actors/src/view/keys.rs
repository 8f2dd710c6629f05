//! API keys.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{ApiKey, KeyCreator, KeyId, PersonId, Scope, Timestamp};

/// A key as `GET /me` describes it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
pub struct KeyView {
    /// Its id.
    pub id: KeyId,
    /// What its owner calls it.
    pub name: String,
    /// The visible prefix.
    pub prefix: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: Timestamp,
}

impl From<&ApiKey> for KeyView {
    fn from(key: &ApiKey) -> Self {
        Self {
            id: key.id,
            name: key.name.clone(),
            prefix: key.prefix.clone(),
            scopes: key.scopes.iter().collect(),
            created_at: key.created_at,
        }
    }
}

/// Who created a key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KeyCreator")]
pub struct KeyCreatorView {
    /// `operator` or `person`.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// The person's id.
    pub id: Option<PersonId>,
    /// The person's name, as long as there is such a person.
    pub name: Option<String>,
}

impl KeyCreatorView {
    /// Who created the key, whose name is this.
    pub fn new(creator: KeyCreator, name: Option<String>) -> Self {
        match creator {
            KeyCreator::Operator => Self { kind: "operator".into(), id: None, name: None },
            KeyCreator::Person(id) => Self { kind: "person".into(), id: Some(id), name },
        }
    }
}

/// A key as the operator sees it in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorApiKey")]
pub struct OperatorKeyView {
    /// Its descriptor.
    #[serde(flatten)]
    pub key: KeyView,
    /// Who created it.
    pub created_by: KeyCreatorView,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A new key without the key itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CreatedKeyView {
    /// Its descriptor.
    #[serde(flatten)]
    pub descriptor: KeyView,
    /// Who created it.
    pub created_by: KeyCreatorView,
}

/// A key at the moment of its creation, the only time that it is shown whole: where the same request comes again, all
/// but the key is answered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewApiKey")]
pub struct NewKeyView {
    /// The key without the key itself, of which the entity tag is.
    #[serde(flatten)]
    pub created: CreatedKeyView,
    /// The key itself; null where the answer is given again, for of a key only a hash is kept.
    pub key: Option<String>,
}
