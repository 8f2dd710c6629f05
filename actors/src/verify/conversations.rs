//! Calls and messages, and their index rows.

use super::findings::Checker;
use crate::domain::{BusinessId, CallId, CallRecord, MessageId, TakenMessage};
use crate::store::keys::MessagesOf;
use crate::store::records::{CallRow, status_number};
use crate::store::{Key, Record, keys};

/// The index rows that a call asks for.
fn rows_of_call(of: BusinessId, call: &CallRecord) -> Vec<(&'static str, Key, Vec<u8>)> {
    let mut rows = vec![
        ("by start", keys::call_by_start(of, call.started_at, call.id), CallRow::from(call).encode()),
        ("by change", keys::call_by_update(of, call.updated_at, call.id), Vec::new()),
    ];
    if let Some(contact) = call.contact_id {
        rows.push(("by contact", keys::call_by_contact(of, contact, call.started_at, call.id), Vec::new()));
    }
    rows
}

/// The index rows that a message asks for.
fn rows_of_message(of: BusinessId, message: &TakenMessage) -> Vec<(&'static str, Key, Vec<u8>)> {
    let lists = [
        Some(("by creation", MessagesOf::Business)),
        Some(("by status", MessagesOf::Status(status_number(message.status)))),
        message.contact_id.map(|id| ("by contact", MessagesOf::Contact(id))),
        message.call_id.map(|id| ("by call", MessagesOf::Call(id))),
    ];
    let listed = lists.into_iter().flatten();
    let listed = listed
        .map(|(name, list)| (name, keys::message_in(of, list, message.created_at, message.id), Vec::new()));
    let by_change = keys::message_by_update(of, message.updated_at, message.id);
    listed.chain([("by change", by_change, Vec::new())]).collect()
}

/// Looks at a call.
pub(super) fn call(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(call) = checker.decoded::<CallRecord>(value) else { return };
    let of = checker.of;
    checker.stands_at(&keys::call(of, call.id));
    for (name, key, value) in rows_of_call(of, &call) {
        checker.expect(name, &key, &value);
    }
    checker.refers_to_contact(call.contact_id);
}

/// Looks at an index row of a call.
pub(super) fn index_of_calls(checker: &mut Checker<'_>, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let Some(id) = checker.read(keys::id_at_end::<CallId>(&key)) else { return };
    let call = checker.record::<CallRecord>(&keys::call(of, id));
    let asked =
        call.is_some_and(|call| rows_of_call(of, &call).iter().any(|row| row.1 == key && row.2 == value));
    checker.belongs(asked);
}

/// Looks at a message.
pub(super) fn message(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(message) = checker.decoded::<TakenMessage>(value) else { return };
    let of = checker.of;
    checker.stands_at(&keys::message(of, message.id));
    for (name, key, value) in rows_of_message(of, &message) {
        checker.expect(name, &key, &value);
    }
    checker.refers_to_contact(message.contact_id);
    // Calls go by themselves where they are not kept for ever.
    if let Some(call) = message.call_id
        && !checker.is_there(&keys::retention(of))
    {
        checker.refers("call", &keys::call(of, call));
    }
}

/// Looks at an index row of a message.
pub(super) fn index_of_messages(checker: &mut Checker<'_>, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let Some(id) = checker.read(keys::id_at_end::<MessageId>(&key)) else { return };
    let message = checker.record::<TakenMessage>(&keys::message(of, id));
    let asked = message.is_some_and(|message| {
        rows_of_message(of, &message).iter().any(|row| row.1 == key && row.2 == value)
    });
    checker.belongs(asked);
}
