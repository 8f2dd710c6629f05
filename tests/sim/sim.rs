//! Simulates one seed: runs the engine several times, and checks the disk between the runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, BookingMode, DeliveryStatus, Locale, WebhookStatus, WeeklyBreaks};
use engine::NewBusiness;
use receptionist::calendars::Written;
use store::records::ClockRecord;
use store::{RoomLevel, keys};
use tokio::runtime::Runtime;

use crate::aside::Aside;
use crate::backups::Backups;
use crate::customers::Customers;
use crate::dice::Dice;
use crate::guests::Guests;
use crate::ledger::{Came, Entry, Ledger};
use crate::life::Life;
use crate::model::{Model, Span};
use crate::moves::Moves;
use crate::network::Line;
use crate::ops::Op;
use crate::planted::Planted;
use crate::practices::Practices;
use crate::rows::Rows;
use crate::shop::{Shop, every_day, text};
use crate::shortage::Shortage;
use crate::talks::Talks;
use crate::wide::Workload;
use crate::world::{Trace, World};

const LIVES: usize = 5;
/// The number of random requests of callers per step, if only conversations are simulated.
const TALKS_A_STEP: usize = 2;
const STEPS_A_LIFE: usize = 90;
/// The time for which idempotency keys are certainly stored, in milliseconds of the service's steady time (see
/// `time.rs`). It is a day, less a minute for requests in progress.
const KEPT_MILLIS: i64 = 24 * 3_600_000 - 60_000;

pub(crate) struct Sim {
    pub(crate) dice: Dice,
    pub(crate) world: World,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) shops: Vec<Shop>,
    pub(crate) models: Vec<Model>,
    /// The steady time that the disk contained at the end of the previous run.
    pub(crate) kept: Option<ClockRecord>,
    /// Whether the disk had enough room in the previous run for the service to store the steady time.
    could_keep: bool,
    pub(crate) workload: Workload,
    /// Whether the burst of new contacts was already made.
    pub(crate) has_burst: bool,
    pub(crate) shortage: Shortage,
    pub(crate) backups: Backups,
    pub(crate) moves: Moves,
    pub(crate) planted: Planted,
    pub(crate) aside: Aside,
    /// The guest houses: additional businesses in which contacts are merged and erased. They have their own random
    /// numbers.
    pub(crate) guests: Guests,
    pub(crate) guest_dice: Dice,
    pub(crate) machine_dice: Dice,
    pub(crate) customers: Customers,
    pub(crate) talks: Talks,
    pub(crate) practices: Practices,
}

/// How a run ends.
enum End {
    /// The run ends in an orderly way. All changes are on the disk.
    Closed,
    /// The run is killed while requests are in progress.
    Killed,
}

/// Returns a single-threaded runtime. Its clock advances only while no task can run.
pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Runs a seed and writes its history to the trace.
pub(crate) fn run(seed: u64, workload: Workload, trace: Arc<Trace>) {
    let talks = Talks::new(seed, &trace);
    let mut sim = Sim {
        dice: Dice::new(seed),
        world: World::new(seed, trace),
        ledger: Arc::default(),
        shops: Vec::new(),
        models: Vec::new(),
        kept: None,
        could_keep: true,
        workload,
        has_burst: false,
        shortage: Shortage::new(seed),
        backups: Backups::new(seed),
        moves: Moves::new(seed),
        planted: Planted::new(seed),
        aside: Aside::new(seed),
        guests: Guests::default(),
        guest_dice: Dice::new(seed ^ 0x9e57),
        machine_dice: Dice::new(seed ^ 0xb007),
        customers: Customers::new(seed),
        talks,
        practices: Practices::new(seed),
    };
    sim.choose_beginning();
    for life in 0..LIVES {
        sim.live(life);
    }
    sim.last_life();
}

impl Sim {
    /// Returns the steady time before which the service may have forgotten responses.
    pub(crate) fn kept_from(&self) -> i64 {
        self.world.time.latest_count() - KEPT_MILLIS
    }

    /// Starts the clock of a run, within the runtime of the run. Returns true if the wall clock is earlier than the
    /// stored time.
    pub(crate) fn begin_time(&self) -> bool {
        let is_earlier = self.world.time.begin(self.kept.as_ref(), self.could_keep);
        if is_earlier {
            self.world.say(format_args!("the wall clock is earlier than the stored time"));
        }
        is_earlier
    }

    /// Returns the times of a new run.
    fn span(&self) -> Span {
        let began = self.world.time.now();
        let few_permits = self.world.places.is_some();
        Span { began, few_permits, ..Span::default() }
    }

    fn live(&mut self, number: usize) {
        let runtime = runtime();
        let from = self.ledger.len();
        let wasted = number == LIVES - 1 && self.dice.once_in(5);
        if !wasted {
            self.some_planted();
        }
        if wasted {
            if self.world.time.ahead() != 0 {
                self.some_jump();
            }
            self.world.network.set_line(Line::There);
        }
        self.some_repaired_time(wasted);
        // `places` limits the concurrent attempts, so an attempt may wait. On the day that the module `waste`
        // simulates, attempts must follow the schedule to the second. A run with this day therefore has no such limit.
        let places = self.world.places.take_if(|_| wasted);
        let mut span = self.span();
        let jumps = self.world.time.jumps();
        let unknown = self.unknown();
        let end = runtime.block_on(async {
            span.jumped = self.begin_time();
            span.wall = self.world.time.believed().1.millis();
            self.world.say(format_args!("run {number} begins"));
            self.enough_room();
            let mut life = self.begin_life().await;
            self.lift_suspensions(&life).await;
            self.resume_talks(&life).await;
            if number == 0 {
                self.found(&mut life).await;
                self.found_pages(&life).await;
                self.found_guests(&life).await;
                self.found_aside(&life).await;
                self.found_talks(&life).await;
                self.found_practices(&life).await;
            }
            self.ask_for_answers(&mut life, &unknown);
            let end = if wasted {
                self.waste(&mut life).await;
                if life.close().await { End::Closed } else { End::Killed }
            } else {
                self.course(&mut life).await
            };
            span.suspended = self.world.time.suspended();
            self.world.time.end();
            end
        });
        if let End::Killed = end {
            let unsynced = self.world.disk.unsynced();
            let keep = self.dice.below(unsynced + 1);
            self.world.say(format_args!("killed; {keep} of {unsynced} unsynced batches survive"));
            self.world.disk.crash(keep);
        } else {
            // After an orderly end, no write is unsynced, so this crash loses nothing. It only cancels a
            // fault that was planned for this run.
            self.world.disk.crash(usize::MAX);
        }
        drop(runtime);
        self.end_backup();
        self.end_moves();
        self.world.places = self.world.places.or(places);
        span.ended = self.world.time.now();
        span.worked = self.world.failed_at().unwrap_or(span.ended);
        span.held_until = self.held_until();
        span.jumped |= self.world.time.jumps() != jumps || span.suspended > 0;
        self.learn();
        self.look_at_disk(span, from, false);
        self.some_standstill();
    }

    /// Starts the engine and its outbox.
    async fn begin_life(&self) -> Life {
        self.doubt_reads();
        let life = Life::begin(&self.world).await;
        if self.workload != Workload::First {
            self.talks.begin(&life.engine);
        }
        if self.workload == Workload::Wide {
            life.engine.begin_mail(self.world.mails.ports());
            life.engine.write_calendars_with(Arc::new(Written { public_url: None }));
        }
        life
    }

    /// Returns the requests whose outcome is unknown.
    fn unknown(&self) -> Vec<Entry> {
        let all = self.ledger.since(0);
        all.into_iter().filter(|entry| entry.came == Came::Unknown).collect()
    }

    /// Repeats each of the requests `unknown` whose idempotency key certainly has not expired. If the key had expired,
    /// the service would handle the request as a new request.
    fn ask_for_answers(&self, life: &mut Life, unknown: &[Entry]) {
        let kept_from = self.kept_from();
        for entry in unknown.iter().filter(|entry| entry.count > kept_from) {
            self.ask_again(life, &entry.tried, true);
        }
    }

    /// Creates the businesses with services and staff.
    async fn found(&mut self, life: &mut Life) {
        for (number, zone) in self.workload.zones(self).into_iter().enumerate() {
            let new = NewBusiness {
                name: text(&format!("Shop {number}")),
                zone,
                locale: Locale::En,
                website_url: None,
                booking_mode: BookingMode::Instant,
                hours: every_day(0, if number == 0 { 1440 } else { 1260 }),
                breaks: WeeklyBreaks::default(),
                phone_region: "US".into(),
            };
            let business = life.engine.create_business(new, Actor::Operator).await.unwrap();
            self.models.push(Model::new(business.id));
            self.shops.push(Shop::new(business.id, zone, self.workload.endpoints_max()));
            for _ in 0..2 {
                self.ask_and_learn(life, number, Shop::service(&self.dice).into()).await;
            }
            for _ in 0..=number.min(2) {
                self.ask_and_learn(life, number, self.shops[number].member(&self.dice).into()).await;
            }
            self.found_endpoints(life, number).await;
        }
    }

    pub(crate) async fn ask_and_learn(&mut self, life: &mut Life, shop: usize, op: Op) {
        self.ask(life, shop, op, false);
        life.quiet().await;
        self.learn();
    }

    async fn course(&mut self, life: &mut Life) -> End {
        self.world.disk.set_sync_delay(Duration::from_millis(self.dice.next() % 4));
        let ends_at = self.dice.below(STEPS_A_LIFE) + 10;
        for _ in 0..ends_at {
            match if self.some_wide(life).await { 60 } else { self.dice.below(60) } {
                60 => {}
                0..=1 => self.some_weather(),
                2..=4 => self.some_repeat(life),
                5 if self.dice.once_in(2) => self.some_jump(),
                6 if self.dice.once_in(4) => {
                    self.world.disk.set_sync_delay(Duration::from_millis(self.dice.next() % 40));
                }
                7 if self.dice.once_in(10) => self.some_fault(),
                8 if self.dice.once_in(3) => self.some_panic(life),
                8..=10 => self.some_nudge(life),
                11..=13 => self.some_look(life),
                14 if self.world.has_room() => self.probe(life).await,
                18 if self.world.has_room() && self.dice.once_in(2) => self.probe_override(life).await,
                15 if self.world.has_room() && self.dice.once_in(6) => self.suspend(life).await,
                16 if self.dice.once_in(4) => self.outage(life).await,
                17 if self.world.network.line().0 != Line::There => self.world.network.set_line(Line::There),
                _ if self.workload == Workload::Talks => {
                    for _ in 0..TALKS_A_STEP {
                        self.some_talk(life);
                    }
                }
                _ => self.some_request(life),
            }
            for _ in 0..self.guest_dice.below(3) {
                self.some_guest(life);
            }
            self.some_talk(life);
            self.some_practice(life);
            self.some_aside(life);
            self.some_shortage(life);
            self.some_backup(life);
            self.some_mail(life);
            self.some_customer(life).await;
            self.some_move(life).await;
            self.some_suspension(life).await;
            self.some_time().await;
            self.learn();
            self.world.check();
            self.check_set_aside(life);
            if self.world.failed() {
                return End::Killed;
            }
        }
        if self.dice.once_in(3) {
            if self.workload == Workload::Wide {
                self.glance(life).await;
            }
            return End::Killed;
        }
        if self.dice.once_in(2) {
            life.quiet().await;
            self.walk(life).await;
        }
        if self.world.time.ahead() != 0 && !self.dice.once_in(4) {
            self.some_jump();
        }
        self.world.say(format_args!("the engine is closed"));
        if life.close().await { End::Closed } else { End::Killed }
    }

    /// Performs the last run of the engine. All faults end, and every delivery that is due arrives.
    fn last_life(&mut self) {
        let runtime = runtime();
        let from = self.ledger.len();
        let unknown = self.unknown();
        if self.world.time.ahead() != 0 {
            self.some_jump();
        }
        self.some_repaired_time(true);
        let mut span = self.span();
        runtime.block_on(async {
            span.jumped = self.begin_time();
            span.wall = self.world.time.believed().1.millis();
            self.world.say(format_args!("the last run begins"));
            self.enough_room();
            let mut life = self.begin_life().await;
            self.lift_suspensions(&life).await;
            self.resume_talks(&life).await;
            self.ask_for_answers(&mut life, &unknown);
            life.quiet().await;
            self.learn();
            if self.dice.once_in(3) {
                // An endpoint that does not respond for this long is disabled.
                tokio::time::sleep(Duration::from_secs(25 * 3_600)).await;
            }
            self.check_failing_calendars(&life).await;
            self.world.say(format_args!("all faults have ended"));
            self.world.network.heal();
            self.world.mails.heal();
            self.send_all(&mut life).await;
            self.end_practices(&life).await;
            self.use_guests(&life).await;
            self.walk(&life).await;
            self.world.check();
            assert!(life.close().await);
            self.world.time.end();
        });
        drop(runtime);
        span.ended = self.world.time.now();
        span.worked = self.world.failed_at().unwrap_or(span.ended);
        span.held_until = self.held_until();
        let all_rows = self.look_at_disk(span, from, true);
        for (model, rows) in self.models.iter().zip(&all_rows) {
            model.check_nothing_left(rows);
            for (endpoint, event) in model.owed.keys() {
                let hook = &model.hooks[endpoint];
                if hook.is_there() {
                    let delivery = &rows.deliveries[&(*endpoint, *event)];
                    assert_eq!(
                        delivery.status,
                        DeliveryStatus::Delivered,
                        "{endpoint} {delivery:?} {hook:?}"
                    );
                    assert!(hook.got.contains_key(event), "{event} never reached {endpoint}");
                }
            }
        }
        self.repair(&all_rows);
    }

    /// Enables every endpoint, requests all missed events again, and waits until no delivery is pending any more.
    async fn send_all(&mut self, life: &mut Life) {
        // The service may still disable endpoints because of attempts that have already failed. The test waits for a
        // minute, so that the service does this before the test enables the endpoints.
        tokio::time::sleep(Duration::from_secs(60)).await;
        for shop in 0..self.shops.len() {
            for id in self.shops[shop].webhooks.clone() {
                let on = Self::turn(id, WebhookStatus::Enabled);
                self.ask_and_learn(life, shop, on).await;
            }
        }
        tokio::time::sleep(Duration::from_secs(13 * 3_600)).await;
        for shop in 0..self.shops.len() {
            for id in self.shops[shop].webhooks.clone() {
                self.resend_missed(life, shop, id);
            }
        }
        life.quiet().await;
        tokio::time::sleep(Duration::from_secs(120)).await;
    }

    /// True if, at some time in this run of the engine, the disk had no room for the rows that the service writes on
    /// its own.
    pub(crate) fn is_room_short(&self, span: Span) -> bool {
        self.world.room_between(span.began).1 >= RoomLevel::Exhausted
    }

    /// Checks all rows on the disk between two runs.
    fn look_at_disk(&mut self, span: Span, from: usize, is_the_end: bool) -> Vec<Rows> {
        self.world.check();
        self.unplant();
        let runtime = runtime();
        let store = runtime.block_on(async { self.world.store() });
        let all_rows: Vec<_> = self.shops.iter().map(|shop| Rows::checked(&store, shop.id)).collect();
        let all: Vec<_> = self.shops.iter().map(|shop| shop.id).collect();
        all.iter().for_each(|of| self.world.mails.check(&store, *of));
        self.world.mails.check_handed(&store, &all);
        let report = engine::verify::check(&store.all_rows()).unwrap();
        assert!(report.is_whole(), "{:?}", report.findings);
        self.check_aside(&store);
        self.check_guests(&store, is_the_end);
        self.check_talks(&store, is_the_end);
        self.check_practices(&store);
        self.check_moves(&store, is_the_end);
        let kept = store
            .get::<ClockRecord>(&keys::clock())
            .unwrap()
            .expect("the steady time must be stored from the start");
        runtime.block_on(store.close()).unwrap();
        drop((store, runtime));
        self.check_count(span, &kept);
        self.could_keep = !self.is_room_short(span);
        self.kept = Some(kept);
        for (model, rows) in self.models.iter_mut().zip(&all_rows) {
            model.replay(rows, &self.ledger, span);
        }
        self.check_received(&all_rows);
        self.check_tombstones();
        let mut entries: BTreeMap<usize, Vec<Entry>> = BTreeMap::new();
        // Requests of earlier runs were checked after those runs. The newest 100 of them are checked again, because
        // idempotency keys of the last day must still be stored.
        for entry in self.ledger.since(from.saturating_sub(100)) {
            entries.entry(entry.tried.shop).or_default().push(entry);
        }
        let kept_from = self.kept_from();
        for (shop, (model, rows)) in self.models.iter_mut().zip(&all_rows).enumerate() {
            model.check_deliveries(rows, span);
            model.check_leftovers(rows);
            model.check_traces(rows, entries.get(&shop).map_or(&[], Vec::as_slice), kept_from);
            model.hooks.values_mut().for_each(crate::hooks::Hook::forget_attempts);
        }
        for seen in self.ledger.take_seen() {
            let known = self.models[seen.shop].stamps.contains(&(seen.id, seen.updated_at.clone()));
            assert!(
                known,
                "{} was {} as of {}, but this state is missing",
                seen.id, seen.how, seen.updated_at
            );
        }
        self.learn_links();
        for (shop, rows) in self.shops.iter_mut().zip(&all_rows) {
            shop.links.iter().for_each(|(id, token)| rows.check_link(*id, token));
            // The disk also contains endpoints whose creation was not acknowledged. The clients can read the ids of
            // these endpoints in the operator's list.
            shop.webhooks = rows.endpoints.keys().copied().collect();
        }
        all_rows
    }

    fn check_received(&mut self, all_rows: &[Rows]) {
        for received in self.world.network.take_received() {
            let model = self
                .models
                .iter_mut()
                .zip(all_rows)
                .find(|(model, _)| model.hooks.values().any(|hook| hook.has_url(&received.url)));
            if model.is_none() && self.guests.have_url(&received.url) {
                continue;
            }
            let (model, rows) = model.unwrap_or_else(|| panic!("no endpoint should get {received:?}"));
            model.check_received(rows, &received);
        }
    }
}
