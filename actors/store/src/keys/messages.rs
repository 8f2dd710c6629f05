//! Messages and their indexes.

use domain::{BusinessId, CallId, ContactId, MessageId, Timestamp};

use super::kind;
use super::parts::{of_id, of_instant, start, within};
use crate::{Key, KeyRange};

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
