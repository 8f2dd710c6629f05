//! Tests of reads with paused time and real TLS to calendar servers in memory.

mod caldav;
mod limits;
#[path = "../../../../../../tests/support/caldav.rs"]
#[allow(dead_code, reason = "only the simulation uses the other items")]
mod server;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use domain::availability::Terms;
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, AllDay, BookingMode, CalendarFault, CalendarId, CalendarKind, CalendarState, CalendarStatus,
    ContactDetails, Day, DayHours, FeedDetail, LocalTime, Locale, Refusal, ServiceId, SlotReason, Source,
    StaffId, Text, Timestamp, WebhookUrl, WeeklyBreaks, WeeklyHours,
};
use net::{Ports, Trust};
use store::keys::{installation_kind, kind};
use store::{MemoryBackend, Order, Store, keys};
use tokio::time::sleep;
use view::CalendarView;

use self::network::{Authority, FakeDns, FakeNet, Place, Receiver, Then};
use self::server::response;
use super::CalendarKey;
use super::sizes::BUSINESS_BYTES_MAX;
use crate::business::commands::appointments::{Book, BookingContact};
use crate::business::commands::calendars::{ConnectCalendar, DisconnectCalendar, ReadCalendar};
use crate::business::commands::catalog::{CreateService, CreateStaff};
use crate::business::{PageRequest, Request};
use crate::calendars::connecting::CalendarInput;
use crate::network;
use crate::testing::{Counting, WallClock};
use crate::{BusinessHandle, Engine, EngineError, NewBusiness};

const HOST: &str = "cal.example.com";
/// The date of the events. The tests begin on 1 January 2026, a Thursday.
const DAY: &str = "20260102";

struct World {
    clock: Arc<WallClock>,
    disk: MemoryBackend,
    ports: Ports,
    net: Arc<FakeNet>,
    dns: Arc<FakeDns>,
    authority: Authority,
    engine: Engine,
    business: BusinessHandle,
    service: ServiceId,
    staff: StaffId,
}

fn text<const MIN: usize, const MAX: usize>(text: &str) -> Text<MIN, MAX> {
    Text::new(text.into()).unwrap()
}

fn by_operator() -> Request {
    Request::by(Actor::Operator)
}

async fn open(disk: &MemoryBackend, ports: &Ports) -> Engine {
    // In a test that cuts the power, the store fails. The callback ignores this failure.
    let store = Store::in_memory(disk, Box::new(|_| ())).unwrap();
    Engine::start(store, ports.clone()).await.unwrap()
}

impl World {
    async fn new() -> Self {
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
        let engine = open(&disk, &ports).await;
        let time = |hour: u16| LocalTime::from_minutes(60 * hour).unwrap();
        let hours = Day::ALL.iter().map(|day| DayHours { day: *day, open: time(9), close: time(17) });
        let new = NewBusiness {
            name: text("House"),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::new(hours.collect()).unwrap(),
            breaks: WeeklyBreaks::default(),
            phone_region: "US".into(),
        };
        let business = engine.business(engine.create_business(new, Actor::Operator).await.unwrap().id);
        let service = CreateService::lasting(text("Cut"), 60);
        let service = business.change(by_operator(), service).await.unwrap().value.service.id;
        let staff = CreateStaff::offering(text("Ada"), vec![service]);
        let staff = business.change(by_operator(), staff).await.unwrap().value.staff.id;
        Self { clock, disk, ports, net, dns, authority, engine, business, service, staff }
    }

    async fn restart(&mut self) {
        self.engine.clone().close().await.unwrap();
        self.engine = open(&self.disk, &self.ports).await;
        self.business = self.engine.business(self.business.id());
    }

    /// Starts a server that sends this response. `HOST` then resolves to its address, which ends with `number`.
    fn serve(&self, number: u8, response: &str) -> Arc<Receiver> {
        self.serve_then(number, response, Then::GoesOn)
    }

    fn serve_then(&self, number: u8, response: &str, then: Then) -> Arc<Receiver> {
        let address = IpAddr::from([93, 184, 216, number]).to_string();
        self.dns.set(HOST, &[&address]);
        let receiver = Receiver::new(self.authority.server(HOST), response, then);
        self.net.put(&format!("{address}:443"), Place::Receiver(receiver.clone()));
        receiver
    }

    /// Connects a calendar without the check that the APIs make first.
    async fn connect(&self) -> CalendarId {
        let connect = ConnectCalendar {
            staff_id: self.staff,
            name: "Ada".into(),
            kind: CalendarKind::Ics,
            url: WebhookUrl::parse(&format!("https://{HOST}/secret.ics")).unwrap(),
            login: None,
            collection: None,
            collection_name: String::new(),
            server_addresses: Vec::new(),
            busy: true,
            write: false,
            detail: FeedDetail::Services,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        };
        let id = self.business.change(by_operator(), connect).await.unwrap().value.settings.id;
        settle().await;
        id
    }

    async fn calendar(&self, id: CalendarId) -> CalendarView {
        self.business.calendar(id).await.unwrap().unwrap()
    }

    async fn hours(&self, terms: Terms) -> Vec<u32> {
        let day = NaiveDate::from_ymd_opt(2026, 1, 2).unwrap();
        let slots = self.business.availability(self.service, None, (day, day), terms).await.unwrap();
        let hours = slots.iter().filter(|slot| slot.starts_at.millis() % 3_600_000 == 0);
        hours.map(|slot| chrono::Timelike::hour(&slot.starts_at.utc())).collect()
    }

    async fn book(&self, hour: u32, party: Party) -> Result<(), EngineError> {
        let starts_at = Timestamp::parse(&format!("2026-01-02T{hour:02}:00:00Z")).unwrap();
        let request = BookRequest {
            service_id: self.service,
            starts_at,
            staff_id: None,
            source: Source::Api,
            party,
            duration: None,
        };
        let details = ContactDetails { name: Some(text("Zoé")), ..ContactDetails::default() };
        let book = Book { request, contact: BookingContact::Described(details) };
        self.business.change(by_operator(), book).await.map(|_| ())
    }

    /// The longest time since the last read of a calendar, in minutes, as the metric shows it.
    fn oldest_read(&self) -> Option<i64> {
        self.engine.calendars().1.map(|age| age.num_minutes())
    }

    fn rows(&self, kind: u8) -> usize {
        let store = &self.engine.shared().store;
        store.scan(&keys::of_kind(self.business.id(), kind), Order::Ascending).count()
    }
}

/// Waits until no task has due work. The wait is much shorter than the intervals in the tests.
async fn settle() {
    sleep(Duration::from_millis(500)).await;
}

async fn minutes(minutes: u64) {
    sleep(Duration::from_secs(60 * minutes)).await;
}

/// Returns a calendar file. Each item is the UID of an event and the hours of its start and end.
fn file(events: &[(&str, u32, u32)]) -> String {
    let event = |(uid, start, end): &(&str, u32, u32)| {
        format!(
            "BEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:Private\r\nDTSTART:{DAY}T{start:02}0000Z\r\nDTEND:{DAY}T{end:02}0000Z\r\nEND:VEVENT\r\n"
        )
    };
    let events: String = events.iter().map(event).collect();
    response("200 OK", &format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n"))
}

const INTEGRATION: Terms = Terms::Integration;
const TEAM: Party = Party::TEAM;
const IGNORING: Party = Party::Team { ignore_buffers: false, ignore_calendars: true, any_minute: false };

#[tokio::test(start_paused = true)]
async fn busy_times_block_bookings_until_a_read_no_longer_finds_them() {
    let world = World::new().await;
    let server = world.serve(1, &file(&[("a", 10, 12)]));
    let id = world.connect().await;
    let shown = world.calendar(id).await;
    assert_eq!((shown.status, shown.events), (CalendarStatus::Connected, 1));
    assert_eq!(world.hours(INTEGRATION).await, [9, 12, 13, 14, 15, 16]);
    assert_eq!(world.hours(TEAM.terms()).await, [9, 12, 13, 14, 15, 16]);
    assert_eq!(world.hours(IGNORING.terms()).await, [9, 10, 11, 12, 13, 14, 15, 16]);
    for party in [TEAM, Party::Integration { allow_pending: false }] {
        let refused = world.book(11, party).await.unwrap_err();
        let reason = party.terms().visible_reason(SlotReason::StaffOff);
        assert!(
            matches!(refused, EngineError::Refused(Refusal::SlotUnavailable(found)) if found == reason),
            "{refused:?}"
        );
    }
    world.book(11, IGNORING).await.unwrap();
    assert_eq!(world.business.overlaps_of_calendars().await.unwrap().1, 1);
    // A response with 304 means that the file is unchanged, so the busy times stay.
    let server_304 = world.serve(2, "HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n");
    minutes(17).await;
    assert_eq!(server.requests().len(), 1);
    assert!(server_304.requests()[0].contains("if-none-match: \"1\""), "{:?}", server_304.requests());
    assert_eq!(world.hours(INTEGRATION).await, [9, 12, 13, 14, 15, 16]);
    world.serve(3, &file(&[("b", 14, 15)]));
    minutes(17).await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 10, 12, 13, 15, 16], "the appointment stays");
    assert_eq!(world.business.overlaps_of_calendars().await.unwrap().1, 0);
}

#[tokio::test(start_paused = true)]
async fn a_failed_read_keeps_the_busy_times_even_after_a_restart() {
    let mut world = World::new().await;
    world.serve(1, &file(&[("a", 10, 12)]));
    let id = world.connect().await;
    let failing = world.serve(2, &response("500 Oops", "no"));
    minutes(17).await;
    let shown = world.calendar(id).await;
    assert_eq!(
        (shown.status, shown.error.unwrap().code),
        (CalendarStatus::Failing, CalendarFault::ServerError)
    );
    minutes(10).await; // the pauses are 1, 2, 5 and then 15 minutes
    assert_eq!(failing.requests().len(), 4);
    world.restart().await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 12, 13, 14, 15, 16]);
    world.serve(3, &response("200 OK", "<html>Sign in</html>"));
    minutes(20).await;
    let shown = world.calendar(id).await;
    assert_eq!(shown.error.unwrap().code, CalendarFault::NotACalendar);
    assert_eq!(world.hours(INTEGRATION).await, [9, 12, 13, 14, 15, 16]);
}

#[tokio::test(start_paused = true)]
async fn a_read_that_becomes_due_while_the_machine_is_suspended_is_made_within_30_seconds() {
    let world = World::new().await;
    let server = world.serve(1, &file(&[("a", 10, 12)]));
    world.connect().await;
    world.clock.suspend(Duration::from_secs(600));
    sleep(Duration::from_secs(31)).await;
    assert_eq!(server.requests().len(), 1, "the next read is due after 15 minutes");
    world.clock.suspend(Duration::from_secs(600));
    sleep(Duration::from_secs(31)).await;
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn refused_credentials_stop_a_calendar_until_a_person_requests_a_read() {
    let world = World::new().await;
    let server = world.serve(1, &response("401 Unauthorized", ""));
    let id = world.connect().await;
    minutes(120).await;
    let shown = world.calendar(id).await;
    assert_eq!(
        (shown.status, shown.error.unwrap().code),
        (CalendarStatus::Stopped, CalendarFault::Credentials)
    );
    let count = server.requests().len();
    assert_eq!(count, 5, "at 0, 1, 3, 8 and 23 minutes");
    world.serve(2, &file(&[("a", 10, 12)]));
    world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
    settle().await;
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
    assert_eq!(server.requests().len(), count);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_to_a_private_address_is_not_followed() {
    let world = World::new().await;
    for (number, target) in
        [(1, "https://10.0.0.1/x"), (2, "https://inner.example.com/"), (3, "http://a.example/")]
    {
        world.dns.set("inner.example.com", &["192.168.0.1"]);
        world.serve(
            number,
            &format!(
                "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n"
            ),
        );
        let input = CalendarInput {
            id: None,
            kind: CalendarKind::Ics,
            url: format!("webcal://{HOST}/x.ics"),
            login: None,
            password_of: None,
            collection: None,
        };
        let refused = world.business.check_calendar(input).await.unwrap_err();
        assert!(matches!(refused, EngineError::Refused(Refusal::Invalid(_))), "{target}: {refused:?}");
    }
    let dialled = world.net.dialled();
    assert!(dialled.iter().all(|address| address.starts_with("93.184.216.")), "{dialled:?}");
}

#[tokio::test(start_paused = true)]
async fn a_deletion_of_most_events_waits_for_a_confirmation() {
    let world = World::new().await;
    let names: Vec<String> = (0..30).map(|number| format!("e{number}")).collect();
    let many: Vec<(&str, u32, u32)> = names.iter().map(|name| (name.as_str(), 10, 12)).collect();
    world.serve(1, &file(&many));
    let id = world.connect().await;
    assert_eq!((world.calendar(id).await.events, world.rows(kind::CALENDAR_EVENT)), (30, 30));
    let empty = world.serve(2, &file(&[]));
    while empty.requests().is_empty() {
        sleep(Duration::from_secs(5)).await;
    }
    settle().await;
    assert_eq!(
        world.calendar(id).await.events,
        30,
        "the events stay until a complete read confirms the deletion"
    );
    world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
    settle().await;
    assert_eq!((world.calendar(id).await.events, empty.requests().len()), (30, 2), "the same answer at once");
    assert_eq!(world.hours(INTEGRATION).await, [9, 12, 13, 14, 15, 16]);
    minutes(2).await;
    assert_eq!((world.calendar(id).await.events, world.rows(kind::CALENDAR_EVENT)), (0, 0));
    assert_eq!(world.hours(INTEGRATION).await.len(), 8);
}

#[tokio::test(start_paused = true)]
async fn the_calendars_of_a_business_have_a_maximum_size_together() {
    let mut world = World::new().await;
    world.serve(1, &file(&[("a", 10, 12), ("b", 13, 14)]));
    let business = world.business.id();
    let first = CalendarKey { business, calendar: world.connect().await };
    let second = CalendarKey { business, calendar: world.connect().await };
    let size = 2 * (64 + 32); // an event without a path has 64 bytes, and a busy time has 32
    for restarts in 0..2 {
        let (sizes, store) = (&world.business.businesses.readings.sizes, &world.engine.shared().store);
        let admits = |before, after| sizes.admit(store, second, (before, after)).unwrap();
        assert!(!admits(size, BUSINESS_BYTES_MAX - size + 1), "{restarts}");
        assert!(admits(size, BUSINESS_BYTES_MAX - size), "{restarts}");
        assert!(admits(BUSINESS_BYTES_MAX + 1, BUSINESS_BYTES_MAX), "a calendar can always become smaller");
        assert!(!sizes.admit(store, first, (size, size + 1)).unwrap(), "{restarts}");
        if restarts == 0 {
            world.restart().await;
        }
    }
    world.serve(2, &file(&[("a", 10, 12), ("b", 13, 14), ("c", 15, 16)]));
    world.business.change(by_operator(), ReadCalendar { id: first.calendar }).await.unwrap();
    settle().await;
    assert_eq!(world.calendar(first.calendar).await.error.unwrap().code, CalendarFault::TooLarge);
    assert_eq!(world.hours(INTEGRATION).await, [9, 12, 14, 15, 16], "the busy times stay");
}

#[tokio::test(start_paused = true)]
async fn a_disconnected_calendar_leaves_no_rows() {
    let world = World::new().await;
    world.serve(1, &file(&[("a", 10, 12), ("b", 13, 14)]));
    let id = world.connect().await;
    world.business.change(by_operator(), DisconnectCalendar { id }).await.unwrap();
    assert_eq!(world.hours(INTEGRATION).await.len(), 8, "the calendar no longer blocks anything");
    // The rows are deleted in two steps. The store commits on its own thread, for which `settle` does not wait.
    for _ in 0..3 {
        settle().await;
        world.engine.shared().store.wait_durable(world.business.id()).await.unwrap();
    }
    for kind in [kind::CALENDAR, kind::CALENDAR_STATE, kind::CALENDAR_BUSY, kind::CALENDAR_EVENT] {
        assert_eq!(world.rows(kind), 0, "{kind:#04x}");
    }
    let listed = keys::of_kind(domain::BusinessId::INSTALLATION, installation_kind::CALENDAR_INDEX);
    assert_eq!(world.engine.shared().store.scan(&listed, Order::Ascending).count(), 0);
    assert!(
        world
            .business
            .calendars(None, None, &PageRequest { limit: 9, after: None })
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_delays_neither_bookings_nor_other_calendars() {
    let world = World::new().await;
    world.serve_then(1, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", Then::Hangs);
    let id = world.connect().await;
    world.book(10, Party::Integration { allow_pending: false }).await.unwrap();
    assert!(world.calendar(id).await.error.is_none(), "the booking did not wait for the read");
    sleep(Duration::from_secs(31)).await;
    assert_eq!(world.calendar(id).await.error.unwrap().code, CalendarFault::Timeout);
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Connecting);
}

#[tokio::test(start_paused = true)]
async fn calendars_without_a_permit_do_not_delay_the_calendars_after_them() {
    let world = World::new().await;
    let readings = &world.business.businesses.readings;
    let other = domain::BusinessId::from(uuid::Uuid::from_u128(1));
    let permits: Vec<_> = std::iter::from_fn(|| readings.per_business.take_owned(other)).collect();
    assert_eq!(permits.len(), 32);
    for number in 0..3_000 {
        readings.wake(CalendarKey { business: other, calendar: uuid::Uuid::from_u128(number).into() });
    }
    settle().await;
    world.serve(1, &file(&[("a", 10, 12)]));
    let id = world.connect().await;
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
}

#[tokio::test(start_paused = true)]
async fn a_suspended_business_reads_nothing() {
    let mut world = World::new().await;
    let server = world.serve(1, &file(&[("a", 10, 12)]));
    world.connect().await;
    let suspend = crate::business::commands::profile::PatchBusiness::suspending;
    world.business.change(by_operator(), suspend(true)).await.unwrap();
    minutes(60).await;
    assert_eq!(server.requests().len(), 1);
    assert_eq!(world.oldest_read(), None, "a calendar that is not read for now is not late");
    world.restart().await;
    assert_eq!(world.oldest_read(), None);
    world.business.change(by_operator(), suspend(false)).await.unwrap();
    settle().await;
    assert_eq!(server.requests().len(), 2);
    assert_eq!(world.oldest_read(), Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_calendar_that_is_being_disconnected_is_not_late() {
    let world = World::new().await;
    world.serve(1, &file(&[("a", 10, 12)]));
    let id = world.connect().await;
    minutes(10).await;
    assert_eq!(world.oldest_read(), Some(10));
    let (store, of) = (&world.engine.shared().store, world.business.id());
    let calendar = store.find(&keys::calendar(of, id)).unwrap().unwrap();
    let state: CalendarState = store.find(&keys::calendar_state(of, id)).unwrap().unwrap();
    for (status, expected) in [
        (CalendarStatus::Failing, Some(10)),
        (CalendarStatus::Stopped, None),
        (CalendarStatus::Disconnecting, None),
    ] {
        let state = CalendarState { status, ..state.clone() };
        let key = CalendarKey { business: of, calendar: id };
        world.business.businesses.readings.note(key, (&calendar, &state), Some(false));
        assert_eq!(world.oldest_read(), expected, "{status}");
    }
}
