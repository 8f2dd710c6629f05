//! Measures reads from a store on disk: the check of an API key, a page of a list, and the search for background work.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use chrono::TimeDelta;
use criterion::Criterion;
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, CallDetails, CallOutcome, ContactDetails, Direction, EventTypes, Locale, Phone, Scopes, Source,
    Text, Timestamp, WebhookUrl,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::keys::CreateKey;
use engine::business::commands::webhooks::CreateWebhook;
use engine::business::{AppointmentFilter, CallFilter, Change, Idempotency, PageRequest, Request};
use engine::credentials::Credential;
use engine::{BusinessHandle, Engine, NewBusiness};
use net::Ports;
use uuid::Uuid;

use crate::support::{always_open, text};
use crate::world::{SERVICE_MINUTES, now};

/// Measures the check of an API key, from the text of the request header to the key and its business.
pub(crate) fn key_check(criterion: &mut Criterion) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (engine, key) = runtime.block_on(async {
        let on_fatal = |error: &_| panic!("the store failed: {error}");
        let engine = Engine::open(directory.path(), Ports::system().unwrap(), on_fatal).await.unwrap();
        let business = engine.create_business(salon(), Actor::Operator).await.unwrap();
        let create = CreateKey { name: text("bench"), scopes: Scopes::all() };
        let answer = engine.business(business.id).change(Request::by(Actor::Operator), create).await.unwrap();
        (engine, answer.value.key.unwrap())
    });
    criterion.bench_function("key check", |bencher| {
        bencher.iter(|| {
            let credential = Credential::parse(black_box(&key)).unwrap();
            // The check of a valid key does not have to wait, so the first poll must return the result.
            let checking = pin!(engine.authenticate(&credential));
            let Poll::Ready(checked) = checking.poll(&mut Context::from_waker(Waker::noop())) else {
                panic!("checking a valid key must not wait");
            };
            checked.unwrap().unwrap()
        });
    });
    runtime.block_on(engine.close()).unwrap();
}

/// The number of calls and appointments in the store.
const LISTED: usize = 6_000;

/// Measures a page of a list, once without a filter and once with a filter that no row matches.
pub(crate) fn list(criterion: &mut Criterion) {
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
    group.bench_function("changed calls, none of which match", |bencher| {
        bencher.iter(|| runtime.block_on(business.calls(&spam, &page)).unwrap());
    });
    group.finish();
    runtime.block_on(engine.close()).unwrap();
}

/// The number of businesses that are created. One of them is then changed, and the others stay unused.
const UNUSED: usize = 20_000;

/// Measures the check whether a business has background work: for businesses that were never changed after
/// their creation, and for one business that has a stored response and an audit log.
pub(crate) fn duties(criterion: &mut Criterion) {
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
        let details = ContactDetails { name: Some(text("Ada")), ..ContactDetails::default() };
        let idempotency = Some(Idempotency { key: [1; 32], fingerprint: [1; 32] });
        let request = Request { idempotency, ..Request::by(Actor::Operator) };
        used.change(request, CreateContact { details }).await.unwrap();
        (engine, unused, used)
    });
    let mut group = criterion.benchmark_group("check for background work");
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

/// Makes a change and returns the id of the new record.
async fn made(business: &BusinessHandle, change: impl Change + 'static) -> Uuid {
    let answer = business.change(Request::by(Actor::Operator), change).await.unwrap();
    let answer = serde_json::to_value(answer.value).unwrap();
    answer["id"].as_str().unwrap().parse().unwrap()
}

fn salon() -> NewBusiness {
    NewBusiness { locale: Locale::Fr, ..always_open("Salon Lumière") }
}

/// Creates a business that has calls and appointments of a few contacts.
async fn listed(engine: &Engine) -> BusinessHandle {
    let business = engine.business(engine.create_business(salon(), Actor::Operator).await.unwrap().id);
    let service = CreateService::lasting(text("Coupe"), SERVICE_MINUTES);
    let service_id = made(&business, service).await.into();
    let staff = CreateStaff::offering(text("Awa"), vec![service_id]);
    made(&business, staff).await;
    let first = Timestamp::from_millis(engine.ports().clock.now().millis() / 86_400_000 * 86_400_000);
    let mut pending = tokio::task::JoinSet::new();
    for number in 0..LISTED {
        let phone = Phone::from_e164(format!("+336{:08}", number % 40)).unwrap();
        let started_at = now() + TimeDelta::minutes(number as i64);
        let details = CallDetails {
            from_number: Some(phone.clone()),
            summary: Some(text("She asked when she can come for a haircut.")),
            ..CallDetails::of(Direction::Inbound, started_at, started_at + TimeDelta::minutes(1))
        };
        let contact = ContactDetails { phone: Some(phone), ..ContactDetails::default() };
        let request = BookRequest {
            service_id,
            starts_at: first + TimeDelta::minutes(2_880 + 30 * number as i64),
            staff_id: None,
            source: Source::Api,
            party: Party::TEAM,
            duration: None,
        };
        let (calls, bookings) = (business.clone(), business.clone());
        let by = || Request::by(Actor::Operator);
        pending.spawn(async move {
            calls.change(by(), RecordCall { details, contact_name: None }).await.map(drop).unwrap();
        });
        let book = Book { request, contact: BookingContact::Described(contact) };
        pending.spawn(async move { bookings.change(by(), book).await.map(drop).unwrap() });
        while pending.len() > 500 {
            pending.join_next().await.unwrap().unwrap();
        }
    }
    pending.join_all().await;
    business
}
