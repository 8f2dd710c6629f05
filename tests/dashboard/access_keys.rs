//! Tests of the pages for API keys: a new key is shown once, the list shows warnings, and a revocation takes
//! effect immediately.

use serde_json::{Value, json};

use crate::harness::{Browser, Page, Server};

const DAY: i64 = 24 * 60 * 60;

async fn salon(server: &Server, role: &str) -> (String, Browser) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", role).await;
    let browser = server.signed_in(&salon, &ada).await;
    (path(&salon), browser)
}

fn path(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/keys")
}

/// The key on the page that shows it after its creation.
fn key(page: &Page) -> String {
    page.tags().into_iter().find(|tag| tag.get("id") == Some("key")).unwrap().text
}

/// The path of the page that revokes the last key in the list.
fn revoke(page: &Page) -> String {
    let mut ways = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    ways.rfind(|href| href.ends_with("/revoke")).unwrap()
}

#[tokio::test]
async fn a_key_is_shown_once_and_works_until_it_is_revoked() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server, "admin").await;
    browser.get(&path).await.is(200).says("No keys yet");
    let form = browser.get(&format!("{path}/new")).await.is(200).says("Book, move and cancel");
    let new = format!("{path}/new");
    let made = browser.submit(&form, &new, &[("name", "Web <b>site</b>")]).await.is(200);
    let key = key(&made);
    assert!(key.starts_with("rcpt_"), "{key}");
    made.says("Web <b>site</b>").says(&format!("curl {}/v1/me", server.origin())).says("shown only once");
    // If the form is sent again, no second key is created, and the response is the same.
    let again = browser.submit(&form, &new, &[("name", "Web <b>site</b>")]).await.is(200);
    assert_eq!(self::key(&again), key);
    assert_eq!(server.key_status(&key).await, 200);

    let list = browser.get(&path).await.says("Web <b>site</b>").says(&key[..13]).says("just now");
    let list = list.says("Read appointments and open times").says("A member of the team");
    assert!(!list.body.contains(&key[13..]), "only the prefix of the key may be shown");
    let ask = browser.get(&revoke(&list)).await.is(200).says("This stops").says("last used: just now");
    browser.submit(&ask, &revoke(&list), &[]).await.leads_to(&format!("{path}?done=revoked"));
    assert_eq!(server.key_status(&key).await, 401);
    let list = browser.get(&format!("{path}?done=revoked")).await.says("The key is revoked").says("Revoked");
    assert!(!list.body.contains("/revoke"), "a revoked key must have no button to revoke it");
    browser.get(&ask.what[4..]).await.is(404);
}

#[tokio::test]
async fn unused_keys_are_highlighted() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let (ada, path) = (server.person(&salon, "ada@example.com", "owner").await, path(&salon));
    let mut browser = server.signed_in(&salon, &ada).await;
    let made = browser.get(&format!("{path}/new")).await;
    let made = browser.submit(&made, &format!("{path}/new"), &[("name", "Old")]).await;
    let old = key(&made);
    let form = browser.get(&format!("{path}/new")).await;
    browser.submit(&form, &format!("{path}/new"), &[("name", "Unused")]).await.is(200);
    server.key_status(&old).await;
    browser.get(&path).await.says("Never");
    server.clock.advance(2 * 60 * 60);
    browser.get(&path).await.says("today, 07:00");
    server.clock.advance(32 * DAY);
    let mut browser = server.signed_in(&salon, &ada).await;
    browser.get(&path).await.says("32 days unused");
}

#[tokio::test]
async fn a_key_without_a_name_or_scopes_is_refused_at_the_field_also_in_french() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server, "owner").await;
    let form = browser.get("/dashboard/account").await;
    browser.submit(&form, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser.get(&format!("{path}/new")).await.says("Créer une clé");
    let new = format!("{path}/new");
    let id = page.field(&new, "form");
    let refused = browser.post(&new, &[("form", &id), ("name", " ")]).await.is(422);
    let refused = refused.says("Il faut de 1 à 200 caractères").says("Choisissez-en au moins un");
    let wrong: Vec<_> = refused.tags().into_iter().filter(|tag| tag.get("aria-invalid").is_some()).collect();
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    let fields = [("form", id.as_str()), ("name", "x"), ("scopes", "contacts:read"), ("scopes", "all:of:it")];
    let refused = browser.post(&new, &fields).await.is(422);
    let form = refused.form(&new);
    assert_eq!(refused.field(&new, "name"), "x");
    assert!(
        form.fields.contains(&("scopes".into(), "contacts:read".into())),
        "the selected scopes must stay selected: {form:?}"
    );
}

#[tokio::test]
async fn members_and_suspended_businesses_see_no_buttons_for_keys() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let path = path(&salon);
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut bobs = server.signed_in(&salon, &bob).await;
    let today = bobs.get(&format!("/dashboard/b/{salon}/today")).await.is(200);
    assert!(!today.body.contains("settings/keys") && !today.body.contains("settings/webhooks"));
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut adas = server.signed_in(&salon, &ada).await;
    let form = adas.get(&format!("{path}/new")).await;
    let key = json!({ "name": "Till", "scopes": ["business:read"] });
    server.operator("POST", &format!("/businesses/{salon}/keys"), key).await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let list = adas.get(&path).await.is(200).says("Till").says("The operator of the service");
    assert!(
        !list.body.contains("/revoke") && !list.body.contains("/new"),
        "a suspended business must have no buttons to change keys"
    );
    adas.submit(&form, &format!("{path}/new"), &[("name", "x")]).await.is(403);
    let keys = server.operator("GET", &format!("/businesses/{salon}/keys"), Value::Null).await;
    assert_eq!(keys.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_form_sent_while_signed_out_is_shown_again() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server, "owner").await;
    let session = browser.cookies.clone();
    browser.cookies.clear();
    browser.post(&format!("{path}/new"), &[("name", "Website"), ("scopes", "calls:read")]).await.is(303);
    browser.cookies.extend(session);
    let page = browser.get(&format!("{path}/new")).await.says("You were signed out");
    assert_eq!(page.field(&format!("{path}/new"), "name"), "Website");
    assert_eq!(page.field(&format!("{path}/new"), "scopes"), "calls:read");
}
