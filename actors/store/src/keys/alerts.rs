//! Alerts, by person and number.

use domain::{BusinessId, PersonId};

use super::kind;
use super::parts::of_id;
use crate::{Key, KeyRange, StoreError};

pub fn alert(of: BusinessId, person: PersonId, number: u64) -> Key {
    of_id(of, kind::ALERT, person).with(&number.to_be_bytes())
}

/// The alerts of a person, oldest first.
pub fn alerts(of: BusinessId, person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(of, kind::ALERT, person))
}

/// The number up to which a person has read all alerts.
pub fn alerts_read(of: BusinessId, person: PersonId) -> Key {
    of_id(of, kind::ALERTS_READ, person)
}

/// Returns [`StoreError::Damaged`] when it is no such key. The other functions that read a key or a value do the same.
pub fn alert_at(key: &[u8]) -> Result<(PersonId, u64), StoreError> {
    let damaged = || StoreError::damaged("key", "it is too short to end with a person and a number");
    let (person, number) = key.split_last_chunk().ok_or_else(damaged)?;
    Ok((super::id_at_end(person)?, u64::from_be_bytes(*number)))
}
