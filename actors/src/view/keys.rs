//! API keys.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{ApiKey, KeyId, Scope, Timestamp};

/// A key as `GET /me` describes it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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

/// A key as the operator sees it in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorApiKey")]
pub struct OperatorKeyView {
    /// Its descriptor.
    #[serde(flatten)]
    pub key: KeyView,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A key at the moment of its creation, the only time that it is shown whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewApiKey")]
pub struct NewKeyView {
    /// Its descriptor.
    #[serde(flatten)]
    pub descriptor: KeyView,
    /// The key itself.
    pub key: String,
}
