//! API keys. Their records are rows of the installation.

use domain::{ApiKey, BusinessId, KeyId};

use super::installation_kind;
use super::kind;
use super::parts::{of_id, start};
use crate::{Key, StoreError};

/// A row of the business that refers to the key's record.
pub fn key(business: BusinessId, id: KeyId) -> Key {
    of_id(business, kind::KEY, id)
}

/// The record of an API key, by the last 8 characters of its visible prefix.
pub fn api_key(prefix: [u8; 8]) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::API_KEY).with(&prefix).with(&[0; 8])
}

/// The last 8 characters of the visible prefix. Panics when the prefix is shorter, which no issued key has.
pub fn api_key_prefix(key: &ApiKey) -> [u8; 8] {
    match key.prefix.as_bytes().last_chunk() {
        Some(prefix) => *prefix,
        None => panic!("the prefix of API key {} is too short", key.id),
    }
}

/// The 8 characters in the value of a [`key`] row.
pub fn prefix_from_value(value: &[u8]) -> Result<[u8; 8], StoreError> {
    value.try_into().map_err(|_| StoreError::damaged("api_key", "its row has not 8 bytes"))
}

pub fn key_used(id: KeyId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::KEY_USED, id)
}
