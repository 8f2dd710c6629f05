//! Tests of the filters and the order of `GET /contacts`.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, encoded, ids, pick, stamp};

/// Creates contacts one second apart, except for the first two, which are created at the same instant.
async fn some(server: &Server, salon: &Salon) -> Vec<Value> {
    let mut made = Vec::new();
    for (at, body) in [
        json!({ "name": "Zoë O'Neill", "phone": "+33611111111", "email": "zoe@example.com" }),
        json!({ "name": "ΑΘΗΝΑ ΠΑΠΠΑΣ", "phone": "+33622222222" }),
        json!({ "name": "李 小龍", "email": "lee@example.com" }),
        json!({ "name": "ÉLODIE Ölander", "email": "elodie@example.com" }),
        json!({ "phone": "+33633333333" }),
        json!({ "name": "أمينة 👩‍👩‍👧 100% a_b" }),
    ]
    .into_iter()
    .enumerate()
    {
        server.clock.advance(i64::from(at > 1));
        made.push(salon.contact(body).await);
    }
    made
}

#[tokio::test]
async fn contacts_are_listed_newest_first_even_after_changes() {
    let server = Server::open().await;
    let salon = server.salon().await;
    assert!(salon.api.all("/contacts").await.is_empty());
    let mut made = some(&server, &salon).await;
    server.clock.advance(1);
    made[2] = salon.patch_contact(&made[2], json!({ "locale": "fr" })).await;
    let expected = pick(&made, &[5, 4, 3, 2, 1, 0]);
    for limit in 1..=7 {
        assert_eq!(salon.api.walk("/contacts", limit).await, expected, "{limit}");
    }
}

#[tokio::test]
async fn filters_select_the_right_items_alone_and_combined() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let made = some(&server, &salon).await;
    let q = |text: &str| format!("q={}", encoded(text));
    for (query, kept) in [
        (format!("phone={}", encoded("+33622222222")), &[1][..]),
        (format!("phone={}", encoded("06 22 22 22 22")), &[1]),
        (format!("phone={}", encoded("+33644444444")), &[]),
        ("email=zoe@example.com".to_owned(), &[0]),
        ("email=ZOE%40Example.com".to_owned(), &[0]),
        ("email=oe@example.com".to_owned(), &[]),
        (q("zoë"), &[0]),
        (q("ZOË O'N"), &[0]),
        (q("zoe"), &[]),
        (q("παππας"), &[1]),
        (q("παππασ"), &[1]),
        (q("小"), &[2]),
        (q("élodie ö"), &[3]),
        (q("É"), &[3]),
        (q("o"), &[3, 0]),
        (q("أمي"), &[5]),
        (q("👩‍👧"), &[5]),
        (q("%"), &[5]),
        (q("_"), &[5]),
        (q("example.com"), &[]),
        (format!("{}&email=lee@example.com", q("李")), &[2]),
        (format!("{}&email=lee@example.com", q("zoë")), &[]),
        (format!("phone={}&email=zoe@example.com", encoded("+33611111111")), &[0]),
        (format!("phone={}&email=zoe@example.com", encoded("+33622222222")), &[]),
    ] {
        let expected = pick(&made, kept);
        for limit in [1, 2, 100] {
            assert_eq!(salon.api.walk(&format!("/contacts?{query}"), limit).await, expected, "{query}");
        }
    }
}

#[tokio::test]
async fn filters_use_the_current_properties_of_a_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = some(&server, &salon).await;
    let change = json!({ "name": "Ångström", "phone": "+33644444444", "email": null });
    let now = salon.patch_contact(&made[0], change).await;
    for (query, found) in [
        (format!("phone={}", encoded("+33611111111")), false),
        (format!("phone={}", encoded("+33644444444")), true),
        ("email=zoe@example.com".to_owned(), false),
        (format!("q={}", encoded("zoë")), false),
        (format!("q={}", encoded("åNG")), true),
    ] {
        let expected: &[Value] = if found { std::slice::from_ref(&now) } else { &[] };
        assert_eq!(salon.api.all(&format!("/contacts?{query}")).await, expected, "{query}");
    }
}

#[tokio::test]
async fn updated_since_lists_changes_in_order_from_that_instant_on() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut made = some(&server, &salon).await;
    let at = |second: u32| stamp(&format!("2026-03-02T06:00:{second:02}"));
    assert_eq!(made[2]["updated_at"], at(1));
    server.clock.advance(6);
    made[1] = salon.patch_contact(&made[1], json!({ "locale": "fr" })).await;
    assert_eq!(made[1]["updated_at"], at(10));
    for (query, kept) in [
        ("updated_since=2000-01-01T00:00:00Z", &[0, 2, 3, 4, 5, 1][..]),
        ("updated_since=2026-03-02T06:00:03Z", &[4, 5, 1]),
        ("updated_since=2026-03-02T06:00:03.001Z", &[5, 1]),
        ("updated_since=2026-03-02T07:00:10%2B01:00", &[1]),
        ("updated_since=2026-03-02T06:00:10.001Z", &[]),
        ("updated_since=2000-01-01T00:00:00Z&q=o", &[0, 3]),
        ("updated_since=2000-01-01T00:00:00Z&email=lee@example.com", &[2]),
    ] {
        for limit in 1..=7 {
            let found = salon.api.walk(&format!("/contacts?{query}"), limit).await;
            assert_eq!(ids(&found), ids(&pick(&made, kept)), "{query}");
        }
    }
}

#[tokio::test]
async fn invalid_filters_are_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let long = format!("q={}", "x".repeat(201));
    for (query, path) in [
        ("phone=x", "phone"),
        ("phone=", "phone"),
        ("email=zoe", "email"),
        ("q=", "q"),
        (long.as_str(), "q"),
        ("q=a&q=b", "q"),
        ("q=%FF", "q"),
        ("updated_since=now", "updated_since"),
        ("limit=101", "limit"),
        ("cursor=x", "cursor"),
        ("name=a", "name"),
    ] {
        let answer = salon.get(&format!("/contacts?{query}")).await;
        if query == "q=%FF" {
            answer.fails(400, "invalid_request");
        } else {
            answer.invalid_at(&[path]);
        }
    }
}

#[tokio::test]
async fn a_cursor_works_only_for_its_own_list_and_filters() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    some(&server, &salon).await;
    some(&server, &other).await;
    let page = salon.get("/contacts?q=o&limit=1").await;
    let cursor = page.body["next_cursor"].as_str().unwrap().to_owned();
    for query in ["", "q=O%27", "email=zoe@example.com", "q=o&updated_since=2000-01-01T00:00:00Z"] {
        salon.get(&format!("/contacts?{query}&cursor={cursor}")).await.invalid_at(&["cursor"]);
    }
    for list in ["calls", "messages", "appointments", "services"] {
        salon.get(&format!("/{list}?cursor={cursor}")).await.invalid_at(&["cursor"]);
    }
    other.get(&format!("/contacts?q=o&cursor={cursor}")).await.invalid_at(&["cursor"]);
    assert_eq!(salon.get(&format!("/contacts?q=o&cursor={cursor}&limit=5")).await.list().len(), 1);
}
