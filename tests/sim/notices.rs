//! A simulation of notices to customers. Customers, integrations and the team book, move, confirm and cancel
//! appointments. The disk loses unsynced writes, and the mail relay may be down, hang or refuse mails.
//!
//! The model computes the expected notices from the audit log alone, with a second implementation of the rules. Each
//! seed consists of several runs of the engine.
//!
//! Invariants:
//!
//! - After every crash, each change has exactly its notice and its reminders.
//! - A mail states the present state of its appointment. All attempts to send a notice have the same `Message-ID`.
//! - If the team reverts a change within 15 seconds, neither the change nor its reversal is announced. A
//!   reminder is sent only once for each start time of an appointment.
//! - No notice is sent to a customer who has unsubscribed, or whose contact was erased. After an erasure, neither
//!   the log nor a link contains the address.
//! - The settings at the time of sending allow each notice that is sent.
//! - A mail is in the language of its customer. The link in the mail leads to the appointment, and can unsubscribe the
//!   address of the mail.
//! - The limits on the mails to an address count each notice once, even after crashes.
//! - At the end no notice is waiting, and the last mail about each appointment states the appointment's last state.

mod checks;
mod client;
mod model;
mod relay;

use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, AppointmentId, BookingMode, BusinessId, Locale, ServiceId, StaffId, WeeklyBreaks};
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::customers::ManageToken;
use engine::business::{Answer, Request};
use engine::mail::MailPorts;
use engine::{Engine, EngineError, NewBusiness};
use net::Ports;
use parking_lot::Mutex;
use ports::Clock;
use serde::Serialize;
use store::{MemoryBackend, Store};

use self::client::Client;
use self::relay::{Mood, Relay, Watched};
use crate::dice::Dice;
use crate::people::Wall;
use crate::shop::{every_day, text};
use crate::sim::runtime;
use crate::{FIRST_SEED, number};

const SEEDS: u64 = 8;
const LIVES: usize = 5;
const STEPS_A_LIFE: usize = 20;
const SHOPS: usize = 2;
const MOODS: [Mood; 7] =
    [Mood::Well, Mood::Well, Mood::Well, Mood::Down, Mood::Hangs, Mood::Refuses, Mood::LosesResponses];
/// The time after which all appointments have started.
const UNTIL_ALL_STARTED: Duration = Duration::from_secs(13 * 86_400);

/// The part of a business's state that its clients know.
#[derive(Clone, Default)]
struct Shop {
    id: Option<BusinessId>,
    service: Option<ServiceId>,
    staff: Vec<StaffId>,
    appointments: Vec<AppointmentId>,
    links: Vec<ManageToken>,
    booked: i64,
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
            recipients: Arc::new(Watched { recipients: engine.recipients(), relay: Arc::clone(&self.relay) }),
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
            let came = match client.dice.below(15) {
                0..=2 => client.book_online().await,
                3 | 4 => client.book().await,
                5..=7 => client.change().await,
                8 => client.take_back().await,
                9 | 10 => client.change_by_link().await,
                11 | 12 => client.stop().await,
                13 => client.erase().await,
                _ => client.set().await,
            };
            match came {
                Ok(()) | Err(EngineError::Refused(_) | EngineError::NotFound | EngineError::Stopping) => {}
                Err(error) => panic!("{error}"),
            }
        })
    }
}

/// Makes several random changes at the same time during one run of the engine. In the last run, the relay works.
async fn course(world: &World, engine: &Engine, is_last: bool) {
    for _ in 0..STEPS_A_LIFE {
        if world.dice.once_in(5) {
            *world.relay.mood.lock() = *world.dice.pick(&MOODS);
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
        tokio::time::sleep(UNTIL_ALL_STARTED).await;
    }
    if is_last || world.dice.once_in(2) {
        engine.clone().close().await.unwrap();
    }
}

/// Runs a seed. Returns the number of notices, and how many of them were sent.
fn run(seed: u64) -> (usize, usize) {
    let (dice, wall) = (Arc::new(Dice::new(seed)), Wall::new());
    let relay = Arc::new(Relay {
        dice: Dice::new(seed ^ 0x9a12),
        wall: Arc::clone(&wall),
        mood: Mutex::new(Mood::Well),
        made: Mutex::default(),
        tried: Mutex::default(),
        taken: Mutex::default(),
        stopped: Mutex::default(),
        erased: Mutex::default(),
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
    let (first, seeds) = (number("SIM_SEED", FIRST_SEED), number("SIM_RUNS", SEEDS));
    for seed in first..first + seeds {
        let counted = run(seed);
        (made, sent) = (made + counted.0, sent + counted.1);
    }
    let seeds = usize::try_from(seeds).unwrap();
    assert!(made > 60 * seeds && sent > 18 * seeds, "too few notices: {made}, and {sent} of them sent");
}
