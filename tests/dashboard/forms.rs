//! Tests that a form takes effect only once, and that input is never lost.

use serde_json::{Value, json};

use crate::harness::{Browser, PASSWORD, Server};

const ACCOUNT: &str = "/dashboard/account";

async fn names(server: &Server) -> Vec<Value> {
    let log = server.operator("GET", "/audit", Value::Null).await;
    let entries = log.as_array().unwrap().iter();
    entries.filter(|entry| entry["action"] == "person.changed").cloned().collect()
}

#[tokio::test]
async fn a_form_that_is_sent_twice_takes_effect_once() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get(ACCOUNT).await;
    browser.submit(&page, ACCOUNT, &[("name", "First")]).await.leads_to("/dashboard/account?done=saved");
    // If the form is sent again with the same content, the response is the same. With other content, the form
    // is refused.
    browser.submit(&page, ACCOUNT, &[("name", "First")]).await.leads_to("/dashboard/account?done=saved");
    let refused = browser.submit(&page, ACCOUNT, &[("name", "Second")]).await.is(409);
    refused.says("This form was already sent.");
    let id = page.field(ACCOUNT, "form");
    let fields = [("name", "First"), ("form", id.as_str())];
    browser.post("/dashboard/account/email", &fields).await.is(409).says("This form was already sent.");
    assert_eq!(browser.get(ACCOUNT).await.field(ACCOUNT, "name"), "First");
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let page = browser.get(ACCOUNT).await;
    let at_once = tokio::join!(
        one.submit(&page, ACCOUNT, &[("name", "Third")]),
        other.submit(&page, ACCOUNT, &[("name", "Third")])
    );
    at_once.0.leads_to("/dashboard/account?done=saved");
    at_once.1.leads_to("/dashboard/account?done=saved");
    assert_eq!(names(&server).await.len(), 2, "only two changes may be made, to First and to Third");
}

#[tokio::test]
async fn an_invalid_form_is_refused_on_both_clicks_and_acts_after_it_is_corrected() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get(ACCOUNT).await;
    let long = "x".repeat(201);
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let fields = [("name", long.as_str())];
    let at_once = tokio::join!(one.submit(&page, ACCOUNT, &fields), other.submit(&page, ACCOUNT, &fields));
    assert_eq!((at_once.0.status, at_once.1.status), (422, 422));
    browser.submit(&page, ACCOUNT, &[("name", "Ada")]).await.leads_to("/dashboard/account?done=saved");
    assert_eq!(names(&server).await.len(), 1);
}

#[tokio::test]
async fn a_form_of_one_person_has_no_effect_for_another() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let bob = server.person(&salon, "bob@example.com", "owner").await;
    let mut adas = server.signed_in(&salon, &ada).await;
    let mut bobs = server.signed_in(&salon, &bob).await;
    let page = adas.get(ACCOUNT).await;
    adas.submit(&page, ACCOUNT, &[("name", "Ada")]).await.is(303);
    // The id of Ada's form belongs to her session. If Bob sends the form, nothing is changed, and he gets a new form
    // with his input.
    bobs.submit(&page, ACCOUNT, &[("name", "Bob")]).await.leads_to(ACCOUNT);
    let page = bobs.get(ACCOUNT).await.says("This form was open for too long");
    assert_eq!(page.field(ACCOUNT, "name"), "Bob");
    assert_eq!(names(&server).await.len(), 1);
    bobs.submit(&page, ACCOUNT, &[]).await.leads_to("/dashboard/account?done=saved");
    assert_eq!(bobs.get(ACCOUNT).await.field(ACCOUNT, "name"), "Bob");
    assert_eq!(adas.get(ACCOUNT).await.field(ACCOUNT, "name"), "Ada");
}

#[tokio::test]
async fn a_form_sent_while_signed_out_is_shown_filled_in_and_has_no_effect() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.with_password(&salon, &ada, PASSWORD).await;
    let page = browser.get(ACCOUNT).await;
    server.clock.advance(7 * 24 * 60 * 60);
    let led = browser.submit(&page, ACCOUNT, &[("name", "Ada Lovelace"), ("locale", "fr")]).await;
    let led = led.leads_to("/dashboard/sign-in?next=%2Fdashboard%2Faccount");
    let page = browser.get(led.header("location")).await;
    let page = page.says("Sign in again to continue: your input is kept.");
    let wrong = [("email", "ada@example.com"), ("password", "not hers")];
    let page = browser.submit(&page, "/dashboard/sign-in", &wrong).await.is(422);
    let page = page.says("Sign in again to continue: your input is kept.");
    let somebody = server.browser().get(led.header("location")).await;
    assert!(!somebody.text().contains("your input is kept"), "another person must not see the stored input");
    let fields = [("email", "ada@example.com"), ("password", PASSWORD)];
    browser.submit(&page, "/dashboard/sign-in", &fields).await.leads_to(ACCOUNT);
    let page = browser.get(ACCOUNT).await.is(200).says("You were signed out when you sent this");
    assert_eq!(page.field(ACCOUNT, "name"), "Ada Lovelace");
    assert_eq!(page.field(ACCOUNT, "locale"), "fr");
    assert!(names(&server).await.is_empty(), "a refused form must change nothing");
    assert_eq!(
        browser.get(ACCOUNT).await.field(ACCOUNT, "name"),
        "",
        "the stored input must be shown only once"
    );
    browser.submit(&page, ACCOUNT, &[]).await.is(303);
    assert_eq!(browser.get(ACCOUNT).await.field(ACCOUNT, "name"), "Ada Lovelace");
}

#[tokio::test]
async fn a_stored_form_is_shown_only_in_its_browser_and_without_passwords() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.browser();
    let fields = [("email", "eve@example.com"), ("current_password", "a secret of mine")];
    browser.post("/dashboard/account/email", &fields).await.is(303);
    let mut signed_in = server.signed_in(&salon, &ada).await;
    assert_eq!(signed_in.get(ACCOUNT).await.field("/dashboard/account/email", "email"), "ada@example.com");
    signed_in.cookies.extend(browser.cookies);
    let page = signed_in.get(ACCOUNT).await;
    assert_eq!(page.field("/dashboard/account/email", "email"), "eve@example.com");
    assert!(!page.body.contains("a secret of mine"));
}

#[tokio::test]
async fn a_form_with_an_unknown_outcome_is_shown_again() {
    let mut server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get(ACCOUNT).await;
    server.clock.advance(1);
    server.restart().await;
    browser = {
        let mut again = server.browser();
        again.cookies = browser.cookies;
        again
    };
    browser.submit(&page, ACCOUNT, &[("name", "Ada")]).await.leads_to(ACCOUNT);
    let page = browser.get(ACCOUNT).await.says("This form was open for too long");
    assert_eq!(page.field(ACCOUNT, "name"), "Ada");
    browser.submit(&page, ACCOUNT, &[]).await.leads_to("/dashboard/account?done=saved");
    let page = browser.get(ACCOUNT).await;
    server.clock.advance(24 * 60 * 60 + 1);
    browser.submit(&page, ACCOUNT, &[("name", "Late")]).await.leads_to(ACCOUNT);
    browser.post(ACCOUNT, &[("name", "No id")]).await.leads_to(ACCOUNT);
    browser.post(ACCOUNT, &[("name", "Bad id"), ("form", "x")]).await.leads_to(ACCOUNT);
    assert_eq!(names(&server).await.len(), 1);
    // The form to sign out does not need a form id, so it is accepted.
    browser.post("/dashboard/sign-out", &[]).await.leads_to("/dashboard/sign-in");
}

#[tokio::test]
async fn too_large_and_malformed_forms_are_refused() {
    let server = Server::open().await;
    let mut browser = server.browser();
    let huge = format!("email={}", "x".repeat(256 * 1024));
    browser.ask("POST", "/dashboard/sign-in", &[], huge).await.is(413);
    let page = browser.ask(
        "POST",
        "/dashboard/sign-in",
        &[("content-type", "application/json")],
        json!({}).to_string(),
    );
    page.await.is(415);
    // Bytes that are not valid UTF-8 become replacement characters.
    browser.ask("POST", "/dashboard/sign-in", &[], "email=%FF&password=%00".into()).await.is(422);
}

#[tokio::test]
async fn the_title_of_a_refused_form_begins_with_the_problem() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let new = format!("/dashboard/b/{salon}/contacts/new");
    let title = |page: &crate::harness::Page| {
        page.tags().into_iter().find(|tag| tag.name == "title").map(|tag| tag.text).unwrap()
    };
    let focused = |page: &crate::harness::Page| {
        page.tags().into_iter().filter(|tag| tag.get("autofocus").is_some()).collect::<Vec<_>>()
    };
    let page = browser.get(&new).await.is(200);
    assert_eq!((title(&page).as_str(), focused(&page).len()), ("Add a contact · Salon Zoé", 0));
    let page = browser.submit(&page, &new, &[("phone", "12")]).await.is(422);
    assert_eq!(title(&page), "Problem: Add a contact · Salon Zoé");
    let focused = focused(&page);
    assert_eq!((focused.len(), focused[0].get("role")), (1, Some("alert")));
    let account = browser.get("/dashboard/account").await;
    browser.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser.submit(&page, &new, &[("phone", "12")]).await.is(422);
    assert!(title(&page).starts_with("Problème\u{a0}: "), "{}", title(&page));
    // The response for an unknown path has its own message.
    let gone = browser.get(&format!("/dashboard/b/{salon}/nothing")).await.is(404);
    assert!(!title(&gone).starts_with("Problème"), "{}", title(&gone));
}

#[tokio::test]
async fn the_response_to_a_sign_in_is_never_replayed() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let _ = server.with_password(&salon, &ada, PASSWORD).await;
    let mut browser = server.browser();
    let page = browser.get("/dashboard/sign-in").await;
    let fields = [("email", "ada@example.com"), ("password", PASSWORD)];
    browser.submit(&page, "/dashboard/sign-in", &fields).await.leads_to("/dashboard");
    let mut eve = server.browser();
    let fields = [("form", page.field("/dashboard/sign-in", "form")), ("email", "x".into())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    eve.post("/dashboard/sign-in", &fields).await.is(422);
    assert!(!eve.cookies.contains_key("receptionist"));
}

#[tokio::test]
async fn forms_without_a_session_have_a_limit_per_address_and_use_no_persons_limit() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get(ACCOUNT).await;
    server.clock.advance(60);
    let mut anybody = server.browser();
    for _ in 0..60 {
        anybody.post("/dashboard/sign-out", &[("form", "x")]).await.is(303);
    }
    let refused = anybody.post("/dashboard/sign-out", &[("form", "x")]).await.is(429);
    let seconds: i64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    browser.submit(&page, ACCOUNT, &[("name", "Ada")]).await.leads_to("/dashboard/account?done=saved");
    server.clock.advance(seconds);
    anybody.post("/dashboard/sign-out", &[("form", "x")]).await.is(303);
}

#[tokio::test]
async fn the_forms_of_twenty_open_tabs_work() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let mut tabs = Vec::new();
    for _ in 0..20 {
        tabs.push(browser.get(ACCOUNT).await);
    }
    for (number, tab) in tabs.iter().enumerate().rev() {
        let name = format!("Ada {number}");
        let answer = browser.submit(tab, ACCOUNT, &[("name", &name)]).await;
        answer.leads_to("/dashboard/account?done=saved");
    }
    assert_eq!(names(&server).await.len(), 20);
}

#[tokio::test]
async fn forms_are_limited_per_person_and_minute_and_exports_to_ten_per_hour() {
    let server = Server::sending_at_most(5).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let bob = server.person(&salon, "bob@example.com", "owner").await;
    let (mut adas, mut bobs) = (server.signed_in(&salon, &ada).await, server.signed_in(&salon, &bob).await);
    server.clock.advance(60);
    let save = async |browser: &mut Browser, name: &str| {
        let page = browser.get(ACCOUNT).await;
        browser.submit(&page, ACCOUNT, &[("name", name)]).await
    };
    for number in 0..5 {
        save(&mut adas, &format!("Ada {number}")).await.is(303);
    }
    let refused = save(&mut adas, "Ada").await.is(429);
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    save(&mut bobs, "Bob").await.is(303);
    server.clock.advance(60);
    save(&mut adas, "Ada").await.is(303);
    let export = format!("/dashboard/b/{salon}/settings/data/export");
    for _ in 0..10 {
        adas.ask("GET", &export, &[], String::new()).await.is(200);
    }
    adas.ask("GET", &export, &[], String::new()).await.is(429);
    server.clock.advance(60 * 60);
    adas.ask("GET", &export, &[], String::new()).await.is(200);
}
