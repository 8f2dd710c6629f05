//! Checks of people: accounts, their index rows by e-mail address and token, and memberships in both places.

use domain::{BusinessId, Membership, Person, PersonId};
use store::keys::{self, installation_kind};

use super::findings::Checker;

pub(super) fn look(checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
    match kind {
        installation_kind::PERSON => person(checker, value),
        installation_kind::PERSON_BY_EMAIL => {
            let Some(person) = named(checker, value) else { return };
            let row = keys::person_by_email(&person.email_folded());
            checker.belongs(row == checker.key);
        }
        installation_kind::PERSON_BY_TOKEN => {
            let Some(person) = named(checker, value) else { return };
            let key = checker.key;
            checker.belongs(tokens(&person).any(|token| keys::person_by_token(&token) == key));
        }
        _ => member_of(checker, value),
    }
}

/// The person with the id in the value.
fn named(checker: &mut Checker<'_>, value: &[u8]) -> Option<Person> {
    let id = checker.read(keys::id_at_end::<PersonId>(value))?;
    let person = checker.record::<Person>(&keys::person(id));
    if person.is_none() {
        checker.wrong("the person that it names is missing");
    }
    person
}

fn tokens(person: &Person) -> impl Iterator<Item = [u8; 32]> {
    let sessions = person.sessions.iter().map(|session| session.hash);
    sessions.chain(person.link.iter().map(|link| link.hash))
}

fn person(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(person) = checker.decoded::<Person>(value) else { return };
    checker.stands_at(&keys::person(person.id));
    let id = *domain::ResourceId::uuid(person.id).as_bytes();
    checker.expect("by e-mail address", &keys::person_by_email(&person.email_folded()), &id);
    for token in tokens(&person) {
        checker.expect("by token", &keys::person_by_token(&token), &id);
    }
}

/// Checks a membership in its person's list.
fn member_of(checker: &mut Checker<'_>, value: &[u8]) {
    let key = checker.key;
    let person = checker.read(keys::id_at_end::<PersonId>(key.get(..33).unwrap_or_default()));
    let business = checker.read(keys::id_at_end::<BusinessId>(&key));
    let (Some(person), Some(business)) = (person, business) else { return };
    checker.stands_at(&keys::member_of(person, business));
    let is_there = checker.is_there(&keys::membership(business, person));
    checker.belongs(is_there);
    if !value.is_empty() {
        checker.wrong("it has a value");
    }
}

/// Checks a membership in its business.
pub(super) fn membership(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(membership) = checker.kept::<Membership>(value) else { return };
    let of = checker.of;
    checker.refers("person", &keys::person(membership.person_id));
    if let Some(staff) = membership.staff_id {
        checker.refers("staff member", &keys::staff(of, staff));
    }
}
