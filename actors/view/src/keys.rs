//! API keys.

use std::borrow::Cow;

use domain::{ApiKey, KeyCreator, KeyId, PersonId, Scope, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An API key as `GET /me` describes it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
pub struct KeyView {
    /// The key's id.
    pub id: KeyId,
    /// The name of the key, chosen by the owner.
    pub name: String,
    /// The visible prefix of the key.
    pub prefix: String,
    /// The scopes of the key.
    pub scopes: Vec<Scope>,
    /// The time of creation.
    pub created_at: Timestamp,
}

impl From<&ApiKey> for KeyView {
    fn from(key: &ApiKey) -> Self {
        let ApiKey { id, name, prefix, scopes, created_at, .. } = key.clone();
        Self { id, name, prefix, scopes: scopes.iter().collect(), created_at }
    }
}

/// The creator of a key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KeyCreator")]
pub struct KeyCreatorView {
    /// `operator` or `person`.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// The person's id.
    pub id: Option<PersonId>,
    /// The person's name. It is null if the person no longer exists.
    pub name: Option<String>,
}

impl KeyCreatorView {
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
    /// The fields that integrations see.
    #[serde(flatten)]
    pub key: KeyView,
    /// The creator of the key.
    pub created_by: KeyCreatorView,
    /// The time of the last use, rounded down to the minute.
    pub last_used_at: Option<Timestamp>,
    /// The time of the revocation.
    pub revoked_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CreatedKeyView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub descriptor: KeyView,
    /// The creator of the key.
    pub created_by: KeyCreatorView,
}

/// A key that was just created. Only this response shows the whole key. If the request is repeated, the response does
/// not contain it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewApiKey")]
pub struct NewKeyView {
    /// The fields without the key itself. The entity tag depends only on these fields.
    #[serde(flatten)]
    pub created: CreatedKeyView,
    /// The whole key. It is null in a repeated response, because only the hash of a key is stored.
    pub key: Option<String>,
}
