//! Imports of contacts into the guest houses (see `guests`). After an import, the first people of the file are guests:
//! other requests book appointments for these guests, merge them and erase them. No other request is about the
//! remaining people of the file.
//!
//! Invariants between two runs of the engine:
//! - Either all people of a file exist, or none. No person exists twice.
//! - After an acknowledged import, all people of the file exist.

use std::collections::BTreeMap;
use std::ops::Range;

use domain::{Actor, Contact, ContactDetails, ContactId, ContactRow};
use engine::business::{ContactFilter, Idempotency, ImportContacts, PageRequest, Request};
use store::keys::{self, kind};
use store::{Order, Record, Store};

use super::asker::Client;
use super::people::{Guest, Person, email, name, phone};
use crate::life::Life;
use crate::shop::text;
use crate::sim::Sim;

/// Requests other than imports may use only the first people of each imported file. This is the number of these people
/// per file.
const KNOWN: usize = 3;
/// The maximum number of people in a file. The engine writes them in several batches.
const PEOPLE_MAX: usize = 150;

/// A requested import.
#[derive(Clone, Debug)]
pub(super) struct Import {
    key: [u8; 32],
    /// The numbers from which the names, phone numbers and addresses of the people in the file are made.
    numbers: Range<usize>,
    is_acknowledged: bool,
}

impl Import {
    fn rows(&self) -> Vec<ContactRow> {
        let row = |(line, number)| {
            let details = ContactDetails {
                name: Some(text(&name(number))),
                phone: Some(phone(number)),
                email: Some(email(number)),
                ..ContactDetails::default()
            };
            ContactRow { line, details, notes: None, alert: None }
        };
        (2..).zip(self.numbers.clone()).map(row).collect()
    }
}

impl Sim {
    /// Imports new guests, or repeats an earlier import.
    pub(super) fn import_guests(&self, life: &mut Life, asker: Client, key: [u8; 32]) {
        let dice = &self.guest_dice;
        let (import, is_first) = {
            let imports = &mut self.guests.all.lock()[asker.at].imports;
            if !imports.is_empty() && dice.once_in(3) {
                (dice.pick(imports).clone(), false)
            } else {
                let mut people = self.guests.people.lock();
                let first = *people + 1;
                *people += KNOWN + 1 + dice.below(PEOPLE_MAX - KNOWN);
                let import = Import { key, numbers: first..*people + 1, is_acknowledged: false };
                imports.push(import.clone());
                (import, true)
            }
        };
        let what = if is_first { "import" } else { "repeated import" };
        self.world.say(format_args!("{what} of the guests {:?} of {}", import.numbers, asker.at));
        life.spawn(async move { asker.import(import, is_first).await });
    }
}

impl Client {
    async fn import(&self, import: Import, is_first: bool) {
        let idempotency = Some(Idempotency { key: import.key, fingerprint: import.key });
        let request = Request { idempotency, ..Request::by(Actor::Operator) };
        let sent = ImportContacts { rows: import.rows(), dry_run: false };
        let answer = match self.handle.import_contacts(request, sent).await {
            Ok(answer) => answer.value,
            Err(error) => return self.refused(&error),
        };
        let (created, skipped) = (answer.created as usize, answer.skipped.len());
        if created + skipped != import.numbers.len() || (is_first && skipped > 0) {
            self.world.wrong(format_args!("{import:?} created {created} contacts and skipped {skipped}"));
        }
        let mark = |it: &mut Import| it.is_acknowledged |= it.key == import.key;
        self.guests.all.lock()[self.at].imports.iter_mut().for_each(mark);
        for number in import.numbers.take(KNOWN) {
            let filter = ContactFilter { phone: Some(phone(number)), ..ContactFilter::default() };
            let found = match self.handle.contacts(&filter, &PageRequest { limit: 2, after: None }).await {
                Ok(found) => found.items,
                Err(error) => return self.refused(&error),
            };
            let mut all = self.guests.all.lock();
            let people = &mut all[self.at].people;
            if people.values().any(|person| person.number == number) {
                continue;
            }
            match &found[..] {
                [contact] => _ = people.insert(contact.id, Person::new(contact.id, number)),
                found => {
                    let found = found.len();
                    self.world.wrong(format_args!("{found} contacts are the imported guest {number}"));
                }
            }
        }
    }
}

pub(super) fn check(store: &Store, guest: &Guest, is_the_end: bool) {
    let of = guest.id;
    let unfinished = store.get_raw(&keys::contact_import(of)).unwrap();
    assert!(!is_the_end || unfinished.is_none(), "an interrupted import was not undone");
    let hidden = unfinished.map(|first| keys::id_at_end::<ContactId>(&first).unwrap());
    let mut phones: BTreeMap<String, usize> = BTreeMap::new();
    for row in store.scan(&keys::of_kind(of, kind::CONTACT), Order::Ascending) {
        let Ok(contact) = Contact::decode(&row.unwrap().1) else { continue };
        if let Some(phone) = contact.phone.filter(|_| hidden.is_none_or(|first| contact.id < first)) {
            *phones.entry(phone.as_str().to_owned()).or_default() += 1;
        }
    }
    for import in &guest.imports {
        let only_imported = import.numbers.clone().skip(KNOWN);
        let all = only_imported.len();
        let counts = only_imported.filter_map(|number| phones.get(phone(number).as_str()));
        let counts: Vec<_> = counts.copied().collect();
        assert!(counts.iter().all(|count| *count == 1), "{import:?} exists twice: {counts:?}");
        let expected = if import.is_acknowledged { vec![all] } else { vec![0, all] };
        assert!(expected.contains(&counts.len()), "{} of {all} contacts of {import:?} exist", counts.len());
    }
}
