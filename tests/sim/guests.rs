//! Additional businesses, called guest houses, with imports, merges, erasures, retention and deletions. A contact of a
//! guest house is called a guest. The test records the acknowledged data of each guest, and the words that occur only
//! in the data of this guest.
//!
//! Invariants between two runs of the engine:
//!
//! - An erased guest no longer exists. After the cleanup, no row contains the words of this guest.
//! - All acknowledged data of every other guest exists.
//! - After a merge, both ids lead to the guest that remains, who has the records of both. An erasure under either id
//!   erases both.
//! - A deleted business is not found. At the end it has no rows, and its cleanup is complete.

mod asker;
mod imports;
mod left;
mod people;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::booking::{BookRequest, Party};
use domain::{
    Actor, BookingMode, ContactDetails, ContactId, ContactPatch, DisabledReason, EventTypes, Locale,
    MessageStatus, Phone, ServiceId, Source, StaffId, Text, Timestamp, WebhookStatus, WeeklyBreaks,
};
use engine::business::commands::appointments::{Book, BookingContact, Cancel, PatchAppointment};
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::contacts::{CreateContact, MergeContacts, PatchContact};
use engine::business::commands::erasure::{EraseContact, PatchRetention};
use engine::business::commands::messages::PatchMessage;
use engine::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use engine::business::{CallFilter, Idempotency, PageRequest, Request};
use engine::{EngineError, NewBusiness};
use ports::Random;

use self::asker::Client;
pub(crate) use self::people::Guests;
use self::people::{
    Gone, Guest, Person, Repeatable, book_online, call, email, message, name, phone, phone as phone_of,
};
use crate::dice::Dice;
use crate::ledger::json;
use crate::life::Life;
use crate::shop::{every_day, id, text};
use crate::sim::Sim;
use crate::wide::Workload;

/// The number of guest houses.
const GUESTS: usize = 2;

impl Sim {
    /// Creates the guest houses.
    pub(crate) async fn found_guests(&mut self, life: &Life) {
        if self.workload != Workload::Wide {
            return;
        }
        for number in 0..GUESTS {
            let new = NewBusiness {
                name: text(&format!("Guest house {number}")),
                zone: chrono_tz::UTC,
                locale: Locale::En,
                website_url: None,
                booking_mode: BookingMode::Instant,
                hours: every_day(0, 1440),
                breaks: WeeklyBreaks::default(),
                phone_region: "US".into(),
            };
            let of = life.engine.create_business(new, Actor::Operator).await.unwrap().id;
            let handle = life.engine.business(of);
            let by = || Request::by(Actor::Operator);
            let service = CreateService::lasting(text("Stay"), 30);
            let service: ServiceId = handle.change(by(), service).await.unwrap().value.service.id;
            let member = CreateStaff::offering(text("Host"), vec![service]);
            let staff: StaffId = handle.change(by(), member).await.unwrap().value.staff.id;
            let mut webhooks = Vec::new();
            for _ in 0..2 {
                let url = self.new_url();
                self.guests.urls.lock().insert(url.as_str().to_owned());
                let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
                webhooks.push(handle.change(by(), create).await.unwrap().value.webhook.id);
            }
            let (people, ended, expires) = (BTreeMap::new(), Gone::No, false);
            let imports = Vec::new();
            let guest = Guest { id: of, service, staff, webhooks, people, ended, expires, imports };
            self.guests.all.lock().push(guest);
        }
    }

    fn drawn_key(dice: &Dice) -> [u8; 32] {
        let mut key = [0; 32];
        dice.fill(&mut key);
        key
    }

    /// Starts one random change in one of the guest houses.
    pub(crate) fn some_guest(&mut self, life: &mut Life) {
        if self.guests.all.lock().is_empty() {
            return;
        }
        let dice = &self.guest_dice;
        let at = dice.below(GUESTS);
        let now = self.world.time.truth();
        let (of, service, staff, webhook, known) = {
            let all = self.guests.all.lock();
            let guest = &all[at];
            let known: Vec<Person> = guest.people.values().cloned().collect();
            (guest.id, guest.service, guest.staff, *dice.pick(&guest.webhooks), known)
        };
        let asker = Client {
            world: self.world.clone(),
            handle: life.engine.business(of),
            closing: Arc::clone(&life.closing),
            guests: self.guests.clone(),
            at,
        };
        let key = Self::drawn_key(dice);
        let person = if known.is_empty() { None } else { Some(dice.pick(&known).clone()) };
        let person = match person {
            None => {
                let number = {
                    let mut people = self.guests.people.lock();
                    *people += 1;
                    *people
                };
                return self.new_guest(life, asker, key, number);
            }
            Some(person) => person,
        };
        let (contact, number) = (person.contact, person.number);
        let say = |what: &str| self.world.say(format_args!("guest {number} of {at}: {what}"));
        match dice.below(40) {
            0..=9 => {
                let number = {
                    let mut people = self.guests.people.lock();
                    *people += 1;
                    *people
                };
                self.new_guest(life, asker, key, number);
            }
            10..=14 => {
                say("calls");
                let by_id = dice.once_in(2);
                let asked = Repeatable::Call(Box::new(call(number, by_id.then_some(contact), now)));
                // If the guest may have been erased, a call with only the phone number could create a new contact, so
                // the test does not send this call.
                if by_id || person.gone == Gone::No {
                    life.spawn(async move { asker.make(contact, key, asked).await });
                }
            }
            15..=18 => {
                say("leaves a message");
                let call = person.calls.first().copied().filter(|_| dice.once_in(2));
                let asked = Repeatable::Take(Box::new(message(number, Some(contact), call)));
                life.spawn(async move { asker.make(contact, key, asked).await });
            }
            19..=23 => {
                say("books");
                let day = 86_400_000;
                let first = (now.millis() / day + 1) * day;
                let step = i64::try_from(dice.below(480)).unwrap();
                let starts_at = Timestamp::from_millis(first + step * 1_800_000);
                let party = Party::TEAM;
                let request = BookRequest {
                    service_id: service,
                    starts_at,
                    staff_id: Some(staff),
                    source: Source::Voice,
                    party,
                    duration: None,
                };
                if self.workload == Workload::Wide && number.is_multiple_of(2) && person.gone == Gone::No {
                    let booking = book_online(number, request);
                    life.spawn(async move { asker.book_online(contact, key, booking).await });
                    return;
                }
                let contact_is = BookingContact::Known(contact);
                let asked = Repeatable::Book(Box::new(Book { request, contact: contact_is }));
                life.spawn(async move { asker.make(contact, key, asked).await });
            }
            24 | 25 => {
                say("changes");
                let locale = Some(Some(*dice.pick(&[Locale::En, Locale::Fr])));
                let renamed = Some(Some(text(&format!("{} again", name(number)))));
                let notes = Some(Some(text(&format!("{} likes tea", name(number)))));
                let alert = Some(Some(text(&format!("{} is late", name(number)))));
                let patch = ContactPatch { locale, name: renamed, notes, alert, ..ContactPatch::default() };
                let asked = Repeatable::Patch(PatchContact { id: contact, patch });
                life.spawn(async move { asker.make(contact, key, asked).await });
            }
            26 => {
                if let Some(message) = person.messages.last().copied() {
                    say("a message is marked as read");
                    let patch = PatchMessage {
                        status: Some(MessageStatus::Read),
                        notes: Some(Some(text(&format!("{} likes tea", name(number))))),
                        ..PatchMessage::of(message)
                    };
                    life.spawn(async move { _ = asker.ask(key, patch).await });
                }
            }
            27 if dice.once_in(2) => {
                if let Some(appointment) = person.appointments.last().copied() {
                    say("an appointment gets notes");
                    let notes = Some(Some(text(&format!("{} likes tea", name(number)))));
                    life.spawn(async move {
                        _ = asker
                            .ask(key, PatchAppointment { notes, ..PatchAppointment::of(appointment) })
                            .await;
                    });
                }
            }
            27 => {
                if let Some(appointment) = person.appointments.last().copied() {
                    say("cancels");
                    life.spawn(async move { _ = asker.ask(key, Cancel { id: appointment }).await });
                }
            }
            28..=30 => {
                if !person.answered.is_empty() {
                    let answered = dice.pick(&person.answered).clone();
                    say("repeats a request");
                    life.spawn(async move { asker.make_again(contact, number, answered).await });
                }
            }
            31 if dice.once_in(3) => {
                let status = Some(*dice.pick(&[WebhookStatus::Enabled, WebhookStatus::Disabled]));
                let (url, events, description) = (None, None, None);
                let reason = DisabledReason::Operator;
                let patch = PatchWebhook { id: webhook, url, events, description, status, reason };
                life.spawn(async move { _ = asker.ask(key, patch).await });
            }
            32 if dice.once_in(4) => {
                say("the retention of the business is changed");
                let days = |dice: &Dice| Some(dice.maybe(2, || 1 + u32::try_from(dice.below(3)).unwrap()));
                let patch = PatchRetention {
                    calls_days: days(dice),
                    messages_days: days(dice),
                    appointments_days: days(dice),
                    audit_days: Some(Some(90)),
                };
                self.guests.all.lock()[at].expires = true;
                life.spawn(async move { _ = asker.ask(key, patch).await });
            }
            33 if dice.once_in(12) => self.end_guest(life, at, key),
            34 => self.import_guests(life, asker, key),
            35 | 36 => {
                let other = dice.pick(&known).clone();
                let phone = *dice.pick(&[Some(number), Some(other.number), None]);
                self.merge_guests(life, asker, key, (person, other), phone.map(phone_of));
            }
            _ => self.erase_guest(life, asker, key, contact),
        }
    }

    fn new_guest(&self, life: &mut Life, asker: Client, key: [u8; 32], number: usize) {
        self.world.say(format_args!("guest {number} is created"));
        let details = ContactDetails {
            name: Some(text(&name(number))),
            phone: Some(phone(number)),
            email: Some(email(number)),
            ..ContactDetails::default()
        };
        let create = CreateContact { details };
        life.spawn(async move {
            let Some(answer) = asker.ask(key, create.clone()).await else { return };
            let contact: ContactId = id(&json(&answer.value)["id"]);
            let mut person = Person::new(contact, number);
            person.answered.push((key, Repeatable::Create(create), answer.value));
            asker.guests.all.lock()[asker.at].people.insert(contact, person);
        });
    }

    /// Merges the second guest into the first one.
    fn merge_guests(
        &self,
        life: &mut Life,
        asker: Client,
        key: [u8; 32],
        (into, from): (Person, Person),
        phone: Option<Phone>,
    ) {
        let (id, gone) = (into.contact, from.contact);
        if id == gone {
            return;
        }
        self.world.say(format_args!("{gone} is to be merged into {id}"));
        asker.guests.all.lock()[asker.at].link(id, gone);
        life.spawn(async move {
            let merge = MergeContacts { id, from: gone, phone, email: None };
            if asker.ask(key, merge).await.is_none() {
                return;
            }
            asker.note(gone, |person| person.merged = Gone::Yes);
            // After the merge, the list of calls for either id must contain the calls of both guests.
            let filter = CallFilter { contact_id: Some(gone), ..CallFilter::default() };
            let (mut shown, mut after) = (BTreeSet::new(), None);
            loop {
                let found = match asker.handle.calls(&filter, &PageRequest { limit: 5, after }).await {
                    Ok(found) => found,
                    Err(error) => return asker.refused(&error),
                };
                for call in found.items {
                    if !shown.insert(call.id) {
                        asker.world.wrong(format_args!("the call {} is listed twice", call.id));
                    }
                }
                after = found.next;
                if after.is_none() {
                    break;
                }
            }
            let all = asker.guests.all.lock();
            let guest = &all[asker.at];
            let is_there = |id| guest.people.get(&id).is_some_and(|person| person.gone == Gone::No);
            if guest.ended == Gone::No && !guest.expires && is_there(id) && is_there(gone) {
                for call in into.calls.union(&from.calls).filter(|call| !shown.contains(call)) {
                    asker.world.wrong(format_args!("the call {call} of a merged guest is not listed"));
                }
            }
        });
    }

    fn erase_guest(&self, life: &mut Life, asker: Client, key: [u8; 32], contact: ContactId) {
        self.world.say(format_args!("{contact} is to be erased"));
        let merged = asker.guests.all.lock()[asker.at].ask_to_erase(contact);
        life.spawn(async move {
            if asker.ask(key, EraseContact { id: contact }).await.is_none() {
                return;
            }
            // From this moment on, neither the contact nor any contact that was merged with it may be found.
            for contact in merged {
                asker.note(contact, |person| person.gone = Gone::Yes);
                match asker.handle.contact(contact).await {
                    Ok(Some(shown)) => {
                        asker.world.wrong(format_args!("{shown:?} was erased, but is still shown"));
                    }
                    Ok(None) => {}
                    Err(error) => asker.refused(&error),
                }
            }
        });
    }

    fn end_guest(&self, life: &mut Life, at: usize, key: [u8; 32]) {
        self.world.say(format_args!("guest house {at} is to be deleted"));
        let (guests, world, closing) = (self.guests.clone(), self.world.clone(), Arc::clone(&life.closing));
        let of = {
            let mut all = guests.all.lock();
            all[at].ended = all[at].ended.asked();
            all[at].id
        };
        let engine = life.engine.clone();
        life.spawn(async move {
            let idempotency = Some(Idempotency { key, fingerprint: key });
            let request = Request { idempotency, ..Request::by(Actor::Operator) };
            match engine.end_business(of, request).await {
                Ok(_) => {
                    guests.all.lock()[at].ended = Gone::Yes;
                    world.say(format_args!("guest house {at} is deleted"));
                    let found = engine.business(of).business().await;
                    let ends = world.failed() || closing.load(Ordering::SeqCst);
                    if !ends && !matches!(found, Err(EngineError::NotFound)) {
                        world.wrong(format_args!("guest house {at} was deleted but still exists: {found:?}"));
                    }
                }
                Err(EngineError::NotFound | EngineError::DiskFull(_)) => {}
                Err(error) => {
                    if !world.failed() && !closing.load(Ordering::SeqCst) {
                        world.wrong(format_args!("the deletion of guest house {at} failed: {error}"));
                    }
                }
            }
        });
    }
}
