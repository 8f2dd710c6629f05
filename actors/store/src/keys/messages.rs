//! Messages and the lists that they are in.

use domain::{BusinessId, CallId, ContactId, MessageId, Timestamp};

use super::kind;
use super::parts::{of_id, of_instant, start, within};
use crate::{Key, KeyRange};

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
