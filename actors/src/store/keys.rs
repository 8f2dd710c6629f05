//! The layout of the keys: `[business 16][kind 1][rest]`, where a kind's rest always has the same width.
//!
//! What always holds: numbers are big-endian and instants have their sign flipped, so the order of keys is the order
//! of what they stand for; a list's index keys end with the id of the record, so no two records share one. What belongs to
//! no business, or is looked up before the business is known, lies under the nil UUID, the house.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Key, KeyRange, StoreError};
use crate::domain::{
    ApiKey, AppointmentId, AuditId, BusinessId, CallId, ContactId, EventId, KeyId, KnowledgeId, MessageId,
    ResourceId, ServiceId, StaffId, SteadyTime, Timestamp, WebhookId,
};

/// The kinds of a business's keys, all below 0x80: the bit above marks the pieces of long values. Numbers are left
/// free between groups; one that was used is never used again.
pub mod kind {
    /// The profile: the rest is zero → `Business`.
    pub const PROFILE: u8 = 0x01;
    /// A service: its id → `Service`.
    pub const SERVICE: u8 = 0x02;
    /// A staff member: their id → `StaffMember`.
    pub const STAFF: u8 = 0x03;
    /// A webhook endpoint: its id → `WebhookEndpoint`.
    pub const WEBHOOK: u8 = 0x04;
    /// What the operator allows the business to keep: the rest is zero → `Budget`.
    pub const BUDGET: u8 = 0x05;
    /// The first kind behind those that the business actor loads in one scan.
    pub const HOT_END: u8 = 0x10;
    /// A key of the business: its id → the 8 bytes under which the house keeps it.
    pub const KEY: u8 = 0x10;
    // 0x20, 0x21 and 0x23 were an appointment by id, by start and by change in the stores of format 1.
    /// Its contact, start and id → nothing.
    pub const APPOINTMENT_BY_CONTACT: u8 = 0x22;
    /// An appointment: its start and id → `Appointment`. It stands where it starts, so that busy times and lists are
    /// read in one scan.
    pub const APPOINTMENT: u8 = 0x24;
    /// Its id → its start, as the 8 bytes of [`super::millis_value`].
    pub const APPOINTMENT_START: u8 = 0x25;
    /// When it last changed and its id → its start, as above. One whose last change bears the stamp of its
    /// creation has no such row: the order of ids is the order of creation.
    pub const APPOINTMENT_BY_UPDATE: u8 = 0x26;
    /// A contact: their id → `Contact`.
    pub const CONTACT: u8 = 0x30;
    /// A hash of their phone number → their id.
    pub const CONTACT_BY_PHONE: u8 = 0x31;
    /// A hash of their email address → their id.
    pub const CONTACT_BY_EMAIL: u8 = 0x32;
    /// When they last changed and their id → nothing.
    pub const CONTACT_BY_UPDATE: u8 = 0x33;
    /// The names of some contacts that follow each other: the id from which on → `NamesRecord`.
    pub const CONTACT_NAMES: u8 = 0x34;
    /// A call: its id → `CallRecord`.
    pub const CALL: u8 = 0x40;
    /// Its start and id → `CallRow`.
    pub const CALL_BY_START: u8 = 0x41;
    /// Its contact, start and id → nothing.
    pub const CALL_BY_CONTACT: u8 = 0x42;
    /// When it last changed and its id → nothing.
    pub const CALL_BY_UPDATE: u8 = 0x43;
    /// A message: its id → `TakenMessage`.
    pub const MESSAGE: u8 = 0x48;
    /// When it was taken and its id → nothing.
    pub const MESSAGE_BY_CREATION: u8 = 0x49;
    /// The number of its status, when it was taken and its id → nothing.
    pub const MESSAGE_BY_STATUS: u8 = 0x4a;
    /// Its contact, when it was taken and its id → nothing.
    pub const MESSAGE_BY_CONTACT: u8 = 0x4b;
    /// Its call, when it was taken and its id → nothing.
    pub const MESSAGE_BY_CALL: u8 = 0x4c;
    /// When it last changed and its id → nothing.
    pub const MESSAGE_BY_UPDATE: u8 = 0x4d;
    /// A piece of knowledge: its id → `Knowledge`.
    pub const KNOWLEDGE: u8 = 0x50;
    /// An event: its id → its bytes, as every attempt sends them.
    pub const EVENT: u8 = 0x60;
    /// A delivery, by endpoint and event.
    pub const DELIVERY: u8 = 0x61;
    /// The deliveries that wait, by endpoint and due time; empty values.
    pub const DELIVERY_DUE: u8 = 0x62;
    /// How often anything has reached an endpoint.
    pub const DELIVERY_REACHED: u8 = 0x63;
    /// An entry of the audit log: its id → `AuditEntry`.
    pub const AUDIT: u8 = 0x70;
    /// An idempotency key: its day of steady time and a hash → `IdempotencyRecord`. Records of the first version stand
    /// under the day of their stamp.
    pub const IDEMPOTENCY: u8 = 0x78;
    /// A point of steady time, as 8 bytes → the newest id of the audit log by then. What was made until then has an id
    /// no greater.
    pub const AGE: u8 = 0x79;
    /// How stamps are being repaired: a number → a part of the map, or its head.
    pub const REPAIR: u8 = 0x7f;
}

/// The kinds of the house's keys.
pub mod house_kind {
    /// What the store is: the rest is zero → `MetaRecord`.
    pub const META: u8 = 0x01;
    /// A business: its id → nothing.
    pub const BUSINESS_INDEX: u8 = 0x02;
    /// A key: the 8 characters of its prefix and zeros → `ApiKey`.
    pub const API_KEY: u8 = 0x03;
    /// A key: its id → when it was last used, as the 8 bytes of [`super::millis_value`].
    pub const KEY_USED: u8 = 0x04;
    /// The webhook endpoints of all businesses, by business and endpoint; empty values.
    pub const ENDPOINT_INDEX: u8 = 0x05;
    /// How far steady time has come: the rest is zero → `ClockRecord`.
    pub const CLOCK: u8 = 0x0c;
    /// That stamps are being repaired: the rest is zero → the instant taken for the present, as the 8 bytes of
    /// [`super::millis_value`].
    pub const REPAIR: u8 = 0x0d;
}

fn start(business: BusinessId, kind: u8) -> Key {
    Key::new(business.uuid().as_bytes()).with(&[kind])
}

fn of_id(business: BusinessId, kind: u8, id: impl ResourceId) -> Key {
    start(business, kind).with(id.uuid().as_bytes())
}

/// An instant whose bytes are ordered like the instants.
fn ordered(instant: Timestamp) -> [u8; 8] {
    (instant.millis() as u64 ^ 1 << 63).to_be_bytes()
}

/// An index key that ends with an instant and an id.
fn of_instant(prefix: Key, instant: Timestamp, id: impl ResourceId) -> Key {
    prefix.with(&ordered(instant)).with(id.uuid().as_bytes())
}

/// The keys of an index under this prefix whose instants lie within `from..to`; up to the last instant there is,
/// that one is in it, for no bound could lie behind it.
fn within(prefix: Key, from: Timestamp, to: Timestamp) -> KeyRange {
    let from = prefix.with(&ordered(from));
    if to == Timestamp::MAX {
        return KeyRange { from, ..KeyRange::prefix(prefix) };
    }
    KeyRange { from, to: prefix.with(&ordered(to)) }
}

/// 16 bytes of the hash of a text; texts of any length and content get keys of one width.
fn digest(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&Sha256::digest(text)[..16]);
    short
}

/// Every key of the business, the house's for [`BusinessId::HOUSE`].
pub fn all(business: BusinessId) -> KeyRange {
    KeyRange::prefix(Key::new(business.uuid().as_bytes()))
}

/// Every key of the kind.
pub fn of_kind(business: BusinessId, kind: u8) -> KeyRange {
    KeyRange::prefix(start(business, kind))
}

/// What the business actor loads: the profile, the services and the staff members.
pub fn hot(business: BusinessId) -> KeyRange {
    KeyRange { from: start(business, kind::PROFILE), to: start(business, kind::HOT_END) }
}

/// The kind of a key.
///
/// # Errors
/// [`StoreError::Damaged`] when it has none.
pub fn kind_of(key: &[u8]) -> Result<u8, StoreError> {
    key.get(16).copied().ok_or_else(|| StoreError::damaged("key", "it has no kind"))
}

/// The business of a key.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn business_of(key: &[u8]) -> Result<BusinessId, StoreError> {
    id_at_end(key.get(..16).unwrap_or_default())
}

/// Whether the key is of what says whom an API key lets in, and into what.
pub fn lets_in(key: &[u8]) -> bool {
    let house = key.starts_with(BusinessId::HOUSE.uuid().as_bytes());
    key.get(16).is_some_and(|kind| *kind == if house { house_kind::API_KEY } else { kind::PROFILE })
}

/// Whether the key is of what comes of an attempt: the delivery, when it is due again, how often its endpoint was reached.
pub fn is_of_outcome(key: &[u8]) -> bool {
    let kinds = [kind::DELIVERY, kind::DELIVERY_DUE, kind::DELIVERY_REACHED];
    key.get(16).is_some_and(|kind| kinds.contains(kind))
}

/// The id at the end of a key or a value.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn id_at_end<I: ResourceId>(bytes: &[u8]) -> Result<I, StoreError> {
    match bytes.last_chunk() {
        Some(id) => Ok(Uuid::from_bytes(*id).into()),
        None => Err(StoreError::damaged("key", "it is too short to end with an id")),
    }
}

/// The instant and the id at the end of an index key.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn instant_and_id<I: ResourceId>(key: &[u8]) -> Result<(Timestamp, I), StoreError> {
    let Some((instant, id)) = key.last_chunk::<24>().and_then(|tail| tail.split_first_chunk::<8>()) else {
        return Err(StoreError::damaged("key", "it is too short to end with an instant and an id"));
    };
    let millis = (u64::from_be_bytes(*instant) ^ 1 << 63) as i64;
    Ok((Timestamp::from_millis(millis), id_at_end(id)?))
}

/// The profile of the business.
pub fn profile(business: BusinessId) -> Key {
    start(business, kind::PROFILE).with(&[0; 16])
}

/// What the operator allows the business to keep.
pub fn budget(business: BusinessId) -> Key {
    start(business, kind::BUDGET).with(&[0; 16])
}

/// A service.
pub fn service(business: BusinessId, id: ServiceId) -> Key {
    of_id(business, kind::SERVICE, id)
}

/// A staff member.
pub fn staff(business: BusinessId, id: StaffId) -> Key {
    of_id(business, kind::STAFF, id)
}

/// A key of the business, which leads to its record in the house.
pub fn key(business: BusinessId, id: KeyId) -> Key {
    of_id(business, kind::KEY, id)
}

/// An appointment, which stands where it starts.
pub fn appointment(business: BusinessId, starts_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, kind::APPOINTMENT), starts_at, id)
}

/// When an appointment starts, which leads to it.
pub fn appointment_start(business: BusinessId, id: AppointmentId) -> Key {
    of_id(business, kind::APPOINTMENT_START, id)
}

/// The rows by id of the appointments that were minted at an instant or after it, in the order of their creation.
pub fn appointments_minted_from(business: BusinessId, from: Timestamp) -> KeyRange {
    let kind = start(business, kind::APPOINTMENT_START);
    let first = Uuid::from_u128(u128::try_from(from.millis()).unwrap_or(0) << 80);
    KeyRange::prefix(kind).starting_at(kind.with(first.as_bytes()))
}

/// The appointments that start within `from..to`, in that order.
pub fn appointments_starting(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::APPOINTMENT), from, to)
}

/// An appointment among those of its contact, in the order of starts.
pub fn appointment_by_contact(
    business: BusinessId,
    contact: ContactId,
    starts_at: Timestamp,
    id: AppointmentId,
) -> Key {
    of_instant(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact), starts_at, id)
}

/// The appointments of a contact, in the order of starts.
pub fn appointments_of_contact(business: BusinessId, contact: ContactId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact))
}

/// An appointment in the order of changes.
pub fn appointment_by_update(business: BusinessId, updated_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, kind::APPOINTMENT_BY_UPDATE), updated_at, id)
}

/// The records changed from one instant to another, both included, in the order of their changes; by the kind of
/// that index.
pub fn changed(business: BusinessId, by_update: u8, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, by_update), from, to + chrono::TimeDelta::milliseconds(1))
}

/// A contact.
pub fn contact(business: BusinessId, id: ContactId) -> Key {
    of_id(business, kind::CONTACT, id)
}

/// The contact with this phone number; the caller compares the record, since the key holds a hash.
pub fn contact_by_phone(business: BusinessId, phone: &str) -> Key {
    start(business, kind::CONTACT_BY_PHONE).with(&digest(phone))
}

/// The contact with this email address; the caller compares the record, since the key holds a hash.
pub fn contact_by_email(business: BusinessId, email: &str) -> Key {
    start(business, kind::CONTACT_BY_EMAIL).with(&digest(email))
}

/// A contact in the order of changes.
pub fn contact_by_update(business: BusinessId, updated_at: Timestamp, id: ContactId) -> Key {
    of_instant(start(business, kind::CONTACT_BY_UPDATE), updated_at, id)
}

/// The names of the contacts from this one on, up to where the next such key begins.
pub fn contact_names(business: BusinessId, from: ContactId) -> Key {
    of_id(business, kind::CONTACT_NAMES, from)
}

/// The keys of contacts' names of which the last is the one that a contact's name stands under.
pub fn contact_names_up_to(business: BusinessId, id: ContactId) -> KeyRange {
    KeyRange { from: start(business, kind::CONTACT_NAMES), to: contact_names(business, id).with(&[0]) }
}

/// A call.
pub fn call(business: BusinessId, id: CallId) -> Key {
    of_id(business, kind::CALL, id)
}

/// A call in the order of starts.
pub fn call_by_start(business: BusinessId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_START), started_at, id)
}

/// The calls, in the order of starts, that started within `from..to`.
pub fn calls_started(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::CALL_BY_START), from, to)
}

/// A call among those of its contact, in the order of starts.
pub fn call_by_contact(business: BusinessId, contact: ContactId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(of_id(business, kind::CALL_BY_CONTACT, contact), started_at, id)
}

/// The calls of a contact, in the order of starts, that started within `from..to`.
pub fn calls_of_contact(
    business: BusinessId,
    contact: ContactId,
    from: Timestamp,
    to: Timestamp,
) -> KeyRange {
    within(of_id(business, kind::CALL_BY_CONTACT, contact), from, to)
}

/// A call in the order of changes.
pub fn call_by_update(business: BusinessId, updated_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_UPDATE), updated_at, id)
}

/// A message.
pub fn message(business: BusinessId, id: MessageId) -> Key {
    of_id(business, kind::MESSAGE, id)
}

/// Which messages an index lists; each in the order in which they were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagesOf {
    /// All.
    Business,
    /// Those with the status of this number.
    Status(u8),
    /// Those of this contact.
    Contact(ContactId),
    /// Those of this call.
    Call(CallId),
}

impl MessagesOf {
    fn prefix(self, business: BusinessId) -> Key {
        match self {
            Self::Business => start(business, kind::MESSAGE_BY_CREATION),
            Self::Status(number) => start(business, kind::MESSAGE_BY_STATUS).with(&[number]),
            Self::Contact(id) => of_id(business, kind::MESSAGE_BY_CONTACT, id),
            Self::Call(id) => of_id(business, kind::MESSAGE_BY_CALL, id),
        }
    }
}

/// A message in one of the lists that it is in.
pub fn message_in(business: BusinessId, list: MessagesOf, created_at: Timestamp, id: MessageId) -> Key {
    of_instant(list.prefix(business), created_at, id)
}

/// The messages of a list that were taken within `from..to`.
pub fn messages(business: BusinessId, list: MessagesOf, from: Timestamp, to: Timestamp) -> KeyRange {
    within(list.prefix(business), from, to)
}

/// A message in the order of changes.
pub fn message_by_update(business: BusinessId, updated_at: Timestamp, id: MessageId) -> Key {
    of_instant(start(business, kind::MESSAGE_BY_UPDATE), updated_at, id)
}

/// A piece of knowledge.
pub fn knowledge(business: BusinessId, id: KnowledgeId) -> Key {
    of_id(business, kind::KNOWLEDGE, id)
}

/// A webhook endpoint.
pub fn webhook(business: BusinessId, id: WebhookId) -> Key {
    of_id(business, kind::WEBHOOK, id)
}

/// The bytes of an event, as every attempt sends them.
pub fn event(business: BusinessId, id: EventId) -> Key {
    of_id(business, kind::EVENT, id)
}

/// The delivery of an event to an endpoint.
pub fn delivery(business: BusinessId, endpoint: WebhookId, event: EventId) -> Key {
    of_id(business, kind::DELIVERY, endpoint).with(event.uuid().as_bytes())
}

/// The deliveries to an endpoint, in the order of their events.
pub fn deliveries(business: BusinessId, endpoint: WebhookId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::DELIVERY, endpoint))
}

/// A delivery that waits.
pub fn delivery_due(business: BusinessId, endpoint: WebhookId, due: Timestamp, event: EventId) -> Key {
    of_id(business, kind::DELIVERY_DUE, endpoint).with(&ordered(due)).with(event.uuid().as_bytes())
}

/// The deliveries to an endpoint that wait, in the order in which they are due.
pub fn deliveries_due(business: BusinessId, endpoint: WebhookId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::DELIVERY_DUE, endpoint))
}

/// How often anything has reached an endpoint.
pub fn delivery_reached(business: BusinessId, endpoint: WebhookId) -> Key {
    of_id(business, kind::DELIVERY_REACHED, endpoint)
}

/// An endpoint in the list of all.
pub fn endpoint_index(business: BusinessId, endpoint: WebhookId) -> Key {
    of_id(BusinessId::HOUSE, house_kind::ENDPOINT_INDEX, business).with(endpoint.uuid().as_bytes())
}

/// The business and the endpoint of a row of the list of all.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn business_and_endpoint(key: &[u8]) -> Result<(BusinessId, WebhookId), StoreError> {
    let business = key.len().checked_sub(16).map(|end| &key[..end]).unwrap_or_default();
    Ok((id_at_end(business)?, id_at_end(key)?))
}

/// An entry of the audit log.
pub fn audit(business: BusinessId, id: AuditId) -> Key {
    of_id(business, kind::AUDIT, id)
}

/// What a request answered on this day of steady time that came with the idempotency key of this hash.
pub fn idempotency(business: BusinessId, day: u32, hash: &[u8; 32]) -> Key {
    start(business, kind::IDEMPOTENCY).with(&day.to_be_bytes()).with(hash)
}

/// The idempotency records of the days before this one.
pub fn idempotency_before(business: BusinessId, day: u32) -> KeyRange {
    let of_kind = of_kind(business, kind::IDEMPOTENCY);
    of_kind.before(start(business, kind::IDEMPOTENCY).with(&day.to_be_bytes()))
}

/// The idempotency records of this day and those behind it.
pub fn idempotency_from(business: BusinessId, day: u32) -> KeyRange {
    let of_kind = of_kind(business, kind::IDEMPOTENCY);
    of_kind.starting_at(start(business, kind::IDEMPOTENCY).with(&day.to_be_bytes()))
}

/// The day and the hash in the key of an idempotency record.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn day_and_hash(key: &[u8]) -> Result<(u32, [u8; 32]), StoreError> {
    match key.last_chunk::<36>().and_then(|tail| tail.split_first_chunk::<4>()) {
        Some((day, hash)) => Ok((u32::from_be_bytes(*day), hash.try_into().unwrap_or([0; 32]))),
        None => Err(StoreError::damaged("key", "it is too short to end with a day and a hash")),
    }
}

/// What was the newest id at a point of steady time.
pub fn age(business: BusinessId, at: SteadyTime) -> Key {
    start(business, kind::AGE).with(&ordered(Timestamp::from_millis(at.millis())))
}

/// The points of steady time up to this one, included, of which the newest id is known.
pub fn ages_until(business: BusinessId, at: SteadyTime) -> KeyRange {
    of_kind(business, kind::AGE).before(age(business, at).with(&[0]))
}

/// The point of steady time in an [`age`] key.
///
/// # Errors
/// [`StoreError::Damaged`] when it is too short.
pub fn age_at(key: &[u8]) -> Result<SteadyTime, StoreError> {
    let Some(at) = key.last_chunk::<8>() else {
        return Err(StoreError::damaged("key", "it is too short to end with a point of time"));
    };
    Ok(SteadyTime::from_millis((u64::from_be_bytes(*at) ^ 1 << 63) as i64))
}

/// Part of the map by which a business's stamps are being repaired.
pub fn repair_part(business: BusinessId, number: u32) -> Key {
    start(business, kind::REPAIR).with(&number.to_be_bytes())
}

/// That stamps are being repaired.
pub fn repair() -> Key {
    start(BusinessId::HOUSE, house_kind::REPAIR).with(&[0; 16])
}

/// How far steady time has come.
pub fn clock() -> Key {
    start(BusinessId::HOUSE, house_kind::CLOCK).with(&[0; 16])
}

/// What the store is.
pub fn meta() -> Key {
    start(BusinessId::HOUSE, house_kind::META).with(&[0; 16])
}

/// A business in the list of all.
pub fn business_index(id: BusinessId) -> Key {
    of_id(BusinessId::HOUSE, house_kind::BUSINESS_INDEX, id)
}

/// The record of an API key, by the 8 characters of its prefix.
pub fn api_key(prefix: [u8; 8]) -> Key {
    start(BusinessId::HOUSE, house_kind::API_KEY).with(&prefix).with(&[0; 8])
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
    of_id(BusinessId::HOUSE, house_kind::KEY_USED, id)
}

/// An instant as a value of its own.
pub fn millis_value(instant: Timestamp) -> Vec<u8> {
    instant.millis().to_be_bytes().to_vec()
}

/// The instant in a value of its own.
///
/// # Errors
/// [`StoreError::Damaged`] when it has not 8 bytes.
pub fn millis_from_value(value: &[u8]) -> Result<Timestamp, StoreError> {
    match value.try_into() {
        Ok(bytes) => Ok(Timestamp::from_millis(i64::from_be_bytes(bytes))),
        Err(_) => Err(StoreError::damaged("instant", "it has not 8 bytes")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id<I: ResourceId>(byte: u8) -> I {
        Uuid::from_bytes([byte; 16]).into()
    }

    #[test]
    fn every_kind_has_one_width() {
        let business = id(1);
        let now = Timestamp::from_millis(5);
        let widths = [
            (profile(business), 33),
            (budget(business), 33),
            (service(business, id(2)), 33),
            (staff(business, id(2)), 33),
            (key(business, id(2)), 33),
            (appointment(business, now, id(2)), 41),
            (appointment_start(business, id(2)), 33),
            (appointment_by_contact(business, id(3), now, id(2)), 57),
            (appointment_by_update(business, now, id(2)), 41),
            (contact(business, id(2)), 33),
            (contact_by_phone(business, "+15551234567"), 33),
            (contact_by_email(business, ""), 33),
            (contact_by_update(business, now, id(2)), 41),
            (contact_names(business, id(2)), 33),
            (call(business, id(2)), 33),
            (call_by_start(business, now, id(2)), 41),
            (call_by_contact(business, id(3), now, id(2)), 57),
            (call_by_update(business, now, id(2)), 41),
            (message(business, id(2)), 33),
            (message_in(business, MessagesOf::Business, now, id(2)), 41),
            (message_in(business, MessagesOf::Status(1), now, id(2)), 42),
            (message_in(business, MessagesOf::Contact(id(3)), now, id(2)), 57),
            (message_in(business, MessagesOf::Call(id(3)), now, id(2)), 57),
            (message_by_update(business, now, id(2)), 41),
            (knowledge(business, id(2)), 33),
            (audit(business, id(2)), 33),
            (idempotency(business, 9, &[2; 32]), 53),
            (age(business, SteadyTime::from_millis(9)), 25),
            (repair_part(business, 3), 21),
            (repair(), 33),
            (clock(), 33),
            (meta(), 33),
            (business_index(business), 33),
            (api_key(*b"abcdefgh"), 33),
            (key_used(id(2)), 33),
        ];
        for (key, width) in widths {
            assert_eq!(key.len(), width, "{key:?}");
        }
    }

    #[test]
    fn keys_have_these_bytes() {
        let hex = |key: Key| format!("{key:?}");
        let business = id(0xb5);
        let (b5, c7) = ("b5".repeat(16), "c7".repeat(16));
        assert_eq!(
            hex(appointment(business, Timestamp::from_millis(1), id(0xc7))),
            format!("{b5}248000000000000001{c7}")
        );
        assert_eq!(
            hex(appointment_by_contact(business, id(0xc7), Timestamp::from_millis(-1), id(2))),
            format!("{b5}22{c7}7fffffffffffffff{}", "02".repeat(16))
        );
        assert_eq!(
            hex(contact_by_phone(business, "+15551234567")),
            format!("{b5}31{}", hex(Key::new(&Sha256::digest("+15551234567")[..16])))
        );
        assert_eq!(
            hex(api_key(*b"abcdefgh")),
            format!("{}036162636465666768{}", "00".repeat(16), "00".repeat(8))
        );
        assert_eq!(&hex(idempotency(business, 0x0102, &[1; 32]))[..42], format!("{b5}7800000102"));
    }

    #[test]
    fn the_hot_range_holds_what_the_actor_loads_and_no_more() {
        let business = id(7);
        let within = |key: Key| hot(business).from <= key && key < hot(business).to;
        assert!(
            within(profile(business))
                && within(budget(business))
                && within(service(business, id(0xff)))
                && within(staff(business, id(0)))
        );
        assert!(!within(key(business, id(0))) && !within(appointment(business, Timestamp::MIN, id(0))));
        assert!(!within(profile(id(6))) && !within(profile(id(8))));
    }

    #[test]
    fn keys_and_profiles_let_in_and_nothing_else_does() {
        let business = id(7);
        for key in [profile(business), api_key(*b"abcdefgh")] {
            assert!(lets_in(&key), "{key:?}");
        }
        for key in [
            service(business, id(3)),
            budget(business),
            key(business, id(3)),
            key_used(id(3)),
            meta(),
            business_index(business),
        ] {
            assert!(!lets_in(&key), "{key:?}");
        }
        assert!(!lets_in(&profile(business)[..16]));
    }

    #[test]
    fn an_index_key_gives_back_what_it_was_made_of() {
        let at = Timestamp::from_millis(-12_345);
        let made = appointment_by_contact(id(1), id(2), at, id(3));
        assert_eq!(instant_and_id::<AppointmentId>(&made).unwrap(), (at, id(3)));
        assert_eq!(kind_of(&made).unwrap(), kind::APPOINTMENT_BY_CONTACT);
        assert!(instant_and_id::<AppointmentId>(&[0; 23]).is_err());
        assert!(id_at_end::<AppointmentId>(&[0; 15]).is_err());
        assert!(kind_of(&[0; 16]).is_err());
        assert_eq!(millis_from_value(&millis_value(at)).unwrap(), at);
        assert!(millis_from_value(&[0; 7]).is_err());
    }

    #[test]
    fn idempotency_records_of_earlier_days_come_first() {
        let noon = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        let today = SteadyTime::from_millis(noon.millis()).day();
        assert_eq!(today, 20_514);
        let old = idempotency_before(id(1), today);
        let yesterday = idempotency(id(1), today - 1, &[2; 32]);
        assert!(old.from <= yesterday && yesterday < old.to);
        assert!(idempotency(id(1), today, &[2; 32]) >= old.to);
        let new = idempotency_from(id(1), today);
        assert_eq!(new.from, old.to);
        assert_eq!(day_and_hash(&yesterday).unwrap(), (today - 1, [2; 32]));
        assert!(day_and_hash(&[0; 35]).is_err());
    }

    #[test]
    fn points_of_steady_time_are_found_up_to_one() {
        let at = SteadyTime::from_millis;
        let until = ages_until(id(1), at(-5));
        assert!(age(id(1), at(-5)) < until.to && age(id(1), at(-6)) >= until.from);
        assert!(age(id(1), at(-4)) >= until.to);
        assert_eq!(age_at(&age(id(1), at(-5))).unwrap(), at(-5));
        assert!(age_at(&[0; 7]).is_err());
    }

    proptest! {
        #[test]
        fn the_order_of_keys_is_the_order_of_instants(a: i64, b: i64) {
            let (a, b) = (Timestamp::from_millis(a), Timestamp::from_millis(b));
            let key = |at| appointment(id(1), at, id(2));
            prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
            let range = appointments_starting(id(1), a.min(b), a.max(b));
            let unbounded = a.max(b) == Timestamp::MAX;
            prop_assert_eq!(range.from <= key(a) && key(a) < range.to, a < b || unbounded);
        }
    }
}
