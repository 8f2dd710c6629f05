//! What keys open, decoded once. What always holds: a principal that is given is never older than what was acknowledged
//! before it was asked for; nothing has to be forgotten when a key is revoked or a business changes.
//!
//! While nothing was written in the store that says whom a key lets in, what was read of it before is still so. After
//! that the two rows are read again, and decoded again only when they differ from those it was decoded from.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;

use crate::domain::{ApiKey, Business};
use crate::store::{Record, Store, StoreError, keys};

/// How many keys are remembered; with more, all are forgotten and those in use come back.
const KNOWN_MAX: usize = 16_384;

/// A key that a request carried, and what it opens.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The key.
    pub key: ApiKey,
    /// Its business.
    pub business: Business,
}

/// A principal, and the rows that it was decoded from.
struct Known {
    key_row: Vec<u8>,
    business_row: Vec<u8>,
    /// The credentials' generation in which the rows were these.
    generation: AtomicU64,
    principal: Arc<Principal>,
}

/// The principals that were asked for.
#[derive(Default)]
pub(crate) struct Principals(DashMap<[u8; 8], Arc<Known>>);

impl Principals {
    /// What the key with these 8 characters opens, if there is one. Whether it is the very key is not looked at.
    pub(crate) fn read(&self, store: &Store, prefix: [u8; 8]) -> Result<Option<Arc<Principal>>, StoreError> {
        // Before anything is read: what is applied later makes the number another one before anyone is told of it.
        let generation = store.credentials_generation();
        let known = self.0.get(&prefix).map(|known| Arc::clone(&known));
        if let Some(known) =
            known.as_ref().filter(|known| known.generation.load(Ordering::Acquire) == generation)
        {
            return Ok(Some(Arc::clone(&known.principal)));
        }
        let Some(key_row) = store.get_raw(&keys::api_key(prefix))? else { return Ok(None) };
        let known = known.filter(|known| known.key_row == key_row);
        let at = keys::api_key(prefix);
        let fresh = if known.is_none() { Some(store.checked(&at, ApiKey::decode(&key_row))?) } else { None };
        let key = fresh.as_ref().or(known.as_ref().map(|known| &known.principal.key));
        let key = key.expect("one of the two is there");
        let profile = keys::profile(key.business_id);
        let Some(business_row) = store.get_raw(&profile)? else {
            // One that was ended lets nobody in while its rows go, the key's among them.
            let is_ended = store.contains(&keys::ending(key.business_id))?;
            if is_ended || !store.contains(&keys::api_key(prefix))? {
                return Ok(None);
            }
            return Err(StoreError::damaged("api_key", "its business is not there"));
        };
        if let Some(known) = known.as_ref().filter(|known| known.business_row == business_row) {
            known.generation.fetch_max(generation, Ordering::AcqRel);
            return Ok(Some(Arc::clone(&known.principal)));
        }
        let business = store.checked(&profile, Business::decode(&business_row))?;
        let principal = Arc::new(Principal { key: key.clone(), business });
        if self.0.len() >= KNOWN_MAX {
            self.0.clear();
        }
        let known =
            Known { key_row, business_row, generation: generation.into(), principal: Arc::clone(&principal) };
        self.0.insert(prefix, Arc::new(known));
        Ok(Some(principal))
    }
}
