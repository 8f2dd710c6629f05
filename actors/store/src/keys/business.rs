//! A business's profile, services, staff, special days, time off, knowledge and audit log; the list of all businesses.

use chrono::{Datelike, NaiveDate};
use domain::{AuditId, BlockedKey, BusinessId, KnowledgeId, ResourceId, ServiceId, StaffId, Timestamp};

use super::installation_kind;
use super::kind;
use super::parts::{id_at_end, instant_and_id, minted, of_id, of_instant, start};
use crate::{Key, KeyRange, StoreError};

/// The rows that the business actor loads: the profile, services, staff, special days and time off.
pub fn hot(business: BusinessId) -> KeyRange {
    KeyRange { from: start(business, kind::PROFILE), to: start(business, kind::HOT_END) }
}

pub fn profile(business: BusinessId) -> Key {
    start(business, kind::PROFILE).with(&[0; 16])
}

pub fn budget(business: BusinessId) -> Key {
    start(business, kind::BUDGET).with(&[0; 16])
}

pub fn retention(business: BusinessId) -> Key {
    start(business, kind::RETENTION).with(&[0; 16])
}

pub fn service(business: BusinessId, id: ServiceId) -> Key {
    of_id(business, kind::SERVICE, id)
}

pub fn staff(business: BusinessId, id: StaffId) -> Key {
    of_id(business, kind::STAFF, id)
}

pub fn special_day(business: BusinessId, date: NaiveDate) -> Key {
    of_date(business, kind::SPECIAL_DAY, date)
}

pub fn of_date(business: BusinessId, kind: u8, date: NaiveDate) -> Key {
    start(business, kind).with(&ordered_date(date)).with(&[0; 12])
}

/// The special days from `from` to `to`, inclusive.
pub fn special_days(business: BusinessId, from: NaiveDate, to: NaiveDate) -> KeyRange {
    KeyRange { from: special_day(business, from), to: special_day(business, to).with(&[0]) }
}

/// The bytes of a date, in the order of dates.
fn ordered_date(date: NaiveDate) -> [u8; 4] {
    (date.num_days_from_ce() as u32 ^ 1 << 31).to_be_bytes()
}

pub fn blocked_time(business: BusinessId, key: BlockedKey) -> Key {
    of_instant(of_id(business, kind::BLOCKED_TIME, key.staff_id), key.starts_at, key.id)
}

pub fn blocked_key(key: &[u8]) -> Result<BlockedKey, StoreError> {
    let (starts_at, id) = instant_and_id(key)?;
    Ok(BlockedKey { staff_id: id_at_end(key.get(..33).unwrap_or_default())?, starts_at, id })
}

/// The time off of a staff member, in order of their starts.
pub fn blocked_times(business: BusinessId, staff: StaffId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::BLOCKED_TIME, staff))
}

pub fn knowledge(business: BusinessId, id: KnowledgeId) -> Key {
    of_id(business, kind::KNOWLEDGE, id)
}

pub fn audit(business: BusinessId, id: AuditId) -> Key {
    of_id(business, kind::AUDIT, id)
}

/// The entries of the audit log within `from..until`.
pub fn audit_within(business: BusinessId, from: Option<Timestamp>, until: Option<Timestamp>) -> KeyRange {
    minted(start(business, kind::AUDIT), from, until)
}

pub fn business_index(id: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX, id)
}

pub fn listed_business(key: &[u8]) -> Result<BusinessId, StoreError> {
    let id = id_at_end(key)?;
    if business_index(id)[..] == *key {
        return Ok(id);
    }
    Err(StoreError::damaged("key", "it names no business"))
}

/// Whether the row decides about the access of an API key or a session.
pub fn lets_in(key: &[u8]) -> bool {
    let of_installation = key.starts_with(BusinessId::INSTALLATION.uuid().as_bytes());
    key.get(16).is_some_and(|kind| match *kind {
        installation_kind::API_KEY | installation_kind::PERSON => of_installation,
        kind::PROFILE => !of_installation,
        _ => false,
    })
}
