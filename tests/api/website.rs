//! Tests of the settings of the booking page and of notices to customers, and of the slugs of booking pages.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, of_characters};

async fn change(salon: &Salon, body: Value) -> Answer {
    salon.operator.patch("/website", &body).await
}

async fn slug(salon: &Salon) -> Value {
    salon.operator.get("/website").await.data()["slug"].clone()
}

fn defaults() -> Value {
    json!({ "enabled": false, "slug": null, "url": null, "origins": [], "color": null, "phone": null,
        "email": null, "address": null, "change_by_caller": true, "change_notice_minutes": null,
        "show_prices": false })
}

#[tokio::test]
async fn a_booking_page_has_defaults_and_null_restores_them() {
    let server = Server::seeded(1_000_000).await;
    let salon = server.salon().await;
    assert_eq!(salon.operator.get("/website").await.data(), defaults());
    let all = json!({
        "enabled": true, "slug": "zoe", "origins": ["HTTPS://Salon.Example:443", "http://localhost:8080"],
        "color": "#1A2b3C", "phone": "+33 1 42 68 53 00", "email": "bonjour@salon.example",
        "address": "12 rue de la Paix, Paris", "change_by_caller": false, "change_notice_minutes": 43_200,
        "show_prices": true,
    });
    let changed = change(&salon, all).await;
    let expected = json!({
        "enabled": true, "slug": "zoe", "url": "http://localhost:8080/book/zoe",
        "origins": ["https://salon.example", "http://localhost:8080"], "color": "#1a2b3c",
        "phone": "+33142685300", "email": "bonjour@salon.example", "address": "12 rue de la Paix, Paris",
        "change_by_caller": false, "change_notice_minutes": 43_200, "show_prices": true,
    });
    assert_eq!(changed.data(), expected);
    let seen = salon.operator.get("/website").await;
    assert_eq!((seen.data(), seen.etag()), (expected.clone(), changed.etag()));
    // Absent properties keep their values.
    assert_eq!(change(&salon, json!({ "enabled": true })).await.data(), expected);
    let reset = json!({ "enabled": null, "origins": null, "color": null, "phone": null, "email": null,
        "address": null, "change_by_caller": null, "change_notice_minutes": null, "show_prices": null });
    let mut kept = defaults();
    kept["slug"] = json!("zoe");
    kept["url"] = json!("http://localhost:8080/book/zoe");
    assert_eq!(change(&salon, reset).await.data(), kept);
    change(&salon, json!({ "slug": null })).await.invalid_at(&["slug"]);
}

#[tokio::test]
async fn a_page_without_a_slug_or_a_public_url_has_no_url() {
    let server = Server::open_off_the_loopback().await;
    let salon = server.salon().await;
    // The page has no slug yet, so a change with a null slug is accepted. It changes nothing.
    assert_eq!(change(&salon, json!({ "slug": null })).await.data(), defaults());
    let enabled = change(&salon, json!({ "enabled": true })).await.data();
    assert_eq!((&enabled["slug"], &enabled["url"]), (&json!("salon-zoe"), &Value::Null));
}

#[tokio::test]
async fn each_rule_of_the_booking_page_is_checked_at_its_limit() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let long = |count: usize| "a".repeat(count);
    for good in ["abc", &long(60), "0-0", "a--b"] {
        assert_eq!(change(&salon, json!({ "slug": good })).await.data()["slug"], good);
    }
    for bad in ["ab", &long(61), "-ab", "ab-", "Abc", "a_b", "a b", "é-a", "manage", "assets", ""] {
        change(&salon, json!({ "slug": bad })).await.invalid_at(&["slug"]);
    }
    for good in ["https://a.example", "https://1.2.3.4:8443", "http://127.0.0.1", "http://[::1]:3000"] {
        assert_eq!(change(&salon, json!({ "origins": [good] })).await.data()["origins"], json!([good]));
    }
    let idn = change(&salon, json!({ "origins": ["https://Zoé.example"] })).await.data();
    assert_eq!(idn["origins"], json!(["https://xn--zo-cja.example"]));
    for bad in [
        "a.example",
        "http://a.example",
        "https://a.example/",
        "https://a.example/path",
        "https://a.example?q",
        "https://a.example#f",
        "https://*.example",
        "https://user@a.example",
        "ftp://a.example",
        "https://",
        "null",
        "*",
    ] {
        change(&salon, json!({ "origins": [bad] })).await.invalid_at(&["origins[0]"]);
    }
    let sites = |count: usize| (0..count).map(|n| format!("https://s{n}.example")).collect::<Vec<_>>();
    change(&salon, json!({ "origins": sites(20) })).await.is(200);
    change(&salon, json!({ "origins": sites(21) })).await.invalid_at(&["origins"]);
    change(&salon, json!({ "origins": ["https://a.example", "https://A.example"] }))
        .await
        .fails(400, "invalid_request");
    for bad in ["1a2b3c", "#1a2b3", "#1a2b3c4", "#1a2b3g", "red", ""] {
        change(&salon, json!({ "color": bad })).await.invalid_at(&["color"]);
    }
    for address in of_characters(300).into_iter().filter(|text| !text.contains(char::is_control)) {
        assert_eq!(change(&salon, json!({ "address": address })).await.data()["address"], address.as_str());
    }
    for bad in ["", " ", &long(301), "12 rue\n75002 Paris", "a\tb"] {
        change(&salon, json!({ "address": bad })).await.invalid_at(&["address"]);
    }
    for bad in [json!(-1), json!(43_201), json!("60"), json!(1.5)] {
        change(&salon, json!({ "change_notice_minutes": bad })).await.invalid_at(&["change_notice_minutes"]);
    }
    change(&salon, json!({ "change_notice_minutes": 0 })).await.is(200);
    change(&salon, json!({ "phone": "555", "email": "no" })).await.invalid_at(&["phone", "email"]);
    for bad in [json!({ "url": "https://a.example" }), json!({ "enabled": "yes" }), json!({ "odd": 1 })] {
        change(&salon, bad).await.fails(400, "invalid_request");
    }
}

#[tokio::test]
async fn the_first_enabling_derives_a_slug_from_the_name() {
    let server = Server::open().await;
    let long = "word ".repeat(20);
    for (name, expected) in [
        ("  L'Été à la Plage!  ", "l-ete-a-la-plage"),
        ("Ærø & Søn 2", "r-s-n-2"),
        ("ＦＵＬＬ width", "full-width"),
        ("美容院", "business"),
        ("ab", "business-"),
        ("Manage", "business-"),
        (&long, "word-word-word-word-word-word-word-word-word-word-word"),
    ] {
        let salon = server.salon_with(json!({ "name": name })).await;
        let slug =
            change(&salon, json!({ "enabled": true })).await.data()["slug"].as_str().unwrap().to_owned();
        match expected.strip_suffix('-') {
            // The slug `business` is already in use, so this business gets a random suffix.
            Some(start) => {
                let random = slug.strip_prefix(&format!("{start}-")).unwrap();
                assert!(
                    random.len() == 4 && random.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
                    "{slug}"
                );
            }
            None => assert_eq!(slug, expected),
        }
        // A later change to the name does not change the slug.
        salon.set(json!({ "name": "Other" })).await;
        change(&salon, json!({ "enabled": false })).await.is(200);
        assert_eq!(change(&salon, json!({ "enabled": true })).await.data()["slug"], slug.as_str());
    }
}

#[tokio::test]
async fn a_slug_that_another_business_has_is_refused() {
    let server = Server::open().await;
    let [salon, other] = [server.salon().await, server.salon().await];
    change(&salon, json!({ "slug": "zoe" })).await.is(200);
    let refused = change(&other, json!({ "slug": "zoe", "show_prices": true })).await;
    refused.fails(409, "conflict");
    assert_eq!(refused.body["error"]["details"][0]["path"], "slug");
    assert!(!refused.body.to_string().contains(&salon.id), "{refused}");
    assert_eq!(other.operator.get("/website").await.data(), defaults());
    // The business that has the slug can set it again.
    change(&salon, json!({ "slug": "zoe" })).await.is(200);
}

#[tokio::test]
async fn a_former_slug_is_reserved_for_90_days() {
    let server = Server::open().await;
    let [salon, gone, other] = [server.salon().await, server.salon().await, server.salon().await];
    change(&salon, json!({ "slug": "first" })).await.is(200);
    change(&salon, json!({ "slug": "second" })).await.is(200);
    change(&gone, json!({ "slug": "third" })).await.is(200);
    gone.operator.delete("").await.is(202);
    for seconds in [0, 90 * 86_400 - 10] {
        server.clock.advance(seconds);
        for taken in ["first", "third"] {
            change(&other, json!({ "slug": taken })).await.fails(409, "conflict");
        }
    }
    // The business that had the slug `first` before can set it again. Its current slug, `second`, then
    // becomes a former slug.
    change(&salon, json!({ "slug": "first" })).await.is(200);
    server.clock.advance(11);
    change(&other, json!({ "slug": "third" })).await.is(200);
    change(&other, json!({ "slug": "second" })).await.fails(409, "conflict");
    change(&other, json!({ "slug": "first" })).await.fails(409, "conflict");
    server.clock.advance(90 * 86_400);
    change(&other, json!({ "slug": "second" })).await.is(200);
    change(&other, json!({ "slug": "first" })).await.fails(409, "conflict");
}

#[tokio::test]
async fn one_of_two_businesses_gets_a_slug_that_both_want() {
    let server = Server::open().await;
    let [salon, other] = [server.salon().await, server.salon().await];
    for name in (0..20).map(|number| format!("race-{number}")) {
        let body = json!({ "slug": name });
        let (one, two) = tokio::join!(change(&salon, body.clone()), change(&other, body.clone()));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{one} {two}");
        assert_ne!(slug(&salon).await == name.as_str(), slug(&other).await == name.as_str());
    }
    // Two businesses with the same name get different slugs.
    let [salon, other] = [server.salon().await, server.salon().await];
    let body = json!({ "enabled": true });
    let (one, two) = tokio::join!(change(&salon, body.clone()), change(&other, body));
    assert_ne!(one.data()["slug"], two.data()["slug"]);
}

#[tokio::test]
async fn a_change_of_the_settings_is_conditional_repeatable_and_audited() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    for (path, body, action) in [
        ("/website", json!({ "slug": "zoe", "show_prices": true }), "website.updated"),
        ("/notices", json!({ "email": "all" }), "notices.updated"),
    ] {
        let before = salon.operator.get(path).await;
        let call = || salon.operator.call("PATCH", path);
        call().header("if-match", "\"stale\"").json(&body).await.fails(409, "conflict");
        let first = call().header("if-match", &before.etag()).json(&body).once(action).await;
        assert_ne!(first.etag(), before.etag());
        let again = call().json(&body).once(action).await;
        assert_eq!((again.data(), again.header("idempotent-replayed")), (first.data(), "true"));
        // A change to the same values adds no entry to the audit log.
        call().json(&body).await.is(200);
        let entries = salon.operator.all("/audit").await;
        let entries: Vec<_> = entries.iter().filter(|entry| entry["action"] == action).collect();
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (&entries[0]["resource_type"], &entries[0]["resource_id"]),
            (&json!("business"), &json!(salon.id))
        );
    }
    let entries = salon.operator.all("/audit").await;
    let changed = entries.iter().find(|entry| entry["action"] == "website.updated").unwrap();
    let changed: Vec<_> = changed["changes"].as_array().unwrap().iter().map(|one| &one["field"]).collect();
    assert_eq!(changed, ["show_prices", "slug", "url"]);
    // The operator changes a suspended business, and the settings survive a restart.
    salon.set(json!({ "suspended": true })).await;
    change(&salon, json!({ "enabled": true })).await.is(200);
    server.restart().await;
    let salon = salon.again(&server);
    assert_eq!(salon.operator.get("/website").await.data()["enabled"], true);
    assert_eq!(salon.operator.get("/notices").await.data()["email"], "all");
    change(&salon, json!({ "slug": "zoe" })).await.is(200);
}

#[tokio::test]
async fn notices_have_defaults_and_rules() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let fresh = json!({ "email": "online", "text": "off", "reminder_hours": [24] });
    assert_eq!(salon.operator.get("/notices").await.data(), fresh);
    let set = async |body: Value| salon.operator.patch("/notices", &body).await;
    for hours in [json!([]), json!([168]), json!([1, 168]), json!([48, 2])] {
        assert_eq!(set(json!({ "reminder_hours": hours })).await.data()["reminder_hours"], hours);
    }
    for (bad, path) in [
        (json!([0]), "reminder_hours[0]"),
        (json!([24, 169]), "reminder_hours[1]"),
        (json!([1, 2, 3]), "reminder_hours"),
        (json!("24"), "reminder_hours"),
    ] {
        set(json!({ "reminder_hours": bad })).await.invalid_at(&[path]);
    }
    set(json!({ "reminder_hours": [24, 24] })).await.fails(400, "invalid_request");
    for email in ["off", "all", "online"] {
        assert_eq!(set(json!({ "email": email })).await.data()["email"], email);
    }
    set(json!({ "email": "some" })).await.invalid_at(&["email"]);
    for text in ["online", "all"] {
        let refused = set(json!({ "text": text })).await;
        refused.fails(409, "conflict");
        assert_eq!(refused.body["error"]["details"][0]["path"], "text");
    }
    set(json!({ "text": "off" })).await.is(200);
    set(json!({ "email": "off" })).await.is(200);
    assert_eq!(set(json!({ "email": null, "text": null, "reminder_hours": null })).await.data(), fresh);
}
