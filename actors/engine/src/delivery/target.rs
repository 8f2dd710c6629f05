//! What an attempt goes by: the endpoint's record, and whether its business is let in.
//!
//! What always holds: what leaves this machine goes by nothing that a crash could take back, and by nothing that was
//! answered to be otherwise before it leaves.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Business, BusinessId, WebhookEndpoint};
use store::{Store, StoreError, keys, unless_set_aside};

use super::key::EndpointKey;

/// An endpoint as an attempt to it finds it.
#[derive(Debug)]
pub(super) struct Target {
    /// Its record.
    pub(super) endpoint: WebhookEndpoint,
    /// Whether its business is suspended, or does not decode: then nobody knows whether it is.
    pub(super) suspended: bool,
}

impl Target {
    /// The endpoint as it is now, unless it was deleted.
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

/// Whether a business is suspended, as its profile said when it was read last. It is read again only once a profile or
/// a key was written: an attempt needs one look-up less.
#[derive(Debug)]
pub(super) struct Suspended(AtomicU64);

impl Default for Suspended {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX)) // as of a generation that is not reached
    }
}

impl Suspended {
    fn read(&self, store: &Store, business: BusinessId) -> Result<bool, StoreError> {
        let generation = store.credentials_generation(); // before what it stands for
        let kept = self.0.load(Ordering::Relaxed);
        if kept >> 1 == generation {
            return Ok(kept & 1 == 1);
        }
        let profile = unless_set_aside(store.get::<Business>(&keys::profile(business)))?;
        let suspended = profile.is_none_or(|profile| profile.is_some_and(|profile| profile.suspended));
        self.0.store(generation << 1 | u64::from(suspended), Ordering::Relaxed);
        Ok(suspended)
    }
}
