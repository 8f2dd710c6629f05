//! A cache of decoded credentials, such as API keys and sessions, with the rows from which they were decoded.
//!
//! Invariant: a returned value includes every change that was acknowledged before the request. An entry is
//! valid until the store's credentials generation (a counter of changes to credentials) increases. After that, the rows
//! are read again. They are decoded again only if they have changed.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use store::{Store, StoreError};

/// The maximum number of entries. A further entry clears the cache.
pub(crate) const CACHED_MAX: usize = 16_384;

struct Cached<R, V> {
    rows: R,
    generation: AtomicU64,
    value: Arc<V>,
}

pub(crate) struct CredentialCache<K, R, V>(DashMap<K, Arc<Cached<R, V>>>);

impl<K: Eq + Hash, R, V> Default for CredentialCache<K, R, V> {
    fn default() -> Self {
        Self(DashMap::new())
    }
}

impl<K: Eq + Hash, R: PartialEq, V> CredentialCache<K, R, V> {
    pub(crate) fn get(
        &self,
        (key, store): (K, &Store),
        read: impl FnOnce() -> Result<Option<R>, StoreError>,
        decode: impl FnOnce(&R) -> Result<Option<V>, StoreError>,
    ) -> Result<Option<Arc<V>>, StoreError> {
        // The generation is read before the rows. If the rows change between these two reads, the new entry has an
        // outdated generation, so it is never used.
        let generation = store.credentials_generation();
        let cached = self.0.get(&key).map(|cached| Arc::clone(&cached));
        if let Some(cached) = &cached
            && cached.generation.load(Ordering::Acquire) == generation
        {
            return Ok(Some(Arc::clone(&cached.value)));
        }
        let Some(rows) = read()? else {
            self.0.remove(&key);
            return Ok(None);
        };
        if let Some(cached) = cached.filter(|cached| cached.rows == rows) {
            cached.generation.fetch_max(generation, Ordering::AcqRel);
            return Ok(Some(Arc::clone(&cached.value)));
        }
        let Some(value) = decode(&rows)?.map(Arc::new) else { return Ok(None) };
        if self.0.len() >= CACHED_MAX {
            self.0.clear();
        }
        let cached = Cached { rows, generation: generation.into(), value: Arc::clone(&value) };
        self.0.insert(key, Arc::new(cached));
        Ok(Some(value))
    }
}
