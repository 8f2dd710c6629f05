//! Reads of a CalDAV server in memory.

mod chaos;
mod editing;
mod ending;
mod power;
mod renamed;
mod repeated;
mod writing;

use std::collections::BTreeMap;

use domain::{CalendarLogin, CalendarPassword};
use parking_lot::Mutex;

use super::*;
use crate::business::commands::calendars::PatchCalendar;
use crate::calendars::connecting::DiscoveredCalendar;

const COLLECTION: &str = "/dav/ada/private/";

/// The behaviour of the server.
#[derive(Default)]
struct Server {
    /// The number of the last change and the calendar file of each event, by path.
    events: BTreeMap<String, (u32, String)>,
    /// The paths that were changed or deleted, in order. The sync token is the length of this list.
    log: Vec<String>,
    /// True if the server has a `getctag` and no sync token.
    has_no_tokens: bool,
    refuses_tokens: bool,
    /// The maximum number of changes in a response. If there are more changes, the response is truncated (status 507).
    page: Option<usize>,
    /// Whether a truncated response repeats the token of the request, so the list does not advance.
    is_stuck: bool,
    /// The path of an event that the first page of changes reports as deleted, and the next page as unchanged.
    restored: Option<String>,
    /// The status of the `response` of the event `a`, and the requests whose responses contain it.
    status: Option<(u16, Asked)>,
    /// Whether the responses with data omit the event `a`.
    omits: bool,
    /// Whether every event has the status 404 in its `propstat`. Only a status of the `response` means a deletion.
    is_phantom: bool,
    /// Whether the server refuses the credentials.
    is_locked: bool,
    /// The status of the responses to writes, and the value of their `Retry-After`.
    write_status: Option<(u16, Option<&'static str>)>,
    /// The path that the server names instead of another path for a new event.
    conflict: Option<String>,
    /// The status of the refusal of a second event with the same UID, and whether the refusal contains the code of the
    /// conflict. It does not name the first event.
    refuses_twins: Option<(&'static str, bool)>,
    /// How the server searches for events.
    search: renamed::Search,
    /// Random failures of writes.
    chance: Option<chaos::Chance>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    List,
    Changes,
    Data,
}

type Shared = Arc<Mutex<Server>>;

impl Server {
    fn put(&mut self, name: &str, start: u32, end: u32) {
        let path = format!("{COLLECTION}{name}.ics");
        self.log.push(path.clone());
        let text = file(&[(name, start, end)]).split_once("\r\n\r\n").unwrap().1.to_owned();
        let number = u32::try_from(self.log.len()).unwrap();
        self.events.insert(path, (number, text));
    }

    fn delete(&mut self, name: &str) {
        let path = format!("{COLLECTION}{name}.ics");
        self.events.remove(&path).unwrap();
        self.log.push(path);
    }

    fn event(&self, path: &str, asked: Asked) -> String {
        let is_first = path.ends_with("/a.ics");
        if let Some((status, _)) = self.status.filter(|(_, at)| *at == asked && is_first) {
            return format!(
                "<d:response><d:href>{path}</d:href><d:status>HTTP/1.1 {status} No</d:status></d:response>"
            );
        }
        if asked == Asked::Data && self.omits && is_first {
            return String::new();
        }
        let Some((etag, text)) = self.events.get(path).filter(|_| !self.is_phantom) else {
            if self.is_phantom {
                return format!(
                    "<d:response><d:href>{path}</d:href><d:propstat><d:prop><d:getetag/></d:prop>\
                     <d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response>"
                );
            }
            return format!(
                "<d:response><d:href>{path}</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
            );
        };
        let data = if asked == Asked::Data {
            format!("<c:calendar-data>{text}</c:calendar-data>")
        } else {
            String::new()
        };
        properties(path, &format!("<d:getetag>\"{etag}\"</d:getetag>{data}"))
    }

    fn respond(&mut self, request: &str) -> Vec<u8> {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let path = head.split(' ').nth(1).unwrap();
        let depth = if head.contains("depth: 1") { 1 } else { 0 };
        if self.is_locked || !head.contains("authorization: Basic YWRhOnB3") {
            return response("401 Unauthorized", "").into_bytes();
        }
        if let method @ ("PUT" | "DELETE") = head.split(' ').next().unwrap() {
            return self.write(method, path, body);
        }
        let all = match (head.split(' ').next().unwrap(), path, depth) {
            ("PROPFIND", "/" | "/.well-known/caldav", _) => {
                let principal =
                    "<d:current-user-principal><d:href>/dav/ada/</d:href></d:current-user-principal>";
                properties(path, principal)
            }
            ("PROPFIND", "/dav/ada/", 0) => properties(
                path,
                "<c:calendar-home-set><d:href>/dav/ada/</d:href></c:calendar-home-set><c:calendar-user-address-set>\
                 <d:href>mailto:Ada@Example.com</d:href></c:calendar-user-address-set>",
            ),
            ("PROPFIND", "/dav/ada/", 1) => {
                let tasks = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>\
                             <c:supported-calendar-component-set><c:comp name=\"VTODO\"/></c:supported-calendar-component-set>";
                properties("/dav/ada/tasks/", tasks) + &self.collection()
            }
            ("PROPFIND", COLLECTION, 0) => self.collection(),
            ("PROPFIND", COLLECTION, 1) => {
                let events: String = self.events.keys().map(|path| self.event(path, Asked::List)).collect();
                self.collection() + &events
            }
            ("REPORT", COLLECTION, _) if body.contains("sync-collection") => return self.changes(body),
            ("REPORT", COLLECTION, _) if body.contains("calendar-query") => return self.query(body),
            ("REPORT", COLLECTION, _) => {
                let hrefs = body.split("<d:href>").skip(1).map(|rest| rest.split('<').next().unwrap());
                hrefs.map(|path| self.event(path, Asked::Data)).collect()
            }
            _ => return response("404 Not Found", "").into_bytes(),
        };
        multistatus(&all)
    }

    fn collection(&self) -> String {
        let token = match self.has_no_tokens {
            true => format!("<s:getctag>{}</s:getctag>", self.log.len()),
            false => format!(
                "<d:sync-token>{}</d:sync-token><d:supported-report-set><d:supported-report><d:report>\
                 <d:sync-collection/></d:report></d:supported-report></d:supported-report-set>",
                self.log.len()
            ),
        };
        let kind = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Work</d:displayname>";
        properties(COLLECTION, &format!("{kind}{token}"))
    }

    fn changes(&self, body: &str) -> Vec<u8> {
        let token = body.split("<d:sync-token>").nth(1).unwrap().split('<').next().unwrap().trim();
        if self.refuses_tokens {
            return response("403 Forbidden", "").into_bytes();
        }
        let from: usize = token.parse().unwrap();
        let to = self.page.map_or(self.log.len(), |page| (from + page).min(self.log.len()));
        let mut all: String =
            self.log[from..to].iter().map(|path| self.event(path, Asked::Changes)).collect();
        let mut token = to;
        if let Some(path) = self.restored.as_ref().filter(|_| to < self.log.len()) {
            all = format!(
                "<d:response><d:href>{path}</d:href><d:status>HTTP/1.1 404 Gone</d:status></d:response>"
            );
        }
        if to < self.log.len() {
            all += &format!(
                "<d:response><d:href>{COLLECTION}</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>"
            );
            token = if self.is_stuck { from } else { to };
        }
        multistatus(&format!("{all}<d:sync-token>{token}</d:sync-token>"))
    }
}

fn properties(path: &str, properties: &str) -> String {
    format!(
        "<d:response><d:href>{path}</d:href><d:propstat><d:prop>{properties}</d:prop>\
         <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )
}

fn multistatus(all: &str) -> Vec<u8> {
    let body = format!(
        "<d:multistatus xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\" \
         xmlns:s=\"http://calendarserver.org/ns/\">{all}</d:multistatus>"
    );
    response("207 Multi-Status", &body).into_bytes()
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
    // The password is changed after another change was checked with the old password.
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
    // If the token does not advance, all events are read instead.
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
        for asked in [Asked::Changes, Asked::List, Asked::Data] {
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
                // Without the list of changes, the read is complete.
                (server.status, server.refuses_tokens) = (Some((status, asked)), asked != Asked::Changes);
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
    // A request makes the calendar due at once.
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
    // The read that became due is made. The next one is due after 15 minutes.
    server.lock().put("c", 16, 17);
    sleep(Duration::from_secs(70)).await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15, 16]);
    let _ = world.engine.business(world.business.id());
    settle().await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15]);
}
