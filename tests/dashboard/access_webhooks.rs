//! Tests of the pages for webhook endpoints. An endpoint can be created, changed, tested and deleted, and its
//! secret can be replaced. A secret is shown once.

use serde_json::{Value, json};

use crate::harness::{Browser, Page, Server};

/// A salon. Returns an owner's browser and the path of the endpoints.
async fn salon(server: &Server) -> (String, Browser) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    (format!("/dashboard/b/{salon}/settings/webhooks"), browser)
}

/// The secret on the page that shows it after its creation.
fn secret(page: &Page) -> String {
    page.tags().into_iter().find(|tag| tag.get("id") == Some("secret")).unwrap().text
}

/// Creates an endpoint and returns its path.
async fn add(browser: &mut Browser, path: &str, url: &str) -> String {
    let form = browser.get(&format!("{path}/new")).await.is(200);
    let made = browser.submit(&form, &format!("{path}/new"), &[("url", url)]).await.is(200);
    let ways = made.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    ways.into_iter().find(|href| href.ends_with("/test")).unwrap().trim_end_matches("/test").to_owned()
}

#[tokio::test]
async fn an_endpoint_is_added_with_its_secret_shown_once() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    browser.get(&path).await.is(200).says("No endpoints yet").says("Verify a received request");
    let (new, url) = (format!("{path}/new"), "https://a.example.com/<b>?x=1&y=\u{202e}");
    let form = browser.get(&new).await;
    let made = browser.submit(&form, &new, &[("url", url), ("description", "The till")]).await.is(200);
    let secret = secret(&made);
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    made.says("shown only once");
    let again = browser.submit(&form, &new, &[("url", url), ("description", "The till")]).await.is(200);
    assert_eq!(self::secret(&again), secret, "the repeated form must not create a second endpoint");
    let list = browser.get(&path).await.says("a.example.com/").says("The till").says("All events").says("On");
    assert!(!list.body.contains(&secret) && list.body.matches("<tr><th scope=\"row\">").count() == 1);
    assert!(!list.tags().iter().any(|tag| tag.get("href").is_some_and(|href| href.starts_with("http"))));
}

#[tokio::test]
async fn a_url_that_is_not_public_https_is_refused_at_its_field() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    let new = format!("{path}/new");
    for (url, problem) in [
        ("http://a.example.com/", "It must begin with https://"),
        ("javascript:alert(1)", "It must begin with https://"),
        ("https://10.0.0.4/hook", "It does not lead to a public address"),
        ("https://nowhere.example.net/", "It does not lead to a public address"),
        ("https://a:b@a.example.com/", "It must not contain a user name or a password"),
        ("", "It must"),
    ] {
        let form = browser.get(&new).await;
        let refused = browser.submit(&form, &new, &[("url", url), ("description", "kept")]).await.is(422);
        assert_eq!(
            (refused.field(&new, "url").as_str(), refused.field(&new, "description").as_str()),
            (url, "kept")
        );
        let refused = refused.says(problem);
        assert!(refused.body.contains("aria-describedby=\"url-hint url-problem\""), "{url}");
    }
    let id = browser.get(&new).await.field(&new, "form");
    let fields = [("form", id.as_str()), ("url", "https://a.example.com/")];
    browser.post(&new, &fields).await.is(422).says("Choose at least one");
    for number in 0..25 {
        add(&mut browser, &path, &format!("https://n{number}.example.com/")).await;
    }
    let form = browser.get(&new).await;
    let refused = browser.submit(&form, &new, &[("url", "https://a.example.com/")]).await.is(409);
    refused.says("A business has at most 25 endpoints").says("There are 25 endpoints already");
    browser.get(&path).await.says("The maximum number of endpoints has been reached");
}

#[tokio::test]
async fn a_conflict_between_two_edits_of_an_endpoint_shows_both_versions() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    let one = add(&mut browser, &path, "https://a.example.com/hook").await;
    let edit = format!("{one}/edit");
    let (mine, theirs) = (browser.get(&edit).await.is(200), browser.get(&edit).await);
    let changed = [("url", "https://b.example.com/v2")];
    browser.submit(&theirs, &edit, &changed).await.leads_to(&format!("{one}?done=saved"));
    let stale = browser.submit(&mine, &edit, &[("description", "Mine")]).await.is(409);
    let stale =
        stale.says("Another person has changed these values").says("Your version").says("Saved version");
    let marked: Vec<_> = stale.tags().into_iter().filter(|tag| tag.name == "mark").collect();
    assert_eq!(marked.len(), 4, "both versions must mark the address and the description as different");
    assert_eq!(
        stale.field(&edit, "url"),
        "https://a.example.com/hook",
        "the form must contain the value that was sent"
    );
    browser.submit(&stale, &edit, &[]).await.leads_to(&format!("{one}?done=saved"));
    browser
        .get(&format!("{one}?done=saved"))
        .await
        .says("Saved.")
        .says("https://a.example.com/hook")
        .says("Mine");
    let form = browser.get(&edit).await;
    let refused = browser.submit(&form, &edit, &[("url", "https://127.0.0.1/")]).await.is(422);
    refused.says("It does not lead to a public address");
    // If a form does not change the URL, the service does not resolve the host of the URL again.
    let form = browser.get(&edit).await;
    browser.submit(&form, &edit, &[("description", "")]).await.is(303);
}

#[tokio::test]
async fn a_test_shows_the_request_the_response_and_the_duration() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    let one = add(&mut browser, &path, "https://a.example.com/hook").await;
    let test = format!("{one}/test");
    for (status, body, says) in [
        (204, "", ["Accepted", "204"]),
        (401, "{\"error\":\"signature mismatch\"}", ["Rejected", "may not know this secret"]),
        (
            500,
            "<script>alert(1)</script>\u{202e}",
            ["<script>alert(1)</script>\u{fffd}", "The receiver had an error"],
        ),
        (302, "", ["302, a redirect", "Enter the final address"]),
    ] {
        server.receiver.answers(status, body);
        let form = browser.get(&test).await.is(200);
        let came = browser.submit(&form, &test, &[("type", "message.taken")]).await.is(200);
        let came = came
            .says("Response of the receiver")
            .says("ms")
            .says("A sample message")
            .says("webhook-test: true");
        let came = says.iter().fold(came, |came, text| came.says(text));
        let sent = server.receiver.requests().pop().unwrap();
        let signature = sent.lines().find_map(|line| line.strip_prefix("webhook-signature: ")).unwrap();
        came.says(signature);
    }
    server.receiver.is_away();
    let form = browser.get(&test).await;
    browser
        .submit(&form, &test, &[])
        .await
        .is(200)
        .says("The connection was refused")
        .says("No program responds at this address");
    let form = browser.get(&test).await;
    browser.submit(&form, &test, &[("type", "x")]).await.is(422).says("Choose one of these.");
    browser.get(&one).await.says("Nothing was sent yet");
}

#[tokio::test]
async fn an_endpoint_is_disabled_enabled_rotated_and_deleted() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    let one = add(&mut browser, &path, "https://a.example.com/hook").await;
    let page = browser.get(&one).await;
    browser.submit(&page, &format!("{one}/off"), &[]).await.leads_to(&format!("{one}?done=off"));
    let off = browser
        .get(&format!("{one}?done=off"))
        .await
        .says("The endpoint is off")
        .says("Turned off manually on Monday");
    browser.submit(&off, &format!("{one}/on"), &[]).await.leads_to(&format!("{one}?done=on"));
    browser.get(&one).await.says("On");

    let ask = browser.get(&format!("{one}/rotate")).await.is(200).says("stops working immediately");
    let rotated = browser.submit(&ask, &format!("{one}/rotate"), &[]).await.is(200);
    let new = secret(&rotated);
    assert!(new.starts_with("whsec_"));
    assert_eq!(secret(&browser.submit(&ask, &format!("{one}/rotate"), &[]).await), new, "once");

    let ask = browser
        .get(&format!("{one}/delete"))
        .await
        .is(200)
        .says("Delete a.example.com?")
        .says("These are deleted");
    browser.submit(&ask, &format!("{one}/delete"), &[]).await.leads_to(&format!("{path}?done=deleted"));
    browser
        .get(&format!("{path}?done=deleted"))
        .await
        .says("The endpoint is deleted")
        .says("No endpoints yet");
    browser.get(&one).await.is(404);
}

#[tokio::test]
async fn pages_are_translated_to_french_and_a_suspended_business_can_only_read_them() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    let one = add(&mut browser, &path, "https://a.example.com/hook").await;
    let page = browser.get(&one).await;
    let form = browser.get("/dashboard/account").await;
    browser.submit(&form, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    browser
        .get(&one)
        .await
        .says("Livraisons")
        .says("Rien n’a encore été envoyé")
        .says("Un rendez-vous est pris");
    browser.get(&format!("{one}/delete")).await.says("Supprimer a.example.com\u{a0}?");
    let salon = path.split('/').nth(3).unwrap().to_owned();
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let looked = browser.get(&one).await.is(200);
    assert!(!looked.forms().iter().any(|form| form.action.starts_with(&one) && form.method == "post"));
    browser.submit(&page, &format!("{one}/off"), &[]).await.is(403);
    let endpoints = server.operator("GET", &format!("/businesses/{salon}/webhooks"), Value::Null).await;
    assert_eq!(endpoints[0]["status"], "enabled");
}

#[tokio::test]
async fn endpoints_and_keys_of_another_business_are_not_found() {
    let server = Server::open().await;
    let (path, mut browser) = salon(&server).await;
    let other = server.business("Barbier").await;
    let hook = json!({ "url": "https://a.example.com/", "events": ["contact.created"] });
    let hook = server.operator("POST", &format!("/businesses/{other}/webhooks"), hook).await;
    let key = json!({ "name": "Till", "scopes": ["business:read"] });
    let key = server.operator("POST", &format!("/businesses/{other}/keys"), key).await;
    let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
    let (hook, settings) = (format!("{path}/{}", id(&hook)), path.trim_end_matches("/webhooks"));
    let key = format!("{settings}/keys/{}/revoke", id(&key));
    for page in [&hook, &format!("{hook}/edit"), &format!("{hook}/test"), &format!("{hook}/delete"), &key] {
        browser.get(page).await.is(404);
    }
    for action in ["edit", "test", "on", "off", "rotate", "delete", "resend-missed"] {
        let form = browser.get(&format!("{path}/new")).await.field(&format!("{path}/new"), "form");
        browser.post(&format!("{hook}/{action}"), &[("form", &form)]).await.is(404);
    }
    let form = browser.get(&format!("{path}/new")).await.field(&format!("{path}/new"), "form");
    browser.post(&key, &[("form", &form)]).await.is(404);
    let keys = server.operator("GET", &format!("/businesses/{other}/keys"), Value::Null).await;
    assert_eq!(keys[0]["revoked_at"], Value::Null);
    let hooks = server.operator("GET", &format!("/businesses/{other}/webhooks"), Value::Null).await;
    assert_eq!(hooks[0]["status"], "enabled");
}
