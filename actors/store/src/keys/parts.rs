//! The parts of keys and index values, and their decoding.

use chrono::{Datelike, NaiveDate};
use domain::{BusinessId, ResourceId, SteadyTime, Timestamp};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{earlier, installation_kind, kind};
use crate::{Key, KeyRange, StoreError};

pub(super) fn start(business: BusinessId, kind: u8) -> Key {
    Key::new(business.uuid().as_bytes()).with(&[kind])
}

pub(super) trait Part {
    fn append(&self, key: Key) -> Key;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {$(
        impl Part for domain::$id {
            fn append(&self, key: Key) -> Key {
                key.with(self.uuid().as_bytes())
            }
        }
    )*};
}
domain::each_id!(ids);

macro_rules! parts {
    ($($type:ty: |$it:ident| $bytes:expr;)*) => {$(
        impl Part for $type {
            fn append(&self, key: Key) -> Key {
                let $it = *self;
                key.with(&$bytes)
            }
        }
    )*};
}
parts! {
    Timestamp: |instant| ordered(instant);
    SteadyTime: |at| ordered(Timestamp::from_millis(at.millis()));
    NaiveDate: |date| ordered_date(date);
    &str: |text| digest(text);
    &[u8; 32]: |hash| hash[..];
    u32: |number| number.to_be_bytes();
    u64: |number| number.to_be_bytes();
}

pub(super) fn key_of(business: BusinessId, kind: u8, parts: &[&dyn Part]) -> Key {
    let start = start(business, kind);
    if parts.is_empty() {
        start.with(&[0; 16])
    } else {
        parts.iter().fold(start, |key, part| part.append(key))
    }
}

pub fn of_id(business: BusinessId, kind: u8, id: impl ResourceId) -> Key {
    start(business, kind).with(id.uuid().as_bytes())
}

/// Encodes an instant, so that the bytes sort in the order of time.
pub(super) fn ordered(instant: Timestamp) -> [u8; 8] {
    (instant.millis() as u64 ^ 1 << 63).to_be_bytes()
}

/// Encodes a date as a count of days, followed by zeros, so that the bytes sort in the order of time.
fn ordered_date(date: NaiveDate) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(date.num_days_from_ce() as u32 ^ 1 << 31).to_be_bytes());
    bytes
}

/// Returns the key of a record of this kind. If the keys of this kind have room for an instant and an id, the key ends
/// with both. Otherwise it ends with the id only.
pub fn record(business: BusinessId, kind: u8, instant: Timestamp, id: impl ResourceId) -> Key {
    let key = of_instant(start(business, kind), instant, id);
    if has_width(&key, kind) { key } else { of_id(business, kind, id) }
}

pub(super) fn of_instant(prefix: Key, instant: Timestamp, id: impl ResourceId) -> Key {
    prefix.with(&ordered(instant)).with(id.uuid().as_bytes())
}

/// Returns the range of keys with instants in `from..to`. If `to` is `Timestamp::MAX`, the range includes it.
pub(super) fn within(prefix: Key, from: Timestamp, to: Timestamp) -> KeyRange {
    let from = prefix.with(&ordered(from));
    if to == Timestamp::MAX {
        return KeyRange { from, ..KeyRange::prefix(prefix) };
    }
    KeyRange { from, to: prefix.with(&ordered(to)) }
}

/// Returns the range of keys whose id was created in `from..until`. An id contains the time of its creation.
pub(super) fn minted(prefix: Key, from: Option<Timestamp>, until: Option<Timestamp>) -> KeyRange {
    let all = KeyRange::prefix(prefix);
    let at = |instant: Timestamp| {
        let millis = u64::try_from(instant.millis()).unwrap_or(0).min((1 << 48) - 1);
        prefix.with(&millis.to_be_bytes()[2..])
    };
    let range = from.map_or(all, |from| all.starting_at(at(from)));
    until.map_or(range, |until| range.before(at(until)))
}

/// Hashes a text, so that all keys of a kind have the same length.
pub(super) fn digest(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&Sha256::digest(text)[..16]);
    short
}

/// Returns a hash of a phone number or an email address, for rows that must not contain the number or address itself.
pub fn identifier_digest(identifier: &str) -> [u8; 16] {
    digest(identifier)
}

pub fn all(business: BusinessId) -> KeyRange {
    KeyRange::prefix(Key::new(business.uuid().as_bytes()))
}

/// True if the kind of the key is known and the key has the length of its kind. Returns false for the key of a *piece*,
/// a row that contains part of a long value.
pub fn is_well_formed(key: &[u8]) -> bool {
    let (Ok(business), Ok(kind)) = (business_of(key), kind_of(key)) else { return false };
    let other = if business == BusinessId::INSTALLATION { installation_kind::width } else { earlier::width };
    other(kind).or(kind::width(kind)) == Some(key.len())
}

/// Returns the key of the record to which an index row belongs. `kind` is the kind of the record. `index` is the key of
/// the index row. It must end with the last part of the record's key.
pub fn indexed(business: BusinessId, kind: u8, index: &[u8]) -> Result<Key, StoreError> {
    let start = start(business, kind);
    let length = kind::width(kind).map_or(0, |width| width - start.len());
    let end = index.len().checked_sub(length).and_then(|from| index.get(from..));
    end.map(|end| start.with(end)).ok_or_else(|| StoreError::damaged("key", "it is too short"))
}

/// True if the key has the length of this kind. Returns false for an unknown kind.
pub fn has_width(key: &[u8], kind: u8) -> bool {
    kind::width(kind) == Some(key.len())
}

pub fn of_kind(business: BusinessId, kind: u8) -> KeyRange {
    KeyRange::prefix(start(business, kind))
}

pub fn kind_of(key: &[u8]) -> Result<u8, StoreError> {
    key.get(16).copied().ok_or_else(|| StoreError::damaged("key", "it has no kind"))
}

pub fn business_of(key: &[u8]) -> Result<BusinessId, StoreError> {
    id_at_end(key.get(..16).unwrap_or_default())
}

pub fn id_at_end<I: ResourceId>(bytes: &[u8]) -> Result<I, StoreError> {
    match bytes.last_chunk() {
        Some(id) => Ok(Uuid::from_bytes(*id).into()),
        None => Err(StoreError::damaged("key", "it is too short to end with an id")),
    }
}

pub fn instant_and_id<I: ResourceId>(key: &[u8]) -> Result<(Timestamp, I), StoreError> {
    let Some((instant, id)) = key.last_chunk::<24>().and_then(|tail| tail.split_first_chunk::<8>()) else {
        return Err(StoreError::damaged("key", "it is too short to end with an instant and an id"));
    };
    let millis = (u64::from_be_bytes(*instant) ^ 1 << 63) as i64;
    Ok((Timestamp::from_millis(millis), id_at_end(id)?))
}

pub fn millis_value(instant: Timestamp) -> Vec<u8> {
    instant.millis().to_be_bytes().to_vec()
}

pub fn millis_from_value(value: &[u8]) -> Result<Timestamp, StoreError> {
    match value.try_into() {
        Ok(bytes) => Ok(Timestamp::from_millis(i64::from_be_bytes(bytes))),
        Err(_) => Err(StoreError::damaged("instant", "it does not have 8 bytes")),
    }
}

/// Returns the rows of the index `by_update` for changes from `from` to `to`, both included.
pub fn changed(business: BusinessId, by_update: u8, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, by_update), from, to + chrono::TimeDelta::milliseconds(1))
}
