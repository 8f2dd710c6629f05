//! What an attempt goes by: the endpoint's record, and whether its business is let in.
//!
//! What always holds: what leaves this machine goes by nothing that a crash could take back, and by nothing that was
//! answered to be otherwise before it leaves.

use super::EndpointKey;
use crate::domain::{Business, BusinessId, WebhookEndpoint};
use crate::store::{Store, StoreError, keys};

/// How many syncs a reader waits for while what it reads changes with each of them.
const ROUNDS_MAX: usize = 8;

/// An endpoint as an attempt to it finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Its record.
    pub(super) endpoint: WebhookEndpoint,
    /// Whether its business is suspended.
    pub(super) suspended: bool,
}

impl Target {
    /// The endpoint as it is now, on the disk or not, unless it was deleted.
    pub(super) fn read(store: &Store, key: EndpointKey) -> Result<Option<Self>, StoreError> {
        let Some(endpoint) = store.get::<WebhookEndpoint>(&keys::webhook(key.business, key.endpoint))? else {
            return Ok(None);
        };
        let business = store.get::<Business>(&keys::profile(key.business))?;
        Ok(Some(Self { endpoint, suspended: business.is_some_and(|business| business.suspended) }))
    }
}

/// What a read gives that is the newest and on the disk as well; `None` when it has changed with each of
/// [`ROUNDS_MAX`] syncs.
///
/// Waiting for the disk settles what was read before the wait, and what is read behind it may be newer: so it is read
/// until it is the same on both sides of a wait, or nothing of the business is on its way to the disk.
///
/// # Errors
/// The store's failure.
pub(super) async fn settled<T: PartialEq>(
    store: &Store,
    business: BusinessId,
    read: impl Fn(&Store) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut before = read(store)?;
    for _ in 0..ROUNDS_MAX {
        // Asked after the read: what is read later may have been submitted later.
        if store.is_settled(business) {
            return Ok(Some(before));
        }
        store.settled(business).await?;
        let behind = read(store)?;
        if behind == before {
            return Ok(Some(behind));
        }
        before = behind;
    }
    Ok(None)
}
