//! Who may come in: what an API key opens.

use std::sync::Arc;

use super::Engine;
use crate::credentials::Credential;
use crate::domain::ApiKey;
use crate::error::EngineError;
use crate::principals::Principal;
use crate::store::keys;

impl Engine {
    /// What a key opens, or `None` when it is unknown or revoked. Notes its use.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn authenticate(&self, credential: &Credential) -> Result<Option<Arc<Principal>>, EngineError> {
        let store = &self.shared.store;
        let Some(principal) = self.shared.principals.read(store, credential.prefix_chars())? else {
            // That its business was ended is shown only once it is on the disk.
            if let Some(key) = store.get::<ApiKey>(&keys::api_key(credential.prefix_chars()))? {
                store.settled(key.business_id).await?;
            }
            return Ok(None);
        };
        if !credential.matches(&principal.key.hash) {
            return Ok(None);
        }
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
