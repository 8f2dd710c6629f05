//! People and API keys, which are rows of the installation, memberships, which have rows in both places, and alerts.

use domain::{ApiKey, BusinessId, KeyId, PersonId, ResourceId};

use super::parts::{digest, id_at_end, of_id, start};
use super::{installation_kind, kind};
use crate::{Key, KeyRange, StoreError};

pub fn membership(business: BusinessId, person: PersonId) -> Key {
    of_id(business, kind::MEMBERSHIP, person)
}

pub fn member_of(person: PersonId, business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person).with(business.uuid().as_bytes())
}

pub fn memberships_of(person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person))
}

pub fn person(id: PersonId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::PERSON, id)
}

/// The person with this e-mail address in lower case. The key contains a hash, so the caller compares the record.
pub fn person_by_email(email: &str) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::PERSON_BY_EMAIL).with(&digest(email))
}

pub fn person_by_token(hash: &[u8; 32]) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::PERSON_BY_TOKEN).with(hash)
}

/// The lane of the committer for the changes of a person.
pub fn lane_of(person: PersonId) -> BusinessId {
    person.uuid().into()
}

pub fn alert(of: BusinessId, person: PersonId, number: u64) -> Key {
    of_id(of, kind::ALERT, person).with(&number.to_be_bytes())
}

/// The alerts of a person, oldest first.
pub fn alerts(of: BusinessId, person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(of, kind::ALERT, person))
}

pub fn alerts_read(of: BusinessId, person: PersonId) -> Key {
    of_id(of, kind::ALERTS_READ, person)
}

/// Returns [`StoreError::Damaged`] when the bytes are not such a key. The other functions that read a key or
/// a value do the same.
pub fn alert_at(key: &[u8]) -> Result<(PersonId, u64), StoreError> {
    let damaged = || StoreError::damaged("key", "it is too short to end with a person and a number");
    let (person, number) = key.split_last_chunk().ok_or_else(damaged)?;
    Ok((id_at_end(person)?, u64::from_be_bytes(*number)))
}

pub fn key(business: BusinessId, id: KeyId) -> Key {
    of_id(business, kind::KEY, id)
}

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
    value.try_into().map_err(|_| StoreError::damaged("api_key", "its row does not have 8 bytes"))
}

pub fn key_used(id: KeyId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::KEY_USED, id)
}
