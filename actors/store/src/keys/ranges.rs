//! Ranges of keys, functions for keys that the tables of kinds do not define, and the decoding of keys.
//!
//! A function that decodes a key or a value returns [`StoreError::Damaged`] for invalid bytes.

use chrono::NaiveDate;
use domain::{
    ApiKey, AppointmentId, BlockedKey, BusinessId, CalendarId, CallId, ContactId, ConversationId, FeedId,
    MailId, MailKind, MessageId, PersonId, ResourceId, StaffId, SteadyTime, Timestamp, WebhookId,
};
use uuid::Uuid;

use super::parts::{id_at_end, instant_and_id, key_of, minted, of_id, of_instant, of_kind, start, within};
use super::{age, business_index, installation_kind, kind, special_day};
use crate::records::mail_kind_number;
use crate::{Key, KeyRange, StoreError};

/// The rows that the business actor loads at its start, for example the profile, services and staff.
pub fn hot(business: BusinessId) -> KeyRange {
    KeyRange { from: start(business, kind::PROFILE), to: start(business, kind::HOT_END) }
}

/// Returns the range of the special days from `from` to `to`, both included.
pub fn special_days(business: BusinessId, from: NaiveDate, to: NaiveDate) -> KeyRange {
    KeyRange { from: special_day(business, from), to: special_day(business, to).with(&[0]) }
}

pub fn blocked_time(business: BusinessId, key: BlockedKey) -> Key {
    of_instant(of_id(business, kind::BLOCKED_TIME, key.staff_id), key.starts_at, key.id)
}

pub fn blocked_key(key: &[u8]) -> Result<BlockedKey, StoreError> {
    let (starts_at, id) = instant_and_id(key)?;
    Ok(BlockedKey { staff_id: id_at_end(key.get(..33).unwrap_or_default())?, starts_at, id })
}

pub fn blocked_times(business: BusinessId, staff: StaffId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::BLOCKED_TIME, staff))
}

pub fn audit_within(business: BusinessId, from: Option<Timestamp>, until: Option<Timestamp>) -> KeyRange {
    minted(start(business, kind::AUDIT), from, until)
}

pub fn listed_business(key: &[u8]) -> Result<BusinessId, StoreError> {
    let id = id_at_end(key)?;
    let is_of_list = business_index(id)[..] == *key;
    is_of_list.then_some(id).ok_or_else(|| StoreError::damaged("key", "it names no business"))
}

/// True if a change to the row can grant or revoke the access of an API key or a session.
pub fn lets_in(key: &[u8]) -> bool {
    let of_installation = key.starts_with(BusinessId::INSTALLATION.uuid().as_bytes());
    key.get(16).is_some_and(|kind| match *kind {
        installation_kind::API_KEY | installation_kind::PERSON => of_installation,
        kind::PROFILE => !of_installation,
        _ => false,
    })
}

/// Returns the rows `APPOINTMENT_START` of the appointments that were created at `from` or later, according to the time
/// in their ids.
pub fn appointments_minted_from(business: BusinessId, from: Timestamp) -> KeyRange {
    let kind = start(business, kind::APPOINTMENT_START);
    let first = Uuid::from_u128(u128::try_from(from.millis()).unwrap_or(0) << 80);
    KeyRange::prefix(kind).starting_at(kind.with(first.as_bytes()))
}

pub fn appointments_starting(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::APPOINTMENT), from, to)
}

pub fn appointments_of_contact(business: BusinessId, contact: ContactId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact))
}

/// Returns the range of the rows that list the contacts merged into a contact.
pub fn aliases_of(business: BusinessId, into: ContactId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::ALIAS_OF, into))
}

pub fn calls_started(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::CALL_BY_START), from, to)
}

pub fn calls_unhandled(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::CALL_UNHANDLED), from, to)
}

pub fn calls_of_contact(
    business: BusinessId,
    contact: ContactId,
    from: Timestamp,
    to: Timestamp,
) -> KeyRange {
    within(of_id(business, kind::CALL_BY_CONTACT, contact), from, to)
}

/// The indexes of messages. The messages in each index are in the order of their creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagesOf {
    Business,
    /// The messages with the status that has this number.
    Status(u8),
    Contact(ContactId),
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

pub fn message_in(business: BusinessId, list: MessagesOf, created_at: Timestamp, id: MessageId) -> Key {
    of_instant(list.prefix(business), created_at, id)
}

pub fn messages(business: BusinessId, list: MessagesOf, from: Timestamp, to: Timestamp) -> KeyRange {
    within(list.prefix(business), from, to)
}

/// Returns the key of an entry of the list of ended conversations. The list begins with the chats of the website.
pub fn conversation_ended(business: BusinessId, is_of_website: bool, id: ConversationId) -> Key {
    conversations_ended_start(business, is_of_website).with(id.uuid().as_bytes())
}

/// Returns the ended chats of the website, or the ended conversations of the other channels, oldest first.
pub fn conversations_ended(business: BusinessId, are_of_website: bool) -> KeyRange {
    KeyRange::prefix(conversations_ended_start(business, are_of_website))
}

fn conversations_ended_start(business: BusinessId, are_of_website: bool) -> Key {
    start(business, kind::CONVERSATION_ENDED).with(&[u8::from(!are_of_website)])
}

pub fn conversations_of_contact(
    business: BusinessId,
    contact: ContactId,
    from: Timestamp,
    to: Timestamp,
) -> KeyRange {
    within(of_id(business, kind::CONVERSATION_BY_CONTACT, contact), from, to)
}

/// Returns the conversations that started in `from..until`.
pub fn conversations(business: BusinessId, from: Option<Timestamp>, until: Option<Timestamp>) -> KeyRange {
    minted(start(business, kind::CONVERSATION), from, until)
}

pub fn memberships_of(person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person))
}

/// Returns the id under which changes to a person are submitted. The id determines the lane of these changes in the
/// committer.
pub fn lane_of(person: PersonId) -> BusinessId {
    person.uuid().into()
}

/// The alerts of a person, oldest first.
pub fn alerts(of: BusinessId, person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(of, kind::ALERT, person))
}

pub fn alert_at(key: &[u8]) -> Result<(PersonId, u64), StoreError> {
    let damaged = || StoreError::damaged("key", "it is too short to end with a person and a number");
    let (person, number) = key.split_last_chunk().ok_or_else(damaged)?;
    Ok((id_at_end(person)?, u64::from_be_bytes(*number)))
}

pub fn api_key(prefix: [u8; 8]) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::API_KEY).with(&prefix).with(&[0; 8])
}

/// Returns the last 8 characters of the API key's prefix. Panics if the prefix is shorter than 8 characters. No issued
/// key has such a short prefix.
pub fn api_key_prefix(key: &ApiKey) -> [u8; 8] {
    match key.prefix.as_bytes().last_chunk() {
        Some(prefix) => *prefix,
        None => panic!("the prefix of API key {} is too short", key.id),
    }
}

/// Returns the 8 characters in the value of a row of kind [`kind::KEY`].
pub fn prefix_from_value(value: &[u8]) -> Result<[u8; 8], StoreError> {
    value.try_into().map_err(|_| StoreError::damaged("api_key", "its row does not have 8 bytes"))
}

pub fn live_feed(business: BusinessId, staff: Option<StaffId>, id: FeedId) -> Key {
    live_feeds_start(business, staff).with(id.uuid().as_bytes())
}

/// The feeds of a staff member, or of the business, that are not revoked.
pub fn live_feeds_of(business: BusinessId, staff: Option<StaffId>) -> KeyRange {
    KeyRange::prefix(live_feeds_start(business, staff))
}

fn live_feeds_start(business: BusinessId, staff: Option<StaffId>) -> Key {
    start(business, kind::FEED_LIVE).with(staff.map_or(Uuid::nil(), ResourceId::uuid).as_bytes())
}

/// The value of a [`super::feed_by_token`] row.
pub fn feed_value(business: BusinessId, id: FeedId) -> Vec<u8> {
    [business.uuid().into_bytes(), id.uuid().into_bytes()].concat()
}

pub fn business_and_feed(value: &[u8]) -> Result<(BusinessId, FeedId), StoreError> {
    match value.split_first_chunk::<16>() {
        Some((business, feed)) if feed.len() == 16 => {
            Ok((Uuid::from_bytes(*business).into(), id_at_end(feed)?))
        }
        _ => Err(StoreError::damaged("feed", "its row does not have 32 bytes")),
    }
}

pub fn calendar_event(business: BusinessId, calendar: CalendarId, hash: &[u8; 16]) -> Key {
    of_id(business, kind::CALENDAR_EVENT, calendar).with(hash)
}

pub fn calendar_events(business: BusinessId, calendar: CalendarId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::CALENDAR_EVENT, calendar))
}

pub fn calendar_writes(business: BusinessId, calendar: CalendarId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::CALENDAR_WRITE, calendar))
}

/// Returns the entries of an appointment in the index of writes.
pub fn calendar_writes_of(business: BusinessId, appointment: AppointmentId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::CALENDAR_WRITE_OF, appointment))
}

/// Returns the entries of a calendar in the list of pending writes, in the order of their due times.
pub fn calendar_writes_due(business: BusinessId, calendar: CalendarId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::CALENDAR_WRITE_DUE, calendar))
}

pub fn calendar_writes_failed(business: BusinessId, calendar: CalendarId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::CALENDAR_WRITE_FAILED, calendar))
}

/// Decodes the due time and the appointment in the key of an entry of the list of pending writes.
pub fn due_and_appointment(key: &[u8]) -> Result<(SteadyTime, AppointmentId), StoreError> {
    let (due, id) = instant_and_id(key)?;
    Ok((SteadyTime::from_millis(due.millis()), id))
}

/// Returns the entries of a business in the list of all calendars.
pub fn calendars_of(business: BusinessId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::CALENDAR_INDEX, business))
}

/// Decodes the key of an entry in the list of all calendars.
pub fn business_and_calendar(key: &[u8]) -> Result<(BusinessId, CalendarId), StoreError> {
    let business = key.len().checked_sub(16).map(|end| &key[..end]).unwrap_or_default();
    let (business, id) = (id_at_end(business)?, id_at_end(key)?);
    let is_of_list = super::calendar_index(business, id)[..] == *key;
    is_of_list.then_some((business, id)).ok_or_else(|| StoreError::damaged("key", "it names no calendar"))
}

pub fn deliveries(business: BusinessId, endpoint: WebhookId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::DELIVERY, endpoint))
}

/// Returns the range of the deliveries of events that were created in `from..until`, according to the time in the
/// event's id.
pub fn deliveries_within(
    business: BusinessId,
    endpoint: WebhookId,
    (from, until): (Option<Timestamp>, Option<Timestamp>),
) -> KeyRange {
    minted(of_id(business, kind::DELIVERY, endpoint), from, until)
}

pub fn deliveries_due(business: BusinessId, endpoint: WebhookId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::DELIVERY_DUE, endpoint))
}

pub fn endpoints_of(business: BusinessId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX, business))
}

pub fn business_and_endpoint(key: &[u8]) -> Result<(BusinessId, WebhookId), StoreError> {
    let business = key.len().checked_sub(16).map(|end| &key[..end]).unwrap_or_default();
    Ok((id_at_end(business)?, id_at_end(key)?))
}

/// True if a batch with the outcome of a webhook delivery or a mail may write this row.
pub fn is_of_outcome(key: &[u8]) -> bool {
    use kind::{
        DELIVERY, DELIVERY_DUE, DELIVERY_REACHED, MAIL, MAIL_DUE, MAIL_GATHERED, NOTICE_OF, NOTICE_WAITS,
    };
    const KINDS: [u8; 9] = [
        DELIVERY,
        DELIVERY_DUE,
        DELIVERY_REACHED,
        MAIL,
        MAIL_DUE,
        MAIL_GATHERED,
        NOTICE_OF,
        NOTICE_WAITS,
        installation_kind::NOTICE_COUNT,
    ];
    key.get(16).is_some_and(|kind| KINDS.contains(kind))
}

/// The notices about an appointment, oldest first.
pub fn notices_of(of: BusinessId, appointment: AppointmentId) -> KeyRange {
    KeyRange::prefix(start(of, kind::NOTICE_OF).with(appointment.uuid().as_bytes()))
}

pub fn mails(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL)
}

/// All rows of mails and alerts, whose kinds are adjacent.
pub fn mails_and_alerts(of: BusinessId) -> KeyRange {
    KeyRange { from: mails(of).from, to: of_kind(of, kind::ALERTS_READ).to }
}

pub fn mails_due(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL_DUE)
}

pub fn mail_gathered(of: BusinessId, mails: MailKind, person: PersonId, id: MailId) -> Key {
    gathered_of(of, mails, person).with(id.uuid().as_bytes())
}

/// The mails of a kind that are sent to a person together, oldest first.
pub fn mails_gathered(of: BusinessId, mails: MailKind, person: PersonId) -> KeyRange {
    KeyRange::prefix(gathered_of(of, mails, person))
}

fn gathered_of(of: BusinessId, mails: MailKind, person: PersonId) -> Key {
    start(of, kind::MAIL_GATHERED).with(&[mail_kind_number(mails)]).with(person.uuid().as_bytes())
}

pub fn idempotency_before(business: BusinessId, day: u32) -> KeyRange {
    of_kind(business, kind::IDEMPOTENCY).before(key_of(business, kind::IDEMPOTENCY, &[&day]))
}

pub fn idempotency_from(business: BusinessId, day: u32) -> KeyRange {
    of_kind(business, kind::IDEMPOTENCY).starting_at(key_of(business, kind::IDEMPOTENCY, &[&day]))
}

pub fn day_and_hash(key: &[u8]) -> Result<(u32, [u8; 32]), StoreError> {
    match key.last_chunk::<36>().and_then(|tail| tail.split_first_chunk::<4>()) {
        Some((day, hash)) => Ok((u32::from_be_bytes(*day), hash.try_into().unwrap_or([0; 32]))),
        None => Err(StoreError::damaged("key", "it is too short to end with a day and a hash")),
    }
}

/// Returns the rows of kind [`kind::AGE`] for times up to `at`, including `at`.
pub fn ages_until(business: BusinessId, at: SteadyTime) -> KeyRange {
    of_kind(business, kind::AGE).before(age(business, at).with(&[0]))
}

pub fn age_at(key: &[u8]) -> Result<SteadyTime, StoreError> {
    let Some(at) = key.last_chunk::<8>() else {
        return Err(StoreError::damaged("key", "it is too short to end with a point of time"));
    };
    Ok(SteadyTime::from_millis((u64::from_be_bytes(*at) ^ 1 << 63) as i64))
}
