//! Appointments, contacts, calls and messages, with their indexes.

use domain::{AppointmentId, BusinessId, CallId, ContactId, MessageId, Timestamp};
use uuid::Uuid;

use super::kind;
use super::parts::{digest, of_id, of_instant, start, within};
use crate::{Key, KeyRange};

pub fn appointment(business: BusinessId, starts_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, kind::APPOINTMENT), starts_at, id)
}

pub fn appointment_start(business: BusinessId, id: AppointmentId) -> Key {
    of_id(business, kind::APPOINTMENT_START, id)
}

/// The rows by id of the appointments with ids from this instant on, in the order of creation.
pub fn appointments_minted_from(business: BusinessId, from: Timestamp) -> KeyRange {
    let kind = start(business, kind::APPOINTMENT_START);
    let first = Uuid::from_u128(u128::try_from(from.millis()).unwrap_or(0) << 80);
    KeyRange::prefix(kind).starting_at(kind.with(first.as_bytes()))
}

pub fn appointments_starting(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::APPOINTMENT), from, to)
}

pub fn appointment_by_contact(
    business: BusinessId,
    contact: ContactId,
    starts_at: Timestamp,
    id: AppointmentId,
) -> Key {
    of_instant(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact), starts_at, id)
}

pub fn appointments_of_contact(business: BusinessId, contact: ContactId) -> KeyRange {
    KeyRange::prefix(of_id(business, kind::APPOINTMENT_BY_CONTACT, contact))
}

pub fn appointment_by_update(business: BusinessId, updated_at: Timestamp, id: AppointmentId) -> Key {
    of_instant(start(business, kind::APPOINTMENT_BY_UPDATE), updated_at, id)
}

pub fn contact(business: BusinessId, id: ContactId) -> Key {
    of_id(business, kind::CONTACT, id)
}

/// The contact with this phone number. The key contains a hash, so the caller compares the record.
pub fn contact_by_phone(business: BusinessId, phone: &str) -> Key {
    start(business, kind::CONTACT_BY_PHONE).with(&digest(phone))
}

/// The contact with this email address. The key contains a hash, so the caller compares the record.
pub fn contact_by_email(business: BusinessId, email: &str) -> Key {
    start(business, kind::CONTACT_BY_EMAIL).with(&digest(email))
}

pub fn contact_by_update(business: BusinessId, updated_at: Timestamp, id: ContactId) -> Key {
    of_instant(start(business, kind::CONTACT_BY_UPDATE), updated_at, id)
}

pub fn contact_names(business: BusinessId, from: ContactId) -> Key {
    of_id(business, kind::CONTACT_NAMES, from)
}

/// The rows of names up to this contact. The last one contains the contact's name.
pub fn contact_names_up_to(business: BusinessId, id: ContactId) -> KeyRange {
    KeyRange { from: start(business, kind::CONTACT_NAMES), to: contact_names(business, id).with(&[0]) }
}

pub fn call(business: BusinessId, id: CallId) -> Key {
    of_id(business, kind::CALL, id)
}

pub fn call_by_start(business: BusinessId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_START), started_at, id)
}

/// The index rows of calls that started within `from..to`, in order of their starts.
pub fn calls_started(business: BusinessId, from: Timestamp, to: Timestamp) -> KeyRange {
    within(start(business, kind::CALL_BY_START), from, to)
}

pub fn call_by_contact(business: BusinessId, contact: ContactId, started_at: Timestamp, id: CallId) -> Key {
    of_instant(of_id(business, kind::CALL_BY_CONTACT, contact), started_at, id)
}

/// The index rows of a contact's calls that started within `from..to`, in order of their starts.
pub fn calls_of_contact(
    business: BusinessId,
    contact: ContactId,
    from: Timestamp,
    to: Timestamp,
) -> KeyRange {
    within(of_id(business, kind::CALL_BY_CONTACT, contact), from, to)
}

pub fn call_by_update(business: BusinessId, updated_at: Timestamp, id: CallId) -> Key {
    of_instant(start(business, kind::CALL_BY_UPDATE), updated_at, id)
}

pub fn message(business: BusinessId, id: MessageId) -> Key {
    of_id(business, kind::MESSAGE, id)
}

/// The index of a list of messages. Each is in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagesOf {
    Business,
    /// The messages with the status of this number.
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

pub fn message_by_update(business: BusinessId, updated_at: Timestamp, id: MessageId) -> Key {
    of_instant(start(business, kind::MESSAGE_BY_UPDATE), updated_at, id)
}
