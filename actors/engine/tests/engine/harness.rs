//! The simulated world of the engine's tests, and short helpers for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::availability::Terms;
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, AllDay, AppointmentId, BookingMode, BusinessId, CalendarKind, ContactDetails, Day, DayHours,
    FeedDetail, LocalTime, Locale, Phone, Refusal, ServiceId, SlotReason, Source, StaffId, Text, Timestamp,
    WebhookUrl, WeeklyBreaks, WeeklyHours,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::calendars::ConnectCalendar;
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::{Answer, AnswerOf, Change, Idempotency, Page, PageRequest, Request};
use engine::{BusinessHandle, Engine, EngineError, Limits, NewBusiness};
use net::Ports;
use parking_lot::Mutex;
use ports::{Clock, Random};
use serde::Serialize;
use serde_json::Value;
use store::{Batch, Key, MemoryBackend, Store};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The time at which every world starts.
pub(crate) const MONDAY: &str = "2026-03-02T08:00:00Z";

/// A wall clock that follows tokio's simulated time and jumps on request.
pub(crate) struct TestClock {
    started: Instant,
    ahead: AtomicI64,
    /// The number of the machine's current boot. `booted` is the time of this boot, in milliseconds since the
    /// start of the test.
    boot: AtomicI64,
    booted: AtomicI64,
    /// The time for which the machine was suspended, in milliseconds.
    suspended: AtomicI64,
    /// Whether reading the clock panics.
    breaks: AtomicBool,
}

impl TestClock {
    /// Makes reading the clock panic, or work again.
    pub(crate) fn break_it(&self, breaks: bool) {
        self.breaks.store(breaks, Ordering::SeqCst);
    }

    /// Moves only the wall clock.
    pub(crate) fn jump(&self, by: TimeDelta) {
        self.ahead.fetch_add(by.num_milliseconds(), Ordering::SeqCst);
    }

    pub(crate) fn reboot(&self) {
        self.boot.fetch_add(1, Ordering::SeqCst);
        self.booted.store(self.elapsed(), Ordering::SeqCst);
    }

    /// Suspends the machine for this time. The machine's clocks continue, but the runtime's timers stop.
    pub(crate) fn suspend(&self, time: TimeDelta) {
        self.suspended.fetch_add(time.num_milliseconds(), Ordering::SeqCst);
    }

    fn elapsed(&self) -> i64 {
        let awake = i64::try_from(self.started.elapsed().as_millis()).unwrap();
        awake + self.suspended.load(Ordering::SeqCst)
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        if self.breaks.load(Ordering::SeqCst) {
            // Unlike `panic!`, this prints nothing.
            std::panic::resume_unwind(Box::new("a test breaks the clock"));
        }
        Timestamp::from_millis(self.ahead.load(Ordering::SeqCst) + self.elapsed())
    }

    fn steady(&self) -> Duration {
        let passed = self.elapsed() - self.booted.load(Ordering::SeqCst);
        Duration::from_millis(u64::try_from(passed).unwrap())
    }

    fn boot_id(&self) -> Option<uuid::Uuid> {
        Some(uuid::Uuid::from_u128(u128::try_from(self.boot.load(Ordering::SeqCst)).unwrap()))
    }
}

/// Random bytes from a seed (SplitMix64).
pub(crate) struct Seeded(Mutex<u64>);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        let mut state = self.0.lock();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Random for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes()[..chunk.len()]);
        }
    }
}

/// A disk, a clock, randomness, and an engine that uses them.
pub(crate) struct World {
    pub(crate) disk: MemoryBackend,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) ports: Ports,
    pub(crate) engine: Engine,
    /// The limits for the next engine that is started.
    pub(crate) limits: Limits,
    /// The number of times that an engine of this world reported a permanent failure of its store.
    pub(crate) fatal: Arc<AtomicUsize>,
}

impl World {
    pub(crate) async fn new(seed: u64) -> Self {
        let disk = MemoryBackend::new();
        let ahead = AtomicI64::new(Timestamp::parse(MONDAY).unwrap().millis());
        let clock = Arc::new(TestClock {
            started: Instant::now(),
            ahead,
            boot: AtomicI64::default(),
            booted: AtomicI64::default(),
            suspended: AtomicI64::default(),
            breaks: AtomicBool::new(false),
        });
        let ports =
            Ports::with_clock_and_random(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(Seeded::new(seed)));
        let fatal = Arc::new(AtomicUsize::new(0));
        let engine = Engine::start(store(&disk, &fatal), ports.clone()).await.unwrap();
        Self { disk, clock, ports, engine, limits: Limits::default(), fatal }
    }

    pub(crate) async fn open_again(&mut self) {
        let (store, ports) = (self.store(), self.ports.clone());
        self.engine = Engine::start_within(store, ports, self.limits).await.unwrap();
    }

    /// Closes the engine, and opens it again on the same disk.
    pub(crate) async fn restart(&mut self) {
        self.engine.clone().close().await.unwrap();
        self.open_again().await;
    }

    /// Makes the wall clock jump, and waits until the service follows the jump. Meanwhile, sends requests to the shop,
    /// so that its actor is not stopped.
    pub(crate) async fn jump_and_hold(&self, shop: &Shop, by: TimeDelta) {
        self.clock.jump(by);
        for _ in 0..12 {
            pass(1).await;
            let today = self.engine.now().utc().date_naive();
            self.at(shop).availability(shop.service, None, (today, today), Terms::Integration).await.unwrap();
        }
    }

    /// Cuts the power and starts the engine again. The first `keep` of the unsynced batches survive.
    pub(crate) async fn crash(&mut self, keep: usize) {
        self.disk.crash(keep);
        self.end_of_life().await;
        self.open_again().await;
    }

    /// Closes an engine that has lost its disk.
    pub(crate) async fn end_of_life(&self) {
        everything_else_runs().await;
        let _ = self.engine.clone().close().await;
    }

    /// Closes the engine, adds a row to the store, and starts the engine again.
    pub(crate) async fn plant(&mut self, key: Key, value: &[u8]) {
        self.engine.clone().close().await.unwrap();
        let (store, mut batch) = (self.store(), Batch::new());
        batch.put(key, value.to_vec());
        store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
        store.close().await.unwrap();
        self.open_again().await;
    }

    /// Closes the engine, deletes rows of the store, and starts the engine again.
    pub(crate) async fn lose(&mut self, keys: &[Key]) {
        self.engine.clone().close().await.unwrap();
        let (store, mut batch) = (self.store(), Batch::new());
        keys.iter().for_each(|key| batch.delete(*key));
        store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
        store.close().await.unwrap();
        self.open_again().await;
    }

    /// Closes the engine, replaces a row with undecodable bytes of the same length, and starts the engine
    /// again.
    pub(crate) async fn spoil(&mut self, key: Key) {
        self.engine.clone().close().await.unwrap();
        let store = self.store();
        let bytes = store.rows().get(&key).unwrap().unwrap().len();
        store.close().await.unwrap();
        self.open_again().await;
        self.plant(key, &vec![0xee; bytes]).await;
    }

    /// Opens the store. No engine may be running.
    pub(crate) fn store(&self) -> Store {
        store(&self.disk, &self.fatal)
    }

    pub(crate) fn fatal(&self) -> usize {
        self.fatal.load(Ordering::SeqCst)
    }

    /// A business that is always open, with one service of an hour and this many staff members.
    pub(crate) async fn shop(&self, staff: usize) -> Shop {
        let whole_day = |day| DayHours { day, open: minutes(0), close: minutes(1440) };
        let hours = WeeklyHours::new(Day::ALL.iter().map(|day| whole_day(*day)).collect()).unwrap();
        let new = NewBusiness {
            name: text("Shop"),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours,
            breaks: WeeklyBreaks::default(),
            phone_region: "US".into(),
        };
        let business = self.engine.create_business(new, Actor::Operator).await.unwrap();
        let mut shop =
            Shop { id: business.id, service: ServiceId::from(uuid::Uuid::nil()), staff: Vec::new() };
        let handle = self.at(&shop);
        let service = CreateService::lasting(text("Cut"), 60);
        shop.service = id_of(&handle.change(by_operator(), service).await.unwrap());
        for number in 0..staff {
            let member = CreateStaff::offering(text(&format!("Staff {number}")), vec![shop.service]);
            shop.staff.push(id_of(&handle.change(by_operator(), member).await.unwrap()));
        }
        shop
    }

    pub(crate) fn at(&self, shop: &Shop) -> BusinessHandle {
        self.engine.business(shop.id)
    }

    /// Sends a change. Returns when every other task has ended or waits for the test.
    pub(crate) async fn ask<C: Change + 'static>(&self, shop: &Shop, change: C) -> Pending<C> {
        self.ask_as(shop, by_operator(), change).await
    }

    pub(crate) async fn ask_as<C: Change + 'static>(
        &self,
        shop: &Shop,
        request: Request,
        change: C,
    ) -> Pending<C> {
        let handle = self.at(shop);
        let pending = tokio::spawn(async move { handle.change(request, change).await });
        everything_else_runs().await;
        pending
    }
}

fn store(disk: &MemoryBackend, fatal: &Arc<AtomicUsize>) -> Store {
    let fatal = Arc::clone(fatal);
    let on_fatal = Box::new(move |_: &_| _ = fatal.fetch_add(1, Ordering::SeqCst));
    Store::in_memory(disk, on_fatal).unwrap()
}

/// The task of a request. It ends when the response arrives.
pub(crate) type Pending<C> = JoinHandle<Result<AnswerOf<C>, EngineError>>;

/// A business with its service and staff.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) id: BusinessId,
    pub(crate) service: ServiceId,
    pub(crate) staff: Vec<StaffId>,
}

impl Shop {
    /// A one-hour booking with the first staff member, for the contact with this number.
    pub(crate) fn booking(&self, starts_at: Timestamp, contact: usize) -> Book {
        self.booking_with(Some(self.staff[0]), starts_at, contact)
    }

    pub(crate) fn booking_with(
        &self,
        staff_id: Option<StaffId>,
        starts_at: Timestamp,
        contact: usize,
    ) -> Book {
        let phone = Phone::from_e164(format!("+1555{contact:07}")).unwrap();
        Book {
            request: BookRequest {
                service_id: self.service,
                starts_at,
                staff_id,
                source: Source::Api,
                party: Party::Integration { allow_pending: true },
                duration: None,
            },
            contact: BookingContact::Described(ContactDetails {
                name: Some(text(&format!("Contact {contact}"))),
                phone: Some(phone),
                ..ContactDetails::default()
            }),
        }
    }
}

/// Returns when every other task waits for the test. Simulated time advances only when no task can run.
pub(crate) async fn everything_else_runs() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Waits for 12 minutes. If the wall clock jumped before, the service then believes the wall clock again.
pub(crate) async fn hold() {
    pass(12).await;
}

/// Waits this long in simulated time.
pub(crate) async fn pass(minutes: u64) {
    tokio::time::sleep(Duration::from_secs(60 * minutes)).await;
}

/// Returns the request as if the password had just been entered in its session.
pub(crate) fn lately(world: &World, request: Request) -> Request {
    Request { password_at: Some(world.engine.now()), ..request }
}

pub(crate) fn by_operator() -> Request {
    Request::by(Actor::Operator)
}

/// A request with an idempotency key.
pub(crate) fn once(key: u8, fingerprint: u8) -> Request {
    let idempotency = Idempotency { key: [key; 32], fingerprint: [fingerprint; 32] };
    Request { idempotency: Some(idempotency), ..by_operator() }
}

pub(crate) fn text<const MAX: usize>(text: &str) -> Text<1, MAX> {
    Text::new(text.into()).unwrap()
}

fn minutes(minutes: u16) -> LocalTime {
    LocalTime::from_minutes(minutes).unwrap()
}

/// The given hour of a day. Day 0 is the world's first day.
pub(crate) fn at(day: i64, hour: i64) -> Timestamp {
    Timestamp::parse("2026-03-02T00:00:00Z").unwrap() + TimeDelta::hours(24 * day + hour)
}

pub(crate) fn body(answer: &Answer<impl Serialize>) -> String {
    serde_json::to_string(&answer.value).unwrap()
}

pub(crate) fn json(answer: &Answer<impl Serialize>) -> Value {
    serde_json::to_value(&answer.value).unwrap()
}

pub(crate) fn id_of<I: std::str::FromStr<Err: std::fmt::Debug>>(answer: &Answer<impl Serialize>) -> I {
    json(answer)["id"].as_str().unwrap().parse().unwrap()
}

pub(crate) fn appointment_of(answer: &Answer<impl Serialize>) -> AppointmentId {
    id_of(answer)
}

pub(crate) fn is_taken<V>(result: &Result<Answer<V>, EngineError>) -> bool {
    matches!(result, Err(EngineError::Refused(Refusal::SlotUnavailable(SlotReason::Taken))))
}

/// The first page of a list, with the largest page size.
pub(crate) fn first_page() -> PageRequest {
    PageRequest { limit: 100, after: None }
}

/// Reads a list to its end.
pub(crate) async fn walk<T, F>(limit: usize, mut page: impl FnMut(PageRequest) -> F) -> Vec<T>
where
    F: Future<Output = Result<Page<T>, EngineError>>,
{
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let found = page(PageRequest { limit, after }).await.unwrap();
        items.extend(found.items);
        match found.next {
            None => return items,
            next => after = next,
        }
    }
}

/// Returns the request to connect a calendar file with the busy times of this staff member.
pub(crate) fn calendar_of(staff_id: StaffId, name: &str) -> ConnectCalendar {
    ConnectCalendar {
        staff_id,
        name: name.into(),
        kind: CalendarKind::Ics,
        url: WebhookUrl::parse("https://c.example.com/").unwrap(),
        login: None,
        collection: None,
        collection_name: String::new(),
        server_addresses: Vec::new(),
        busy: true,
        write: false,
        detail: FeedDetail::Times,
        all_day: AllDay::Busy,
        own_addresses: Vec::new(),
    }
}

pub(crate) fn offer_to(person: &domain::Person) -> domain::Offer {
    let (email, name, locale) = (person.email.clone(), person.name.clone(), person.locale);
    domain::Offer { email, name, locale }
}
