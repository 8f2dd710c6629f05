//! Tests of the pages of a manage link.

mod other_pages;

use domain::Actor;
use engine::business::Request;
use engine::business::commands::customers::MintLink;
use serde_json::{Value, json};

use crate::browsing::{Browser, Page, Server};

const STARTS_AT: &str = "2026-03-05T09:00:00.000Z";
const OTHER_TIME: &str = "2026-03-05T14:00:00.000Z";
const FIXED: [&str; 2] = [
    "This appointment can no longer be changed online.",
    "Ce rendez-vous ne peut plus être modifié en ligne.",
];

/// An appointment with a manage link.
pub(crate) struct Booked {
    pub(crate) server: Server,
    pub(crate) browser: Browser,
    pub(crate) business: String,
    id: String,
    contact: String,
    token: String,
}

impl Booked {
    /// Creates a confirmed appointment that starts in three days.
    pub(crate) async fn new() -> Self {
        let server = Server::open().await;
        let business = server.business("Salon Lumière").await;
        let service = server.offers(&business, ("Coupe", 30), "Camille").await;
        let of = |path: &str| format!("/businesses/{business}/{path}");
        let website = json!({ "phone": "+33140000000", "email": "salon@example.com",
            "address": "1 rue de la Paix, Paris", "enabled": true, "origins": ["https://salon.example"] });
        server.operator("PATCH", &of("website"), website).await;
        let contact = json!({ "name": "Zoé Secret", "phone": "+33612345678", "email": "zoe@example.com" });
        let contact = id(&server.operator("POST", &of("contacts"), contact).await);
        let what = json!({ "service_id": service, "contact_id": contact, "starts_at": STARTS_AT });
        let appointment = id(&server.operator("POST", &of("appointments"), what).await);
        let notes = json!({ "notes": "A secret note" });
        server.operator("PATCH", &of(&format!("appointments/{appointment}")), notes).await;
        let mut booked = Self {
            browser: server.browser(),
            server,
            business,
            id: appointment,
            contact,
            token: String::new(),
        };
        booked.token = booked.link().await;
        booked
    }

    /// Books another appointment of the contact, and creates its link.
    async fn another(&mut self, starts_at: &str) {
        let service = self.appointment().await["service_id"].clone();
        let what = json!({ "service_id": service, "contact_id": self.contact, "starts_at": starts_at });
        self.id = id(&self.operator("POST", "/appointments", what).await);
        self.token = self.link().await;
    }

    /// Creates another link of the appointment.
    async fn link(&self) -> String {
        self.link_to(None).await
    }

    /// Creates a link for a mail to this address.
    async fn link_to(&self, to: Option<&str>) -> String {
        let business = self.server.engine().business(self.business.parse().unwrap());
        let mint = MintLink { appointment_id: self.id.parse().unwrap(), to: to.map(str::to_owned) };
        business.change(Request::by(Actor::Operator), mint).await.unwrap().value.token
    }

    pub(crate) fn path(&self, page: &str) -> String {
        format!("/book/manage/{}{page}", self.token)
    }

    async fn get(&mut self, page: &str) -> Page {
        let path = self.path(page);
        self.browser.get(&path).await
    }

    async fn form_id(&mut self) -> String {
        let page = self.get("/move").await.is(200);
        let form = page.form(&self.path("/move"));
        form.fields.into_iter().find(|(name, _)| name == "form_id").unwrap().1
    }

    async fn send(&mut self, form: &str, fields: &[(&str, &str)]) -> Page {
        let path = self.path(form);
        self.browser.post(&path, fields).await
    }

    async fn move_to(&mut self, starts_at: &str, expected: &str, form_id: &str) -> Page {
        let fields = [("starts_at", starts_at), ("expected_starts_at", expected), ("form_id", form_id)];
        self.send("/move", &fields).await
    }

    async fn cancel(&mut self, expected: &str, form_id: &str) -> Page {
        self.send("/cancel", &[("expected_starts_at", expected), ("form_id", form_id)]).await
    }

    async fn operator(&self, method: &str, path: &str, body: Value) -> Value {
        self.server.operator(method, &format!("/businesses/{}{path}", self.business), body).await
    }

    async fn appointment(&self) -> Value {
        self.operator("GET", &format!("/appointments/{}", self.id), Value::Null).await
    }

    async fn starts_at(&self) -> String {
        self.appointment().await["starts_at"].as_str().unwrap().to_owned()
    }

    /// Asserts that the service refuses to move or cancel the appointment, and that the page has no forms and
    /// gives the reason for the refusal.
    async fn is_fixed(&mut self, ids: [String; 2]) {
        for (locale, text) in ["en", "fr"].into_iter().zip(FIXED) {
            let page = self.get(&format!("?locale={locale}")).await.is(200).says(text);
            let page = page.says("+33 1 40 00 00 00").says("salon@example.com");
            assert_eq!(page.forms().len(), 0, "{}", page.body);
            self.get(&format!("/move?locale={locale}")).await.is(200).says(text);
        }
        self.move_to(OTHER_TIME, STARTS_AT, &ids[0]).await.is(422).says(FIXED[0]);
        self.cancel(STARTS_AT, &ids[1]).await.is(422).says(FIXED[0]);
        assert_eq!(self.starts_at().await, STARTS_AT);
    }

    async fn two_ids(&mut self) -> [String; 2] {
        [self.form_id().await, self.form_id().await]
    }
}

fn id(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
}

#[tokio::test]
async fn a_link_shows_the_appointment_and_no_data_of_the_contact() {
    let mut booked = Booked::new().await;
    let before = booked.appointment().await;
    for (locale, texts) in [
        ("en", ["Your appointment is booked", "Confirmed", "Thursday 5 March 2026 at 10:00"]),
        ("fr", ["Votre rendez-vous est réservé", "Confirmé", "Jeudi 5 mars 2026 à 10 h"]),
    ] {
        let mut page = booked.get(&format!("?locale={locale}")).await.is(200);
        for text in texts {
            page = page.says(text);
        }
        for text in [
            "Salon Lumière",
            "Coupe",
            "Camille",
            "Europe/Paris",
            "+33 1 40 00 00 00",
            "salon@example.com",
            "1 rue de la Paix, Paris",
        ] {
            page = page.says(text);
        }
        for secret in ["Zoé", "612345678", "zoe@", "secret note"] {
            assert!(!page.body.contains(secret), "{secret}");
        }
        assert_eq!(page.header("set-cookie"), "");
        assert_eq!(page.header("x-frame-options"), "DENY");
    }
    for page in ["", "/move", "/appointment.ics"] {
        let path = booked.path(page);
        booked.browser.ask("HEAD", &path, &[], String::new()).await.is(200);
    }
    assert_eq!(booked.appointment().await, before);
}

#[tokio::test]
async fn the_language_is_that_of_the_query_else_of_the_browser_else_of_the_business() {
    let mut booked = Booked::new().await;
    let path = booked.path("");
    let mut says = async |query: &str, accepts: &str, text: &str| {
        let headers: &[_] = if accepts.is_empty() { &[] } else { &[("accept-language", accepts)] };
        booked.browser.ask("GET", &format!("{path}{query}"), headers, String::new()).await.is(200).says(text);
    };
    says("?locale=en", "fr", "Your appointment").await;
    says("?locale=xx", "fr", "Votre rendez-vous").await;
    says("", "en, fr;q=0.5", "Your appointment").await;
    let locale = booked.operator("GET", "", Value::Null).await["locale"].clone();
    let text = if locale == "fr" { "Votre rendez-vous" } else { "Your appointment" };
    booked.get("").await.is(200).says(text);
}

#[tokio::test]
async fn an_appointment_is_moved_once_by_one_form() {
    let mut booked = Booked::new().await;
    let path = booked.path("/move");
    let page = booked.get("/move?date=2026-03-05&locale=en").await.is(200);
    let page = page.says("Your appointment is on Thursday 5 March 2026 at 10:00");
    let times: Vec<_> = page.tags().into_iter().filter(|tag| tag.get("name") == Some("starts_at")).collect();
    let times: Vec<_> = times.iter().filter_map(|tag| tag.get("value")).collect();
    assert!(times.contains(&OTHER_TIME) && !times.contains(&STARTS_AT), "{times:?}");

    let form_id = booked.form_id().await;
    for _ in 0..2 {
        booked.move_to(OTHER_TIME, STARTS_AT, &form_id).await.leads_to(&path[..path.len() - 5]);
        assert_eq!(booked.starts_at().await, OTHER_TIME);
    }
    booked.get("?locale=en").await.is(200).says("Thursday 5 March 2026 at 15:00");
    // A form with a used id and another time changes nothing. The response shows the form with a new id.
    let page = booked.move_to("2026-03-05T16:00:00.000Z", OTHER_TIME, &form_id).await.is(409);
    let new = page.form(&path).fields.into_iter().find(|(name, _)| name == "form_id").unwrap().1;
    assert_ne!(new, form_id);
    assert_eq!(booked.starts_at().await, OTHER_TIME);
    // The earlier manage links stay valid when a new one is created.
    booked.link().await;
    booked.get("").await.is(200);
}

#[tokio::test]
async fn the_first_open_day_is_shown_and_other_weeks_are_linked() {
    let mut booked = Booked::new().await;
    let page = booked.get("/move?locale=en").await.is(200).says("Monday 2 March").says("Later →");
    assert!(!page.text().contains("← Earlier"));
    booked.get("/move?date=2026-03-09&locale=en").await.is(200).says("Monday 9 March").says("← Earlier");
    for bad in ["2026-02-01", "x", "9999-12-31", "+262142-12-31", ""] {
        booked.get(&format!("/move?date={bad}&locale=en")).await.is(200).says("Monday 2 March");
    }
    booked.get("/move?date=2026-03-08&locale=en").await.is(200).says("Monday 9 March");
    booked.operator("PUT", "/special-days/2026-03-02", json!({ "closed": true })).await;
    let page = booked.get("/move?locale=en").await.is(200).says("Tuesday 3 March");
    assert!(!page.text().contains("Monday 2 March"));
}

#[tokio::test]
async fn a_time_that_is_not_open_is_refused_with_the_open_times_of_its_day() {
    let mut booked = Booked::new().await;
    for closed in ["2026-03-08T10:00:00.000Z", "2026-03-05T03:00:00Z", "2026-03-05T14:01:00Z"] {
        let form_id = booked.form_id().await;
        let page = booked.move_to(closed, STARTS_AT, &form_id).await.is(409);
        assert!(page.tags().iter().any(|tag| tag.get("name") == Some("starts_at")), "{closed}");
    }
    for (starts_at, expected) in
        [("", STARTS_AT), ("tomorrow", STARTS_AT), (OTHER_TIME, ""), (OTHER_TIME, "10:00")]
    {
        let form_id = booked.form_id().await;
        booked.move_to(starts_at, expected, &form_id).await.is(422);
        booked.cancel("10:00", &form_id).await.is(422);
    }
    assert_eq!(booked.starts_at().await, STARTS_AT);
}

#[tokio::test]
async fn a_form_with_an_older_time_is_refused_with_the_current_time() {
    let mut booked = Booked::new().await;
    let ids = booked.two_ids().await;
    let moved = json!({ "starts_at": OTHER_TIME });
    booked.operator("POST", &format!("/appointments/{}/reschedule", booked.id), moved).await;
    for page in [
        booked.move_to("2026-03-06T09:00:00Z", STARTS_AT, &ids[0]).await,
        booked.cancel(STARTS_AT, &ids[1]).await,
    ] {
        let page = page.is(409).says("15");
        assert!(page.text().contains("5 March 2026 at 15:00") || page.text().contains("5 mars 2026 à 15 h"));
    }
    assert_eq!(booked.starts_at().await, OTHER_TIME);
    let form_id = booked.form_id().await;
    booked.cancel(OTHER_TIME, &form_id).await.leads_to(&booked.path(""));
}

#[tokio::test]
async fn a_cancelled_appointment_has_no_forms() {
    let mut booked = Booked::new().await;
    let [first, second] = booked.two_ids().await;
    let third = booked.form_id().await;
    let path = booked.path("/cancel");
    let page = booked.get("").await;
    let fields = [("expected_starts_at", STARTS_AT)];
    booked.browser.submit(&page, &path, &fields).await.leads_to(&booked.path(""));
    let page = booked.get("?locale=en").await.is(200).says("This appointment is cancelled");
    assert_eq!(page.forms().len(), 0);
    let page = page.says("Book another appointment");
    assert!(!page.body.contains("Add to your calendar"), "{}", page.body);
    let before = booked.appointment().await;
    assert_eq!(before["status"], "cancelled");
    booked.cancel(STARTS_AT, &first).await.leads_to(&booked.path(""));
    booked.cancel("2020-01-01T00:00:00Z", &second).await.leads_to(&booked.path(""));
    booked.move_to(OTHER_TIME, STARTS_AT, &third).await.is(409);
    assert_eq!(booked.appointment().await, before);
    let file = booked.get("/appointment.ics").await.is(200);
    assert!(file.body.contains("STATUS:CANCELLED\r\n"), "{}", file.body);
}

#[tokio::test]
async fn a_request_waits_for_the_business_and_can_be_declined() {
    let mut booked = Booked::new().await;
    let [first, second] = booked.two_ids().await;
    booked.operator("PATCH", "", json!({ "booking_mode": "request" })).await;
    let form_id = booked.form_id().await;
    booked.move_to(OTHER_TIME, STARTS_AT, &form_id).await.is(303);
    assert_eq!(booked.appointment().await["status"], "pending");
    booked.get("?locale=en").await.is(200).says("Requested").says("not confirmed yet");
    booked.get("?locale=fr").await.is(200).says("Demandé").says("pas encore confirmé");
    let path = format!("/appointments/{}/decline", booked.id);
    booked.operator("POST", &path, json!({})).await;
    let page = booked.get("?locale=en").await.is(200).says("This appointment was declined");
    assert_eq!(page.forms().len(), 0);
    booked.get("?locale=fr").await.is(200).says("Refusé");
    booked.cancel(OTHER_TIME, &first).await.is(303);
    booked.move_to(STARTS_AT, OTHER_TIME, &second).await.is(409);
    assert_eq!(booked.appointment().await["status"], "declined");
}

#[tokio::test]
async fn a_business_that_takes_no_bookings_moves_none() {
    let mut booked = Booked::new().await;
    let [first, second] = booked.two_ids().await;
    booked.operator("PATCH", "", json!({ "booking_mode": "off" })).await;
    let page = booked.get("/move?locale=en").await.is(200);
    assert_eq!(page.forms().len(), 1, "the form that cancels: {}", page.body);
    booked.move_to(OTHER_TIME, STARTS_AT, &first).await.is(409);
    booked.cancel(STARTS_AT, &second).await.is(303);
}

#[tokio::test]
async fn a_move_that_the_business_has_to_confirm_is_called_a_request() {
    let mut booked = Booked::new().await;
    booked.operator("PATCH", "", json!({ "booking_mode": "request" })).await;
    let page = booked.get("/move?locale=en").await.is(200).says("The business has to confirm it.");
    page.says("Request this time");
    let id = booked.form_id().await;
    booked.move_to(OTHER_TIME, STARTS_AT, &id).await.is(303);
    assert_eq!(booked.appointment().await["status"], "pending");
}

#[tokio::test]
async fn a_form_that_is_sent_twice_at_once_succeeds_twice() {
    let mut booked = Booked::new().await;
    let id = booked.form_id().await;
    let fields = [("expected_starts_at", STARTS_AT), ("form_id", &*id)];
    let (mut other, path) = (booked.server.browser(), booked.path("/cancel"));
    let (first, second) = tokio::join!(booked.browser.post(&path, &fields), other.post(&path, &fields));
    first.is(303);
    second.is(303);
    assert_eq!(booked.appointment().await["status"], "cancelled");
}

#[tokio::test]
async fn a_late_change_is_refused() {
    let mut booked = Booked::new().await;
    let ids = booked.two_ids().await;
    booked.operator("PATCH", "/website", json!({ "change_notice_minutes": 60 })).await;
    booked.server.clock.set("2026-03-05T08:00:00Z");
    let id = booked.form_id().await;
    booked.server.clock.set("2026-03-05T08:00:01Z");
    // The clock has moved by days, so the form ids from the start of the test have expired.
    booked.cancel(STARTS_AT, &ids[0]).await.is(409);
    booked.operator("PATCH", "/website", json!({ "change_notice_minutes": 0 })).await;
    let other = booked.form_id().await;
    booked.operator("PATCH", "/website", json!({ "change_notice_minutes": 60 })).await;
    booked.is_fixed([id, other]).await;
}

#[tokio::test]
async fn a_business_can_forbid_changes_by_customers() {
    let mut booked = Booked::new().await;
    let ids = booked.two_ids().await;
    booked.operator("PATCH", "/website", json!({ "change_by_caller": false })).await;
    booked.is_fixed(ids).await;
}

#[tokio::test]
async fn a_suspended_business_makes_no_changes() {
    let mut booked = Booked::new().await;
    let ids = booked.two_ids().await;
    booked.operator("PATCH", "", json!({ "suspended": true })).await;
    booked.is_fixed(ids).await;
}

#[tokio::test]
async fn a_link_moves_an_appointment_five_times_at_most() {
    let mut booked = Booked::new().await;
    let last = booked.form_id().await;
    let mut now = STARTS_AT.to_owned();
    for hour in 10..15 {
        let (form_id, next) = (booked.form_id().await, format!("2026-03-05T{hour}:00:00.000Z"));
        booked.move_to(&next, &now, &form_id).await.is(303);
        now = next;
    }
    let page = booked.get("?locale=en").await.is(200).says(FIXED[0]);
    assert_eq!(page.forms().len(), 1, "the page must still have the form to cancel");
    booked.move_to(STARTS_AT, &now, &last).await.is(422).says(FIXED[0]);
    let path = booked.path("/cancel");
    let page = booked.get("").await;
    booked.browser.submit(&page, &path, &[]).await.is(303);
}

#[tokio::test]
async fn an_ended_appointment_has_no_forms_and_its_links_end_after_30_days() {
    let mut booked = Booked::new().await;
    booked.server.clock.set("2026-03-05T08:30:00Z");
    let ids = booked.two_ids().await;
    booked.server.clock.set("2026-03-05T09:30:00Z");
    let page = booked.get("?locale=en").await.is(200).says("This appointment is over");
    assert_eq!(page.forms().len(), 0);
    booked.get("/move?locale=fr").await.is(200).says("Ce rendez-vous est passé");
    booked.move_to(OTHER_TIME, STARTS_AT, &ids[0]).await.is(409);
    booked.cancel(STARTS_AT, &ids[1]).await.is(409);
    booked.server.clock.set("2026-04-04T09:29:59Z");
    booked.get("").await.is(200);
    booked.server.clock.set("2026-04-04T09:30:00Z");
    booked.get("").await.is(404);
}

#[tokio::test]
async fn all_missing_things_have_the_same_page() {
    let mut booked = Booked::new().await;
    let [form_id, _] = booked.two_ids().await;
    let mut pages = Vec::new();
    let valid = booked.token.clone();
    let (business, random) = valid.split_once('.').unwrap();
    let other = if random.starts_with('A') { "B" } else { "A" };
    let unknown = format!("{business}.{other}{}", &random[1..]);
    let nobody = format!("AAAAAAAAAAAAAAAAAAAAAA.{random}");
    for token in [unknown, nobody, "x".to_owned(), random.to_owned()] {
        booked.token = token;
        for page in ["", "/move", "/appointment.ics"] {
            pages.push(booked.get(page).await.is(404).body);
        }
        pages.push(booked.move_to(OTHER_TIME, STARTS_AT, &form_id).await.is(404).body);
        pages.push(booked.cancel(STARTS_AT, &form_id).await.is(404).body);
    }
    booked.token = valid;
    booked.get("").await.is(200);
    booked.operator("DELETE", &format!("/contacts/{}", booked.contact), Value::Null).await;
    for page in ["", "/move", "/appointment.ics"] {
        pages.push(booked.get(page).await.is(404).body);
    }
    pages.push(booked.browser.get("/book/no-such-page").await.is(404).body);
    pages.dedup();
    assert_eq!(pages.len(), 1, "{pages:?}");
}

#[tokio::test]
async fn a_disabled_page_leaves_links_working() {
    let mut booked = Booked::new().await;
    booked.operator("PATCH", "/website", json!({ "enabled": false, "color": "#aa3300" })).await;
    let page = booked.get("").await.is(200);
    assert!(!page.body.contains("theme.css"), "the stylesheet of a disabled page does not exist");
    let form_id = booked.form_id().await;
    booked.move_to(OTHER_TIME, STARTS_AT, &form_id).await.is(303);
}

#[tokio::test]
async fn a_form_of_another_site_or_of_another_link_changes_nothing() {
    let mut booked = Booked::new().await;
    let [form_id, _] = booked.two_ids().await;
    let fields = [("expected_starts_at", STARTS_AT), ("form_id", &form_id)];
    let path = booked.path("/cancel");
    for headers in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
        booked.browser.post_from(&path, &fields, &[headers]).await.is(403);
    }
    for bad in ["", "x", &format!("{form_id}x")] {
        booked.cancel(STARTS_AT, bad).await.is(409);
    }
    let first = std::mem::take(&mut booked.token);
    booked.token = booked.link().await;
    booked.cancel(STARTS_AT, &form_id).await.is(409);
    booked.token = first;
    assert_eq!(booked.appointment().await["status"], "confirmed");
    let long = "x".repeat(16 * 1024);
    booked.cancel(STARTS_AT, &long).await.is(413);
    // A client that is not a browser sends neither `Origin` nor `Sec-Fetch-Site`.
    booked.browser.post_from(&path, &fields, &[]).await.is(303);
}
