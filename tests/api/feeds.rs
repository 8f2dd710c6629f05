//! Tests of feeds: the operator's routes, and `GET /calendar/{token}.ics`.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, id, raw};

/// A new feed, and its path on the public listener.
async fn feed(salon: &Salon, body: Value) -> (Value, String) {
    let feed = salon.operator.post("/feeds", &body).await.created();
    let url = feed["url"].as_str().unwrap();
    let path = format!("/calendar/{}", url.split_once("/calendar/").unwrap().1);
    assert_eq!(path.len(), "/calendar/.ics".len() + 22, "{url}");
    (feed, path)
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.is(200).bytes.to_vec()).unwrap().replace("\r\n ", "")
}

/// The values of a property, in the order of the events.
fn values(answer: &Answer, name: &str) -> Vec<String> {
    let text = text(answer);
    let lines = text.split("\r\n").filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_feed_follows_the_appointments_and_its_entity_tag_changes_only_with_them() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let (shown, path) = feed(&salon, json!({})).await;
    assert_eq!((&shown["staff_id"], &shown["detail"]), (&Value::Null, &json!("services")));
    let (_, of_anna) = feed(&salon, json!({ "staff_id": salon.anna, "detail": "times" })).await;
    let booking = |staff: &str, starts_at: &str, phone: &str| {
        json!({ "service_id": salon.cut, "staff_id": staff, "starts_at": starts_at,
            "contact": { "name": "Ada Lovelace", "phone": phone } })
    };
    let book = async |staff: &str, starts_at: &str, phone: &str| {
        salon.operator.post("/appointments", &booking(staff, starts_at, phone)).await.created()
    };
    let late = book(&salon.anna, "2026-03-04T09:00:00Z", "+33612345678").await;
    let early = book(&salon.ben, "2026-03-03T09:00:00Z", "+33612345679").await;

    let root = server.root();
    let answer = root.get(&path).await;
    let uid = |appointment: &Value| format!("{}@receptionist", id(appointment));
    assert_eq!(values(&answer, "UID"), [uid(&early), uid(&late)]);
    assert_eq!(values(&answer, "DTSTART"), ["20260303T090000Z", "20260304T090000Z"]);
    assert_eq!(answer.header("content-type"), "text/calendar; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert!(!text(&answer).contains("Ada"), "{}", text(&answer));
    assert_eq!(values(&root.get(&of_anna).await, "SUMMARY"), ["Busy"]);

    let tag = answer.etag();
    server.clock.advance(3_600);
    let known = root.call("GET", &path).header("if-none-match", &tag).await;
    assert_eq!(known.is(304).etag(), tag);
    assert_eq!(known.header("cache-control"), "private, no-cache");
    let head = root.call("HEAD", &path).await;
    assert_eq!(head.is(200).etag(), tag);
    salon.operator.call("POST", &format!("/appointments/{}/cancel", id(&early))).await.data();
    let changed = root.call("GET", &path).header("if-none-match", &tag).await;
    assert_eq!(values(&changed, "UID"), [uid(&late)]);
    assert_ne!(changed.etag(), tag);

    let (_, contacts) = feed(&salon, json!({ "detail": "contacts" })).await;
    let answer = root.get(&contacts).await;
    let link = format!("/dashboard/b/{}/appointments/{}", salon.id, id(&late));
    assert!(values(&answer, "SUMMARY")[0].ends_with("Ada Lovelace"), "{}", text(&answer));
    assert!(values(&answer, "DESCRIPTION")[0].contains("+33612345678"));
    assert!(values(&answer, "URL")[0].ends_with(&link));
    // The erasure of the contact removes the name from the feed at once.
    let contact = late["contact_id"].as_str().unwrap();
    salon.operator.delete(&format!("/contacts/{contact}")).await;
    let erased = text(&root.get(&contacts).await);
    assert!(!erased.contains("Ada") && !erased.contains("+336"), "{erased}");
    assert!(erased.contains(&uid(&late)), "{erased}");
}

#[tokio::test]
async fn the_address_is_in_no_list_and_ends_with_the_revocation() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let (shown, path) = feed(&salon, json!({ "staff_id": salon.anna })).await;
    let listed = salon.operator.get("/feeds").await.list();
    assert_eq!((id(&listed[0]), &listed[0]["last_fetched_at"]), (id(&shown), &Value::Null));
    server.root().get(&path).await.is(200);
    let listed = salon.operator.get("/feeds").await;
    assert!(listed.list()[0]["last_fetched_at"].is_string(), "{listed}");
    let token = &path["/calendar/".len()..][..22];
    for api in ["/feeds", "/audit"] {
        assert!(!String::from_utf8_lossy(&salon.operator.get(api).await.bytes).contains(token));
    }
    salon.operator.delete(&format!("/feeds/{}", id(&shown))).await.is(204);
    salon.operator.delete(&format!("/feeds/{}", id(&shown))).await.is(204);
    server.root().get(&path).await.fails(404, "not_found");
    assert!(salon.operator.get("/feeds").await.list()[0]["revoked_at"].is_string());
    let log = salon.operator.all("/audit").await;
    let actions: Vec<_> = log.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(&actions[..2], ["feed.revoked", "feed.created"]);
    let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let metrics = raw(server.operator_root().address, request).await;
    assert!(metrics.contains("/calendar/{token}.ics") && !metrics.contains(token));
}

#[tokio::test]
async fn wrong_tokens_count_against_the_address_and_a_feed_has_60_requests_a_minute() {
    let server = Server::with_limit(3).await;
    let salon = server.salon().await;
    let (shown, path) = feed(&salon, json!({})).await;
    let root = server.root();
    for wrong in ["/calendar/AAAAAAAAAAAAAAAAAAAAAA.ics", "/calendar/x.ics", &path[..path.len() - 4]] {
        root.get(wrong).await.fails(404, "not_found");
    }
    let refused = root.get("/calendar/AAAAAAAAAAAAAAAAAAAAAA.ics").await;
    assert!(refused.fails(429, "rate_limited").number("retry-after") >= 1);
    for _ in 0..60 {
        root.get(&path).await.is(200);
    }
    let refused = root.get(&path).await;
    assert!(refused.fails(429, "rate_limited").number("retry-after") >= 1);
    server.clock.advance(60);
    root.get(&path).await.is(200);
    root.call("POST", &path).await.fails(405, "method_not_allowed");
    salon.operator.patch("", &json!({ "suspended": true })).await.data();
    root.get(&path).await.fails(403, "forbidden");
    salon.operator.patch("", &json!({ "suspended": false })).await.data();
    root.get(&path).await.is(200);
    salon.operator.delete(&format!("/feeds/{}", id(&shown))).await.is(204);
    root.get(&path).await.fails(404, "not_found");
}

#[tokio::test]
async fn an_eleventh_feed_and_a_feed_without_a_public_url_are_conflicts() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for _ in 0..10 {
        salon.operator.post("/feeds", &json!({ "staff_id": salon.ben })).await.created();
    }
    let full = salon.operator.post("/feeds", &json!({ "staff_id": salon.ben })).await;
    full.fails(409, "conflict").says("10");
    salon.operator.post("/feeds", &json!({ "detail": "all" })).await.invalid_at(&["detail"]);
    salon.operator.post("/feeds", &json!({ "staff_id": salon.id })).await.invalid_at(&["staff_id"]);

    let hidden = Server::open_off_the_loopback().await;
    let salon = hidden.salon().await;
    let refused = salon.operator.post("/feeds", &json!({})).await;
    refused.fails(409, "conflict").says("RECEPTIONIST_PUBLIC_URL");
}

#[tokio::test]
async fn a_repeated_request_creates_one_feed_and_shows_no_address() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let create = async || {
        let call = salon.operator.call("POST", "/feeds").json(&json!({}));
        call.header("idempotency-key", "one").await
    };
    let (first, again) = (create().await, create().await);
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!((id(&first.created()), first.etag()), (id(&again.created()), again.etag()));
    assert_eq!(again.created()["url"], Value::Null);
    assert_eq!(salon.operator.all("/feeds").await.len(), 1);
}
