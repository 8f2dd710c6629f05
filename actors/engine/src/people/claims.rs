//! Who may write the row of an e-mail address.
//!
//! What always holds: one at a time of an address, and until what was written is on the disk; so whoever has the claim
//! reads in the store whose the address is, and nobody else writes another answer meanwhile. A claim is handed to each
//! change that is made under it ([`Held`]), so it lasts until the commit although the caller goes away.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::actor::Held;

/// How many claims there are; addresses share them by their hashes.
const CLAIMS: usize = 256;

/// The claims on all addresses.
pub(crate) struct Claims(Vec<Arc<Mutex<()>>>);

impl Default for Claims {
    fn default() -> Self {
        Self((0..CLAIMS).map(|_| Arc::default()).collect())
    }
}

impl Claims {
    /// Waits for the claim on these addresses, in lower case. It lasts until the last copy is dropped.
    pub(crate) async fn on(&self, emails: &[&str]) -> Held {
        let mut places: Vec<_> =
            emails.iter().map(|email| usize::from(Sha256::digest(email)[0]) % CLAIMS).collect();
        // Everybody takes them in one order, each once.
        places.sort_unstable();
        places.dedup();
        let mut held: Vec<OwnedMutexGuard<()>> = Vec::new();
        for place in places {
            held.push(Arc::clone(&self.0[place]).lock_owned().await);
        }
        Held::new(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_address_is_claimed_by_one_at_a_time() {
        let claims = Claims::default();
        let claim = claims.on(&["a@example.com", "b@example.com", "a@example.com"]).await;
        let wait = std::time::Duration::from_secs(1);
        assert!(tokio::time::timeout(wait, claims.on(&["b@example.com"])).await.is_err());
        drop(claim);
        tokio::time::timeout(wait, claims.on(&["b@example.com"])).await.unwrap();
    }
}
