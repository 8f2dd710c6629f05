//! The profile of a business and what is loaded with it, its knowledge and its audit log; the list of all businesses.

use chrono::{Datelike, NaiveDate};
use domain::{AuditId, BlockedKey, BusinessId, KnowledgeId, ResourceId, ServiceId, StaffId, Timestamp};

use super::installation_kind;
use super::kind;
use super::parts::{id_at_end, instant_and_id, minted, of_id, of_instant, start};
use crate::{Key, KeyRange, StoreError};

/// What the business actor loads: the profile, the services, the staff members and when who or what is not there.
pub fn hot(business: BusinessId) -> KeyRange {
    KeyRange { from: start(business, kind::PROFILE), to: start(business, kind::HOT_END) }
}

/// The profile of the business.
pub fn profile(business: BusinessId) -> Key {
    start(business, kind::PROFILE).with(&[0; 16])
}

/// What the operator allows the business to keep.
pub fn budget(business: BusinessId) -> Key {
    start(business, kind::BUDGET).with(&[0; 16])
}

/// How long the business keeps what has happened.
pub fn retention(business: BusinessId) -> Key {
    start(business, kind::RETENTION).with(&[0; 16])
}

/// A service.
pub fn service(business: BusinessId, id: ServiceId) -> Key {
    of_id(business, kind::SERVICE, id)
}

/// A staff member.
pub fn staff(business: BusinessId, id: StaffId) -> Key {
    of_id(business, kind::STAFF, id)
}

/// A special day.
pub fn special_day(business: BusinessId, date: NaiveDate) -> Key {
    of_date(business, kind::SPECIAL_DAY, date)
}

/// A key of a kind that goes on with a date.
pub fn of_date(business: BusinessId, kind: u8, date: NaiveDate) -> Key {
    start(business, kind).with(&ordered_date(date)).with(&[0; 12])
}

/// The special days from one date to another, both included.
pub fn special_days(business: BusinessId, from: NaiveDate, to: NaiveDate) -> KeyRange {
    KeyRange { from: special_day(business, from), to: special_day(business, to).with(&[0]) }
}

/// A date whose bytes are ordered like the dates.
fn ordered_date(date: NaiveDate) -> [u8; 4] {
    (date.num_days_from_ce() as u32 ^ 1 << 31).to_be_bytes()
}

/// A blocked time of a staff member.
pub fn blocked_time(business: BusinessId, key: BlockedKey) -> Key {
    of_instant(of_id(business, kind::BLOCKED_TIME, key.staff_id), key.starts_at, key.id)
}

/// Which blocked time stands under a key.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn blocked_key(key: &[u8]) -> Result<BlockedKey, StoreError> {
    let (starts_at, id) = instant_and_id(key)?;
    Ok(BlockedKey { staff_id: id_at_end(key.get(..33).unwrap_or_default())?, starts_at, id })
}

/// The blocked times of a staff member, in the order of their starts.
pub fn blocked_times(business: BusinessId, staff: StaffId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::BLOCKED_TIME, staff))
}

/// A piece of knowledge.
pub fn knowledge(business: BusinessId, id: KnowledgeId) -> Key {
    of_id(business, kind::KNOWLEDGE, id)
}

/// An entry of the audit log.
pub fn audit(business: BusinessId, id: AuditId) -> Key {
    of_id(business, kind::AUDIT, id)
}

/// The entries of the audit log of what was done within `from..until`.
pub fn audit_within(business: BusinessId, from: Option<Timestamp>, until: Option<Timestamp>) -> KeyRange {
    minted(start(business, kind::AUDIT), from, until)
}

/// A business in the list of all.
pub fn business_index(id: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX, id)
}

/// The business of a row in the list of all.
///
/// # Errors
/// [`StoreError::Damaged`] when it is no such key.
pub fn listed_business(key: &[u8]) -> Result<BusinessId, StoreError> {
    let id = id_at_end(key)?;
    if business_index(id)[..] == *key {
        return Ok(id);
    }
    Err(StoreError::damaged("key", "it names no business"))
}

/// Whether the key is of what says whom an API key or a session lets in, and into what.
pub fn lets_in(key: &[u8]) -> bool {
    let of_installation = key.starts_with(BusinessId::INSTALLATION.uuid().as_bytes());
    key.get(16).is_some_and(|kind| match *kind {
        installation_kind::API_KEY | installation_kind::PERSON => of_installation,
        kind::PROFILE => !of_installation,
        _ => false,
    })
}
