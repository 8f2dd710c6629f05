//! Tests of the addresses from which calendar services fetch appointments. An address is shown once. A member
//! sees and creates addresses only for the staff member to whom the member is linked. The module also tests the effects
//! of connected calendars on the pages.

use domain::{Actor, AllDay, CalendarKind, CalendarLogin, CalendarPassword, FeedDetail, WebhookUrl};
use engine::business::Request;
use engine::business::commands::calendars::ConnectCalendar;
use engine::calendars::feeds::FeedToken;
use serde_json::{Value, json};

use crate::day_salon::Salon;
use crate::harness::{Page, Server};

fn path(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/calendars")
}

/// The address of a new feed, from the page that shows it once.
fn address(page: &Page) -> String {
    page.tags().into_iter().find(|tag| tag.get("id") == Some("feed")).unwrap().text
}

async fn is_live(server: &Server, address: &str) -> bool {
    let token = address.rsplit('/').next().unwrap().strip_suffix(".ics").unwrap();
    server.engine().live_feed(&FeedToken::parse(token).unwrap()).await.unwrap().is_some()
}

/// The path of the page that revokes the last address in the list.
fn revoke(page: &Page) -> String {
    let mut ways = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    ways.rfind(|href| href.ends_with("/revoke")).unwrap()
}

async fn staff(server: &Server, salon: &str, name: &str) -> String {
    let body = json!({ "name": name, "service_ids": [] });
    let made = server.operator("POST", &format!("/businesses/{salon}/staff"), body).await;
    made["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_address_is_shown_once_and_works_until_it_is_revoked() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let anna = staff(&server, &salon, "Anna <b>").await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let (mut browser, path) = (server.signed_in(&salon, &ada).await, path(&salon));
    let page = browser.get(&path).await.is(200).says("No calendar addresses yet");
    let page = page.says("every 8 to 24 hours").says("The whole business").says("Anna <b>");
    assert_eq!(page.field(&path, "detail"), "services");
    let made = browser.submit(&page, &path, &[("staff_id", &anna), ("detail", "contacts")]).await.is(200);
    let address = address(&made);
    assert!(address.starts_with(&format!("{}/calendar/", server.origin())), "{address}");
    made.says("shown only once").says("Anna <b>").says("every 8 to 24 hours");
    assert!(is_live(&server, &address).await);
    // If the form is sent again, no second address is created, and the response is the same.
    let again = browser.submit(&page, &path, &[("staff_id", &anna), ("detail", "contacts")]).await.is(200);
    assert_eq!(self::address(&again), address);

    let list = browser.get(&path).await.says("Anna <b>").says("Contacts too").says("Never");
    let list = list.says("A member of the team");
    assert!(!list.body.contains(&address), "the address must not be shown again");
    let ask = browser.get(&revoke(&list)).await.is(200).says("This is permanent");
    browser.submit(&ask, &revoke(&list), &[]).await.leads_to(&format!("{path}?done=revoked"));
    assert!(!is_live(&server, &address).await);
    let list =
        browser.get(&format!("{path}?done=revoked")).await.says("The address is revoked").says("Revoked");
    assert!(!list.body.contains("/revoke"), "a revoked address must have no button to revoke it");
    browser.get(&ask.what[4..]).await.is(404);
}

#[tokio::test]
async fn a_member_has_only_the_addresses_of_their_own_staff_member() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let (anna, bea) = (staff(&server, &salon, "Anna").await, staff(&server, &salon, "Bea").await);
    let feeds = format!("/businesses/{salon}/feeds");
    let of_bea = server.operator("POST", &feeds, json!({ "staff_id": bea })).await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let (mut browser, path) = (server.signed_in(&salon, &bob).await, path(&salon));
    let page = browser.get(&path).await.is(200).says("not linked to a staff member");
    assert!(!page.text().contains("Bea") && page.forms().iter().all(|form| form.action != path));
    let link = json!({ "staff_id": anna });
    server.operator("PATCH", &format!("/businesses/{salon}/people/{}", bob.id), link).await;
    let page = browser.get(&path).await.is(200).says("Anna");
    assert!(!page.text().contains("Bea") && !page.text().contains("The whole business"));
    let made = browser.submit(&page, &path, &[("staff_id", &anna), ("detail", "times")]).await.is(200);
    assert!(is_live(&server, &address(&made)).await);
    // The member's form offers neither another staff member nor the whole business, and the service refuses
    // both.
    let page = browser.get(&path).await;
    browser.submit(&page, &path, &[("staff_id", &bea), ("detail", "times")]).await.is(404);
    let page = browser.get(&path).await;
    browser.submit(&page, &path, &[("staff_id", ""), ("detail", "times")]).await.is(403);
    let others = format!("{path}/feeds/{}/revoke", of_bea["id"].as_str().unwrap());
    browser.get(&others).await.is(404);
    browser.post(&others, &[("form", &page.field(&path, "form"))]).await.is(404);
    // The operator disables the membership. This revokes the member's feed, but not the feed that the operator has
    // created.
    let off = json!({ "status": "disabled" });
    server.operator("PATCH", &format!("/businesses/{salon}/people/{}", bob.id), off).await;
    assert!(!is_live(&server, &address(&made)).await);
    let listed = server.operator("GET", &feeds, Value::Null).await;
    let revoked: Vec<_> = listed.as_array().unwrap().iter().map(|one| one["revoked_at"].is_null()).collect();
    assert_eq!(revoked, [true, false]);
}

#[tokio::test]
async fn a_refused_form_is_shown_again_also_in_french() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let feeds = format!("/businesses/{salon}/feeds");
    for _ in 0..10 {
        server.operator("POST", &feeds, json!({})).await;
    }
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let (mut browser, path) = (server.signed_in(&salon, &ada).await, path(&salon));
    let form = browser.get("/dashboard/account").await;
    browser.submit(&form, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser.get(&path).await.says("Adresses de calendrier").says("toutes les 8 à 24 heures");
    let refused = browser.submit(&page, &path, &[("staff_id", ""), ("detail", "times")]).await.is(409);
    assert_eq!(refused.says("10 adresses").field(&path, "detail"), "times");
}

/// A calendar file with an event at these UTC times of 2 March 2026.
fn busy(start: &str, end: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n\
         DTSTART:20260302T{start}Z\r\nDTEND:20260302T{end}Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

impl Salon {
    /// Connects a calendar with an event at these times for Inès, waits until the service has read the calendar, and
    /// returns the id of the calendar.
    async fn connected(&self, start: &str, end: &str) -> String {
        self.server.receiver.answers(200, &busy(start, end));
        let body =
            json!({ "staff_id": self.ines, "kind": "ics", "url": "https://calendar.example.com/secret.ics" });
        let made = self.operator("POST", "/calendars", body).await;
        let path = format!("/calendars/{}", made["id"].as_str().unwrap());
        while self.operator("GET", &path, Value::Null).await["status"] != "connected" {
            tokio::task::yield_now().await;
        }
        made["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn the_team_books_and_moves_over_a_busy_time_with_a_checkbox() {
    const BOX: &str = "Ignore the busy times of connected calendars";
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let address = format!("{path}?service={}&staff={}&date=2026-03-02", salon.cut, salon.ines);
    let page = salon.member.get(&address).await.is(200);
    assert!(!page.text().contains(BOX), "without a calendar there is no checkbox");
    salon.connected("090000", "100000").await;
    let nine = "2026-03-02T09:00:00.000Z"; // 10:00 in Paris
    let page = salon.member.get(&address).await.says(BOX);
    assert!(!page.body.contains(nine));
    let page = salon.member.get(&format!("{address}&ignore_calendars=true")).await.is(200);
    assert!(page.body.contains(nine));
    let fields = [("starts_at", nine), ("who", "new"), ("name", "Emma"), ("ignore_calendars", "true")];
    let sent = salon.member.submit(&page, &path, &fields).await.is(303);
    let id = sent.header("location").split("booked=").nth(1).unwrap().to_owned();
    // The appointment overlaps the busy time.
    let today = salon.member.get(&salon.to("today")).await;
    let today = today.says("One appointment of the next 14 days overlaps a busy time");
    assert!(today.body.contains(&salon.to(&format!("appointments/{id}"))));
    // A move within the busy time is refused, unless the checkbox to ignore busy times is ticked.
    let path = salon.to(&format!("appointments/{id}/move"));
    let page = salon.member.get(&path).await.says(BOX);
    let half_past = [("starts_at", "other"), ("time", "10:30")];
    let page = salon.member.submit(&page, &path, &half_past).await.is(409).says("Nothing is booked yet");
    let page = page.says("This person is busy then in a connected calendar.");
    assert!(!page.text().contains("has time off"), "{}", page.text());
    let fields = [&half_past[..], &[("ignore_calendars", "true")]].concat();
    salon.member.submit(&page, &path, &fields).await.is(303);
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-02T09:30:00.000Z");
    let away = json!({ "starts_at": "2026-03-02T13:00:00Z" });
    salon.operator("POST", &format!("/appointments/{id}/reschedule"), away).await;
    assert!(!salon.member.get(&salon.to("today")).await.text().contains("overlaps a busy time"));
}

#[tokio::test]
async fn a_calendar_is_changed_without_showing_its_address() {
    let mut salon = Salon::open().await;
    let id = salon.connected("090000", "100000").await;
    let (list, change) = (path(&salon.id), format!("{}/{id}/change", path(&salon.id)));
    assert!(salon.owner.get(&list).await.body.contains(&change));
    let page = salon.owner.get(&change).await.is(200).says("calendar.example.com").says("Inès");
    assert!(!page.body.contains("secret.ics"));
    let wrong = [("own_addresses", "ines@example.com\r\nx"), ("all_day", "free")];
    let page = salon.owner.submit(&page, &change, &wrong).await.is(422);
    let fields = [("name", "Home"), ("own_addresses", "ines@example.com"), ("all_day", "free")];
    let sent = salon.owner.submit(&page, &change, &fields).await.is(303);
    assert_eq!(sent.header("location"), format!("{list}?done=changed"));
    let shown = salon.operator("GET", &format!("/calendars/{id}"), Value::Null).await;
    assert_eq!(
        (&shown["name"], &shown["all_day"], &shown["own_addresses"]),
        (&json!("Home"), &json!("free"), &json!(["ines@example.com"]))
    );
    // A form is refused if the calendar was changed after the form was loaded.
    salon.owner.submit(&page, &change, &[("name", "Work")]).await.is(409);
    // Before the service stores a new address, it sends a request to the address. If the request fails, the
    // page shows the error at the field.
    let page = salon.owner.get(&change).await;
    salon.server.receiver.is_away();
    let refused = salon.owner.submit(&page, &change, &[("url", "https://other.example.com/x.ics")]).await;
    assert!(refused.is(422).body.contains("id=\"url-problem\""));
    // A member who is linked to another staff member does not see the calendar.
    salon.member.get(&change).await.is(404);
}

impl Salon {
    /// Connects a calendar to which the appointments of Inès are written. The APIs would first check the calendar, so
    /// this function calls the engine directly.
    async fn written(&self) -> String {
        let url = WebhookUrl::parse("https://calendar.example.com/dav/").unwrap();
        let password = CalendarPassword::new("pw".into());
        let connect = ConnectCalendar {
            staff_id: self.ines.parse().unwrap(),
            name: "Work".into(),
            kind: CalendarKind::Caldav,
            url: url.clone(),
            login: Some(CalendarLogin { username: "ines".into(), password }),
            collection: Some(url),
            collection_name: "Work".into(),
            server_addresses: Vec::new(),
            busy: true,
            write: true,
            detail: FeedDetail::Services,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        };
        let business = self.server.engine().business(self.id.parse().unwrap());
        let connected = business.change(Request::by(Actor::Operator), connect).await.unwrap();
        connected.value.settings.id.to_string()
    }

    async fn is_written(&self, calendar: &str, status: &str) {
        let path = format!("/calendars/{calendar}/appointments?status={status}");
        while self.operator("GET", &path, Value::Null).await.as_array().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn more_calendars_than_fit_on_a_page_are_on_the_next_page() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let (mut browser, path) = (server.signed_in(&salon, &ada).await, path(&salon));
    let business = server.engine().business(salon.parse().unwrap());
    let mut of = String::new();
    for number in 1..=51 {
        if number % 10 == 1 {
            of = staff(&server, &salon, &format!("Person {number}")).await;
        }
        let connect = ConnectCalendar {
            staff_id: of.parse().unwrap(),
            name: format!("Calendar no. {number}."),
            kind: CalendarKind::Ics,
            url: WebhookUrl::parse("https://calendar.example.com/secret.ics").unwrap(),
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
        business.change(Request::by(Actor::Operator), connect).await.unwrap();
    }
    let page = browser.get(&path).await.is(200).says("Calendar no. 1.").says("Calendar no. 50.");
    assert!(!page.text().contains("Calendar no. 51."));
    let page = browser.get(&page.link("?after=")).await.is(200).says("Calendar no. 51.");
    assert!(!page.text().contains("Calendar no. 50.") && !page.body.contains("?after="));
}

#[tokio::test]
async fn the_appointments_of_a_calendar_are_shown_and_written_again() {
    let mut salon = Salon::open().await;
    salon.server.receiver.answers(403, "");
    let calendar = salon.written().await;
    let visit = salon.booked("2026-03-02T09:00:00Z", "Emma").await;
    salon.is_written(&calendar, "failed").await;
    let (list, at) = (path(&salon.id), salon.to(&format!("appointments/{visit}")));
    let page = salon.owner.get(&at).await.is(200).says("In connected calendars").says("Could not be added");
    let write = format!("{list}/{calendar}/appointments/{visit}/write");
    salon.server.receiver.answers(200, "");
    salon.owner.submit(&page, &write, &[]).await.leads_to(&format!("{at}?done=written"));
    salon.is_written(&calendar, "synced").await;
    let page = salon.owner.get(&at).await.says("Added to the calendar");
    assert!(!page.body.contains(&write), "only a failed write can be repeated here");
    let one = format!("{list}/{calendar}");
    assert!(salon.owner.get(&list).await.body.contains(&one));
    let page = salon.owner.get(&one).await.is(200).says("Inès").says("Added to the calendar");
    assert!(page.body.contains(&at));
    salon.owner.submit(&page, &write, &[]).await.leads_to(&format!("{one}?done=written"));
    let none = salon.owner.get(&format!("{one}?status=failed")).await.says("No appointments");
    assert!(!none.body.contains(&at));
    // A member who is linked to another staff member cannot open the page of the calendar.
    salon.member.get(&one).await.is(404);
    let rename = [("name", "Therapy")];
    let change = format!("{one}/change");
    let page = salon.owner.get(&change).await.is(200);
    salon.owner.submit(&page, &change, &rename).await.is(303);
    assert!(salon.owner.get(&at).await.text().contains("Therapy"));
    let page = salon.member.get(&at).await.is(200).says("In connected calendars");
    assert!(!page.body.contains("Therapy"), "the member does not see the calendar");
    let page = salon.owner.get(&change).await.is(200);
    assert_eq!(page.field(&change, "write"), "both");
    salon.owner.submit(&page, &change, &[("write", "read"), ("detail", "times")]).await.is(303);
    while salon.appointment(&visit).await["calendar_sync_status"] != "not_connected" {
        tokio::task::yield_now().await;
    }
    let page = salon.owner.get(&change).await;
    salon.owner.submit(&page, &change, &[("write", "write")]).await.is(303);
    salon.is_written(&calendar, "synced").await;
    let disconnect = format!("{one}/disconnect");
    let page = salon.owner.get(&disconnect).await.says("First delete the events that have not ended");
    let sent = salon.owner.submit(&page, &disconnect, &[("remove_events", "true")]).await;
    sent.leads_to(&format!("{list}?done=removing"));
    while !salon.operator("GET", "/calendars", Value::Null).await.as_array().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
}
