//! Checks of calls and messages with their index rows.

use domain::{CallId, CallRecord, MessageId, TakenMessage};
use store::keys;

use super::findings::Checker;

pub(super) fn call(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(call) = checker.kept::<CallRecord>(value) else { return };
    checker.refers_to_contact(call.contact_id);
}

pub(super) fn index_of_calls(checker: &mut Checker<'_>, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let Some(id) = checker.read(keys::id_at_end::<CallId>(&key)) else { return };
    let call = checker.record::<CallRecord>(&keys::call(of, id));
    checker.leads_to(call.as_ref(), value);
}

pub(super) fn message(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(message) = checker.kept::<TakenMessage>(value) else { return };
    checker.refers_to_contact(message.contact_id);
    let of = checker.of;
    // With a retention, the call may have expired.
    if let Some(call) = message.call_id
        && !checker.is_there(&keys::retention(of))
    {
        checker.refers("call", &keys::call(of, call));
    }
}

pub(super) fn index_of_messages(checker: &mut Checker<'_>, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let Some(id) = checker.read(keys::id_at_end::<MessageId>(&key)) else { return };
    let message = checker.record::<TakenMessage>(&keys::message(of, id));
    checker.leads_to(message.as_ref(), value);
}
