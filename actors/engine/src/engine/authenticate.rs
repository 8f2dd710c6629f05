//! Who may come in: what an API key opens.

use std::sync::Arc;

use domain::ApiKey;
use store::{StoreError, keys};

use super::Engine;
use crate::credentials::Credential;
use crate::error::EngineError;
use crate::principals::Principal;

impl Engine {
    /// What a key opens, or `None` when it is unknown or revoked. Notes its use.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn authenticate(&self, credential: &Credential) -> Result<Option<Arc<Principal>>, EngineError> {
        let store = &self.shared.store;
        store.check()?;
        let prefix = credential.prefix_chars();
        let principal = match self.shared.principals.read(store, prefix) {
            // Only a valid key learns that the business has failed.
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
            self.shared.check_business(principal.key.business_id)?;
            self.shared.key_usage.note(principal.key.id, self.now());
        }
        Ok(principal)
    }
}
