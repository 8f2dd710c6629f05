//! One walk through all functions of a connected calendar: discovery, busy times, written appointments, changes by a
//! person, restarts, and the end of the connection.

use chrono::TimeDelta;
use engine::verify::verify;
use serde_json::json;

use crate::events::{at, basic, expected, first, hour};
use crate::namespace::{Network, inside};
use crate::person::Person;
use crate::proxy::Proxy;
use crate::servers::{CalendarServer, Kind};
use crate::service::{Service, until};

const HOST: &str = "calendars.example.com";
const ADDRESS: &str = "93.184.216.10";
const NAME: &str = "Privé “work”";

pub(crate) fn against(kind: Kind, test: &'static str) {
    if kind.program().is_some() {
        inside(test, |network| walk(network, kind));
    }
}

async fn walk(network: Network, kind: Kind) {
    network.names(&[("localhost", &["127.0.0.1"]), (HOST, &[ADDRESS])]);
    let proxy = Proxy::start(&format!("{ADDRESS}:443"), network.authority.server(HOST)).await;
    let mut server = CalendarServer::start(kind, network.home.path());
    let person = Person::new(server.account.clone());
    until("the start of the calendar server", async || person.is_served().await).await;
    person.creates("", NAME, "VEVENT").await;
    person.creates("-tasks", "Tasks", "VTODO").await;
    for (name, text) in first() {
        person.stores(name, &text).await;
    }
    let mut service = Service::start(network.home.path().join("data"), network.trusted()).await;
    let early = service.books(at(0, 3)).await;
    connect(&mut service, &server).await;
    service.syncs(&early).await;
    assert!(person.sees(&file(&early)).await.is_some());
    check_busy_times(&service).await;
    check_written(&service, &person).await;
    check_remote_changes(&service, &person).await;
    check_changes_since(&mut service, &person, &proxy, kind).await;
    check_renamed(&service, &person).await;
    check_outage(&service, &person, &mut server).await;
    check_end(&service, &person, &early).await;
    let report = verify(&service.end()).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}

fn now() -> i64 {
    chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).timestamp()
}

fn file(id: &str) -> String {
    format!("{id}.ics")
}

async fn connect(service: &mut Service, server: &CalendarServer) {
    let account = server.account.clone();
    let url = format!("https://{HOST}{}", account.entered);
    let found = service.discovers(&url, &account.user, &account.password).await;
    let found = found.body["data"].as_array().unwrap_or_else(|| panic!("{found:?}")).clone();
    let calendar = format!("https://{HOST}{}", account.collection);
    let [named] = &found.iter().filter(|it| it["calendar"] == calendar).collect::<Vec<_>>()[..] else {
        panic!("{calendar} is not one of {found:?}")
    };
    assert_eq!((&named["name"], &named["writable"]), (&json!(NAME), &json!(true)));
    assert!(!server.has_kinds() || found.iter().all(|it| it["name"] != "Tasks"), "{found:?}");
    // A discovery that begins at the address of the calendar itself also finds the calendar.
    let direct = service.discovers(calendar.trim_end_matches('/'), &account.user, &account.password).await;
    assert!(
        direct.body["data"].as_array().unwrap().iter().any(|it| it["calendar"] == calendar),
        "{direct:?}"
    );
    if server.has_passwords() {
        let refused = service.discovers(&url, &account.user, "wrong").await;
        assert_eq!(refused.status, 400);
        assert_eq!(refused.body["error"]["details"][0]["path"], "username", "{refused:?}");
    }
    service.connect(&url, &calendar, &account).await;
    let shown = service.calendar().await;
    assert_eq!((&shown["unreadable_events"], &shown["warnings"]), (&json!(0), &json!([])), "{shown}");
}

async fn check_busy_times(service: &Service) {
    let (busy, free) = expected();
    let listed = service.listed().await;
    for start in busy {
        assert!(!listed.contains(&start), "{start} is listed");
        let refused = service.tries_to_book(start).await;
        assert_eq!(refused.body["error"]["code"], "slot_unavailable", "{start}: {refused:?}");
    }
    for start in free {
        assert!(listed.contains(&start), "{start} is not listed");
        let booked = service.books(start).await;
        service.cancels(&booked).await;
        service.syncs(&booked).await;
    }
}

/// The service writes an appointment to the calendar, and moves and deletes its event there. When the service then
/// reads the calendar and finds its own events, nothing changes.
async fn check_written(service: &Service, person: &Person) {
    let id = service.books(at(1, 5)).await;
    service.syncs(&id).await;
    let text = person.sees(&file(&id)).await.unwrap();
    for part in [format!("UID:{id}@receptionist"), format!("DTSTART:{}", basic(at(1, 5))), "Staff 0".into()] {
        assert!(text.contains(&part), "{part} is not in {text}");
    }
    assert!(!text.contains("Contact 1"), "{text}");
    service.moves(&id, at(1, 6)).await;
    service.syncs(&id).await;
    assert!(person.sees(&file(&id)).await.unwrap().contains(&basic(at(1, 6))));
    service.change(json!({ "detail": "contacts" })).await;
    service.writes_again(&id).await;
    let text = person.sees(&file(&id)).await.unwrap();
    assert!(text.contains("Contact 1") && text.contains("CLASS:PRIVATE"), "{text}");
    service.read().await;
    assert_eq!(service.status(&id).await, "synced");
    service.cancels(&id).await;
    service.syncs(&id).await;
    assert_eq!(person.sees(&file(&id)).await, None);
}

/// A person moves, cancels and deletes events in the calendar. The appointments of these events do not change.
async fn check_remote_changes(service: &Service, person: &Person) {
    let (moved, cancelled, noted) =
        (service.books(at(1, 1)).await, service.books(at(1, 3)).await, service.books(at(1, 6)).await);
    for id in [&moved, &cancelled, &noted] {
        service.syncs(id).await;
    }
    let later = |hour| basic(at(1, hour) + TimeDelta::minutes(30));
    person.edits(&file(&moved), &[(&basic(at(1, 1)), &later(1)), (&basic(at(1, 2)), &later(2))]).await;
    person.edits(&file(&cancelled), &[("STATUS:CONFIRMED", "STATUS:CANCELLED")]).await;
    person.edits(&file(&noted), &[("SUMMARY:", "LOCATION:Room 1\r\nSUMMARY:")]).await;
    service.read().await;
    service.has_failed(&moved, "event_changed").await;
    let event = service.event(&moved).await;
    assert!(event["event_starts_at"].as_str().unwrap().contains("T01:30:00"), "{event}");
    service.has_failed(&cancelled, "event_deleted").await;
    assert_eq!(service.status(&noted).await, "synced");
    for (id, start) in [(&moved, at(1, 1)), (&cancelled, at(1, 3))] {
        let appointment = service.appointment(id).await;
        assert_eq!(appointment["status"], "confirmed");
        service.writes_again(id).await;
        let text = person.sees(&file(id)).await.unwrap();
        assert!(text.contains(&basic(start)) && text.contains("STATUS:CONFIRMED"), "{text}");
    }
    service.read().await;
    assert_eq!(service.status(&moved).await, "synced");
}

/// After a kill, the service reads only the changes since its last read.
async fn check_changes_since(service: &mut Service, person: &Person, proxy: &Proxy, kind: Kind) {
    let deleted = service.books(at(2, 1)).await;
    service.syncs(&deleted).await;
    service.read().await;
    if kind == Kind::Other {
        // The sync tokens of SOGo are times in seconds. A read does not report changes that were made in the same
        // second as the token, so the test waits for the next second.
        let read = now();
        until("the next second", async || now() > read + 1).await;
    }
    person.deletes(&file(&deleted)).await;
    person.deletes("plain.ics").await;
    person.stores("new.ics", &hour("new", at(2, 5), "")).await;
    person.stores("free.ics", &hour("free", at(2, 7), "")).await;
    proxy.forget();
    service.restart_and_read().await;
    assert!(proxy.has_seen("sync-collection"));
    assert!(!proxy.has_seen("PROPFIND"), "the service has read the whole list of events");
    service.has_failed(&deleted, "event_deleted").await;
    let listed = service.listed().await;
    for (start, is_free) in [(at(0, 8), true), (at(0, 10), true), (at(2, 5), false), (at(2, 7), false)] {
        assert_eq!(listed.contains(&start), is_free, "{start}");
    }
    service.writes_again(&deleted).await;
    assert!(person.sees(&file(&deleted)).await.is_some());
    assert_eq!(service.calendar().await["error"], json!(null));
}

/// A person moves an event to another path. Then the appointment changes. The service writes this change to the new
/// path, even if it has not read the calendar since the event was moved.
async fn check_renamed(service: &Service, person: &Person) {
    // In the first round, the service reads the calendar after the event was moved. In the second round, it does not,
    // so it first writes to the old path. A server that permits two events with the same UID would accept this write
    // and then have two events. For such a server, the test omits the second round.
    let is_unique = !person.may_store_twice("free.ics", "twin.ics").await;
    for (number, is_read) in
        [true, false].into_iter().enumerate().filter(|(_, is_read)| *is_read || is_unique)
    {
        let other = format!("renamed-{number}.ics");
        let id = service.books(at(3, 1)).await;
        service.syncs(&id).await;
        person.renames(&file(&id), &other).await;
        if is_read {
            service.read().await;
        }
        assert_eq!(service.status(&id).await, "synced");
        service.moves(&id, at(3, 3)).await;
        service.syncs(&id).await;
        let event = person.sees(&other).await;
        assert!(event.as_ref().is_some_and(|text| text.contains(&basic(at(3, 3)))), "{event:?}");
        assert_eq!(person.sees(&file(&id)).await, None);
        let last = format!("renamed-again-{number}.ics");
        person.renames(&other, &last).await;
        if is_read {
            service.read().await;
        }
        service.cancels(&id).await;
        service.syncs(&id).await;
        assert_eq!(person.sees(&last).await, None);
    }
}

/// Bookings do not wait for a stopped calendar server. The service writes the events of these
/// bookings after the server has started again.
async fn check_outage(service: &Service, person: &Person, server: &mut CalendarServer) {
    server.stop();
    let id = service.books(at(3, 5)).await;
    until("a failed attempt", async || service.event(&id).await["attempts"].as_u64() > Some(0)).await;
    assert_eq!(service.status(&id).await, "pending");
    server.start_again();
    until("the second start of the calendar server", async || person.is_served().await).await;
    service.writes_again(&id).await;
    assert!(person.sees(&file(&id)).await.is_some());
}

async fn check_end(service: &Service, person: &Person, early: &str) {
    assert!(person.sees(&file(early)).await.is_some());
    service.disconnect().await;
    assert_eq!(service.status(early).await, "not_connected");
    assert_eq!(person.sees(&file(early)).await, None);
    for name in ["free.ics", "daily.ics", "new.ics"] {
        assert!(person.sees(name).await.is_some(), "{name}");
    }
    service.books(at(2, 5)).await;
}
