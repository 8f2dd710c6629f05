//! A cache of decoded API keys and their businesses.
//!
//! Invariant: a returned principal is never older than any change that was acknowledged before the request.
//! An entry is valid while the store's credentials generation is unchanged. After that the two rows are read
//! again, and decoded only if they differ.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use domain::{ApiKey, Business};
use store::{Store, StoreError, keys};

/// The maximum number of entries. One more clears the cache.
const CACHED_MAX: usize = 16_384;

#[derive(Clone, Debug)]
pub struct Principal {
    pub key: ApiKey,
    pub business: Business,
}

struct Cached {
    key_row: Vec<u8>,
    business_row: Vec<u8>,
    /// The credentials generation at which the rows were read.
    generation: AtomicU64,
    principal: Arc<Principal>,
}

#[derive(Default)]
pub(crate) struct Principals(DashMap<[u8; 8], Arc<Cached>>);

impl Principals {
    /// The principal for these 8 characters. The caller compares the secret.
    pub(crate) fn read(&self, store: &Store, prefix: [u8; 8]) -> Result<Option<Arc<Principal>>, StoreError> {
        // Read first: a later change increases the generation before it is acknowledged.
        let generation = store.credentials_generation();
        let cached = self.0.get(&prefix).map(|cached| Arc::clone(&cached));
        if let Some(cached) =
            cached.as_ref().filter(|cached| cached.generation.load(Ordering::Acquire) == generation)
        {
            return Ok(Some(Arc::clone(&cached.principal)));
        }
        let Some(key_row) = store.get_raw(&keys::api_key(prefix))? else { return Ok(None) };
        let cached = cached.filter(|cached| cached.key_row == key_row);
        let at = keys::api_key(prefix);
        let fresh = if cached.is_none() { Some(store.get_in::<ApiKey>(&at, &key_row)?) } else { None };
        let key = fresh.as_ref().or(cached.as_ref().map(|cached| &cached.principal.key));
        let key = key.expect("one of the two is there");
        let profile = keys::profile(key.business_id);
        let Some(business_row) = store.get_raw(&profile)? else {
            // The rows of an ended business, including its keys, are deleted later.
            let is_ended = store.contains(&keys::ending(key.business_id))?;
            if is_ended || !store.contains(&keys::api_key(prefix))? {
                return Ok(None);
            }
            return Err(StoreError::damaged("api_key", "the business of the key is missing"));
        };
        if let Some(cached) = cached.as_ref().filter(|cached| cached.business_row == business_row) {
            cached.generation.fetch_max(generation, Ordering::AcqRel);
            return Ok(Some(Arc::clone(&cached.principal)));
        }
        let business = store.get_in::<Business>(&profile, &business_row)?;
        let principal = Arc::new(Principal { key: key.clone(), business });
        if self.0.len() >= CACHED_MAX {
            self.0.clear();
        }
        let cached = Cached {
            key_row,
            business_row,
            generation: generation.into(),
            principal: Arc::clone(&principal),
        };
        self.0.insert(prefix, Arc::new(cached));
        Ok(Some(principal))
    }
}
