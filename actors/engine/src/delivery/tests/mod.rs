//! Tests of deliveries with paused time and real TLS to receivers in memory.

mod clocks;
mod failing;
mod full_disk;
mod log;
mod outage;
mod permits;
mod set_aside;
mod suspended;
mod turning_off;
mod unsynced;
mod waiting;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::{
    Actor, BookingMode, Conflict, ContactDetails, DeliveryStatus, DisabledReason, EventType, Locale, Refusal,
    Text, WebhookId, WebhookStatus, WebhookUrl, WeeklyHours,
};
use net::{Ports, Trust};
use ports::Clock;
use serde_json::Value;
use store::{MemoryBackend, Store};
use tokio::time::{Instant, sleep};
use view::DeliveryView;

use self::network::{Authority, FakeDns, FakeNet, Place, Receiver, Then};
use super::DeliveryFilter;
use super::signature::sign;
use crate::business::commands::contacts::CreateContact;
use crate::business::commands::webhooks::{CreateWebhook, DeleteWebhook, PatchWebhook};
use crate::business::{PageRequest, Request};
use crate::network;
use crate::testing::{Counting, WallClock};
use crate::{BusinessHandle, Engine, EngineError, Limits, NewBusiness};

const OK: &str = "HTTP/1.1 204 No Content\r\n\r\n";
const NO: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 5\r\n\r\nno\0go";

struct World {
    disk: MemoryBackend,
    clock: Arc<WallClock>,
    ports: Ports,
    net: Arc<FakeNet>,
    dns: Arc<FakeDns>,
    authority: Authority,
    engine: Engine,
    business: BusinessHandle,
    limits: Limits,
}

impl World {
    async fn new() -> Self {
        Self::with(Limits::default()).await
    }

    async fn with_permits(permits: usize) -> Self {
        Self::with(Limits { delivery_permits: permits, ..Limits::default() }).await
    }

    async fn with(limits: Limits) -> Self {
        let (dns, net, authority) =
            (Arc::new(FakeDns::default()), Arc::new(FakeNet::default()), Authority::new());
        let clock = Arc::new(WallClock::new());
        let ports = Ports {
            resolver: dns.clone(),
            dialer: net.clone(),
            trust: Trust::none().and(authority.der()).unwrap(),
            ..Ports::with_clock_and_random(clock.clone(), Arc::new(Counting::default()))
        };
        let disk = MemoryBackend::new();
        let engine = open(&disk, &ports, limits).await;
        let business = new_business(&engine).await;
        Self { disk, clock, ports, net, dns, authority, engine, business, limits }
    }

    /// Closes the engine, waits, and opens the engine again on the same disk.
    async fn stand_still(&mut self, seconds: u64) {
        self.engine.clone().close().await.unwrap();
        sleep(Duration::from_secs(seconds)).await;
        self.engine = open(&self.disk, &self.ports, self.limits).await;
        self.business = self.engine.business(self.business.id());
    }

    async fn restart(&mut self) {
        self.stand_still(0).await;
    }

    /// An endpoint at `name.example.com` and its receiver, which sends this response.
    async fn endpoint(&self, name: &str, number: u8, answer: &str) -> (WebhookId, Arc<Receiver>) {
        let host = format!("{name}.example.com");
        let receiver = self.receiver(&host, number, answer);
        let create = CreateWebhook {
            url: WebhookUrl::parse(&format!("https://{host}/hook")).unwrap(),
            events: [EventType::ContactCreated].into_iter().collect(),
            description: Text::default(),
        };
        let created = self.business.change(Request::by(Actor::Operator), create).await.unwrap();
        (created.value.webhook.id, receiver)
    }

    /// Moves the host to a new address and returns a receiver there.
    fn receiver(&self, host: &str, number: u8, answer: &str) -> Arc<Receiver> {
        self.receiver_that(host, number, answer, Then::GoesOn)
    }

    fn receiver_that(&self, host: &str, number: u8, answer: &str, then: Then) -> Arc<Receiver> {
        let address = IpAddr::from([93, 184, 216, number]).to_string();
        self.dns.set(host, &[&address]);
        let receiver = Receiver::new(self.authority.server(host), answer, then);
        self.net.put(&format!("{address}:443"), Place::Receiver(receiver.clone()));
        receiver
    }

    async fn happen(&self, name: &str) {
        let details =
            ContactDetails { name: Some(Text::new(name.into()).unwrap()), ..ContactDetails::default() };
        self.business.change(Request::by(Actor::Operator), CreateContact { details }).await.unwrap();
    }

    async fn log(&self, endpoint: WebhookId) -> Vec<DeliveryView> {
        let all = PageRequest { limit: 100, after: None };
        self.business.deliveries(endpoint, DeliveryFilter::default(), &all).await.unwrap().items
    }

    async fn status(&self, endpoint: WebhookId) -> (WebhookStatus, Option<DisabledReason>) {
        let endpoint = self.business.webhook(endpoint).await.unwrap().unwrap();
        (endpoint.status, endpoint.disabled_reason)
    }

    async fn set(&self, id: WebhookId, status: WebhookStatus) {
        let (url, events, description) = (None, None, None);
        let patch = PatchWebhook {
            id,
            url,
            events,
            description,
            status: Some(status),
            reason: DisabledReason::Operator,
        };
        self.business.change(Request::by(Actor::Operator), patch).await.unwrap();
    }
}

async fn new_business(engine: &Engine) -> BusinessHandle {
    let new = NewBusiness {
        name: Text::new("House".into()).unwrap(),
        zone: chrono_tz::UTC,
        locale: Locale::En,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: WeeklyHours::default(),
        breaks: domain::WeeklyBreaks::default(),
        phone_region: "US".into(),
    };
    engine.business(engine.create_business(new, Actor::Operator).await.unwrap().id)
}

async fn open(disk: &MemoryBackend, ports: &Ports, limits: Limits) -> Engine {
    let store = Store::in_memory(disk, Box::new(|error| panic!("{error}"))).unwrap();
    Engine::start_within(store, ports.clone(), limits).await.unwrap()
}

/// Waits until no task has due work. The wait is much shorter than any delay before a retry.
async fn settle() {
    sleep(Duration::from_millis(500)).await;
}

fn header<'a>(request: &'a str, name: &str) -> &'a str {
    let line = request.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("the header {name} is missing in {request}"))
}

fn body(request: &str) -> &str {
    request.split_once("\r\n\r\n").unwrap().1
}

#[tokio::test(start_paused = true)]
async fn an_event_arrives_once_signed_in_its_envelope() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, OK).await;
    world.happen("Zoé").await;
    settle().await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    let envelope: Value = serde_json::from_str(body(&requests[0])).unwrap();
    let keys: Vec<&str> = envelope.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["api_version", "business_id", "created_at", "data", "id", "type"]);
    assert_eq!(envelope["type"], "contact.created");
    assert_eq!(envelope["data"]["name"], "Zoé");
    assert_eq!(envelope["business_id"], world.business.id().to_string());
    assert_eq!(header(&requests[0], "webhook-id"), envelope["id"]);
    assert_eq!(header(&requests[0], "content-type"), "application/json");
    let secret = world.business.webhook(id).await.unwrap().unwrap().secret;
    let signed = sign(
        secret.bytes(),
        header(&requests[0], "webhook-id"),
        header(&requests[0], "webhook-timestamp").parse().unwrap(),
        body(&requests[0]).as_bytes(),
    );
    assert_eq!(header(&requests[0], "webhook-signature"), signed);
    let log = world.log(id).await;
    assert_eq!(
        (log[0].status, log[0].attempts_made, log[0].last_response_status),
        (DeliveryStatus::Delivered, 1, Some(204))
    );
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(receiver.requests().len(), 1, "a delivered event must not be sent again");
}

#[tokio::test(start_paused = true)]
async fn a_restart_neither_forgets_nor_restarts_a_schedule() {
    let mut world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    sleep(Duration::from_secs(200)).await;
    assert_eq!(receiver.requests().len(), 3, "the attempts are due at 0 s, 30 s and 150 s");
    world.restart().await;
    sleep(Duration::from_secs(540)).await;
    assert_eq!(receiver.requests().len(), 3, "the fourth attempt is due at 750 s");
    sleep(Duration::from_secs(20)).await;
    assert_eq!(receiver.requests().len(), 4);
    assert_eq!(world.log(id).await[0].attempts_made, 4);
    world.stand_still(7_200).await;
    settle().await;
    assert_eq!(
        receiver.requests().len(),
        5,
        "an attempt that became due while the engine was closed must begin immediately"
    );
}

#[tokio::test(start_paused = true)]
async fn an_attempt_on_request_counts_in_the_schedule_which_continues_after_it() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    let event = world.log(id).await[0].event_id;
    world.business.try_delivery_now(id, event).await.unwrap();
    settle().await;
    assert_eq!((receiver.requests().len(), world.log(id).await[0].attempts_made), (2, 2));
    // After the second failure, the delay is two minutes, not the remaining part of the first delay.
    sleep(Duration::from_secs(115)).await;
    assert_eq!(receiver.requests().len(), 2);
    sleep(Duration::from_secs(6)).await;
    assert_eq!(receiver.requests().len(), 3);
    for _ in 3..9 {
        world.business.try_delivery_now(id, event).await.unwrap();
        settle().await;
    }
    assert_eq!(receiver.requests().len(), 9);
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Failed);
    assert_eq!(world.status(id).await, (WebhookStatus::Disabled, Some(DisabledReason::Failures)));
    let refused = async |event| match world.business.try_delivery_now(id, event).await {
        Err(EngineError::Refused(Refusal::Conflict { conflict, .. })) => conflict,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(event).await, Conflict::DeliveryNotPending(DeliveryStatus::Failed));
    world.happen("B").await;
    let missed = world.log(id).await[0].event_id;
    assert_eq!(refused(missed).await, Conflict::DeliveryNotPending(DeliveryStatus::Missed));
    let unknown = world.business.try_delivery_now(id, uuid::Uuid::nil().into()).await.unwrap_err();
    assert!(matches!(unknown, EngineError::Refused(Refusal::NotFound(_))), "{unknown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_rotated_secret_signs_every_attempt_that_starts_later() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    let shown = world.business.rotate_secret(id, Request::by(Actor::Operator)).await.unwrap();
    assert!(shown.unwrap().starts_with("whsec_"));
    sleep(Duration::from_secs(31)).await;
    let requests = receiver.requests();
    let secret = world.business.webhook(id).await.unwrap().unwrap().secret;
    let verifies = |request: &str| {
        let (id, at) = (header(request, "webhook-id"), header(request, "webhook-timestamp").parse().unwrap());
        sign(secret.bytes(), id, at, body(request).as_bytes()) == header(request, "webhook-signature")
    };
    assert_eq!(requests.iter().map(|request| verifies(request)).collect::<Vec<_>>(), [false, true]);
    assert_eq!(body(&requests[0]), body(&requests[1]));
}

/// An attempt is due, but it waits until an earlier change is durable. Meanwhile the secret is replaced. The earlier
/// change and the new secret become durable in the same sync.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_waited_for_the_disk_is_signed_with_the_secret_of_its_start() {
    let world = Arc::new(World::new().await);
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    sleep(Duration::from_millis(29_900)).await;
    world.disk.hold_syncs();
    let mut changes = Vec::new();
    // The first change is being synced. The second change and the rotation wait for the next sync.
    for name in ["B", "C"] {
        let world = Arc::clone(&world);
        changes.push(tokio::spawn(async move { world.happen(name).await }));
        sleep(Duration::from_millis(10)).await;
    }
    sleep(Duration::from_millis(200)).await;
    assert_eq!(receiver.requests().len(), 1, "the retry must wait until the preceding change is durable");
    let rotating = Arc::clone(&world);
    let rotation = tokio::spawn(async move {
        rotating.business.rotate_secret(id, Request::by(Actor::Operator)).await.unwrap();
    });
    sleep(Duration::from_millis(10)).await;
    world.disk.release_syncs();
    rotation.await.unwrap();
    for change in changes {
        change.await.unwrap();
    }
    settle().await;
    let secret = world.business.webhook(id).await.unwrap().unwrap().secret;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 4);
    for request in &requests[1..] {
        let (id, at) = (header(request, "webhook-id"), header(request, "webhook-timestamp").parse().unwrap());
        let signed = sign(secret.bytes(), id, at, body(request).as_bytes());
        assert_eq!(header(request, "webhook-signature"), signed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_endpoint_gets_nothing_and_leaves_no_rows() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    // Syncs take time, so that each step of the deletion waits for the disk.
    world.disk.set_sync_delay(Duration::from_millis(5));
    world.business.change(Request::by(Actor::Operator), DeleteWebhook { id }).await.unwrap();
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(receiver.requests().len(), 1);
    let business = world.business.id();
    let store = &world.business.shared().store;
    let ranges = [
        store::keys::deliveries(business, id),
        store::keys::deliveries_due(business, id),
        store::keys::of_kind(
            domain::BusinessId::INSTALLATION,
            store::keys::installation_kind::ENDPOINT_INDEX,
        ),
    ];
    for range in ranges {
        assert_eq!(store.scan(&range, store::Order::Ascending).count(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_test_is_one_marked_attempt_that_leaves_no_trace() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, OK).await;
    world.set(id, WebhookStatus::Disabled).await;
    for event in EventType::ALL {
        let tested = world.business.test_webhook(id, Some(*event)).await.unwrap();
        assert!(tested.delivered && tested.kind == *event, "{tested:?}");
    }
    let requests = receiver.requests();
    assert_eq!(requests.len(), EventType::ALL.len());
    assert!(requests.iter().all(|request| header(request, "webhook-test") == "true"));
    assert!(world.log(id).await.is_empty());
    assert_eq!(world.status(id).await, (WebhookStatus::Disabled, Some(DisabledReason::Operator)));
}
