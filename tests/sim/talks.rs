//! Conversations of the receptionist: in one business with a hostile chat model ([`hostile`]), and in another one on
//! the guided path (fixed questions and choices, without a model). Callers book, move and cancel appointments, leave
//! messages and ask questions. Turns are repeated and interrupted by crashes, the team ends, deletes and answers
//! conversations, contacts are erased, and businesses are suspended.
//!
//! Invariants between two runs of the engine:
//!
//! - The stored records satisfy the rules of [`records`], for example that every change follows the caller's yes.
//! - Each acknowledged turn is stored with its words, unless the conversation was deleted or the contact erased.
//! - After the cleanup of an erasure, no row contains the words of the erased caller.
//! - At the end, no overdue conversation is open.

mod callers;
mod hostile;
mod planted;
mod records;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::booking::{BookRequest, Party};
use domain::{
    Actor, BookingMode, BusinessId, Channel, ContactDetails, ContactId, Conversation, ConversationId,
    EndedBy, Locale, Refusal, ServiceId, Source, Speaker, StaffId, Timestamp, WeeklyBreaks,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::catalog::{CreateService, CreateStaff, PatchService};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::conversations::{
    DeleteConversation, EndConversation, ReplyByTeam, StartConversation, TakeTurn,
};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::receptionist::PatchReceptionist;
use engine::business::{Idempotency, Request};
use engine::{BusinessHandle, Engine, EngineError, NewBusiness};
use parking_lot::Mutex;
use ports::{ModelServer, Random};
use store::keys::{self, kind};
use store::{Order, Store};

use self::callers::{Came, Chat, Gone, Person, Sent, name, phone, read_phone, word};
use self::hostile::Hostile;
use self::records::Records;
use crate::dice::Dice;
use crate::life::Life;
use crate::shop::{every_day, text};
use crate::sim::Sim;
use crate::wide::Workload;
use crate::world::{Trace, World};

/// The number of businesses. Only the first business uses the chat model.
const SALONS: usize = 2;
/// The number of callers of each business who have a private appointment from the start. Only the caller may hear about
/// a private appointment.
const KNOWN: usize = 3;
const DAY_MILLIS: i64 = 86_400_000;
/// The maximum time for which a conversation may stay open after its `ends_by`.
const OVERDUE_MAX: chrono::TimeDelta = chrono::TimeDelta::minutes(5);

/// A business whose receptionist talks, as its callers know it.
struct Salon {
    id: BusinessId,
    people: Vec<Person>,
    chats: Vec<Chat>,
    is_suspended: bool,
}

pub(crate) struct Talks {
    dice: Dice,
    model: Arc<Hostile>,
    all: Arc<Mutex<Vec<Salon>>>,
    /// The number of callers so far.
    people: usize,
}

impl Talks {
    pub(crate) fn new(seed: u64, trace: &Arc<Trace>) -> Self {
        let model = Hostile { dice: Dice::new(seed ^ 0x4a11), trace: Arc::clone(trace) };
        Self { dice: Dice::new(seed ^ 0x7a1c), model: Arc::new(model), all: Arc::default(), people: 0 }
    }

    pub(crate) fn begin(&self, engine: &Engine) {
        let server = Arc::clone(&self.model) as Arc<dyn ModelServer>;
        engine.set_model(server, "hostile".into(), serde_json::Map::new());
    }
}

/// Creates a business with two bookable services and some callers who have a private appointment.
async fn founded(engine: &Engine, now: Timestamp, (number, first): (usize, usize)) -> Salon {
    let new = NewBusiness {
        name: text(&format!("Salon {number}")),
        zone: chrono_tz::UTC,
        locale: Locale::En,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: every_day(540, 780),
        breaks: WeeklyBreaks::default(),
        // In this region, the receptionist states times on the 24-hour clock.
        phone_region: "GB".into(),
    };
    let id = engine.create_business(new, Actor::Operator).await.unwrap().id;
    let (handle, by) = (engine.business(id), || Request::by(Actor::Operator));
    let tokens = if number == 0 { 1_000_000 } else { 0 };
    let patch = PatchReceptionist { tokens_per_day: Some(tokens), ..PatchReceptionist::default() };
    handle.change(by(), patch).await.unwrap();
    let mut services: Vec<ServiceId> = Vec::new();
    for name in ["Haircut", "Colour", "Private Ritual"] {
        let service = CreateService::lasting(text(name), 60);
        services.push(handle.change(by(), service).await.unwrap().value.service.id);
    }
    let mut staff: Vec<StaffId> = Vec::new();
    for name in ["Julia Martin", "Karim Benali"] {
        let member = CreateStaff::offering(text(name), services.clone());
        staff.push(handle.change(by(), member).await.unwrap().value.staff.id);
    }
    let mut people = Vec::new();
    for place in 0..KNOWN {
        let number = first + place;
        let details = ContactDetails {
            name: Some(text(&name(number))),
            phone: Some(phone(number)),
            ..ContactDetails::default()
        };
        let contact = handle.change(by(), CreateContact { details }).await.unwrap().value;
        let contact: ContactId = contact.id;
        let day = now.millis() / DAY_MILLIS + 3 + i64::try_from(place).unwrap();
        let request = BookRequest {
            service_id: services[2],
            starts_at: Timestamp::from_millis(day * DAY_MILLIS + 10 * 3_600_000),
            staff_id: Some(staff[0]),
            source: Source::Dashboard,
            party: Party::TEAM,
            duration: None,
        };
        handle.change(by(), Book { request, contact: BookingContact::Known(contact) }).await.unwrap();
        people.push(Person { number, channel: Channel::Sms, gone: Gone::No, contact: Some(contact) });
    }
    // The private service is no longer offered, so a line that contains the service's name discloses a private
    // appointment.
    let retired = PatchService { active: Some(false), ..PatchService::of(services[2]) };
    handle.change(by(), retired).await.unwrap();
    Salon { id, people, chats: Vec::new(), is_suspended: false }
}

/// A client of one of the businesses.
struct Client {
    world: World,
    handle: BusinessHandle,
    closing: Arc<AtomicBool>,
    all: Arc<Mutex<Vec<Salon>>>,
    at: usize,
}

impl Client {
    fn request(key: [u8; 32]) -> Request {
        let idempotency = Some(Idempotency { key, fingerprint: key });
        Request { idempotency, ..Request::by(Actor::Operator) }
    }

    fn chat<T>(&self, place: usize, note: impl FnOnce(&mut Chat) -> T) -> T {
        note(&mut self.all.lock()[self.at].chats[place])
    }

    /// Checks that a refusal has a valid reason.
    fn refused(&self, what: &str, error: &EngineError) {
        let is_meant = match error {
            EngineError::Refused(refusal) => !matches!(refusal, Refusal::IdempotencyKeyReused),
            EngineError::DiskFull(_) | EngineError::Suspended => true,
            _ => self.world.failed() || self.closing.load(Ordering::SeqCst),
        };
        if !is_meant {
            self.world.wrong(format_args!("{what} failed: {error}"));
        }
    }

    async fn start(&self, place: usize, key: [u8; 32], start: StartConversation) {
        let answer = self.handle.change(Self::request(key), start).await;
        self.chat(place, |chat| chat.busy -= 1);
        match answer {
            Ok(answer) => self.chat(place, |chat| {
                chat.id = Some(answer.value.id);
                chat.heard = answer.value.turns.last().map(|turn| turn.text.clone()).unwrap_or_default();
            }),
            Err(error) => self.refused("the start of a conversation", &error),
        }
    }

    async fn take(&self, place: usize, number: usize, id: ConversationId, sent: Sent) {
        let turn = TakeTurn { id, said: sent.said, token: None, read_phone, limit: None };
        let answer = self.handle.take_turn(Self::request(sent.key), turn).await;
        let mut all = self.all.lock();
        let Salon { people, chats, .. } = &mut all[self.at];
        let chat = &mut chats[place];
        let is_kept = chat.gone == Gone::No && people[chat.person].gone == Gone::No;
        chat.busy -= 1;
        let is_last = number + 1 == chat.sent.len();
        // A chat that ends without a turn of the caller is deleted.
        let has_spoken = chat.sent.iter().any(|sent| matches!(sent.came, Came::Taken(_)));
        match answer {
            Ok(answer) => {
                let turns = &answer.value.turns;
                self.world.say(format_args!("{id} < {:?}", turns.last().map(|turn| &turn.text)));
                let taken = Came::Taken(turns.iter().map(|turn| (turn.seq, turn.text.clone())).collect());
                if matches!(chat.sent[number].came, Came::Taken(_))
                    && is_kept
                    && chat.sent[number].came != taken
                {
                    self.world.wrong(format_args!("a repeated turn of {id} got another response: {taken:?}"));
                }
                let spoken = turns.iter().rev().find(|turn| turn.by == Speaker::Receptionist);
                if let Some(turn) = spoken.filter(|_| is_last) {
                    chat.heard.clone_from(&turn.text);
                }
                chat.has_ended |= answer.value.ended;
                chat.sent[number].came = taken;
            }
            Err(EngineError::Refused(Refusal::IdempotencyInProgress | Refusal::UnderWay { .. })) => {}
            Err(error) => {
                match &error {
                    EngineError::Refused(Refusal::NotFound(_)) if is_kept && has_spoken => {
                        self.world.wrong(format_args!("the conversation {id} is missing"));
                    }
                    EngineError::Refused(Refusal::Conflict { .. }) => chat.has_ended = true,
                    _ => {}
                }
                if chat.sent[number].came == Came::Unknown && !self.world.failed() {
                    chat.sent[number].came = Came::Refused;
                }
                drop(all);
                self.refused("a turn", &error);
            }
        }
    }

    /// Erases the contact of a caller, if the caller has one.
    async fn erase(&self, person: usize, key: [u8; 32]) {
        let (known, ids): (_, Vec<ConversationId>) = {
            let all = self.all.lock();
            let of_person = all[self.at].chats.iter().filter(|chat| chat.person == person);
            (all[self.at].people[person].contact, of_person.filter_map(|chat| chat.id).collect())
        };
        let mut contact = known;
        for id in ids {
            match self.handle.conversation(id).await {
                Ok(found) => contact = contact.or(found.and_then(|it| it.conversation.contact_id)),
                Err(error) => return self.refused("reading a conversation", &error),
            }
        }
        let Some(contact) = contact else {
            self.all.lock()[self.at].people[person].gone = Gone::No;
            return;
        };
        match self.handle.change(Self::request(key), EraseContact { id: contact }).await {
            Ok(_) => self.all.lock()[self.at].people[person].gone = Gone::Yes,
            Err(error) => self.refused("an erasure", &error),
        }
    }
}

impl Sim {
    /// Creates the businesses.
    pub(crate) async fn found_talks(&mut self, life: &Life) {
        if self.workload == Workload::First {
            return;
        }
        for number in 0..SALONS {
            let founded = founded(&life.engine, self.world.time.truth(), (number, self.talks.people)).await;
            self.talks.people += KNOWN;
            self.talks.all.lock().push(founded);
        }
    }

    /// Ends the suspensions at the start of a run. No request of the previous run is in progress any more.
    pub(crate) async fn resume_talks(&self, life: &Life) {
        let ids: Vec<_> = self.talks.all.lock().iter().map(|salon| (salon.id, salon.is_suspended)).collect();
        for (at, (id, is_suspended)) in ids.into_iter().enumerate() {
            if is_suspended {
                let resume = PatchBusiness::suspending(false);
                life.engine.business(id).change(Request::by(Actor::Operator), resume).await.unwrap();
            }
            let salon = &mut self.talks.all.lock()[at];
            salon.is_suspended = false;
            salon.chats.iter_mut().for_each(|chat| chat.busy = 0);
        }
    }

    fn talk_client(&self, life: &Life, at: usize) -> Client {
        let all = Arc::clone(&self.talks.all);
        let handle = life.engine.business(all.lock()[at].id);
        Client { world: self.world.clone(), handle, closing: Arc::clone(&life.closing), all, at }
    }

    /// Starts one random request of a caller, or of the team, from time to time.
    pub(crate) fn some_talk(&mut self, life: &mut Life) {
        if self.talks.all.lock().is_empty() || !self.talks.dice.once_in(2) {
            return;
        }
        let mut key = [0; 32];
        self.talks.dice.fill(&mut key);
        let at = self.talks.dice.below(SALONS);
        let client = self.talk_client(life, at);
        match self.talks.dice.below(36) {
            0..=4 => self.start_talk(life, client, key),
            5..=26 => self.take_turn(life, client, key),
            27 => self.repeat_turn(life, client),
            28..=31 => self.act_for_team(life, client, key),
            32 | 33 => self.erase_caller(life, client, key),
            34 if self.talks.dice.once_in(3) => {
                let is_suspended = {
                    let salon = &mut self.talks.all.lock()[at];
                    salon.is_suspended = !salon.is_suspended;
                    salon.is_suspended
                };
                self.world.say(format_args!("the salon {at} is suspended: {is_suspended}"));
                self.change_salon(life, client, PatchBusiness::suspending(is_suspended));
            }
            _ => {
                let modes =
                    [BookingMode::Instant, BookingMode::Instant, BookingMode::Request, BookingMode::Off];
                let mode = Some(*self.talks.dice.pick(&modes));
                self.change_salon(
                    life,
                    client,
                    PatchBusiness { booking_mode: mode, ..PatchBusiness::default() },
                );
            }
        }
    }

    fn change_salon(&self, life: &mut Life, client: Client, patch: PatchBusiness) {
        life.spawn(async move {
            if let Err(error) = client.handle.change(Request::by(Actor::Operator), patch).await {
                client.refused("a change of the business", &error);
            }
        });
    }

    fn start_talk(&mut self, life: &mut Life, client: Client, key: [u8; 32]) {
        let dice = &self.talks.dice;
        let (place, person) = {
            let salon = &mut self.talks.all.lock()[client.at];
            let known: Vec<usize> = (0..salon.people.len())
                .filter(|person| {
                    salon.people[*person].channel != Channel::Website
                        && salon.people[*person].gone == Gone::No
                })
                .collect();
            let person = match dice.any(&known).filter(|_| dice.once_in(2)) {
                Some(person) => person,
                None => {
                    let channel = *dice.pick(&[Channel::Sms, Channel::Website, Channel::Voice]);
                    let number = self.talks.people;
                    self.talks.people += 1;
                    salon.people.push(Person { number, channel, gone: Gone::No, contact: None });
                    salon.people.len() - 1
                }
            };
            salon.chats.push(Chat { busy: 1, ..Chat::new(person) });
            (salon.chats.len() - 1, salon.people[person].clone())
        };
        let from = (person.channel != Channel::Website).then(|| phone(person.number));
        let locale = Some(*self.talks.dice.pick(&[Locale::En, Locale::En, Locale::Fr]));
        let start = StartConversation { channel: person.channel, from, to: None, locale, token: None };
        self.world.say(format_args!("caller {} starts: {}", person.number, person.channel.as_str()));
        life.spawn(async move { client.start(place, key, start).await });
    }

    /// Returns the conversations in which the caller may speak.
    fn open_chats(&self, at: usize) -> Vec<usize> {
        let all = self.talks.all.lock();
        let Salon { people, chats, .. } = &all[at];
        let is_open = |chat: &Chat| {
            let is_kept = chat.gone == Gone::No && people[chat.person].gone == Gone::No;
            chat.id.is_some() && chat.busy == 0 && !chat.has_ended && is_kept
        };
        (0..chats.len()).filter(|place| is_open(&chats[*place])).collect()
    }

    /// Lets a caller speak. If the response to the last turn was lost, the turn is repeated first.
    fn take_turn(&self, life: &mut Life, client: Client, key: [u8; 32]) {
        let (dice, open) = (&self.talks.dice, self.open_chats(client.at));
        let Some(place) = dice.any(&open) else { return };
        let kept_from = self.kept_from();
        let (number, id, sent, twice) = {
            let salon = &mut self.talks.all.lock()[client.at];
            let chat = &mut salon.chats[place];
            let is_unknown = chat.sent.last().is_some_and(|sent| sent.came == Came::Unknown);
            if is_unknown && chat.sent.last().is_some_and(|sent| sent.steady_millis <= kept_from) {
                // The idempotency key may have expired, so the service might handle a repeated turn as a new one. The
                // test stops using the conversation.
                chat.has_ended = true;
                return;
            }
            if !is_unknown {
                let said = salon.people[chat.person].says(dice, &chat.heard);
                let steady_millis = self.world.time.count();
                chat.sent.push(Sent { key, said, steady_millis, came: Came::Unknown });
            }
            let twice = dice.once_in(10);
            chat.busy = if twice { 2 } else { 1 };
            let number = chat.sent.len() - 1;
            (number, chat.id.unwrap(), chat.sent[number].clone(), twice)
        };
        self.world.say(format_args!("{id} > {:?}, twice: {twice}", sent.said));
        if twice {
            let (client, sent) = (self.talk_client(life, client.at), sent.clone());
            life.spawn(async move { client.take(place, number, id, sent).await });
        }
        life.spawn(async move { client.take(place, number, id, sent).await });
    }

    /// Repeats a turn that got its response some time ago.
    fn repeat_turn(&self, life: &mut Life, client: Client) {
        let open = self.open_chats(client.at);
        let Some(place) = self.talks.dice.any(&open) else { return };
        let kept_from = self.kept_from();
        let (number, id, sent) = {
            let chat = &mut self.talks.all.lock()[client.at].chats[place];
            let is_kept = |sent: &Sent| matches!(sent.came, Came::Taken(_)) && sent.steady_millis > kept_from;
            let taken: Vec<usize> =
                (0..chat.sent.len()).filter(|number| is_kept(&chat.sent[*number])).collect();
            let Some(number) = self.talks.dice.any(&taken) else { return };
            chat.busy = 1;
            (number, chat.id.unwrap(), chat.sent[number].clone())
        };
        self.world.say(format_args!("{id} > again: {:?}", sent.said));
        life.spawn(async move { client.take(place, number, id, sent).await });
    }

    /// Deletes or ends an open chat, or replies to its caller in the name of the team.
    fn act_for_team(&self, life: &mut Life, client: Client, key: [u8; 32]) {
        let open = self.open_chats(client.at);
        let Some(place) = self.talks.dice.any(&open) else { return };
        let id = client.chat(place, |chat| chat.id.unwrap());
        let action = self.talks.dice.below(8);
        self.world.say(format_args!("the team acts in {id}: {action}"));
        if action == 0 {
            client.chat(place, |chat| chat.gone = Gone::Maybe);
        } else if action <= 3 {
            client.chat(place, |chat| chat.has_ended = true);
        }
        life.spawn(async move {
            let request = Client::request(key);
            let done = match action {
                0 => client.handle.change(request, DeleteConversation { id }).await.map(drop),
                1..=3 => {
                    let by = if action == 1 { EndedBy::Team } else { EndedBy::Caller };
                    client.handle.change(request, EndConversation { id, by }).await.map(drop)
                }
                _ => {
                    let reply = ReplyByTeam { id, text: text("Camille here") };
                    client.handle.change(request, reply).await.map(drop)
                }
            };
            match done {
                Ok(()) if action == 0 => client.chat(place, |chat| chat.gone = Gone::Yes),
                Ok(()) => {}
                Err(error) => client.refused("an action of the team", &error),
            }
        });
    }

    /// Erases the contact of a caller who has no request in progress.
    fn erase_caller(&self, life: &mut Life, client: Client, key: [u8; 32]) {
        let person = {
            let salon = &mut self.talks.all.lock()[client.at];
            let is_quiet = |person: usize| {
                salon.people[person].gone == Gone::No
                    && salon
                        .chats
                        .iter()
                        .all(|chat| chat.person != person || chat.busy == 0 && chat.id.is_some())
            };
            let quiet: Vec<usize> = (0..salon.people.len()).filter(|person| is_quiet(*person)).collect();
            let Some(person) = self.talks.dice.any(&quiet) else { return };
            salon.people[person].gone = Gone::Maybe;
            person
        };
        self.world.say(format_args!("the caller at {person} of {} is to be erased", client.at));
        life.spawn(async move { client.erase(person, key).await });
    }

    /// Checks the rows of the businesses.
    pub(crate) fn check_talks(&self, store: &Store, is_the_end: bool) {
        for salon in self.talks.all.lock().iter() {
            let records = Records::read(store, salon.id);
            let faults = records.faults();
            assert!(faults.is_empty(), "the conversations of {} violate rules: {faults:#?}", salon.id);
            if is_the_end {
                // If the wall clock was ahead during the last turn of a conversation, `ends_by` is too late by the
                // same amount. The conversation may then stay open until this later time.
                let now = self.world.time.truth();
                let is_overdue = |it: &&Conversation| it.is_open() && it.ends_by() + OVERDUE_MAX <= now;
                let open = records.conversations.values().find(is_overdue);
                assert!(open.is_none(), "a conversation has not ended: {open:?}");
            }
            check_acknowledged(salon, &records);
            check_erased(store, salon, is_the_end);
        }
    }
}

/// Checks that each acknowledged turn is stored.
fn check_acknowledged(salon: &Salon, records: &Records) {
    for chat in salon.chats.iter().filter(|chat| chat.gone == Gone::No) {
        let (Some(id), person) = (chat.id, &salon.people[chat.person]) else { continue };
        let taken = chat.sent.iter().filter_map(|sent| match &sent.came {
            Came::Taken(turns) => Some(turns),
            Came::Unknown | Came::Refused => None,
        });
        let mut turns = taken.flatten().peekable();
        if turns.peek().is_none() {
            continue;
        }
        let it = records.conversations.get(&id).unwrap_or_else(|| panic!("{id} is missing: {chat:?}"));
        for (seq, text) in turns {
            let stored = it.turns.iter().find(|turn| turn.seq == *seq);
            let is_same = stored.is_some_and(|turn| turn.text == *text);
            assert!(is_same || person.gone != Gone::No, "turn {seq} of {id} was {text:?}, but is {stored:?}");
        }
    }
}

/// Checks that the words of an erased caller are gone when the cleanup is complete.
fn check_erased(store: &Store, salon: &Salon, is_the_end: bool) {
    let kinds = [kind::ERASURE, kind::ERASING, kind::WIPE];
    let is_erasing = kinds
        .iter()
        .any(|kind| store.scan(&keys::of_kind(salon.id, *kind), Order::Ascending).next().is_some());
    assert!(!is_the_end || !is_erasing, "an erasure of {} is not complete", salon.id);
    let erased: BTreeSet<usize> = (0..salon.people.len())
        .filter(|person| salon.people[*person].gone == Gone::Yes && !is_erasing)
        .map(|person| salon.people[person].number)
        .collect();
    let words: Vec<String> = erased.iter().map(|number| word(*number)).collect();
    for row in store.scan(&keys::all(salon.id), Order::Ascending) {
        let (key, value) = row.unwrap();
        let shown = String::from_utf8_lossy(&value).to_lowercase();
        if let Some(word) = words.iter().find(|word| shown.contains(*word)) {
            panic!("the word {word} was erased, but is in {:?}: {shown}", store::Key::new(&key));
        }
    }
}
