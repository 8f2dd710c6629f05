//! Who may come in: what an API key opens.

use std::sync::Arc;

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
        let principal = self.shared.principals.read(store, credential.prefix_chars())?;
        let principal = principal.filter(|principal| {
            credential.matches(&principal.key.hash) && principal.key.revoked_at.is_none()
        });
        if let Some(principal) = &principal {
            self.shared.key_usage.note(principal.key.id, self.now());
        }
        Ok(principal)
    }
}
