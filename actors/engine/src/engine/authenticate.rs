//! Authentication of API keys.

use std::sync::Arc;

use domain::ApiKey;
use store::{StoreError, keys};

use super::Engine;
use crate::credentials::Credential;
use crate::error::EngineError;
use crate::principals::Principal;

impl Engine {
    /// The principal of an API key. `None` for an unknown or revoked key. Records the use of the key.
    pub async fn authenticate(&self, credential: &Credential) -> Result<Option<Arc<Principal>>, EngineError> {
        let store = &self.shared().store;
        store.check()?;
        let prefix = credential.prefix_chars();
        let principal = match self.parts.businesses.principals.read(store, prefix) {
            // Only the caller with a valid key learns that the business is set aside.
            Err(error @ StoreError::BusinessSetAside { .. }) => {
                let key = store.get::<ApiKey>(&keys::api_key(prefix))?;
                let is_valid =
                    key.is_some_and(|key| credential.matches(&key.hash) && key.revoked_at.is_none());
                return if is_valid { Err(error.into()) } else { Ok(None) };
            }
            read => read?,
        };
        let principal = principal.filter(|principal| {
            credential.matches(&principal.key.hash) && principal.key.revoked_at.is_none()
        });
        if let Some(principal) = &principal {
            self.shared().check_business(principal.key.business_id)?;
            self.parts.businesses.key_usage.note(principal.key.id, self.now());
        }
        Ok(principal)
    }
}
