//! Checks of contacts, their index rows and the name index.

use domain::{Contact, ContactId, fold_name};
use store::keys::kind;
use store::records::{ErasureRecord, NamesRecord};
use store::{Key, Order, Record, keys};

use super::findings::Checker;

/// The maximum number of names in one row.
const NAMES_PER_ROW_MAX: usize = 64;

pub(super) fn contact(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(contact) = checker.kept::<Contact>(value) else { return };
    let of = checker.of;
    let newest = checker.rows.scan(&keys::contact_names_up_to(of, contact.id), Order::Descending).next();
    let Some(row) = checker.read(newest.transpose()) else { return };
    // An unreadable contact is reported at its own row.
    let found = match row.map(|(key, _)| checker.value(&Key::new(&key))) {
        None => None,
        Some(value) => {
            let Some(Ok(row)) = value.map(|value| NamesRecord::decode(&value)) else { return };
            row.names.into_iter().find(|(id, _)| *id == contact.id).map(|(_, name)| name)
        }
    };
    if found != contact.name.as_deref().map(fold_name) {
        checker.wrong("the index of names contains another name for it");
    }
}

pub(super) fn names(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(row) = checker.decoded::<NamesRecord>(value) else { return };
    let Some(from) = checker.read(keys::id_at_end::<ContactId>(&checker.key.clone())) else { return };
    if row.names.len() > NAMES_PER_ROW_MAX || row.names.first().is_some_and(|(first, _)| *first < from) {
        checker.wrong("it contains names that do not belong in it");
    }
    for (id, name) in row.names {
        let contact = checker.record::<Contact>(&keys::contact(checker.of, id));
        if contact.and_then(|contact| contact.name).map(|name| fold_name(&name)) != Some(name) {
            checker.wrong(format_args!("contact {id} does not have the name that it contains"));
        }
    }
}

pub(super) fn index(checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let of_whom = if kind == kind::CONTACT_BY_UPDATE { &*key } else { value };
    let Some(id) = checker.read(keys::id_at_end::<ContactId>(of_whom)) else { return };
    let contact = checker.record::<Contact>(&keys::contact(of, id));
    let erasure = |checker: &mut Checker<'_>| checker.record::<ErasureRecord>(&keys::erasure(of, id));
    if contact.is_none() && erasure(checker).is_some_and(|erasure| erasure.phone.is_none()) {
        return; // the value is unknown, so the erasure searches for the row
    }
    checker.leads_to(contact.as_ref(), value);
}
