//! What an attempt goes by: the endpoint's record, and whether its business is let in.
//!
//! What always holds: what leaves this machine goes by nothing that a crash could take back, and by nothing that was
//! answered to be otherwise before it leaves.

use std::sync::atomic::{AtomicU64, Ordering};

use super::key::EndpointKey;
use crate::domain::{Business, BusinessId, WebhookEndpoint};
use crate::store::{Store, StoreError, keys, unless_set_aside};

/// How many syncs a reader waits for while what it reads changes with each of them.
const ROUNDS_MAX: usize = 8;

/// An endpoint as an attempt to it finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Its record.
    pub(super) endpoint: WebhookEndpoint,
    /// Whether its business is suspended, or does not decode: then nobody knows whether it is.
    pub(super) suspended: bool,
}

impl Target {
    /// The endpoint as it is now, on the disk or not, unless it was deleted.
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

/// What a read gives that is the newest and on the disk as well; `None` when it has changed with each of
/// [`ROUNDS_MAX`] syncs.
///
/// Waiting for the disk settles what was read before the wait, and what is read behind it may be newer: so it is read
/// until it is the same on both sides of a wait, or nothing of the business is on its way to the disk. `before` is what
/// it gave when whatever else is to be settled had not been read yet. What came of attempts is not waited for: nobody
/// attempts a delivery while the outcome of its last attempt is on its way.
///
/// # Errors
/// The store's failure.
pub(super) async fn settled<T: PartialEq>(
    store: &Store,
    business: BusinessId,
    mut before: T,
    read: impl Fn(&Store) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    for _ in 0..ROUNDS_MAX {
        // What was submitted before this is on the disk; whether that is what was read, the next read tells.
        if !store.is_settled_to_send(business) {
            store.settled_to_send(business).await?;
        }
        let behind = read(store)?;
        if behind == before {
            return Ok(Some(behind));
        }
        before = behind;
    }
    Ok(None)
}
