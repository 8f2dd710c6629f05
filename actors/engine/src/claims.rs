//! A *claim* is an exclusive lock on the index row of an email address, or of the slug of a booking page.
//!
//! Invariant: only one task at a time has the claim on an address or slug. A change that assigns an address or slug
//! holds the claim until the change is durable, even if the caller is cancelled. Until then, no other change can assign
//! the same address or slug.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::actor::Claim;

/// The number of locks. Addresses and slugs whose hashes have the same first byte share a lock.
const CLAIMS: usize = 256;

#[derive(Clone)]
pub(crate) struct Claims(Vec<Arc<Mutex<()>>>);

impl Default for Claims {
    fn default() -> Self {
        Self((0..CLAIMS).map(|_| Arc::default()).collect())
    }
}

impl Claims {
    /// Waits for the claims on these addresses or slugs, which are in lower case. The claims last until the
    /// returned value and all its copies are dropped.
    pub(crate) async fn on(&self, names: &[&str]) -> Claim {
        let mut places: Vec<_> =
            names.iter().map(|name| usize::from(Sha256::digest(name)[0]) % CLAIMS).collect();
        // Each claim is taken once, and all callers take claims in the same order, so they never deadlock.
        places.sort_unstable();
        places.dedup();
        let mut held: Vec<OwnedMutexGuard<()>> = Vec::new();
        for place in places {
            held.push(Arc::clone(&self.0[place]).lock_owned().await);
        }
        Claim::new(held)
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
