//! API keys, which stand with those of all businesses.

use domain::{ApiKey, BusinessId, KeyId};

use super::installation_kind;
use super::kind;
use super::parts::{of_id, start};
use crate::{Key, StoreError};

/// A key of the business, which leads to its record among the installation's.
pub fn key(business: BusinessId, id: KeyId) -> Key {
    of_id(business, kind::KEY, id)
}

/// The record of an API key, by the 8 characters of its prefix.
pub fn api_key(prefix: [u8; 8]) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::API_KEY).with(&prefix).with(&[0; 8])
}

/// The 8 characters under which an API key is kept: the last of its visible prefix.
///
/// # Panics
/// When the prefix is shorter, which that of a key that was minted never is.
pub fn api_key_prefix(key: &ApiKey) -> [u8; 8] {
    match key.prefix.as_bytes().last_chunk() {
        Some(prefix) => *prefix,
        None => panic!("the prefix of API key {} is too short", key.id),
    }
}

/// The 8 characters in the value of a [`key`] row.
///
/// # Errors
/// [`StoreError::Damaged`] when it has not 8 bytes.
pub fn prefix_from_value(value: &[u8]) -> Result<[u8; 8], StoreError> {
    value.try_into().map_err(|_| StoreError::damaged("api_key", "its row has not 8 bytes"))
}

/// When an API key was last used.
pub fn key_used(id: KeyId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::KEY_USED, id)
}
