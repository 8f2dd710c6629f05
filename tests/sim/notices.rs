//! A simulation of notices to customers. Customers, integrations and the team book, move, confirm and cancel,
//! the disk loses unsynced writes, and the mail relay may be down, hang or refuse mails.
//!
//! The model computes the expected notices from the audit log alone, with a second implementation of the
//! rules. Each seed consists of several runs of the engine.
//!
//! Invariants:
//! - After every crash, each change has exactly its notice and its reminders.
//! - A mail states the present state of its appointment. All attempts to send a notice have the same
//!   `Message-ID`.
//! - A change that the team takes back in time is not announced. A reminder is sent once for each start.
//! - A customer who has stopped e-mails gets none.
//! - At the end no notice waits, and the customer knows the last state of each appointment.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, Appointment, AppointmentId, AppointmentStatus, AuditEntry, AuditedKind, BookingMode, BusinessId,
    ContactDetails, DropReason, Email, EmailConsent, Locale, Mail, MailError, MailStatus, NoticeKind,
    NoticeScope, NoticeSettings, ResourceId, ServiceId, Source, StaffId, Timestamp, WeeklyBreaks,
};
use engine::business::commands::appointments::{Book, BookingContact, Cancel, Confirm, Decline, Reschedule};
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::customers::{BookOnline, CancelByLink, ManageToken, MoveByLink};
use engine::business::commands::notices::StopNotices;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::website::PatchNotices;
use engine::business::{Answer, Request};
use engine::mail::MailPorts;
use engine::mail::letter::{Composer, Content, Letter, NoticeLetter};
use engine::{BusinessHandle, Engine, EngineError, NewBusiness};
use net::Ports;
use parking_lot::Mutex;
use ports::{BoxFuture, Clock, MadeMail, MailFailure, Mailer};
use serde::Serialize;
use store::keys::{self, kind};
use store::records::AuditRecord;
use store::{MemoryBackend, Order, Record, Store};
use uuid::Uuid;

use crate::dice::Dice;
use crate::people::Wall;
use crate::shop::{every_day, text};
use crate::sim::runtime;

const SEEDS: u64 = 8;
const LIVES: usize = 5;
const STEPS_A_LIFE: usize = 20;
const SHOPS: usize = 2;
/// The team can take back a change within this time.
const TAKEN_BACK: TimeDelta = TimeDelta::seconds(15);
/// The longest time from the last look at a notice to its acceptance by the relay.
const UNDER_WAY: TimeDelta = TimeDelta::seconds(5);
/// The time after which all appointments have started.
const UNTIL_ALL_STARTED: Duration = Duration::from_secs(13 * 86_400);

/// The part of a business's state that the clients know.
#[derive(Clone, Default)]
struct Shop {
    id: Option<BusinessId>,
    service: Option<ServiceId>,
    staff: Vec<StaffId>,
    appointments: Vec<AppointmentId>,
    links: Vec<ManageToken>,
    booked: i64,
}

/// The behaviour of the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    Down,
    Hangs,
    Refuses,
}

/// A notice that the relay accepted.
#[derive(Clone)]
struct Taken {
    at: Timestamp,
    of: BusinessId,
    to: String,
    letter: NoticeLetter,
}

/// The relay and the notices that it accepted, by `Message-ID`.
struct Relay {
    dice: Dice,
    wall: Arc<Wall>,
    mood: Mutex<Mood>,
    made: Mutex<HashMap<String, (BusinessId, NoticeLetter)>>,
    taken: Mutex<BTreeMap<String, Vec<Taken>>>,
    /// The times at which customers stopped the e-mails of a business to an address.
    stopped: Mutex<Vec<(Timestamp, BusinessId, String, EmailConsent)>>,
}

impl Mailer for Relay {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(self.dice.between(1, 300))).await;
            let mood = *self.mood.lock();
            match mood {
                Mood::Well => {}
                Mood::Down => return Err(MailFailure::Relay(MailError::Quoted("the relay is down".into()))),
                Mood::Hangs => std::future::pending().await,
                Mood::Refuses => return Err(MailFailure::Refused(MailError::Quoted("451 later".into()))),
            }
            let id = String::from_utf8(mail.bytes.clone()).unwrap();
            let (of, letter) = self.made.lock()[&id].clone();
            let taken = Taken { at: self.wall.now(), of, to: mail.to.clone(), letter };
            self.taken.lock().entry(id).or_default().push(taken);
            Ok("250 ok".into())
        })
    }
}

impl Composer for Relay {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        let Content::Notice(notice) = &letter.content else { panic!("only notices are sent: {letter:?}") };
        self.made
            .lock()
            .insert(letter.message_id.clone(), (letter.business.as_ref().unwrap().id, (**notice).clone()));
        Ok(letter.message_id.clone().into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}

struct World {
    disk: MemoryBackend,
    wall: Arc<Wall>,
    dice: Arc<Dice>,
    relay: Arc<Relay>,
    shops: Vec<Arc<Mutex<Shop>>>,
    seed: u64,
}

fn id_of<I: std::str::FromStr<Err: std::fmt::Debug>>(answer: &Answer<impl Serialize>) -> I {
    let shown = serde_json::to_value(&answer.value).unwrap();
    shown["id"].as_str().unwrap().parse().unwrap()
}

impl World {
    fn store(&self) -> Store {
        Store::in_memory(&self.disk, Box::new(|error| panic!("{error}"))).unwrap()
    }

    async fn open(&self) -> Engine {
        let ports = Ports::with_clock_and_random(Arc::clone(&self.wall) as _, Arc::clone(&self.dice) as _);
        let engine = Engine::start(self.store(), ports).await.unwrap();
        engine.people().set_public_url(Some("https://desk.example.com"));
        engine.begin_mail(MailPorts {
            mailer: Arc::clone(&self.relay) as _,
            composer: Arc::clone(&self.relay) as _,
            recipients: engine.recipients(),
        });
        engine
    }

    async fn found(&self, engine: &Engine) {
        let by = || Request::by(Actor::Operator);
        for slot in &self.shops {
            let new = NewBusiness {
                name: text("Shop"),
                zone: chrono_tz::UTC,
                locale: Locale::En,
                website_url: None,
                booking_mode: BookingMode::Instant,
                hours: every_day(0, 1440),
                breaks: WeeklyBreaks::default(),
                phone_region: "US".into(),
            };
            let id = engine.create_business(new, Actor::Operator).await.unwrap().id;
            let business = engine.business(id);
            let service = business.change(by(), CreateService::lasting(text("Cut"), 60)).await.unwrap();
            let service = id_of(&service);
            let mut staff = Vec::new();
            for name in ["One", "Two"] {
                let member = CreateStaff::offering(text(name), vec![service]);
                staff.push(id_of(&business.change(by(), member).await.unwrap()));
            }
            *slot.lock() = Shop { id: Some(id), service: Some(service), staff, ..Shop::default() };
        }
    }

    /// Starts one random change in a business.
    fn some_op(&self, engine: &Engine, slot: &Arc<Mutex<Shop>>) -> tokio::task::JoinHandle<()> {
        let (shop, slot) = (slot.lock().clone(), Arc::clone(slot));
        let business = engine.business(shop.id.unwrap());
        let (dice, relay) = (Arc::clone(&self.dice), Arc::clone(&self.relay));
        let client = Client { business, dice, relay, shop, slot, now: self.wall.now() };
        tokio::spawn(async move {
            let came = match client.dice.below(14) {
                0..=2 => client.book_online().await,
                3 | 4 => client.book().await,
                5..=7 => client.change().await,
                8 => client.take_back().await,
                9 | 10 => client.change_by_link().await,
                11 | 12 => client.stop().await,
                _ => client.set().await,
            };
            match came {
                Ok(()) | Err(EngineError::Refused(_) | EngineError::NotFound | EngineError::Stopping) => {}
                Err(error) => panic!("{error}"),
            }
        })
    }

    /// Checks the rows on the disk. At the end of the simulation, no notice may wait. Returns the numbers of
    /// notices and of sent notices.
    fn check(&self, is_the_end: bool) -> (usize, usize) {
        let runtime = runtime();
        let store = runtime.block_on(async { self.store() });
        let report = engine::verify::check(store.rows()).unwrap();
        assert!(report.is_whole(), "seed {}: {:?}", self.seed, report.findings);
        let mut counted = (0, 0);
        let mut written: HashMap<String, Mail> = HashMap::new();
        for shop in &self.shops {
            let Some(of) = shop.lock().id else { continue };
            let mails: Vec<Mail> = rows(&store, of, kind::MAIL);
            let appointments: HashMap<AppointmentId, Appointment> =
                rows::<Appointment>(&store, of, kind::APPOINTMENT)
                    .into_iter()
                    .map(|it| (it.id, it))
                    .collect();
            self.check_rows(&store, of, (&mails, &appointments));
            for appointment in appointments.values() {
                let about = |mail: &&Mail| mail.notice.is_some_and(|it| it.appointment_id == appointment.id);
                let mails: Vec<&Mail> = mails.iter().filter(about).collect();
                self.check_sent(appointment, &mails, is_the_end);
            }
            counted.0 += mails.len();
            counted.1 += mails.iter().filter(|mail| mail.status == MailStatus::Sent).count();
            written.extend(mails.into_iter().map(|mail| (mail.message_id.clone(), mail)));
        }
        for (id, taken) in &*self.relay.taken.lock() {
            let mail =
                written.get(id).unwrap_or_else(|| panic!("seed {}: {id} is not on the disk", self.seed));
            for taken in taken {
                check_taken(mail, taken);
                self.check_consent(mail, taken);
            }
        }
        runtime.block_on(store.close()).unwrap();
        counted
    }

    /// Checks that each change has exactly its notices.
    fn check_rows(
        &self,
        store: &Store,
        of: BusinessId,
        (mails, appointments): (&[Mail], &HashMap<AppointmentId, Appointment>),
    ) {
        let mut expected = expected(store, of, appointments);
        for mail in mails {
            let notice = mail.notice.unwrap_or_else(|| panic!("{mail:?} is no notice"));
            let told = (notice.appointment_id, notice.kind, notice.starts_at, notice.staff_id, notice.hours);
            let count = expected.entry(told).or_default();
            assert!(*count > 0, "seed {}: no change made {mail:?}", self.seed);
            *count -= 1;
            let is_taken = self.relay.taken.lock().contains_key(&mail.message_id);
            assert!(mail.status != MailStatus::Sent || is_taken, "the relay did not accept {mail:?}");
        }
        expected.retain(|_, count| *count > 0);
        assert!(expected.is_empty(), "seed {}: these notices are missing: {expected:?}", self.seed);
    }

    /// Checks the notices about one appointment, oldest first.
    fn check_sent(&self, appointment: &Appointment, mails: &[&Mail], is_the_end: bool) {
        let seed = self.seed;
        let (mut last, mut is_tried): (Option<&Mail>, bool) = (None, false);
        let mut reminded: BTreeMap<(Timestamp, Option<u8>), usize> = BTreeMap::new();
        for mail in mails {
            let notice = mail.notice.unwrap();
            assert!(
                !is_the_end || mail.status != MailStatus::Pending,
                "seed {seed}: {mail:?} waits after the start of {appointment:?}"
            );
            if notice.kind == NoticeKind::Reminder {
                let count = reminded.entry((notice.starts_at, notice.hours)).or_default();
                *count += usize::from(mail.status == MailStatus::Sent);
                assert!(*count <= 1, "seed {seed}: {mail:?} was sent twice");
            } else if mail.status == MailStatus::Sent {
                let is_news = last.is_none_or(|last| !last.notice.unwrap().states_same(&notice));
                assert!(is_news || is_tried, "seed {seed}: {mail:?} states what {last:?} has stated");
                (last, is_tried) = (Some(*mail), false);
            } else {
                is_tried |= mail.attempts > 0;
            }
        }
        if !is_the_end {
            return;
        }
        // A later change may have made no notice, because the settings were different then.
        let is_of_last_change = |mail: &&&Mail| {
            mail.created_at == appointment.updated_at && mail.notice.unwrap().is_true_of(appointment)
        };
        let is_reminder = |mail: &&&Mail| mail.notice.unwrap().kind == NoticeKind::Reminder;
        let of_last_change = || mails.iter().filter(is_of_last_change);
        if let Some(newest) = of_last_change().rfind(|mail| !is_reminder(mail)) {
            let notice = newest.notice.unwrap();
            let known = last.is_some_and(|last| last.notice.unwrap().states_same(&notice));
            assert!(
                known || newest.status == MailStatus::Failed || is_excused(newest),
                "seed {seed}: the customer does not know of {newest:?}, last: {last:?}"
            );
        }
        for mail in of_last_change().filter(is_reminder) {
            let notice = mail.notice.unwrap();
            let sent = reminded[&(notice.starts_at, notice.hours)] > 0;
            assert!(
                sent || mail.status == MailStatus::Failed || is_excused(mail),
                "seed {seed}: {mail:?} was not sent for {appointment:?}"
            );
        }
    }
}

impl World {
    /// Checks that the customer had not stopped such e-mails when the mail was made.
    fn check_consent(&self, mail: &Mail, taken: &Taken) {
        let is_reminder = taken.letter.kind == NoticeKind::Reminder;
        for (at, of, to, consent) in &*self.relay.stopped.lock() {
            let is_meant = mail.business_id == Some(*of) && taken.to == *to && taken.at > *at + UNDER_WAY;
            let is_stopped = *consent == EmailConsent::None || is_reminder;
            assert!(!is_meant || !is_stopped, "seed {}: {to} had stopped {mail:?}", self.seed);
        }
    }
}

/// Whether a notice was dropped for a reason that does not depend on other changes.
fn is_excused(mail: &Mail) -> bool {
    let reason = mail.notice.and_then(|notice| notice.dropped);
    matches!(reason, Some(DropReason::Ended | DropReason::Limit | DropReason::OptedOut))
}

/// Checks a mail against its row.
fn check_taken(mail: &Mail, taken: &Taken) {
    let (notice, about) = (mail.notice.unwrap(), &taken.letter.appointment);
    assert_eq!(taken.letter.kind, notice.kind, "{mail:?}");
    assert!(notice.is_true_of(about), "{mail:?} was sent for {about:?}");
    assert!(taken.at < about.starts_at + TimeDelta::minutes(2), "{mail:?} was sent after the start");
    if let Some(entered) = &about.booked_as {
        assert_eq!(entered.email.as_deref(), Some(&*taken.to), "{mail:?}");
    }
    if let Some(hours) = notice.hours {
        assert!(taken.at >= notice.starts_at - TimeDelta::hours(hours.into()), "{mail:?} was sent too early");
    } else if !notice.by_customer {
        assert!(taken.at >= mail.created_at + TAKEN_BACK, "{mail:?} was sent too early");
    }
}

fn rows<R: Record>(store: &Store, of: BusinessId, kind: u8) -> Vec<R> {
    let rows = store.scan(&keys::of_kind(of, kind), Order::Ascending);
    rows.map(|row| R::decode(&row.unwrap().1).unwrap()).collect()
}

/// What the customer learns about an appointment.
#[derive(Clone, Debug, PartialEq)]
struct State {
    status: AppointmentStatus,
    starts_at: Timestamp,
    staff: StaffId,
}

/// A notice: the appointment, the kind, the start, the staff member, and the hours of a reminder.
type Told = (AppointmentId, NoticeKind, Timestamp, StaffId, Option<u8>);

fn word<T: std::str::FromStr<Err: std::fmt::Debug>>(json: &str) -> T {
    serde_json::from_str::<String>(json).unwrap().parse().unwrap()
}

fn status(json: &str) -> AppointmentStatus {
    AppointmentStatus::from_word(&serde_json::from_str::<String>(json).unwrap()).unwrap()
}

/// The notices that the changes in the audit log make, with their numbers.
fn expected(
    store: &Store,
    of: BusinessId,
    appointments: &HashMap<AppointmentId, Appointment>,
) -> BTreeMap<Told, usize> {
    let entries: Vec<AuditEntry> =
        rows::<AuditRecord>(store, of, kind::AUDIT).into_iter().map(|record| record.entry).collect();
    // The states after each entry, found by undoing the changes from the present state.
    let mut now: HashMap<Uuid, State> = appointments
        .values()
        .map(|it| (it.id.uuid(), State { status: it.status, starts_at: it.starts_at, staff: it.staff_id }))
        .collect();
    let mut states: Vec<(Option<State>, Option<State>)> = Vec::new();
    for entry in entries.iter().rev() {
        let Some(state) =
            now.get_mut(&entry.resource_id).filter(|_| entry.action.kind() == AuditedKind::Appointment)
        else {
            states.push((None, None));
            continue;
        };
        let after = state.clone();
        for change in &entry.changes {
            match change.field.as_str() {
                "status" => state.status = status(&change.from),
                "starts_at" => state.starts_at = Timestamp::parse(&word::<String>(&change.from)).unwrap(),
                "staff_id" => state.staff = word(&change.from),
                _ => {}
            }
        }
        let before = (!entry.changes.is_empty()).then(|| state.clone());
        states.push((before, Some(after)));
    }
    let (mut settings, mut expected) = (NoticeSettings::of_new(), BTreeMap::new());
    for (entry, (before, after)) in entries.iter().zip(states.into_iter().rev()) {
        for change in entry.changes.iter().filter(|_| entry.action.as_str() == "notices.updated") {
            match change.field.as_str() {
                "email" => settings.email = NoticeScope::from_word(&word::<String>(&change.to)).unwrap(),
                "reminder_hours" => settings.reminder_hours = serde_json::from_str(&change.to).unwrap(),
                _ => {}
            }
        }
        let Some(after) = after else { continue };
        let id = AppointmentId::from(entry.resource_id);
        let told = |kind, hours| (id, kind, after.starts_at, after.staff, hours);
        if before.as_ref() == Some(&after)
            || !is_in(settings.email, appointments[&id].source)
            || entry.at >= after.starts_at
        {
            continue;
        }
        let was_confirmed = before.is_some_and(|before| before.status == AppointmentStatus::Confirmed);
        let kind = match after.status {
            AppointmentStatus::Pending => NoticeKind::Requested,
            AppointmentStatus::Confirmed if was_confirmed => NoticeKind::Moved,
            AppointmentStatus::Confirmed => NoticeKind::Confirmed,
            AppointmentStatus::Cancelled => NoticeKind::Cancelled,
            AppointmentStatus::Declined => NoticeKind::Declined,
        };
        *expected.entry(told(kind, None)).or_default() += 1;
        for hours in &settings.reminder_hours {
            let due = after.starts_at - TimeDelta::hours((*hours).into());
            if after.status == AppointmentStatus::Confirmed && due > entry.at {
                *expected.entry(told(NoticeKind::Reminder, Some(*hours))).or_default() += 1;
            }
        }
    }
    expected
}

fn is_in(scope: NoticeScope, source: Source) -> bool {
    let online = matches!(source, Source::Website | Source::Voice | Source::Sms);
    scope == NoticeScope::All || scope == NoticeScope::Online && online
}

/// A client of one business.
struct Client {
    business: BusinessHandle,
    dice: Arc<Dice>,
    relay: Arc<Relay>,
    shop: Shop,
    slot: Arc<Mutex<Shop>>,
    now: Timestamp,
}

impl Client {
    /// A number that no other request has, and a time that is usually free.
    fn next(&self) -> (i64, Timestamp) {
        let mut shop = self.slot.lock();
        shop.booked += 1;
        let first = Timestamp::from_millis((self.now.millis() / 3_600_000 + 1) * 3_600_000);
        (shop.booked, first + TimeDelta::hours(shop.booked * 7 % 300 + 2))
    }

    /// An address of few or of many customers.
    fn email(&self, number: i64) -> Email {
        let number = if self.dice.once_in(3) { number % 3 } else { number };
        Email::new(&format!("c{number}@example.org")).unwrap()
    }

    fn request(&self, starts_at: Timestamp, source: Source) -> BookRequest {
        BookRequest {
            service_id: self.shop.service.unwrap(),
            starts_at,
            staff_id: Some(*self.dice.pick(&self.shop.staff)),
            source,
            party: self.party(),
        }
    }

    fn party(&self) -> Party {
        if self.dice.once_in(3) { Party::TEAM } else { Party::Integration { allow_pending: true } }
    }

    fn actor(&self) -> Actor {
        let key = Uuid::from_u128(u128::from(self.dice.next())).into();
        if self.dice.once_in(3) { Actor::ApiKey(key) } else { Actor::Operator }
    }

    async fn book_online(&self) -> Result<(), EngineError> {
        let (number, starts_at) = self.next();
        let online = BookOnline {
            request: self.request(starts_at, Source::Website),
            name: text("Ada"),
            phone: None,
            email: Some(self.email(number)),
            note: None,
            locale: Locale::En,
            texts: false,
        };
        let booked = self.business.change(Request::by(Actor::Customer), online).await?.value;
        let mut shop = self.slot.lock();
        shop.appointments.push(booked.appointment_id);
        shop.links.push(ManageToken::parse(&booked.token.unwrap()).unwrap());
        Ok(())
    }

    async fn book(&self) -> Result<(), EngineError> {
        let (number, starts_at) = self.next();
        let source = *self.dice.pick(&[Source::Voice, Source::Sms, Source::Api, Source::Dashboard]);
        let contact = ContactDetails { email: Some(self.email(number)), ..ContactDetails::default() };
        let book =
            Book { request: self.request(starts_at, source), contact: BookingContact::Described(contact) };
        let booked = self.business.change(Request::by(self.actor()), book).await?;
        self.slot.lock().appointments.push(id_of(&booked));
        Ok(())
    }

    fn some_appointment(&self) -> Option<AppointmentId> {
        self.dice.any(&self.shop.appointments)
    }

    async fn change(&self) -> Result<(), EngineError> {
        let Some(id) = self.some_appointment() else { return Ok(()) };
        let by = Request::by(self.actor());
        match self.dice.below(5) {
            0 => self.business.change(by, Cancel { id }).await.map(drop),
            1 => self.business.change(by, Confirm { id }).await.map(drop),
            2 => self.business.change(by, Decline { id }).await.map(drop),
            _ => {
                let staff_id = self.dice.maybe(2, || *self.dice.pick(&self.shop.staff));
                let request = MoveRequest { starts_at: self.next().1, staff_id, party: self.party() };
                self.business.change(by, Reschedule { id, request }).await.map(drop)
            }
        }
    }

    /// The team moves an appointment and moves it back after a short or a long time.
    async fn take_back(&self) -> Result<(), EngineError> {
        let Some(id) = self.some_appointment() else { return Ok(()) };
        let Some(shown) = self.business.appointment(id).await? else {
            return Ok(());
        };
        for starts_at in [self.next().1, shown.starts_at] {
            let request = MoveRequest { starts_at, staff_id: Some(shown.staff_id), party: Party::TEAM };
            self.business.change(Request::by(Actor::Operator), Reschedule { id, request }).await?;
            tokio::time::sleep(Duration::from_secs(*self.dice.pick(&[0, 1, 14, 16, 40]))).await;
        }
        Ok(())
    }

    async fn change_by_link(&self) -> Result<(), EngineError> {
        let by = Request::by(Actor::Customer);
        let count = self.shop.links.len();
        let Some(token) = (count > 0).then(|| self.shop.links[self.dice.below(count)].clone()) else {
            return Ok(());
        };
        let Some(seen) = self.business.seen_by_link(&token).await? else { return Ok(()) };
        let expected_starts_at = seen.appointment.starts_at;
        if self.dice.once_in(3) {
            return self.business.change(by, CancelByLink { token, expected_starts_at }).await.map(drop);
        }
        let starts_at = self.next().1;
        self.business.change(by, MoveByLink { token, starts_at, expected_starts_at }).await.map(drop)
    }

    /// A customer stops reminders or all e-mails with the link in a mail.
    async fn stop(&self) -> Result<(), EngineError> {
        let of = self.business.id();
        let links: Vec<(String, String)> = {
            let taken = self.relay.taken.lock();
            let theirs = taken.values().flatten().filter(|taken| taken.of == of);
            theirs.map(|taken| (taken.to.clone(), taken.letter.manage.url.clone())).collect()
        };
        if links.is_empty() || !self.dice.once_in(4) {
            return Ok(());
        }
        let (to, url) = self.dice.pick(&links);
        let token = ManageToken::parse(url.rsplit('/').next().unwrap()).unwrap();
        let stop = StopNotices { token, all: self.dice.once_in(2) };
        let consent = self.business.change(Request::by(Actor::Customer), stop).await?.value.email;
        let now = self.relay.wall.now();
        self.relay.stopped.lock().push((now, of, to.clone(), consent));
        Ok(())
    }

    /// Changes a setting.
    async fn set(&self) -> Result<(), EngineError> {
        let by = Request::by(Actor::Operator);
        if self.dice.once_in(2) {
            let mode = *self.dice.pick(&[BookingMode::Instant, BookingMode::Instant, BookingMode::Request]);
            let change = PatchBusiness { booking_mode: Some(mode), ..PatchBusiness::default() };
            return self.business.change(by, change).await.map(drop);
        }
        let scopes = [NoticeScope::Online, NoticeScope::All, NoticeScope::All, NoticeScope::Off];
        let hours = [vec![24], vec![24, 2], vec![], vec![168, 1]];
        let change = PatchNotices {
            email: Some(*self.dice.pick(&scopes)),
            reminder_hours: Some(self.dice.pick(&hours).clone()),
            ..PatchNotices::default()
        };
        self.business.change(by, change).await.map(drop)
    }
}

/// Sends several concurrent random changes during one run of the engine. In the last run, the relay works.
async fn course(world: &World, engine: &Engine, is_last: bool) {
    for _ in 0..STEPS_A_LIFE {
        if world.dice.once_in(5) {
            *world.relay.mood.lock() =
                *world.dice.pick(&[Mood::Well, Mood::Well, Mood::Down, Mood::Hangs, Mood::Refuses]);
        }
        let mut tasks = Vec::new();
        for slot in &world.shops {
            for _ in 0..world.dice.below(4) {
                tasks.push(world.some_op(engine, slot));
            }
        }
        if !is_last && world.dice.once_in(STEPS_A_LIFE) {
            // The run ends here while requests are still in progress.
            return tokio::time::sleep(Duration::from_millis(world.dice.next() % 12)).await;
        }
        for task in tasks {
            task.await.unwrap_or_else(|error| panic!("seed {}: {error}", world.seed));
        }
        let seconds = match world.dice.below(12) {
            0 => world.dice.between(3_000, 30_000),
            1..=3 => world.dice.between(30, 900),
            _ => world.dice.next() % 10,
        };
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
    if is_last {
        *world.relay.mood.lock() = Mood::Well;
        tokio::time::sleep(UNTIL_ALL_STARTED).await;
    }
    if is_last || world.dice.once_in(2) {
        engine.clone().close().await.unwrap();
    }
}

/// Runs a seed. Returns the numbers of notices and of sent notices.
fn run(seed: u64) -> (usize, usize) {
    let (dice, wall) = (Arc::new(Dice::new(seed)), Wall::new());
    let relay = Arc::new(Relay {
        dice: Dice::new(seed ^ 0x9a12),
        wall: Arc::clone(&wall),
        mood: Mutex::new(Mood::Well),
        made: Mutex::default(),
        taken: Mutex::default(),
        stopped: Mutex::default(),
    });
    let shops = (0..SHOPS).map(|_| Arc::default()).collect();
    let world = World { disk: MemoryBackend::new(), wall, dice, relay, shops, seed };
    let mut counted = (0, 0);
    for life in 0..LIVES {
        let (runtime, is_last) = (runtime(), life == LIVES - 1);
        runtime.block_on(async {
            world.wall.begin();
            let engine = world.open().await;
            if life == 0 {
                world.found(&engine).await;
            }
            world.disk.set_sync_delay(Duration::from_millis(world.dice.next() % 4));
            course(&world, &engine, is_last).await;
            world.wall.end();
        });
        let keep = world.dice.below(world.disk.unsynced() + 1);
        world.disk.crash(keep);
        drop(runtime);
        counted = world.check(is_last);
    }
    counted
}

#[test]
fn each_change_makes_one_notice_through_crashes_and_a_bad_relay() {
    let (mut made, mut sent) = (0, 0);
    for seed in 1..=SEEDS {
        let counted = run(seed);
        (made, sent) = (made + counted.0, sent + counted.1);
    }
    assert!(made > 500 && sent > 150, "too few notices: {made}, and {sent} of them sent");
}
