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
        let principal = self.shared.principals.read(store, credential.prefix_chars())?;
        let Some(principal) = principal.filter(|principal| credential.matches(&principal.key.hash)) else {
            return Ok(None);
        };
        let Principal { key, business } = &*principal;
        if key.revoked_at.is_some() || business.suspended {
            // Being shut out is shown only once it is on the disk. Whoever is let in sees nothing of either record
            // here, and need not wait for the changes of others.
            store.settled(key.business_id).await?;
        }
        if key.revoked_at.is_some() {
            return Ok(None);
        }
        self.shared.key_usage.note(key.id, self.now());
        Ok(Some(principal))
    }
}
