//! Reads of a CalDAV server in memory.

mod chaos;
mod ending;
mod power;
mod renamed;
mod repeated;
mod writing;

use std::collections::BTreeMap;

use domain::{CalendarLogin, CalendarPassword};
use parking_lot::Mutex;

use super::server::{COLLECTION, Chance, EventRequest, Search, Server};
use super::*;
use crate::business::commands::calendars::PatchCalendar;
use crate::calendars::connecting::DiscoveredCalendar;

type Shared = Arc<Mutex<Server>>;

impl Server {
    fn put(&mut self, name: &str, start: u32, end: u32) {
        let text = file(&[(name, start, end)]).split_once("\r\n\r\n").unwrap().1.to_owned();
        self.store(&format!("{COLLECTION}{name}.ics"), text);
    }

    fn delete(&mut self, name: &str) {
        assert!(self.remove(&format!("{COLLECTION}{name}.ics")));
    }
}

fn login(password: &str) -> CalendarLogin {
    CalendarLogin { username: "ada".into(), password: CalendarPassword::new(password.into()) }
}

impl World {
    /// Starts a server, and checks and connects its calendar as the APIs do.
    async fn caldav(&self, server: Server) -> (Shared, Arc<Receiver>, CalendarId) {
        let server = Arc::new(Mutex::new(server));
        let responding = Arc::clone(&server);
        let respond = Box::new(move |request: &str| responding.lock().respond(request));
        let receiver = Receiver::responding(self.authority.server(HOST), respond);
        self.dns.set(HOST, &["93.184.216.99"]);
        self.net.put("93.184.216.99:443", Place::Receiver(receiver.clone()));
        let input = CalendarInput {
            id: None,
            kind: CalendarKind::Caldav,
            url: format!("https://{HOST}/"),
            login: Some(login("pw")),
            password_of: None,
            collection: Some(format!("https://{HOST}{COLLECTION}")),
        };
        let found = self.business.check_calendar(input).await.unwrap();
        assert_eq!(found.server_addresses, ["ada@example.com"]);
        let connect = ConnectCalendar {
            staff_id: self.staff,
            name: found.name.clone(),
            kind: CalendarKind::Caldav,
            url: found.url,
            login: Some(login("pw")),
            collection: found.collection,
            collection_name: found.name,
            server_addresses: found.server_addresses,
            busy: true,
            write: false,
            detail: FeedDetail::Services,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        };
        let id = self.business.change(by_operator(), connect).await.unwrap().value.settings.id;
        settle().await;
        (server, receiver, id)
    }
}

fn with_two_events() -> Server {
    let mut server = Server::default();
    server.put("a", 10, 11);
    server.put("b", 14, 15);
    server
}

#[tokio::test(start_paused = true)]
async fn discovery_lists_the_calendars_with_events() {
    let world = World::new().await;
    let (_, receiver, _) = world.caldav(with_two_events()).await;
    let url = format!("https://{HOST}/");
    let found = world.business.discover_calendars(&url, &login("pw")).await.unwrap();
    let collection = WebhookUrl::parse(&format!("https://{HOST}{COLLECTION}")).unwrap();
    assert_eq!(found, [DiscoveredCalendar { url: collection, name: "Work".into(), is_writable: false }]);
    let refused = world.business.discover_calendars(&url, &login("wrong")).await.unwrap_err();
    let EngineError::Refused(Refusal::Invalid(problems)) = &refused else { panic!("{refused:?}") };
    assert_eq!(problems[0].path, "username");
    let google = world.business.discover_calendars("https://calendar.google.com/x", &login("pw")).await;
    assert!(matches!(google.unwrap_err(), EngineError::Refused(Refusal::Invalid(_))));
    assert!(receiver.requests().iter().all(|request| request.contains("authorization: ")));
}

#[tokio::test(start_paused = true)]
async fn a_kept_password_is_checked_only_at_the_origin_for_which_it_was_entered() {
    let world = World::new().await;
    let (_, _, id) = world.caldav(with_two_events()).await;
    let of = WebhookUrl::parse(&format!("https://{HOST}/")).unwrap();
    let input = |url: &str| CalendarInput {
        id: None,
        kind: CalendarKind::Caldav,
        url: url.into(),
        login: Some(login("pw")),
        password_of: Some(of.clone()),
        collection: Some(format!("https://{HOST}{COLLECTION}")),
    };
    let dialled = world.net.dialled().len();
    for url in ["https://other.example.com/".to_owned(), format!("https://{HOST}:8443/")] {
        let refused = world.business.check_calendar(input(&url)).await.unwrap_err();
        let EngineError::Refused(Refusal::Invalid(problems)) = &refused else { panic!("{refused:?}") };
        assert_eq!(problems[0].path, "password");
    }
    assert_eq!(world.net.dialled().len(), dialled);
    // Another path of the same origin needs no password.
    world.business.check_calendar(input(&format!("https://{HOST}/dav/"))).await.unwrap();
    // Both changes were checked while the stored password was `pw`. The first change replaces this password, so the
    // second change is refused.
    let patch = |password: &str, old: &str| PatchCalendar {
        id,
        name: None,
        url: None,
        login: Some(login(password)),
        checked_for: Some((of.clone(), Some(login(old)))),
        server_addresses: None,
        busy: None,
        write: None,
        detail: None,
        all_day: None,
        own_addresses: None,
    };
    world.business.change(by_operator(), patch("new", "pw")).await.unwrap();
    let refused = world.business.change(by_operator(), patch("pw", "pw")).await.unwrap_err();
    assert!(matches!(refused, EngineError::Refused(Refusal::Conflict { .. })), "{refused:?}");
    let kept = world.business.connected_calendar(id).await.unwrap().unwrap();
    assert_eq!(kept.login, Some(login("new")));
}

#[tokio::test(start_paused = true)]
async fn only_changed_events_are_requested_again() {
    for has_no_tokens in [false, true] {
        let world = World::new().await;
        let (server, receiver, id) = world.caldav(Server { has_no_tokens, ..with_two_events() }).await;
        assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
        {
            let mut server = server.lock();
            server.put("a", 12, 13);
            server.delete("b");
            server.put("c", 16, 17);
        }
        let before = receiver.requests().len();
        minutes(17).await;
        assert_eq!(world.hours(INTEGRATION).await, [9, 10, 11, 13, 14, 15], "tokens: {}", !has_no_tokens);
        let requests = receiver.requests().split_off(before);
        let multiget = requests.iter().find(|request| request.contains("calendar-multiget")).unwrap();
        assert!(multiget.contains("/a.ics") && multiget.contains("/c.ics") && !multiget.contains("/b.ics"));
        assert_eq!(world.calendar(id).await.events, 2);
        let before = receiver.requests().len();
        minutes(17).await;
        let requests = receiver.requests().split_off(before);
        assert!(requests.iter().all(|request| !request.contains("calendar-multiget")), "nothing has changed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_list_of_changes_is_read_in_pages() {
    let world = World::new().await;
    let (server, _, id) = world.caldav(with_two_events()).await;
    for number in 0..7 {
        server.lock().put(&format!("e{number}"), 9, 10);
    }
    server.lock().page = Some(3);
    minutes(17).await;
    assert_eq!(world.calendar(id).await.events, 9);
    // If the server returns the same sync token again, the reader requests all events instead of the changes.
    server.lock().put("last", 11, 12);
    server.lock().put("more", 12, 13);
    {
        let mut server = server.lock();
        (server.is_stuck, server.page) = (true, Some(1));
    }
    minutes(17).await;
    assert_eq!(world.calendar(id).await.events, 11);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_deleted_and_created_again_between_two_pages_is_kept() {
    let world = World::new().await;
    let (server, _, id) = world.caldav(with_two_events()).await;
    {
        let mut server = server.lock();
        let path = format!("{COLLECTION}a.ics");
        server.restored = Some(path.clone());
        server.log.extend([path.clone(), path]);
        server.page = Some(1);
    }
    minutes(17).await;
    let shown = world.calendar(id).await;
    assert_eq!((shown.status, shown.events), (CalendarStatus::Connected, 2));
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
}

#[tokio::test(start_paused = true)]
async fn a_read_ends_after_five_minutes() {
    let world = World::new().await;
    let (server, receiver, id) = world.caldav(with_two_events()).await;
    for number in 0..60 {
        server.lock().put(&format!("e{number}"), 9, 10);
    }
    server.lock().page = Some(1);
    receiver.set_slow();
    let before = receiver.requests().len();
    minutes(22).await;
    assert_eq!(world.calendar(id).await.error.unwrap().code, CalendarFault::Timeout);
    let requests = receiver.requests().len() - before;
    assert!(requests >= 33, "{requests}: the server responds in time to each request");
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_token_leads_to_a_complete_read() {
    let world = World::new().await;
    let (server, receiver, id) = world.caldav(with_two_events()).await;
    server.lock().delete("a");
    server.lock().refuses_tokens = true;
    minutes(17).await;
    assert_eq!(
        (world.calendar(id).await.events, world.calendar(id).await.status),
        (1, CalendarStatus::Connected)
    );
    assert!(receiver.requests().last().unwrap().contains("calendar-multiget"));
}

#[tokio::test(start_paused = true)]
async fn a_missing_property_deletes_no_event() {
    let world = World::new().await;
    let (server, _, id) = world.caldav(with_two_events()).await;
    server.lock().put("a", 10, 11);
    server.lock().is_phantom = true;
    minutes(17).await;
    assert_eq!((world.rows(kind::CALENDAR_EVENT), world.calendar(id).await.events), (2, 2));
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
}

#[tokio::test(start_paused = true)]
async fn an_error_status_of_an_event_fails_the_read_and_deletes_no_event() {
    let world = World::new().await;
    let (server, _, id) = world.caldav(with_two_events()).await;
    for (status, code) in [(503, CalendarFault::ServerError), (507, CalendarFault::TooLarge)] {
        for asked in [EventRequest::Changes, EventRequest::List, EventRequest::Data] {
            {
                let mut server = server.lock();
                (server.status, server.refuses_tokens) = (None, false);
            }
            world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
            settle().await;
            assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
            {
                let mut server = server.lock();
                server.put("a", 10, 11);
                // `asked` is the request that gets the error status. The reader first requests the changes, with a sync
                // token. It requests the list of all events only if the server refuses the token. To test the list or
                // the data, the server therefore refuses the token.
                (server.status, server.refuses_tokens) =
                    (Some((status, asked)), asked != EventRequest::Changes);
            }
            minutes(17).await;
            assert_eq!(world.calendar(id).await.error.unwrap().code, code, "{status} {asked:?}");
            assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16], "{status} {asked:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_listed_event_that_the_server_does_not_send_is_kept() {
    let world = World::new().await;
    let (server, _, id) = world.caldav(with_two_events()).await;
    server.lock().omits = true;
    world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
    settle().await;
    let shown = world.calendar(id).await;
    assert!(shown.error.is_none(), "{shown:?}");
    assert_eq!((shown.status, shown.events), (CalendarStatus::Connected, 2));
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
}

#[tokio::test(start_paused = true)]
async fn a_calendar_is_read_each_minute_while_its_business_is_used() {
    let world = World::new().await;
    let (server, _, _) = world.caldav(with_two_events()).await;
    minutes(30).await;
    server.lock().put("c", 16, 17);
    let _ = world.engine.business_for_visitor(world.business.id());
    settle().await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16], "a visitor does not cause a read");
    // Access by a team member or an API client makes the calendar due immediately.
    let _ = world.engine.business(world.business.id());
    settle().await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15]);
    server.lock().delete("c");
    sleep(Duration::from_secs(70)).await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_suspended_machine_counts_as_time_without_use() {
    let world = World::new().await;
    let (server, _, _) = world.caldav(with_two_events()).await;
    let _ = world.engine.business(world.business.id());
    settle().await;
    world.clock.suspend(Duration::from_secs(11 * 60));
    sleep(Duration::from_secs(31)).await;
    // The service has made the read that was due. The next read is due after 15 minutes, because the business is not in
    // use.
    server.lock().put("c", 16, 17);
    sleep(Duration::from_secs(70)).await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
    let _ = world.engine.business(world.business.id());
    settle().await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15]);
}
