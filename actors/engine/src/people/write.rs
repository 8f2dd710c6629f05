//! The rows of a person: the account and its index rows by email address and by token.

use domain::{Person, ResourceId};
use store::{Batch, Record, keys};

/// Adds the changed rows of a person to the batch. If the new state `after` is `None`, adds the deletion of all rows of
/// the person.
pub(crate) fn write_person(before: Option<&Person>, after: Option<&Person>, batch: &mut Batch) {
    let email = |person: &Person| keys::person_by_email(&person.email_folded());
    let tokens = |person: &Person| -> Vec<[u8; 32]> {
        let sessions = person.sessions.iter().map(|session| session.hash);
        sessions.chain(person.link.as_ref().map(|link| link.hash)).collect()
    };
    let (tokens_before, tokens_after) = (before.map(tokens), after.map(tokens));
    if let Some(before) = before {
        for token in tokens_before.iter().flatten() {
            if !tokens_after.iter().flatten().any(|other| other == token) {
                batch.delete(keys::person_by_token(token));
            }
        }
        if after.map(email) != Some(email(before)) {
            batch.delete(email(before));
        }
    }
    let bytes_before = before.map_or(0, |before| before.encode().len());
    let Some(after) = after else {
        if let Some(before) = before {
            batch.delete_whole(keys::person(before.id), bytes_before);
        }
        return;
    };
    let id = || after.id.uuid().as_bytes().to_vec();
    batch.put_over(keys::person(after.id), after.encode(), bytes_before);
    if before.map(email) != Some(email(after)) {
        batch.put(email(after), id());
    }
    for token in tokens_after.iter().flatten() {
        if !tokens_before.iter().flatten().any(|other| other == token) {
            batch.put(keys::person_by_token(token), id());
        }
    }
}
