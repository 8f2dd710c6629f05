//! The endpoint's record and its business's suspension, as an attempt reads them.
//!
//! Invariant: an attempt uses only durable values, and no value that an acknowledged change has replaced.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Business, BusinessId, WebhookEndpoint};
use store::{Store, StoreError, keys};

use super::key::EndpointKey;

#[derive(Debug)]
pub(super) struct Target {
    pub(super) endpoint: WebhookEndpoint,
    /// Also true if the profile cannot be decoded, because it is then unknown whether the business is
    /// suspended.
    pub(super) suspended: bool,
}

impl Target {
    /// The current endpoint, unless it was deleted.
    pub(super) fn read(
        store: &Store,
        key: EndpointKey,
        suspended: &Suspended,
    ) -> Result<Option<Self>, StoreError> {
        let endpoint = store.get::<WebhookEndpoint>(&keys::webhook(key.business, key.endpoint))?;
        let Some(endpoint) = endpoint else { return Ok(None) };
        Ok(Some(Self { endpoint, suspended: suspended.read(store, key.business)? }))
    }
}

/// A cached suspension flag. The profile is read again only after a profile or a key was written, which saves
/// one lookup per attempt.
#[derive(Debug)]
pub(super) struct Suspended(AtomicU64);

impl Default for Suspended {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX)) // a generation that is never reached
    }
}

impl Suspended {
    fn read(&self, store: &Store, business: BusinessId) -> Result<bool, StoreError> {
        let generation = store.credentials_generation(); // read before the value that it covers
        let kept = self.0.load(Ordering::Relaxed);
        if kept >> 1 == generation {
            return Ok(kept & 1 == 1);
        }
        let profile = store.look::<Business>(&keys::profile(business))?;
        let suspended = profile.is_none_or(|profile| profile.is_some_and(|profile| profile.suspended));
        self.0.store(generation << 1 | u64::from(suspended), Ordering::Relaxed);
        Ok(suspended)
    }
}
