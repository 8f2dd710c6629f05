//! Checks the rows of the guest houses (see `guests`) between two runs and at the end.

use std::collections::BTreeSet;

use domain::{Alias, BusinessId, CallRecord, Contact, ResourceId, TakenMessage};
use engine::EngineError;
use store::keys::{self, installation_kind, kind};
use store::{Order, Record, Store, Tombstone};

use super::imports;
use super::people::{Gone, Guest, Person, phone, said, words};
use crate::life::Life;
use crate::sim::Sim;

impl Sim {
    /// Sends a request to each guest house. The next request to a business makes the service undo an interrupted import
    /// of contacts. Without a request, the service undoes the import within a day.
    pub(crate) async fn use_guests(&self, life: &Life) {
        let ids: Vec<_> = self.guests.all.lock().iter().map(|guest| guest.id).collect();
        for id in ids {
            let handle = life.engine.business(id);
            match handle.budget().await {
                Ok(_) => self.check_unhandled_calls(&handle).await,
                Err(EngineError::NotFound) => {}
                Err(error) => self.world.wrong(format_args!("{id} cannot be used: {error}")),
            }
        }
    }

    /// Checks the rows of the guest houses. At the end of the simulation, all cleanup must be complete.
    pub(crate) fn check_guests(&self, store: &Store, is_the_end: bool) {
        let listed = self.world.disk.tombstones();
        for (at, guest) in self.guests.all.lock().iter_mut().enumerate() {
            let has_profile = store.contains(&keys::profile(guest.id)).unwrap();
            let is_ending = store.contains(&keys::ending(guest.id)).unwrap();
            assert!(guest.ended != Gone::No || has_profile, "the additional business {at} is missing");
            if guest.ended == Gone::Yes || !has_profile {
                guest.ended = Gone::Yes;
                assert!(!has_profile, "the deleted business {at} exists again");
                assert!(
                    listed.contains(&Tombstone::EndedBusiness(guest.id)),
                    "the deleted business {at} is not in the list of tombstones"
                );
                let left = store.rows().scan(&keys::all(guest.id), Order::Ascending).count();
                assert!(
                    is_ending || left == 0,
                    "{left} rows of the business {at} are left, and no cleanup will delete them"
                );
                assert!(
                    !is_the_end || (left == 0 && !is_ending),
                    "{left} rows of the business {at} are left"
                );
                continue;
            }
            imports::check(store, guest, is_the_end);
            check_people(store, guest, &listed, is_the_end);
        }
        if is_the_end {
            for list in [installation_kind::ENDING, installation_kind::UNFINISHED] {
                let range = keys::of_kind(BusinessId::INSTALLATION, list);
                let left = store.scan(&range, Order::Ascending).filter(|row| {
                    let (key, _) = row.as_ref().unwrap();
                    // The list of unfinished businesses also contains businesses with an open conversation. These
                    // businesses do not count here, because an open conversation is not an unfinished cleanup.
                    let open = keys::of_kind(keys::id_at_end(key).unwrap(), kind::CONVERSATION_OPEN);
                    store.scan(&open, Order::Ascending).next().is_none()
                });
                assert_eq!(left.count(), 0, "a cleanup is not complete");
            }
        }
    }
}

fn check_people(store: &Store, guest: &mut Guest, listed: &[Tombstone], is_the_end: bool) {
    let of = guest.id;
    let mut all_rows: Vec<(Vec<u8>, String)> = Vec::new();
    for row in store.scan(&keys::all(of), Order::Ascending) {
        let (key, value) = row.unwrap();
        all_rows.push((key, String::from_utf8_lossy(&value).to_lowercase()));
    }
    let is_finished = !store.contains(&keys::unfinished(of)).unwrap();
    let mut alive: BTreeSet<usize> = BTreeSet::new();
    for person in guest.people.values_mut() {
        let contact = store.get::<Contact>(&keys::contact(of, person.contact)).unwrap();
        let alias = store.get::<Alias>(&keys::alias(of, person.contact)).unwrap();
        if let Some(alias) = alias {
            assert!(contact.is_none() && person.merged != Gone::No, "{person:?} is merged, but exists");
            assert!(person.gone != Gone::Yes, "the erased person leads to {}", alias.into);
            assert!(store.contains(&keys::contact(of, alias.into)).unwrap(), "{person:?} leads to nobody");
            alive.insert(person.number);
            continue;
        }
        assert!(
            contact.is_none() || person.merged != Gone::Yes,
            "the merged person exists again: {person:?}"
        );
        match (&contact, person.gone) {
            (None, Gone::No) => panic!("the data of {person:?} is missing"),
            (Some(_), Gone::Yes) => panic!("the erased person exists again: {person:?}"),
            (None, _) => person.gone = Gone::Yes,
            (Some(_), _) => _ = alive.insert(person.number),
        }
    }
    // A person may have a second contact that the test does not know: a request was repeated after its idempotency key
    // had expired, or a response was lost. The erasure of the first contact does not erase the second contact. So the
    // rows of the second contact may contain the words of an erased person.
    for row in store.scan(&keys::of_kind(of, kind::CONTACT), Order::Ascending) {
        let Ok(contact) = Contact::decode(&row.unwrap().1) else { continue };
        if !guest.people.contains_key(&contact.id) {
            let is_they = |person: &&Person| contact.phone.as_deref() == Some(phone(person.number).as_str());
            alive.extend(guest.people.values().filter(is_they).map(|person| person.number));
        }
    }
    let asked = guest.people.values().filter(|person| person.gone != Gone::No);
    let erased: BTreeSet<usize> = asked.map(|person| person.number).collect();
    for person in guest.people.values() {
        if person.gone == Gone::Yes {
            assert!(
                listed.contains(&Tombstone::ErasedContact(of, person.contact)),
                "the erased person is not in the list of tombstones: {person:?}"
            );
            assert!(!is_the_end || is_finished, "the erasure is not complete");
            if !is_finished || alive.contains(&person.number) {
                continue;
            }
            for word in words(person.number) {
                let word = word.to_lowercase();
                // A phone number must not match when it is only part of a longer number.
                let told = all_rows.iter().find(|(_, shown)| {
                    shown.match_indices(&word).any(|(at, _)| {
                        !shown[at + word.len()..].starts_with(|next: char| next.is_ascii_digit())
                    })
                });
                if let Some((key, shown)) = told {
                    let key = store::Key::new(key);
                    panic!("the word {word} of {} was erased, but is in {key:?}: {shown}", person.contact);
                }
            }
        }
        for id in &person.appointments {
            let is_there = store.contains(&keys::appointment_start(of, *id)).unwrap();
            assert!(is_there || guest.expires, "the appointment {id} is missing");
        }
        for id in &person.calls {
            let call = store.get::<CallRecord>(&keys::call(of, *id)).unwrap();
            assert!(call.is_some() || guest.expires, "the call {id} is missing");
            // Another contact may also have had this person's phone number: a second contact of the same guest, or a
            // contact that got the number in a merge. The erasure of that contact may remove the number from this call.
            let is_whole = call.as_ref().is_none_or(|call| {
                let is_own = |summary: &str| summary.contains(&said(person.number));
                let keeps_number = |summary: &str| is_own(summary) && !erased.contains(&person.number);
                call.summary.as_deref().is_some_and(|said| call.from_number.is_some() || !keeps_number(said))
            });
            assert!(
                is_whole || person.gone == Gone::Yes,
                "the call lacks data although no erasure was requested: {call:?} of {person:?}"
            );
        }
        for id in &person.messages {
            let message = store.get::<TakenMessage>(&keys::message(of, *id)).unwrap();
            assert!(message.is_some() || guest.expires, "the message {id} is missing");
            let is_whole = message.is_none_or(|message| !message.body.is_empty());
            assert!(
                is_whole || person.gone == Gone::Yes,
                "the message {id} lacks data although no erasure was requested: {person:?}"
            );
        }
    }
    let kinds = [kind::ERASURE, kind::ERASING, kind::MERGING, kind::REMINDING, kind::WIPE];
    let left =
        kinds.iter().any(|kind| store.scan(&keys::of_kind(of, *kind), Order::Ascending).next().is_some());
    assert!(!left || !is_finished, "data is left in {}, and no cleanup will delete it", of.uuid());
}
