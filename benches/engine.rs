//! What the engine's own steps cost, each by itself: `cargo bench --bench engine`.
//!
//! Nothing here waits for a disk or a network; `cargo bench --bench load` measures the whole.

#![allow(clippy::unwrap_used, reason = "a bench stops where something is wrong")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use actors::business::commands::appointments::{Book, BookingContact};
use actors::business::commands::calls::RecordCall;
use actors::business::commands::catalog::{CreateService, CreateStaff};
use actors::business::commands::contacts::CreateContact;
use actors::business::commands::keys::CreateKey;
use actors::business::commands::webhooks::CreateWebhook;
use actors::business::{AppointmentFilter, CallFilter, Change, Idempotency, PageRequest, Request};
use actors::credentials::Credential;
use actors::delivery::sign;
use actors::domain::availability::{Schedule, Slot, Terms};
use actors::domain::booking::{self, BookRequest, Party};
use actors::domain::{
    Actor, Appointment, AppointmentStatus, AuditEntry, Blocked, BlockedKey, BookingMode, Buffers, Business,
    Busy, CalendarSyncStatus, CallDetails, CallOutcome, Contact, ContactDetails, Day, DayHours, DayWindows,
    Direction, EventTypes, Hold, LocalTime, LocalWindow, Locale, Phone, Scopes, Service, Source, SpecialDay,
    SpecialDays, StaffHours, StaffMember, Text, Timestamp, WeeklyBreaks, WeeklyHours,
};
use actors::net::WebhookUrl;
use actors::ports::Ports;
use actors::store::Record;
use actors::{BusinessHandle, Engine, NewBusiness};
use chrono::{NaiveDate, TimeDelta};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use uuid::Uuid;

const STAFF: [usize; 3] = [1, 10, 100];
const UPCOMING: [usize; 3] = [0, 1_000, 100_000];
const SERVICE_MINUTES: u32 = 30;

fn now() -> Timestamp {
    Timestamp::parse("2026-03-02T08:00:00Z").unwrap()
}

/// A Monday behind which the clock changes on the 29th.
fn first_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 23).unwrap()
}

fn id<I: From<Uuid>>(number: usize) -> I {
    Uuid::from_u128(number as u128).into()
}

fn always() -> WeeklyHours {
    let (open, close) = (LocalTime::from_minutes(0).unwrap(), LocalTime::from_minutes(1_440).unwrap());
    WeeklyHours::new(Day::ALL.iter().map(|day| DayHours { day: *day, open, close }).collect()).unwrap()
}

/// What the service of a whole diary keeps free.
fn diary_buffers() -> Buffers {
    Buffers::new(10, 15).unwrap()
}

/// A business, its people, and every other half hour from the first day on taken.
struct World {
    business: Business,
    services: BTreeMap<actors::domain::ServiceId, Service>,
    staff: BTreeMap<actors::domain::StaffId, StaffMember>,
    special: SpecialDays,
    busy: Busy,
    blocked: Blocked,
}

impl World {
    fn new(staff: usize, upcoming: usize) -> Self {
        let business = Business {
            id: id(1),
            name: "Salon Lumière".into(),
            zone: chrono_tz::Europe::Paris,
            locale: Locale::Fr,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: always(),
            breaks: WeeklyBreaks::default(),
            phone_region: "FR".into(),
            suspended: false,
            created_at: now(),
            updated_at: now(),
        };
        let service = Service {
            id: id(2),
            name: "Coupe".into(),
            description: String::new(),
            duration_minutes: SERVICE_MINUTES,
            active: true,
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            created_at: now(),
            updated_at: now(),
        };
        let member = |number: usize| StaffMember {
            id: id(100 + number),
            name: format!("Personne {number}"),
            active: true,
            zone: chrono_tz::Europe::Paris,
            service_ids: vec![service.id],
            hours: None,
            created_at: now(),
            updated_at: now(),
        };
        let mut busy = Busy::new();
        let first = first_day().and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp_millis();
        for number in 0..upcoming {
            let start = Timestamp::from_millis(first) + TimeDelta::hours((number / staff) as i64);
            let end = start + TimeDelta::minutes(i64::from(SERVICE_MINUTES));
            let (service, buffers) = (id(2), Buffers::default());
            busy.insert(
                id(100 + number % staff),
                Hold { id: id(1_000 + number), start, end, service, buffers },
            );
        }
        let staff = (0..staff).map(member).map(|member| (member.id, member)).collect();
        let services = BTreeMap::from([(service.id, service)]);
        Self { business, services, staff, special: SpecialDays::new(), busy, blocked: Blocked::new() }
    }

    /// The same with appointments of half an hour on the days around the first one, 1 to 2½ hours apart, so that those
    /// with buffers could have been booked, too; `buffers` is what they were booked with.
    fn with_appointments(mut self, buffers: Buffers) -> Self {
        let mut number = 0;
        for (nth, staff) in self.staff.keys().enumerate() {
            let mut start = Timestamp::from_millis(
                (first_day() - TimeDelta::days(3)).and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp_millis(),
            );
            let last = start + TimeDelta::days(14);
            while start < last {
                number += 1;
                let end = start + TimeDelta::minutes(i64::from(SERVICE_MINUTES));
                self.busy
                    .insert(*staff, Hold { id: id(1_000 + number), start, end, service: id(2), buffers });
                start = end + TimeDelta::minutes(60 + 30 * ((number * 7 + nth * 5) % 4) as i64);
            }
        }
        self
    }

    /// The same with breaks, special days, hours of the staff, time off, buffers, notice and advance.
    fn with_diary(mut self) -> Self {
        let daily = |open: u16, close: u16| -> Vec<DayHours> {
            let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
            Day::ALL.iter().map(|day| DayHours { day: *day, open: time(open), close: time(close) }).collect()
        };
        self.business.breaks = WeeklyBreaks::new([daily(720, 780), daily(180, 190)].concat()).unwrap();
        let windows = vec![
            LocalWindow { open: daily(0, 600)[0].open, close: daily(0, 600)[0].close },
            LocalWindow { open: daily(660, 1_440)[0].open, close: daily(660, 1_440)[0].close },
        ];
        for ahead in [1, 4] {
            let date = first_day() + TimeDelta::days(ahead);
            let hours = DayWindows::new(windows.clone()).unwrap();
            let day = SpecialDay { date, hours, note: None, created_at: now(), updated_at: now() };
            self.special.insert(date, day);
        }
        let hours = StaffHours::new([daily(0, 720), daily(720, 1_430)].concat()).unwrap();
        for (number, member) in self.staff.values_mut().enumerate() {
            member.hours = Some(hours.clone());
            for off in 0..10 {
                let starts_at = now() + TimeDelta::days(10 * off + number as i64 % 9);
                let key = BlockedKey { staff_id: member.id, starts_at, id: id(50_000 + off as usize) };
                self.blocked.insert(key, starts_at + TimeDelta::days(1));
            }
        }
        for service in self.services.values_mut() {
            service.buffers = diary_buffers();
            service.min_notice_minutes = 60;
            service.max_advance_days = Some(90);
        }
        self
    }

    fn slots(&self, service: actors::domain::ServiceId, days: (NaiveDate, NaiveDate)) -> Vec<Slot> {
        self.schedule().slots(service, None, days, Terms::Integration).unwrap()
    }

    fn schedule(&self) -> Schedule<'_> {
        let Self { business, services, staff, special, busy, blocked } = self;
        Schedule { business, special, services, staff, busy, blocked, now: now() }
    }
}

/// Every number of staff members with every number of bookings.
fn worlds() -> impl Iterator<Item = (String, World)> {
    let pairs = STAFF.iter().flat_map(|staff| UPCOMING.iter().map(move |upcoming| (*staff, *upcoming)));
    pairs
        .map(|(staff, upcoming)| (format!("{staff} staff, {upcoming} upcoming"), World::new(staff, upcoming)))
}

fn availability(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("availability");
    for (name, world) in worlds() {
        for days in [1, 7] {
            let days_asked = (first_day(), first_day() + TimeDelta::days(days - 1));
            group.bench_function(BenchmarkId::new(format!("days {days}"), &name), |bencher| {
                bencher.iter(|| world.slots(black_box(id(2)), days_asked));
            });
        }
    }
    group.finish();
}

/// A week of half hours with everything that a diary can say, beside the same week without any of it: with nothing booked
/// yet, and with the same appointments.
fn diary(criterion: &mut Criterion) {
    let week = (first_day(), first_day() + TimeDelta::days(6));
    let mut group = criterion.benchmark_group("availability of a week");
    for staff in STAFF {
        let free = || World::new(staff, 0);
        let booked = |world: World, buffers| world.with_appointments(buffers);
        for (name, plain, whole) in [
            ("nothing booked", free(), free().with_diary()),
            (
                "with appointments",
                booked(free(), Buffers::default()),
                booked(free().with_diary(), diary_buffers()),
            ),
        ] {
            for (what, world) in [("hours alone", &plain), ("whole diary", &whole)] {
                group.bench_function(
                    BenchmarkId::new(format!("{what}, {name}"), format!("{staff} staff")),
                    |bencher| bencher.iter(|| world.slots(black_box(id(2)), week)),
                );
            }
            print_ratio(
                &format!("{staff} staff, {name}"),
                &[&plain, &whole].map(|world| move || world.slots(id(2), week)),
            );
        }
    }
    group.finish();
}

/// How many rounds the ratio of two things is measured in, and how often each is done in a round.
const ROUNDS: usize = 201;
const TIMES: u32 = 20;

/// Prints how many times as long the second thing takes as the first: both in turns, so that whatever else the machine
/// does meets both alike.
#[allow(clippy::print_stdout, reason = "this is what the measurement is for, as with criterion's own lines")]
fn print_ratio<T>(name: &str, both: &[impl Fn() -> T; 2]) {
    let time = |what: &dyn Fn() -> T| {
        let begun = std::time::Instant::now();
        (0..TIMES).for_each(|_| _ = black_box(what()));
        begun.elapsed().as_secs_f64()
    };
    let [first, second] = both;
    let mut ratios: Vec<f64> = (0..ROUNDS).map(|_| 1.0 / (time(first) / time(second))).collect();
    ratios.sort_by(f64::total_cmp);
    println!("whole diary against hours alone, {name}: {:.2} times as long", ratios[ROUNDS / 2]);
}

fn decision(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("booking decision");
    for (name, world) in worlds() {
        let starts_at = Timestamp::parse("2026-03-25T09:30:00Z").unwrap();
        let request = BookRequest {
            service_id: id(2),
            starts_at,
            staff_id: None,
            source: Source::Api,
            party: Party::Integration { allow_pending: false },
        };
        group.bench_function(&name, |bencher| {
            bencher
                .iter(|| booking::book(&world.schedule(), black_box(&request), id(3), id(4), now()).unwrap());
        });
    }
    group.finish();
}

fn records(criterion: &mut Criterion) {
    let appointment = Appointment {
        id: id(1),
        status: AppointmentStatus::Confirmed,
        starts_at: now(),
        ends_at: now() + TimeDelta::minutes(30),
        buffers: Buffers::default(),
        service_id: id(2),
        staff_id: id(3),
        contact_id: Some(id(4)),
        source: Source::Api,
        calendar_sync_status: CalendarSyncStatus::NotConnected,
        announced: true,
        move_unannounced: false,
        created_at: now(),
        updated_at: now(),
    };
    let contact = Contact {
        id: id(4),
        name: Some("Awa Diallo".into()),
        phone: Some("+33612345678".into()),
        email: Some("awa.diallo@example.com".into()),
        locale: Some(Locale::Fr),
        zone: None,
        created_at: now(),
        updated_at: now(),
    };
    let entry = AuditEntry {
        id: id(5),
        at: now(),
        actor: Actor::ApiKey(id(6)),
        action: "appointment.booked".into(),
        resource_type: "appointment".into(),
        resource_id: Uuid::from_u128(1),
        changes: Vec::new(),
    };
    record(criterion, "appointment", &appointment);
    record(criterion, "contact", &contact);
    record(criterion, "audit entry", &entry);
}

fn record<R: Record>(criterion: &mut Criterion, name: &str, record: &R) {
    let bytes = record.encode();
    let mut group = criterion.benchmark_group("record");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(BenchmarkId::new("encode", name), |bencher| {
        bencher.iter(|| black_box(record).encode());
    });
    group.bench_function(BenchmarkId::new("decode", name), |bencher| {
        bencher.iter(|| R::decode(black_box(&bytes)).unwrap());
    });
    group.finish();
}

/// From the header's text to the key and its business, out of a store on the disk.
fn key_check(criterion: &mut Criterion) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (engine, key) = runtime.block_on(async {
        let on_fatal = |error: &_| panic!("the store failed: {error}");
        let engine = Engine::open(directory.path(), Ports::system().unwrap(), on_fatal).await.unwrap();
        let business = engine.create_business(salon(), Actor::Operator).await.unwrap();
        let create = CreateKey { name: Text::new("bench".into()).unwrap(), scopes: Scopes::all() };
        let answer = engine.business(business.id).change(Request::by(Actor::Operator), create).await.unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        (engine, answer["key"].as_str().unwrap().to_owned())
    });
    criterion.bench_function("key check", |bencher| {
        bencher.iter(|| {
            let credential = Credential::parse(black_box(&key)).unwrap();
            // Whoever is let in waits for nothing, so the first poll has the answer.
            let checking = pin!(engine.authenticate(&credential));
            let Poll::Ready(checked) = checking.poll(&mut Context::from_waker(Waker::noop())) else {
                panic!("the key check waits");
            };
            checked.unwrap().unwrap()
        });
    });
    runtime.block_on(engine.close()).unwrap();
}

/// How many calls and appointments lie in the store whose lists are read.
const LISTED: usize = 6_000;

/// A page of a list, out of a store on the disk: the usual one, and one that looks for what is not there.
fn list(criterion: &mut Criterion) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (engine, business) = runtime.block_on(async {
        let on_fatal = |error: &_| panic!("the store failed: {error}");
        let engine = Engine::open(directory.path(), Ports::system().unwrap(), on_fatal).await.unwrap();
        let business = listed(&engine).await;
        (engine, business)
    });
    let mut group = criterion.benchmark_group("page of 50");
    let page = PageRequest { limit: 50, after: None };
    let by_start = AppointmentFilter::default();
    group.bench_function("appointments", |bencher| {
        bencher.iter(|| runtime.block_on(business.appointments(&by_start, &page)).unwrap());
    });
    let by_change = AppointmentFilter { updated_since: Some(Timestamp::MIN), ..by_start };
    group.bench_function("changed appointments", |bencher| {
        bencher.iter(|| runtime.block_on(business.appointments(&by_change, &page)).unwrap());
    });
    let by_start = CallFilter::default();
    group.bench_function("calls", |bencher| {
        bencher.iter(|| runtime.block_on(business.calls(&by_start, &page)).unwrap());
    });
    let by_change = CallFilter { updated_since: Some(Timestamp::MIN), ..by_start };
    group.bench_function("changed calls", |bencher| {
        bencher.iter(|| runtime.block_on(business.calls(&by_change, &page)).unwrap());
    });
    let spam = CallFilter { outcome: Some(CallOutcome::Spam), ..by_change };
    group.bench_function("changed calls, of which none fits", |bencher| {
        bencher.iter(|| runtime.block_on(business.calls(&spam, &page)).unwrap());
    });
    group.finish();
    runtime.block_on(engine.close()).unwrap();
}

/// How many businesses lie in the store of which one after the other is looked at.
const UNUSED: usize = 20_000;

/// Whether a business that nobody uses has anything to do, as the round through all of them asks: one that has nothing,
/// and one that remembers an answer and has a log.
fn duties(criterion: &mut Criterion) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (engine, unused, used) = runtime.block_on(async {
        let on_fatal = |error: &_| panic!("the store failed: {error}");
        let engine = Engine::open(directory.path(), Ports::system().unwrap(), on_fatal).await.unwrap();
        let mut pending = tokio::task::JoinSet::new();
        for _ in 0..UNUSED {
            let engine = engine.clone();
            pending.spawn(async move { engine.create_business(salon(), Actor::Operator).await.unwrap().id });
            while pending.len() > 500 {
                pending.join_next().await.unwrap().unwrap();
            }
        }
        pending.join_all().await;
        let mut unused = Vec::new();
        let mut page = PageRequest { limit: 100, after: None };
        loop {
            let found = engine.businesses(&page).await.unwrap();
            unused.extend(found.items.iter().map(|business| engine.business(business.id)));
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        let used = unused.swap_remove(UNUSED / 2);
        let create = CreateWebhook {
            url: WebhookUrl::parse("https://hooks.example.com/").unwrap(),
            events: EventTypes::all(),
            description: Text::default(),
        };
        made(&used, create).await;
        let details =
            ContactDetails { name: Some(Text::new("Ada".into()).unwrap()), ..ContactDetails::default() };
        let idempotency = Some(Idempotency { key: [1; 32], fingerprint: [1; 32] });
        let request = Request { idempotency, ..Request::by(Actor::Operator) };
        used.change(request, CreateContact { details }).await.unwrap();
        (engine, unused, used)
    });
    let mut group = criterion.benchmark_group("has anything to do");
    let mut turn = unused.iter().cycle();
    group.bench_function("a business that was never used", |bencher| {
        bencher.iter(|| turn.next().unwrap().has_duties().unwrap());
    });
    group.bench_function("a business with a log", |bencher| {
        bencher.iter(|| used.has_duties().unwrap());
    });
    group.finish();
    runtime.block_on(engine.close()).unwrap();
}

/// Makes something, and gives its id.
async fn made(business: &BusinessHandle, change: impl Change + 'static) -> Uuid {
    let answer = business.change(Request::by(Actor::Operator), change).await.unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    answer["id"].as_str().unwrap().parse().unwrap()
}

/// A business that is always open.
fn salon() -> NewBusiness {
    NewBusiness {
        name: Text::new("Salon Lumière".into()).unwrap(),
        zone: chrono_tz::Europe::Paris,
        locale: Locale::Fr,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: always(),
        breaks: WeeklyBreaks::default(),
        phone_region: "FR".into(),
    }
}

/// A business with calls and appointments of a few contacts.
async fn listed(engine: &Engine) -> BusinessHandle {
    let business = engine.business(engine.create_business(salon(), Actor::Operator).await.unwrap().id);
    let name = |name: &str| Text::new(name.to_owned()).unwrap();
    let service = CreateService::lasting(name("Coupe"), SERVICE_MINUTES);
    let service_id = made(&business, service).await.into();
    let staff = CreateStaff::offering(name("Awa"), vec![service_id]);
    made(&business, staff).await;
    let first = Timestamp::from_millis(engine.ports().clock.now().millis() / 86_400_000 * 86_400_000);
    let mut pending = tokio::task::JoinSet::new();
    for number in 0..LISTED {
        let phone = Phone::from_e164(format!("+336{:08}", number % 40)).unwrap();
        let started_at = now() + TimeDelta::minutes(number as i64);
        let details = CallDetails {
            from_number: Some(phone.clone()),
            summary: Some(Text::new("She asked when there is time for a cut.".into()).unwrap()),
            ..CallDetails::of(Direction::Inbound, started_at, started_at + TimeDelta::minutes(1))
        };
        let contact = ContactDetails { phone: Some(phone), ..ContactDetails::default() };
        let request = BookRequest {
            service_id,
            starts_at: first + TimeDelta::minutes(2_880 + 30 * number as i64),
            staff_id: None,
            source: Source::Api,
            party: Party::TEAM,
        };
        let (calls, bookings) = (business.clone(), business.clone());
        let by = || Request::by(Actor::Operator);
        pending.spawn(async move {
            calls.change(by(), RecordCall { details, contact_name: None }).await.unwrap()
        });
        let book = Book { request, contact: BookingContact::Described(contact) };
        pending.spawn(async move { bookings.change(by(), book).await.unwrap() });
        while pending.len() > 500 {
            pending.join_next().await.unwrap().unwrap();
        }
    }
    pending.join_all().await;
    business
}

fn signature(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("signature");
    for bytes in [600, 16 << 10] {
        let body = vec![b'x'; bytes];
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(format!("{bytes} bytes"), |bencher| {
            let id = "01a1fa8a-7862-7000-ac25-1fd3c10dfbbc";
            bencher.iter(|| sign(black_box(&[7; 32]), id, 1_614_265_330, black_box(&body)));
        });
    }
    group.finish();
}

criterion_group!(benches, availability, diary, decision, records, key_check, list, duties, signature);
criterion_main!(benches);
