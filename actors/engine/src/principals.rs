//! A cache of API keys with their businesses.

use std::sync::Arc;

use domain::{ApiKey, Business};
use store::{Store, StoreError, keys};

use crate::credential_cache::CredentialCache;

#[derive(Clone, Debug)]
pub struct Principal {
    pub key: ApiKey,
    pub business: Business,
}

#[derive(Default)]
pub(crate) struct Principals(CredentialCache<[u8; 8], [Vec<u8>; 2], Principal>);

impl Principals {
    /// The principal of the key with this prefix. The caller must compare the key's secret.
    pub(crate) fn read(&self, store: &Store, prefix: [u8; 8]) -> Result<Option<Arc<Principal>>, StoreError> {
        let at = keys::api_key(prefix);
        let decode_key = |row: &[u8]| store.get_in::<ApiKey>(&at, row);
        let read = || {
            let Some(key_row) = store.get_raw(&at)? else { return Ok(None) };
            let of = decode_key(&key_row)?.business_id;
            if let Some(business_row) = store.get_raw(&keys::profile(of))? {
                return Ok(Some([key_row, business_row]));
            }
            // While a business is being deleted, its profile may be deleted before its keys. These keys count
            // as missing.
            if store.contains(&keys::ending(of))? || !store.contains(&at)? {
                return Ok(None);
            }
            Err(StoreError::damaged("api_key", "the business of the key is missing"))
        };
        let decode = |[key, business]: &[Vec<u8>; 2]| {
            let key = decode_key(key)?;
            let business = store.get_in::<Business>(&keys::profile(key.business_id), business)?;
            Ok(Some(Principal { key, business }))
        };
        self.0.get((prefix, store), read, decode)
    }
}
