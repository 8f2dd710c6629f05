//! Tests of the page for alert settings, and of test mails that a person sends to their own address.

use serde_json::{Value, json};

use crate::access_people::marked;
use crate::harness::{Browser, Person, Server, dead_relay, relay};

fn path(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/notifications")
}

async fn set(server: &Server, salon: &str, person: &Person) -> Value {
    let path = format!("/businesses/{salon}/people/{}/notifications", person.id);
    server.operator("GET", &path, Value::Null).await
}

async fn of(server: &Server, role: &str) -> (String, Person, Browser) {
    let salon = server.business("Salon Zoé").await;
    let person = server.person(&salon, "ada@example.com", role).await;
    let browser = server.signed_in(&salon, &person).await;
    (salon, person, browser)
}

#[tokio::test]
async fn each_kind_of_alert_has_settings_for_mail_dashboard_and_scope() {
    let server = Server::open().await;
    let (salon, ada, mut browser) = of(&server, "owner").await;
    let path = path(&salon);
    let page = browser
        .get(&path)
        .await
        .is(200)
        .says("This service sends no email")
        .says("You are not linked to a staff member here");
    assert_eq!(page.field(&path, "urgent_message.email"), "now");
    assert_eq!(page.field(&path, "appointment_booked.email"), "off");
    assert!(
        !page.form(&path).controls.iter().any(|name| name.ends_with(".scope")),
        "a person without a staff member must not be able to limit alerts to their own"
    );
    assert!(
        !page.forms().iter().any(|form| form.action.ends_with("/test")),
        "without a relay there must be no test mail"
    );
    let changed = [
        ("urgent_message.email", "daily"),
        ("call_missed.email", "off"),
        ("appointment_booked.email", "now"),
    ];
    browser.submit(&page, &path, &changed).await.leads_to(&format!("{path}?done=saved"));
    let page = browser.get(&format!("{path}?done=saved")).await.says("Saved.");
    assert_eq!(page.field(&path, "urgent_message.email"), "daily");
    let now = set(&server, &salon, &ada).await;
    assert_eq!(
        (&now["urgent_message"]["email"], &now["call_missed"]["email"]),
        (&json!("daily"), &json!("off"))
    );
    assert_eq!(
        now["webhook_disabled"],
        json!({ "email": "now", "in_app": true, "scope": "all" }),
        "the settings must be unchanged"
    );
    // For a checkbox that is not ticked, a browser sends no field.
    let mut fields = page.form(&path).fields;
    fields.retain(|(name, _)| name != "message_taken.in_app");
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(&path, &fields).await.is(303);
    let now = set(&server, &salon, &ada).await;
    assert_eq!(
        (&now["message_taken"]["in_app"], &now["call_missed"]["in_app"]),
        (&json!(false), &json!(true))
    );
}

#[tokio::test]
async fn a_staff_member_can_limit_alerts_to_their_own_and_a_member_sees_no_webhook_alerts() {
    let server = Server::open().await;
    let (salon, ada, mut browser) = of(&server, "member").await;
    let staff = server
        .operator(
            "POST",
            &format!("/businesses/{salon}/staff"),
            json!({ "name": "Camille", "service_ids": [] }),
        )
        .await;
    let person = format!("/businesses/{salon}/people/{}", ada.id);
    server.operator("PATCH", &person, json!({ "staff_id": staff["id"] })).await;
    let path = path(&salon);
    let page = browser.get(&path).await.is(200).says("Mine");
    assert!(!page.body.contains("webhook"), "a member must not see alerts about webhooks");
    assert_eq!(page.field(&path, "appointment_booked.scope"), "mine");
    assert!(
        !page.form(&path).controls.contains(&"call_missed.scope".to_owned()),
        "a missed call belongs to no staff member"
    );
    let changed = [("appointment_booked.scope", "all"), ("message_taken.scope", "mine")];
    browser.submit(&page, &path, &changed).await.is(303);
    let now = set(&server, &salon, &ada).await;
    assert_eq!(now["appointment_booked"]["scope"], "all");
    assert_eq!(
        (&now["message_taken"]["scope"], &now["call_missed"]["scope"]),
        (&json!("mine"), &json!("all"))
    );
    // A form cannot change settings that the page does not show.
    let page = browser.get(&path).await;
    let mut fields = page.form(&path).fields;
    fields.push(("webhook_disabled.email".into(), "now".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(&path, &fields).await.is(303);
    assert_eq!(set(&server, &salon, &ada).await["webhook_disabled"]["email"], "off");
}

#[tokio::test]
async fn a_concurrent_change_is_not_overwritten_and_invalid_values_are_refused() {
    let server = Server::open().await;
    let (salon, ada, mut browser) = of(&server, "owner").await;
    let path = path(&salon);
    let [page, other] = [browser.get(&path).await, browser.get(&path).await];
    browser.submit(&page, &path, &[("call_missed.email", "daily")]).await.is(303);
    let stale = browser.submit(&other, &path, &[("call_missed.email", "off")]).await.is(409);
    let stale = stale.says("Another person has changed these values");
    assert_eq!(marked(&stale), ["Off · shown here", "Daily · shown here"]);
    assert_eq!(
        stale.field(&path, "call_missed.email"),
        "off",
        "the form must contain the value that was sent"
    );
    assert_eq!(set(&server, &salon, &ada).await["call_missed"]["email"], "daily");
    browser.submit(&stale, &path, &[]).await.is(303);
    assert_eq!(set(&server, &salon, &ada).await["call_missed"]["email"], "off");
    let page = browser.get(&path).await;
    let refused = browser
        .submit(&page, &path, &[("call_missed.email", "hourly"), ("urgent_message.email", "daily")])
        .await;
    let refused = refused.is(422).says("Choose one of these.");
    assert_eq!(refused.field(&path, "urgent_message.email"), "daily");
}

#[tokio::test]
async fn a_test_mail_reports_the_relays_response_once_for_each_click() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let (salon, _, mut browser) = of(&server, "member").await;
    let (path, test) = (path(&salon), format!("{}/test", path(&salon)));
    let page =
        browser.get(&path).await.says("Emails are sent to ada@example.com").says("Send me a test email");
    let told = browser.submit(&page, &test, &[]).await.is(200);
    told.says("The relay accepted the test email").says("2.0.0 queued");
    browser.submit(&page, &test, &[]).await.is(200).says("2.0.0 queued");
    assert_eq!((mails.get(0).await.to.as_str(), mails.count()), ("ada@example.com", 1));
    browser.get(&test).await.leads_to(&path);
}

#[tokio::test]
async fn after_ten_test_mails_an_hour_the_page_states_the_next_possible_time() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let (salon, _, mut browser) = of(&server, "member").await;
    let (path, test) = (path(&salon), format!("{}/test", path(&salon)));
    for _ in 0..10 {
        let page = browser.get(&path).await;
        browser.submit(&page, &test, &[]).await.is(200);
    }
    let page = browser.get(&path).await;
    let refused = browser.submit(&page, &test, &[]).await.is(409);
    refused.says("The limit of test mails has been reached. The next test email can be sent from");
    assert_eq!(mails.count(), 10);
    server.clock.advance(60 * 60);
    browser.submit(&page, &test, &[]).await.is(200);
}

#[tokio::test]
async fn an_unreachable_relay_is_reported_also_in_french() {
    let server = Server::open_with(None, Some(dead_relay())).await;
    let (salon, _, mut browser) = of(&server, "owner").await;
    let page = browser.get("/dashboard/account").await;
    browser.submit(&page, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let (path, test) = (path(&salon), format!("{}/test", path(&salon)));
    let page =
        browser.get(&path).await.says("À traiter").says("Quotidien").says("M’envoyer un e-mail de test");
    browser.submit(&page, &test, &[]).await.is(200).says("L’e-mail de test n’a pas été envoyé");
}

#[tokio::test]
async fn settings_cannot_be_changed_in_a_suspended_business() {
    let server = Server::open().await;
    let (salon, _, mut browser) = of(&server, "owner").await;
    let path = path(&salon);
    let before = browser.get(&path).await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let page = browser.get(&path).await.is(200);
    assert!(!page.text().contains("Save"));
    browser.submit(&before, &path, &[]).await.is(403);
}
