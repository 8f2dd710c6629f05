//! A simulation of alerts. People have different settings, the disk loses unsynced writes, and the mail relay may be
//! down, hang or refuse mails.
//!
//! The model computes the expected alerts and mails from the audit log and the records, with a second implementation of
//! the rules. Each seed consists of several runs of the engine.
//!
//! Invariants:
//!
//! - After every crash, each person has exactly the expected alerts, in order.
//! - The outbox and its log contain exactly the expected mails.
//! - At the end, every mail has arrived. All attempts to send a mail had the same `Message-ID`.
//! - In a seed with a limit on the pending mails of a business, their number stays within the limit. When a mail is
//!   dropped because of the limit, a person who chose only mails gets an alert in the dashboard instead.

mod happen;
mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{
    Actor, AlertKind, AppointmentId, BookingMode, BusinessId, Locale, MailError, MembershipPatch,
    NoticeScope, PersonId, Role, ServiceId, StaffId, WeeklyBreaks,
};
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::customers::ManageToken;
use engine::business::commands::people::PatchNotifications;
use engine::business::commands::website::PatchNotices;
use engine::business::{Answer, Request};
use engine::mail::MailPorts;
use engine::mail::letter::{Composer, Content, Letter};
use engine::people::{Hashing, Invitation};
use engine::{Engine, EngineError, Limits, NewBusiness};
use net::Ports;
use parking_lot::Mutex;
use ports::{BoxFuture, Clock, MadeMail, MailFailure, Mailer};
use serde::Serialize;
use store::{MemoryBackend, Store};
use uuid::Uuid;

use self::happen::{book, call, change_some, choices, message, read};
use self::model::Expected;
use crate::dice::Dice;
use crate::people::Wall;
use crate::shop::{every_day, text};
use crate::sim::runtime;

const SEEDS: u64 = 12;
const LIVES: usize = 5;
const STEPS_A_LIFE: usize = 20;
const SHOPS: usize = 2;
/// The role and the linked staff member of each person in a business. The access of the last person is sometimes
/// disabled.
const TEAM: [(Role, Option<usize>); 5] = [
    (Role::Owner, None),
    (Role::Admin, Some(0)),
    (Role::Member, None),
    (Role::Member, Some(1)),
    (Role::Member, Some(0)),
];
const SHUT_OUT: usize = TEAM.len() - 1;
/// The limit on pending mails per business. It applies in every third seed.
const WAITING_MAX: usize = 6;

/// The ids and links of a business, for random changes to it.
#[derive(Clone, Default)]
struct Shop {
    id: Option<BusinessId>,
    service: Option<ServiceId>,
    staff: Vec<StaffId>,
    people: Vec<PersonId>,
    appointments: Vec<AppointmentId>,
    /// The manage links of the appointments that customers have booked.
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

/// An alert that is mailed: the person, the kind and the record.
type Told = (PersonId, AlertKind, Uuid);

/// A simulated relay, which records the mails that it has accepted.
struct Relay {
    dice: Dice,
    mood: Mutex<Mood>,
    /// The mails that the engine has composed, by `Message-ID`.
    made: Mutex<BTreeMap<String, Letter>>,
    /// For each alert and email address, the ids of the mails that contained the alert.
    taken: Mutex<BTreeMap<(String, AlertKind, Uuid), BTreeSet<String>>>,
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
            let letter = self.made.lock()[&id].clone();
            let (Content::Alert(_) | Content::Gathered(..) | Content::Daily(..)) = &letter.content else {
                panic!("this letter must not be sent: {letter:?}");
            };
            for (kind, about) in told(&letter.content) {
                self.taken.lock().entry((mail.to.clone(), kind, about)).or_default().insert(id.clone());
            }
            Ok("250 ok".into())
        })
    }
}

impl Composer for Relay {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        self.made.lock().insert(letter.message_id.clone(), letter.clone());
        Ok(letter.message_id.clone().into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}

/// Returns the alerts in a mail.
fn told(content: &Content) -> Vec<(AlertKind, Uuid)> {
    use domain::ResourceId as _;
    use engine::mail::letter::What;
    let all = match content {
        Content::Alert(told) => std::slice::from_ref(told),
        Content::Gathered(told, _) | Content::Daily(told, _) => told,
        _ => &[],
    };
    let id = |what: &What| match what {
        What::Appointment { id, .. } => id.uuid(),
        What::Message { id, .. } => id.uuid(),
        What::Call { id, .. } => id.uuid(),
        What::Webhook { id, .. } => id.uuid(),
        What::Calendar { id, .. } => id.uuid(),
    };
    all.iter().map(|told| (told.kind, id(&told.what))).collect()
}

struct World {
    disk: MemoryBackend,
    wall: Arc<Wall>,
    dice: Arc<Dice>,
    relay: Arc<Relay>,
    shops: Vec<Arc<Mutex<Shop>>>,
    seed: u64,
    /// The limit on pending mails per business. It is `None` in seeds without a limit.
    waiting_max: Option<usize>,
}

fn email(number: usize) -> String {
    format!("person{number}@example.com")
}

impl World {
    async fn open(&self) -> Engine {
        let store = self.store();
        let ports = Ports::with_clock_and_random(Arc::clone(&self.wall) as _, Arc::clone(&self.dice) as _);
        let usual = Limits::default();
        let mails_waiting = self.waiting_max.map_or(usual.mails_waiting, |most| most as u64);
        let mut limits = Limits { hashing: Hashing::Cheap, mails_waiting, ..usual };
        if self.waiting_max.is_some() {
            (limits.business_actors, limits.person_actors) = (1, 2);
        }
        let engine = Engine::start_within(store, ports, limits).await.unwrap();
        engine.begin_mail(MailPorts {
            mailer: Arc::clone(&self.relay) as _,
            composer: Arc::clone(&self.relay) as _,
            recipients: engine.recipients(),
        });
        engine
    }

    fn store(&self) -> Store {
        Store::in_memory(&self.disk, Box::new(|error| panic!("{error}"))).unwrap()
    }

    /// Creates the businesses with their staff and members.
    async fn found(&self, engine: &Engine) {
        let by = || Request::by(Actor::Operator);
        for (number, shop) in self.shops.iter().enumerate() {
            let new = NewBusiness {
                name: text(&format!("Shop {number}")),
                zone: if number == 0 { chrono_tz::UTC } else { chrono_tz::Asia::Tokyo },
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
            // Mails to customers are turned off here. The module `notices` tests them.
            let off = PatchNotices { email: Some(NoticeScope::Off), ..PatchNotices::default() };
            business.change(by(), off).await.unwrap();
            let mut staff = Vec::new();
            for name in ["One", "Two"] {
                let member = CreateStaff::offering(text(name), vec![service]);
                staff.push(id_of(&business.change(by(), member).await.unwrap()));
            }
            let mut people = Vec::new();
            for (number, (role, of)) in TEAM.into_iter().enumerate() {
                let invitation = Invitation {
                    email: domain::Address::new(&email(number)).unwrap(),
                    name: None,
                    locale: None,
                    role,
                    staff_id: of.map(|of| staff[of]),
                };
                let invited = engine.people().invite(&business, by(), invitation).await.unwrap();
                let person = id_of(&invited.answer);
                let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
                engine.people().patch_member(&business, by(), (person, active, None)).await.unwrap();
                people.push(person);
            }
            *shop.lock() = Shop { id: Some(id), service: Some(service), staff, people, ..Shop::default() };
        }
    }

    /// Starts one random change in a business.
    fn some_op(&self, engine: &Engine, slot: &Arc<Mutex<Shop>>) -> tokio::task::JoinHandle<()> {
        let dice = Arc::clone(&self.dice);
        let shop = slot.lock().clone();
        let business = engine.business(shop.id.unwrap());
        let person = *dice.pick(&shop.people);
        let by = match dice.below(4) {
            0 => Actor::Person(person),
            1 => Actor::Operator,
            _ => Actor::ApiKey(Uuid::from_u128(u128::from(dice.next())).into()),
        };
        let (engine, slot, now) = (engine.clone(), Arc::clone(slot), self.wall.now());
        tokio::spawn(async move {
            let request = Request::by(by);
            let came = match dice.below(14) {
                0..=3 => book(&business, request, &dice, &slot, now).await,
                4 | 5 => change_some(&business, request, &dice, &shop, &slot, now).await,
                6..=8 => business.change(request, message(&dice, &shop)).await.map(|_| ()),
                9 => business.change(request, call(&dice, now)).await.map(|_| ()),
                10 | 11 => {
                    let change = PatchNotifications { id: person, choices: choices(&dice) };
                    business.change(Request::by(Actor::Person(person)), change).await.map(|_| ())
                }
                12 => {
                    let patch = match dice.below(2) {
                        0 => MembershipPatch { active: Some(dice.once_in(2)), ..Default::default() },
                        _ => MembershipPatch {
                            staff_id: Some(Some(*dice.pick(&shop.staff))),
                            ..Default::default()
                        },
                    };
                    let who = (shop.people[SHUT_OUT], patch, None);
                    let by = Request::by(Actor::Operator);
                    engine.people().patch_member(&business, by, who).await.map(|_| ())
                }
                _ => read(&business, &dice, person).await,
            };
            match came {
                Ok(()) | Err(EngineError::Refused(_) | EngineError::NotFound | EngineError::Stopping) => {}
                Err(error) => panic!("{error}"),
            }
        })
    }

    /// Checks the rows on the disk. At the end of the simulation, every mail must have arrived.
    fn check(&self, is_the_end: bool) {
        let runtime = runtime();
        let store = runtime.block_on(async { self.store() });
        let report = engine::verify::check(store.rows()).unwrap();
        assert!(report.is_whole(), "seed {}: {:?}", self.seed, report.findings);
        for shop in &self.shops {
            let shop = shop.lock();
            let Some(id) = shop.id else { continue };
            let expected = Expected::of(&store, &shop);
            let unasked = expected.check_alerts(&store, (id, self.waiting_max.is_some()));
            let shut_out = shop.people[SHUT_OUT];
            let arrives = expected.check_mails(&store, (id, shut_out), (self.waiting_max, &unasked));
            if is_the_end {
                self.check_arrived(&expected, &arrives, &shop);
            }
        }
        runtime.block_on(store.close()).unwrap();
    }

    /// Checks that every mail that must arrive was sent. An alert must not be in more mails than expected. A mail that
    /// was sent twice with the same id counts once.
    fn check_arrived(&self, expected: &Expected, arrives: &BTreeSet<Told>, shop: &Shop) {
        let taken = self.relay.taken.lock();
        for (told @ (person, kind, about), times) in &expected.mailed {
            let number = shop.people.iter().position(|id| id == person).unwrap();
            let under = taken.get(&(email(number), *kind, *about)).map_or(0, BTreeSet::len);
            assert!(under <= *times, "seed {}: {told:?} was in mails with {under} ids", self.seed);
            assert!(under > 0 || !arrives.contains(told), "seed {}: {told:?} was not mailed", self.seed);
        }
    }
}

fn id_of<I: std::str::FromStr<Err: std::fmt::Debug>>(answer: &Answer<impl Serialize>) -> I {
    let shown = serde_json::to_value(&answer.value).unwrap();
    shown["id"].as_str().unwrap().parse().unwrap()
}

/// Runs a seed. Returns how many alerts were shown, how many were mailed, and how many were omitted from mails.
fn run(seed: u64) -> (usize, usize, u64) {
    let dice = Arc::new(Dice::new(seed));
    let relay = Arc::new(Relay {
        dice: Dice::new(seed ^ 0x9a11),
        mood: Mutex::new(Mood::Well),
        made: Mutex::default(),
        taken: Mutex::default(),
    });
    let shops = (0..SHOPS).map(|_| Arc::default()).collect();
    let waiting_max = Some(WAITING_MAX).filter(|_| seed.is_multiple_of(3));
    let world =
        World { disk: MemoryBackend::new(), wall: Wall::new(), dice, relay, shops, seed, waiting_max };
    let mut left_out = 0;
    for life in 0..LIVES {
        let runtime = runtime();
        runtime.block_on(async {
            world.wall.begin();
            let engine = world.open().await;
            if life == 0 {
                world.found(&engine).await;
            }
            world.disk.set_sync_delay(Duration::from_millis(world.dice.next() % 4));
            course(&world, &engine, life == LIVES - 1).await;
            left_out += engine.alerts_not_mailed();
            world.wall.end();
        });
        let keep = world.dice.below(world.disk.unsynced() + 1);
        world.disk.crash(keep);
        drop(runtime);
        world.check(life == LIVES - 1);
    }
    let runtime = runtime();
    let store = runtime.block_on(async { world.store() });
    let mut counted = (0, 0, left_out);
    for shop in &world.shops {
        let shop = shop.lock();
        let expected = Expected::of(&store, &shop);
        counted.0 += expected.shown.values().map(Vec::len).sum::<usize>();
        counted.1 += expected.mailed.len();
    }
    runtime.block_on(store.close()).unwrap();
    counted
}

/// Makes several random changes at the same time during one run of the engine. In the last run, the relay works.
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
            // The run ends here, although requests are still in progress.
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
        tokio::time::sleep(Duration::from_secs(60 * 3_600)).await;
    }
    if is_last || world.dice.once_in(2) {
        engine.clone().close().await.unwrap();
    }
}

#[test]
fn each_person_gets_exactly_the_chosen_alerts_through_crashes_and_a_bad_relay() {
    let (mut shown, mut mailed, mut left_out) = (0, 0, 0);
    for seed in 1..=SEEDS {
        let counted = run(seed);
        (shown, mailed, left_out) = (shown + counted.0, mailed + counted.1, left_out + counted.2);
        assert!(counted.2 == 0 || seed.is_multiple_of(3), "seed {seed}: mails were dropped below the limit");
    }
    assert!(
        shown > 1_000 && mailed > 500 && left_out > 100,
        "too few alerts: {shown} shown, {mailed} mailed, {left_out} omitted"
    );
}
