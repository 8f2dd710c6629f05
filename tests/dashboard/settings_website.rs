//! Tests of two settings pages: one for the booking page, and one for the notices to customers. Also tests the Today
//! page, which can offer to enable these notices.

use domain::{Actor, Business};
use engine::moving::{ImportOptions, Moved};
use serde_json::{Value, json};
use view::ImportedView;

use crate::harness::{Browser, Server, dead_relay};

const PUBLIC_URL: &str = "http://localhost:8080";

async fn open() -> (Server, String, Browser) {
    let server = Server::open_with(Some(PUBLIC_URL), None).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let browser = server.signed_in(&salon, &ada).await;
    (server, salon, browser)
}

async fn saved(server: &Server, salon: &str, what: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/{what}"), Value::Null).await
}

#[tokio::test]
async fn the_booking_page_is_enabled_and_embedded_from_its_settings() {
    let (server, salon, mut browser) = open().await;
    let path = format!("/dashboard/b/{salon}/settings/website");
    let page = browser.get(&path).await.is(200);
    assert!(!page.text().contains("Address of the page"));
    browser.submit(&page, &path, &[("enabled", "on")]).await.leads_to(&format!("{path}?done=saved"));
    let page = browser.get(&format!("{path}?done=saved")).await.is(200).says("Saved.");
    let page = page.says(&format!("{PUBLIC_URL}/book/salon-zoe")).says("no website can show the page");
    let fields = [
        ("slug", "zoe"),
        ("origins", "https://A.example\n\n http://localhost:3000 "),
        ("color", "#1A2B3C"),
        ("phone", "01 42 68 53 00"),
        ("email", "bonjour@salon.example"),
        ("address", "12 rue de la Paix, Paris"),
        ("change_notice_minutes", "120"),
        ("show_prices", "on"),
    ];
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=saved"));
    let expected = json!({
        "enabled": true, "slug": "zoe", "url": format!("{PUBLIC_URL}/book/zoe"),
        "origins": ["https://a.example", "http://localhost:3000"], "color": "#1a2b3c", "phone": "+33142685300",
        "email": "bonjour@salon.example", "address": "12 rue de la Paix, Paris", "change_by_caller": true,
        "change_notice_minutes": 120, "show_prices": true,
    });
    assert_eq!(saved(&server, &salon, "website").await, expected);
    let page = browser.get(&path).await.is(200);
    let page = page
        .says(&format!("<script src=\"{PUBLIC_URL}/widget.js\" data-business=\"zoe\" async></script>"))
        .says(&format!("<iframe src=\"{PUBLIC_URL}/book/zoe/frame\" title=\"Book an appointment\""));
    // The form contains the saved values, so sending it unchanged changes nothing.
    browser.submit(&page, &path, &[]).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(saved(&server, &salon, "website").await, expected);
}

#[tokio::test]
async fn a_refused_booking_page_shows_each_problem_at_its_field() {
    let (server, salon, mut browser) = open().await;
    let other = server.business("Other").await;
    let taken = json!({ "slug": "taken" });
    server.operator("PATCH", &format!("/businesses/{other}/website"), taken).await;
    let path = format!("/dashboard/b/{salon}/settings/website");
    let page = browser.get(&path).await;
    let fields = [
        ("slug", "-x"),
        ("origins", "https://a.example/path"),
        ("color", "red"),
        ("phone", "1"),
        ("email", "x"),
    ];
    let page = browser.submit(&page, &path, &fields).await.is(422).says("Nothing is saved yet");
    for id in ["slug", "origins", "color", "phone", "email"] {
        let problem = format!("{id}-problem");
        assert!(page.tags().iter().any(|tag| tag.get("id") == Some(&problem)), "{id}");
    }
    assert_eq!(page.field(&path, "origins"), "https://a.example/path");
    let fields = [("slug", "taken"), ("origins", ""), ("color", ""), ("phone", ""), ("email", "")];
    let page = browser.submit(&page, &path, &fields).await.is(409).says("Another business has this address");
    assert_eq!(page.field(&path, "slug"), "taken");
    assert_eq!(saved(&server, &salon, "website").await["slug"], Value::Null);
}

#[tokio::test]
async fn members_read_the_settings_and_conflicts_show_both_versions() {
    let (server, salon, mut browser) = open().await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut member = server.signed_in(&salon, &bob).await;
    for (page, label) in [("website", "Last part of the address"), ("notices", "First reminder")] {
        let path = format!("/dashboard/b/{salon}/settings/{page}");
        let seen = member.get(&path).await.is(200).says(label);
        assert!(seen.forms().iter().all(|form| form.action != path), "{page}");
    }
    let path = format!("/dashboard/b/{salon}/settings/website");
    let page = browser.get(&path).await;
    server.operator("PATCH", &format!("/businesses/{salon}/website"), json!({ "slug": "theirs" })).await;
    let page = browser.submit(&page, &path, &[("slug", "mine")]).await.is(409);
    let page = page.says("Saved version").says("theirs").says("Your version");
    browser.submit(&page, &path, &[("slug", "mine")]).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(saved(&server, &salon, "website").await["slug"], "mine");
}

#[tokio::test]
async fn notices_are_set_on_their_page() {
    let (server, salon, mut browser) = open().await;
    let path = format!("/dashboard/b/{salon}/settings/notices");
    let page =
        browser.get(&path).await.is(200).says("This service sends no email, so clients get no notices.");
    assert_eq!(page.field(&path, "first_reminder"), "24");
    let fields = [("email", "all"), ("first_reminder", "48"), ("second_reminder", "2")];
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=saved"));
    let expected = json!({ "email": "all", "text": "off", "reminder_hours": [48, 2] });
    assert_eq!(saved(&server, &salon, "notices").await, expected);
    let page = browser.get(&path).await;
    let same = [("first_reminder", "2"), ("second_reminder", "2")];
    let page = browser.submit(&page, &path, &same).await.is(422);
    assert!(page.tags().iter().any(|tag| tag.get("id") == Some("second_reminder-problem")));
    let none = [("first_reminder", ""), ("second_reminder", "")];
    browser.submit(&page, &path, &none).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(saved(&server, &salon, "notices").await["reminder_hours"], json!([]));
}

/// The records of a business with one appointment, which was booked and then cancelled. `notice` is the id of a dropped
/// notice, and `log` contains all notices of the business.
struct Noticed {
    appointment: String,
    notice: String,
    log: Vec<Value>,
}

async fn logged(server: &Server, business: &str) -> Vec<Value> {
    let log = server.operator("GET", &format!("/businesses/{business}/notices/log"), Value::Null).await;
    log.as_array().unwrap().clone()
}

async fn noticed(server: &Server, business: &str) -> Noticed {
    let base = format!("/businesses/{business}");
    let service = server.offers(business, ("Cut", 30), "Anna").await;
    let settings = json!({ "email": "all", "reminder_hours": [] });
    server.operator("PATCH", &format!("{base}/notices"), settings).await;
    let booking = json!({ "service_id": service, "starts_at": "2026-03-03T09:00:00Z",
        "contact": { "name": "Zoé", "email": "zoe@example.com" } });
    let booked = server.operator("POST", &format!("{base}/appointments"), booking).await;
    let appointment = booked["id"].as_str().unwrap().to_owned();
    server.operator("POST", &format!("{base}/appointments/{appointment}/cancel"), Value::Null).await;
    loop {
        let log = logged(server, business).await;
        if let Some(dropped) = log.iter().find(|notice| notice["status"] == "dropped") {
            let notice = dropped["id"].as_str().unwrap().to_owned();
            return Noticed { appointment, notice, log };
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_notice_of_another_business_is_neither_shown_nor_sent_again() {
    let server = Server::open_with(Some(PUBLIC_URL), Some(dead_relay())).await;
    let (salon, other) = (server.business("Salon Zoé").await, server.business("Other").await);
    let (own, foreign) = (noticed(&server, &salon).await, noticed(&server, &other).await);
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let path = format!("/dashboard/b/{salon}/settings/notices");
    let page = browser.get(&path).await.is(200);
    assert!(!page.body.contains(&foreign.notice), "{}", page.body);
    let form = page.field(&format!("{path}/{}/send-again", own.notice), "form");
    let send_again = |id: &str| format!("{path}/{id}/send-again");
    browser.post(&send_again(&foreign.notice), &[("form", &form)]).await.is(404);
    assert_eq!(logged(&server, &other).await, foreign.log);
    browser.post(&send_again(&own.notice), &[("form", &form)]).await.is(303);
    assert_eq!(logged(&server, &salon).await.len(), own.log.len() + 1);
    let appointment = |id: &str| format!("/dashboard/b/{salon}/appointments/{id}");
    browser.get(&appointment(&foreign.appointment)).await.is(404);
    browser.get(&appointment(&own.appointment)).await.is(200);
}

#[tokio::test]
async fn today_offers_notices_only_where_the_team_has_not_decided() {
    let server = Server::open_with(Some(PUBLIC_URL), Some(dead_relay())).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let today = format!("/dashboard/b/{salon}/today");
    let offer = "Clients get no emails about their appointments yet.";
    // A new business sends notices, so the Today page does not offer to enable them.
    assert!(!browser.get(&today).await.is(200).text().contains(offer));
    // Now the business is deleted and imported from an export without notice settings. Unlike a new business, an
    // imported business without these settings sends no notices.
    let profile = server.engine().business(salon.parse().unwrap()).business().await.unwrap();
    server.operator("DELETE", &format!("/businesses/{salon}"), Value::Null).await;
    imported(&server, &profile).await;
    let bob = server.person(&salon, "bob@example.com", "owner").await;
    let member = server.person(&salon, "member@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &bob).await;
    browser.get(&today).await.is(200).says(offer);
    assert!(!server.signed_in(&salon, &member).await.get(&today).await.is(200).text().contains(offer));
    // The owner saves the form with the notices turned off. The team has now decided against notices, so the Today
    // page no longer offers to enable them.
    let path = format!("/dashboard/b/{salon}/settings/notices");
    let page = browser.get(&path).await;
    assert_eq!(page.field(&path, "email"), "off");
    browser.submit(&page, &path, &[]).await.leads_to(&format!("{path}?done=saved"));
    assert!(!browser.get(&today).await.is(200).text().contains(offer));
}

/// Imports a business without other records. Waits until the deleted business with the same id is gone.
async fn imported(server: &Server, profile: &Business) {
    loop {
        let mut import = server.engine().import(ImportOptions::default()).unwrap();
        if import.take(2, Moved::Business(profile.clone())).await.unwrap().is_empty() {
            assert!(import.take(3, Moved::End { records: 1 }).await.unwrap().is_empty());
            let exported_at = profile.updated_at;
            let view = ImportedView {
                businesses: 1,
                records: 1,
                exported_at,
                dry_run: false,
                lost_slugs: Vec::new(),
            };
            import.finish(view, Actor::Operator, None).await.unwrap();
            return;
        }
        import.take_back().await.unwrap();
        tokio::task::yield_now().await;
    }
}
