//! Work in steps, rows that expire, and rows about the whole store.

use domain::{BusinessId, ContactId, EventId, SteadyTime, Timestamp};

use super::parts::{of_id, of_kind, ordered, start};
use super::{installation_kind, kind};
use crate::{Key, KeyRange, StoreError};

pub fn erasure(business: BusinessId, contact: ContactId) -> Key {
    of_id(business, kind::ERASURE, contact)
}

pub fn erasing(business: BusinessId) -> Key {
    start(business, kind::ERASING).with(&[0; 16])
}

pub fn wipe(business: BusinessId, event: EventId) -> Key {
    of_id(business, kind::WIPE, event)
}

pub fn ending(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::ENDING, business)
}

pub fn unfinished(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::UNFINISHED, business)
}

/// The remembered response to a request of this day of steady time, by the hash of its idempotency key.
pub fn idempotency(business: BusinessId, day: u32, hash: &[u8; 32]) -> Key {
    start(business, kind::IDEMPOTENCY).with(&day.to_be_bytes()).with(hash)
}

pub fn idempotency_before(business: BusinessId, day: u32) -> KeyRange {
    let of_kind = of_kind(business, kind::IDEMPOTENCY);
    of_kind.before(start(business, kind::IDEMPOTENCY).with(&day.to_be_bytes()))
}

pub fn idempotency_from(business: BusinessId, day: u32) -> KeyRange {
    let of_kind = of_kind(business, kind::IDEMPOTENCY);
    of_kind.starting_at(start(business, kind::IDEMPOTENCY).with(&day.to_be_bytes()))
}

pub fn day_and_hash(key: &[u8]) -> Result<(u32, [u8; 32]), StoreError> {
    match key.last_chunk::<36>().and_then(|tail| tail.split_first_chunk::<4>()) {
        Some((day, hash)) => Ok((u32::from_be_bytes(*day), hash.try_into().unwrap_or([0; 32]))),
        None => Err(StoreError::damaged("key", "it is too short to end with a day and a hash")),
    }
}

pub fn age(business: BusinessId, at: SteadyTime) -> Key {
    start(business, kind::AGE).with(&ordered(Timestamp::from_millis(at.millis())))
}

/// The points of steady time up to `at`, inclusive, whose newest id is known.
pub fn ages_until(business: BusinessId, at: SteadyTime) -> KeyRange {
    of_kind(business, kind::AGE).before(age(business, at).with(&[0]))
}

pub fn age_at(key: &[u8]) -> Result<SteadyTime, StoreError> {
    let Some(at) = key.last_chunk::<8>() else {
        return Err(StoreError::damaged("key", "it is too short to end with a point of time"));
    };
    Ok(SteadyTime::from_millis((u64::from_be_bytes(*at) ^ 1 << 63) as i64))
}

pub fn repair_part(business: BusinessId, number: u32) -> Key {
    start(business, kind::REPAIR).with(&number.to_be_bytes())
}

pub fn repair() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::REPAIR).with(&[0; 16])
}

/// A business that is being imported. The nil UUID means that all of them are valid and durable.
pub fn moving(business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::MOVING, business)
}

pub fn clock() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::CLOCK).with(&[0; 16])
}

pub fn round() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::ROUND).with(&[0; 16])
}

pub fn upgrade() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::UPGRADE).with(&[0; 16])
}

pub fn meta() -> Key {
    start(BusinessId::INSTALLATION, installation_kind::META).with(&[0; 16])
}
