//! Businesses beside those of the model, in which people are erased, things are kept for a time, and which are ended, in the
//! midst of everything: of each person it is known what was acknowledged of them, and by which words they are known.
//!
//! Between two lives: who was erased is not there, and once nothing is left to be done for it, none of their words stands
//! in any row; who was not erased is there, with all that was acknowledged of them; of a business that was ended nobody
//! finds anything. At the end of the last life nothing is left to be done, and of ended businesses no row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use actors::business::commands::appointments::{Book, BookingContact, Cancel};
use actors::business::commands::calls::RecordCall;
use actors::business::commands::catalog::{CreateService, CreateStaff};
use actors::business::commands::contacts::{CreateContact, PatchContact};
use actors::business::commands::erasure::{EraseContact, PatchRetention};
use actors::business::commands::messages::{PatchMessage, TakeMessage};
use actors::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use actors::business::{Answer, Change, Idempotency, Request};
use actors::domain::booking::{BookRequest, Party};
use actors::domain::{
    Actor, AppointmentId, BookingMode, BusinessId, CallDetails, CallId, CallOutcome, CallRecord, CallStatus,
    Contact, ContactDetails, ContactId, ContactPatch, Direction, DisabledReason, Email, EventTypes, Locale,
    MessageDetails, MessageId, MessageStatus, Phone, Refusal, ResourceId, ServiceId, Source, StaffId,
    TakenMessage, Text, Timestamp, Urgency, WebhookId, WebhookStatus, WeeklyBreaks,
};
use actors::ports::Random;
use actors::store::keys::{self, installation_kind, kind};
use actors::store::{Order, Record, Store, Tombstone};
use actors::{BusinessHandle, EngineError, NewBusiness};
use chrono::TimeDelta;
use parking_lot::Mutex;

use crate::dice::Dice;
use crate::ledger::json;
use crate::life::Life;
use crate::shop::{every_day, id, text};
use crate::sim::Sim;
use crate::wide::Workload;
use crate::world::World;

/// How many of these businesses there are.
const GUESTS: usize = 2;

/// How far something has come that is done for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gone {
    /// Nobody has asked for it.
    #[default]
    No,
    /// Somebody has, and nobody knows what came of it.
    Maybe,
    /// It was acknowledged.
    Yes,
}

/// A person, by the words that stand nowhere else.
#[derive(Clone, Debug)]
struct Person {
    contact: ContactId,
    number: usize,
    gone: Gone,
    appointments: BTreeSet<AppointmentId>,
    calls: BTreeSet<CallId>,
    messages: BTreeSet<MessageId>,
    /// The requests whose answers tell of them, to be made again: which, by its key, and what it was answered with.
    answered: Vec<([u8; 32], Asked, Vec<u8>)>,
}

/// A request that may be made again.
#[derive(Clone, Debug)]
enum Asked {
    Create(CreateContact),
    Patch(PatchContact),
    Call(Box<RecordCall>),
    Take(Box<TakeMessage>),
    Book(Box<Book>),
}

/// A business of this kind.
struct Guest {
    id: BusinessId,
    service: ServiceId,
    staff: StaffId,
    webhooks: Vec<WebhookId>,
    people: BTreeMap<ContactId, Person>,
    ended: Gone,
    /// Whether what has happened may have been deleted because its time was over.
    expires: bool,
}

/// All of them, as those who ask know them.
#[derive(Clone, Default)]
pub(crate) struct Guests {
    all: Arc<Mutex<Vec<Guest>>>,
    /// How many people there were.
    people: Arc<Mutex<usize>>,
    /// Where their events are sent; nobody looks at those.
    urls: Arc<Mutex<BTreeSet<String>>>,
}

impl Guests {
    /// Whether events of theirs are sent there.
    pub(crate) fn ids(&self) -> Vec<BusinessId> {
        self.all.lock().iter().map(|guest| guest.id).collect()
    }

    pub(crate) fn have_url(&self, url: &str) -> bool {
        self.urls.lock().contains(url)
    }
}

fn name(number: usize) -> String {
    format!("Guest-{number}-of-nobody")
}

fn phone(number: usize) -> Phone {
    Phone::from_e164(format!("+4420{number:08}")).unwrap()
}

fn email(number: usize) -> Email {
    Email::new(&format!("guest-{number}@nobody.example")).unwrap()
}

/// The words that tell of somebody.
fn words(number: usize) -> [String; 4] {
    [name(number).to_lowercase(), phone(number).as_str().to_owned(), format!("guest-{number}@"), said(number)]
}

fn said(number: usize) -> String {
    format!("said by guest {number}.")
}

fn call(number: usize, contact_id: Option<ContactId>, now: Timestamp) -> RecordCall {
    let details = CallDetails {
        direction: Direction::Inbound,
        status: CallStatus::Completed,
        outcome: CallOutcome::Other,
        from_number: Some(phone(number)),
        to_number: None,
        contact_id,
        started_at: now - TimeDelta::seconds(60),
        ended_at: now,
        duration_seconds: None,
        locale: None,
        summary: Some(text(&said(number).repeat(if number.is_multiple_of(3) { 300 } else { 1 }))),
        recording_url: None,
        appointment_id: None,
        message_id: None,
    };
    RecordCall { details, contact_name: Some(text(&name(number))) }
}

fn message(number: usize, contact_id: Option<ContactId>, call_id: Option<CallId>) -> TakeMessage {
    let details = MessageDetails {
        call_id,
        contact_id,
        caller_name: Some(text(&name(number))),
        caller_phone: Some(phone(number)),
        body: text(&said(number)),
        urgency: Urgency::Normal,
        staff_id: None,
        status: MessageStatus::New,
    };
    TakeMessage { details }
}

/// Somebody who asks something of a business.
struct Asker {
    world: World,
    handle: BusinessHandle,
    closing: Arc<std::sync::atomic::AtomicBool>,
    guests: Guests,
    at: usize,
}

impl Asker {
    async fn ask(&self, key: [u8; 32], change: impl Change + 'static) -> Option<Answer> {
        let idempotency = Some(Idempotency { key, fingerprint: key });
        let request = Request { actor: Actor::Operator, if_match: None, idempotency };
        match self.handle.change(request, change).await {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.refused(&error);
                None
            }
        }
    }

    /// What was not done must have a reason.
    fn refused(&self, error: &EngineError) {
        let ends = self.world.failed() || self.closing.load(Ordering::SeqCst);
        let excused = match error {
            EngineError::Refused(refusal) => !matches!(refusal, Refusal::IdempotencyKeyReused),
            EngineError::DiskFull(_) | EngineError::Suspended => true,
            EngineError::NotFound => self.guests.all.lock()[self.at].ended != Gone::No,
            _ => ends,
        };
        if !excused {
            self.world.wrong(format_args!("a guest's request failed: {error}"));
        }
    }

    /// Takes note of something that was acknowledged of somebody.
    fn note(&self, contact: ContactId, note: impl FnOnce(&mut Person)) {
        if let Some(person) = self.guests.all.lock()[self.at].people.get_mut(&contact) {
            note(person);
        }
    }

    async fn make(&self, contact: ContactId, key: [u8; 32], asked: Asked) {
        let answer = match asked.clone() {
            Asked::Create(change) => self.ask(key, change).await,
            Asked::Patch(change) => self.ask(key, change).await,
            Asked::Call(change) => self.ask(key, *change).await,
            Asked::Take(change) => self.ask(key, *change).await,
            Asked::Book(change) => self.ask(key, *change).await,
        };
        let Some(answer) = answer else { return };
        let body = json(&answer.body);
        // Whoever was erased meanwhile is found no more, and another contact may have been made of the number.
        let shown = match &asked {
            Asked::Create(_) | Asked::Patch(_) => &body["id"],
            _ => &body["contact_id"],
        };
        let contact = if shown.is_null() { contact } else { id(shown) };
        self.note(contact, |person| {
            match &asked {
                Asked::Call(_) => _ = person.calls.insert(id(&body["id"])),
                Asked::Take(_) => _ = person.messages.insert(id(&body["id"])),
                Asked::Book(_) => _ = person.appointments.insert(id(&body["id"])),
                Asked::Create(_) | Asked::Patch(_) => {}
            }
            person.answered.push((key, asked, answer.body.to_vec()));
        });
    }

    /// Makes a request again: while nobody has been erased it is answered as before, and then as it is.
    async fn make_again(
        &self,
        contact: ContactId,
        number: usize,
        (key, asked, first): ([u8; 32], Asked, Vec<u8>),
    ) {
        let gone = || self.guests.all.lock()[self.at].people.get(&contact).map(|person| person.gone);
        let before = gone();
        let answer = match asked {
            Asked::Create(change) => self.ask(key, change).await,
            Asked::Patch(change) => self.ask(key, change).await,
            Asked::Call(change) => self.ask(key, *change).await,
            Asked::Take(change) => self.ask(key, *change).await,
            Asked::Book(change) => self.ask(key, *change).await,
        };
        let answered_anew = answer.as_ref().is_none_or(|answer| !answer.replayed);
        if answered_anew && let Some(person) = self.guests.all.lock()[self.at].people.get_mut(&contact) {
            // Its key was forgotten, and from now on it stands for another answer.
            person.answered.retain(|(of, ..)| *of != key);
        }
        let Some(answer) = answer else { return };
        // Somebody else may have asked again at the same time, and been the one whose request was another.
        let all = self.guests.all.lock();
        let of_first = |person: &Person| person.answered.iter().any(|(of, ..)| *of == key);
        let stands = all[self.at].people.get(&contact).is_some_and(of_first);
        drop(all);
        let is_there = before == Some(Gone::No) && gone() == Some(Gone::No);
        if stands && is_there && answer.replayed && first != *answer.body {
            let [first, now] = [&first[..], &answer.body[..]].map(String::from_utf8_lossy);
            self.world.wrong(format_args!("guest {number} was answered {first}, and now {now}"));
        }
        if !answer.replayed {
            // Its day is over, so it was another request; of whom it tells is found by its answer.
            let body = json(&answer.body);
            let shown = if body["contact_id"].is_null() { &body["id"] } else { &body["contact_id"] };
            let made: ContactId = id(shown);
            let mut all = self.guests.all.lock();
            if body.get("email").is_some() && !all[self.at].people.contains_key(&made) {
                all[self.at].people.insert(made, Person::new(made, number));
            }
        }
    }
}

impl Person {
    fn new(contact: ContactId, number: usize) -> Self {
        let (appointments, calls, messages) = Default::default();
        Self { contact, number, gone: Gone::No, appointments, calls, messages, answered: Vec::new() }
    }
}

impl Sim {
    /// Founds these businesses, where there are none.
    pub(crate) async fn found_guests(&mut self, life: &Life) {
        if self.workload == Workload::First {
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
            let service: ServiceId = id(&json(&handle.change(by(), service).await.unwrap().body)["id"]);
            let member = CreateStaff::offering(text("Host"), vec![service]);
            let staff: StaffId = id(&json(&handle.change(by(), member).await.unwrap().body)["id"]);
            let mut webhooks = Vec::new();
            for _ in 0..2 {
                let url = self.new_url();
                self.guests.urls.lock().insert(url.as_str().to_owned());
                let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
                webhooks.push(id(&json(&handle.change(by(), create).await.unwrap().body)["id"]));
            }
            let (people, ended, expires) = (BTreeMap::new(), Gone::No, false);
            let guest = Guest { id: of, service, staff, webhooks, people, ended, expires };
            self.guests.all.lock().push(guest);
        }
    }

    fn drawn_key(dice: &Dice) -> [u8; 32] {
        let mut key = [0; 32];
        dice.fill(&mut key);
        key
    }

    /// Something happens at one of these businesses.
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
        let asker = Asker {
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
                let asked = Asked::Call(Box::new(call(number, by_id.then_some(contact), now)));
                // By the number alone somebody who is gone would come back as another.
                if by_id || person.gone == Gone::No {
                    life.spawn(async move { asker.make(contact, key, asked).await });
                }
            }
            15..=18 => {
                say("leaves a message");
                let call = person.calls.first().copied().filter(|_| dice.once_in(2));
                let asked = Asked::Take(Box::new(message(number, Some(contact), call)));
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
                };
                let contact_is = BookingContact::Known(contact);
                let asked = Asked::Book(Box::new(Book { request, contact: contact_is }));
                life.spawn(async move { asker.make(contact, key, asked).await });
            }
            24 | 25 => {
                say("changes");
                let locale = Some(Some(*dice.pick(&[Locale::En, Locale::Fr])));
                let renamed = Some(Some(text(&format!("{} again", name(number)))));
                let patch = ContactPatch { locale, name: renamed, ..ContactPatch::default() };
                let asked = Asked::Patch(PatchContact { id: contact, patch });
                life.spawn(async move { asker.make(contact, key, asked).await });
            }
            26 => {
                if let Some(message) = person.messages.last().copied() {
                    say("their message is read");
                    let patch =
                        PatchMessage { id: message, status: Some(MessageStatus::Read), staff_id: None };
                    life.spawn(async move { _ = asker.ask(key, patch).await });
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
                    say("asks again");
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
                say("things are kept for a time");
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
            _ => self.erase_guest(life, asker, key, contact),
        }
    }

    fn new_guest(&self, life: &mut Life, asker: Asker, key: [u8; 32], number: usize) {
        self.world.say(format_args!("guest {number} comes"));
        let details = ContactDetails {
            name: Some(text(&name(number))),
            phone: Some(phone(number)),
            email: Some(email(number)),
            ..ContactDetails::default()
        };
        let create = CreateContact { details };
        life.spawn(async move {
            let Some(answer) = asker.ask(key, create.clone()).await else { return };
            let contact: ContactId = id(&json(&answer.body)["id"]);
            let mut person = Person::new(contact, number);
            person.answered.push((key, Asked::Create(create), answer.body.to_vec()));
            asker.guests.all.lock()[asker.at].people.insert(contact, person);
        });
    }

    fn erase_guest(&self, life: &mut Life, asker: Asker, key: [u8; 32], contact: ContactId) {
        self.world.say(format_args!("{contact} is to be erased"));
        asker.note(contact, |person| person.gone = person.gone.asked());
        life.spawn(async move {
            if asker.ask(key, EraseContact { id: contact }).await.is_none() {
                return;
            }
            asker.note(contact, |person| person.gone = Gone::Yes);
            // From then on nobody finds them.
            match asker.handle.contact(contact).await {
                Ok(Some(shown)) => asker.world.wrong(format_args!("{shown:?} was erased and is shown")),
                Ok(None) => {}
                Err(error) => asker.refused(&error),
            }
        });
    }

    fn end_guest(&self, life: &mut Life, at: usize, key: [u8; 32]) {
        self.world.say(format_args!("guest house {at} is to be ended"));
        let (guests, world, closing) = (self.guests.clone(), self.world.clone(), Arc::clone(&life.closing));
        let of = {
            let mut all = guests.all.lock();
            all[at].ended = all[at].ended.asked();
            all[at].id
        };
        let engine = life.engine.clone();
        life.spawn(async move {
            let idempotency = Some(Idempotency { key, fingerprint: key });
            let request = Request { actor: Actor::Operator, if_match: None, idempotency };
            match engine.end_business(of, request).await {
                Ok(_) => {
                    guests.all.lock()[at].ended = Gone::Yes;
                    world.say(format_args!("guest house {at} is ended"));
                    let found = engine.business(of).business().await;
                    let ends = world.failed() || closing.load(Ordering::SeqCst);
                    if !ends && !matches!(found, Err(EngineError::NotFound)) {
                        world.wrong(format_args!("guest house {at} was ended and is there: {found:?}"));
                    }
                }
                Err(EngineError::NotFound | EngineError::DiskFull(_)) => {}
                Err(error) => {
                    if !world.failed() && !closing.load(Ordering::SeqCst) {
                        world.wrong(format_args!("guest house {at} was not ended: {error}"));
                    }
                }
            }
        });
    }

    /// Looks at what lies on the disk of them; at the very end nothing is left to be done.
    pub(crate) fn check_guests(&self, store: &Store, is_the_end: bool) {
        let listed = self.world.disk.tombstones();
        for (at, guest) in self.guests.all.lock().iter_mut().enumerate() {
            let has_profile = store.contains(&keys::profile(guest.id)).unwrap();
            let is_ending = store.contains(&keys::ending(guest.id)).unwrap();
            assert!(guest.ended != Gone::No || has_profile, "guest house {at} is lost");
            if guest.ended == Gone::Yes || !has_profile {
                guest.ended = Gone::Yes;
                assert!(!has_profile, "guest house {at} was ended and is back");
                assert!(
                    listed.contains(&Tombstone::EndedBusiness(guest.id)),
                    "guest house {at} is not listed"
                );
                let left = store.rows().scan(&keys::all(guest.id), Order::Ascending).count();
                assert!(
                    is_ending || left == 0,
                    "{left} rows are left of guest house {at}, which nobody deletes"
                );
                assert!(!is_the_end || (left == 0 && !is_ending), "{left} rows are left of guest house {at}");
                continue;
            }
            check_people(store, guest, &listed, is_the_end);
        }
        if is_the_end {
            for kind in [installation_kind::ENDING, installation_kind::UNFINISHED] {
                let range = keys::of_kind(BusinessId::INSTALLATION, kind);
                assert_eq!(store.scan(&range, Order::Ascending).count(), 0, "something is left to be done");
            }
        }
    }
}

impl Gone {
    fn asked(self) -> Self {
        if self == Self::Yes { Self::Yes } else { Self::Maybe }
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
        match (&contact, person.gone) {
            (None, Gone::No) => panic!("{person:?} is lost"),
            (Some(_), Gone::Yes) => panic!("{person:?} was erased and is back"),
            (None, _) => person.gone = Gone::Yes,
            (Some(_), _) => _ = alive.insert(person.number),
        }
    }
    // A request that is made again once its key is forgotten, or whose answer is lost, makes a contact anew that is as alive.
    for row in store.scan(&keys::of_kind(of, kind::CONTACT), Order::Ascending) {
        let Ok(contact) = Contact::decode(&row.unwrap().1) else { continue };
        if !guest.people.contains_key(&contact.id) {
            let is_they = |person: &&Person| contact.phone.as_deref() == Some(phone(person.number).as_str());
            alive.extend(guest.people.values().filter(is_they).map(|person| person.number));
        }
    }
    for person in guest.people.values() {
        if person.gone == Gone::Yes {
            assert!(
                listed.contains(&Tombstone::ErasedContact(of, person.contact)),
                "{person:?} is not listed"
            );
            assert!(!is_the_end || is_finished, "the erasing is not finished");
            if !is_finished || alive.contains(&person.number) {
                continue;
            }
            for word in words(person.number) {
                let word = word.to_lowercase();
                // A number must not be found in a longer one.
                let told = all_rows.iter().find(|(_, shown)| {
                    shown.match_indices(&word).any(|(at, _)| {
                        !shown[at + word.len()..].starts_with(|next: char| next.is_ascii_digit())
                    })
                });
                if let Some((key, shown)) = told {
                    let key = actors::store::Key::new(key);
                    panic!("{word} of {} was erased and stands in {key:?}: {shown}", person.contact);
                }
            }
        }
        for id in &person.appointments {
            let is_there = store.contains(&keys::appointment_start(of, *id)).unwrap();
            assert!(is_there || guest.expires, "appointment {id} is lost");
        }
        for id in &person.calls {
            let call = store.get::<CallRecord>(&keys::call(of, *id)).unwrap();
            assert!(call.is_some() || guest.expires, "call {id} is lost");
            let is_whole = call.is_none_or(|call| call.summary.is_some() && call.from_number.is_some());
            assert!(is_whole || person.gone == Gone::Yes, "call {id} has lost what nobody erased");
        }
        for id in &person.messages {
            let message = store.get::<TakenMessage>(&keys::message(of, *id)).unwrap();
            assert!(message.is_some() || guest.expires, "message {id} is lost");
            let is_whole = message.is_none_or(|message| !message.body.is_empty());
            assert!(is_whole || person.gone == Gone::Yes, "message {id} has lost what nobody erased");
        }
    }
    let kinds = [kind::ERASURE, kind::ERASING, kind::WIPE];
    let left =
        kinds.iter().any(|kind| store.scan(&keys::of_kind(of, *kind), Order::Ascending).next().is_some());
    assert!(!left || !is_finished, "something is left to be done in {}, and nobody will", of.uuid());
}
