//! Tests of `Idempotency-Key` in the public API. If a request is repeated, the service makes the change
//! only once.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server};

const AT: &str = "2026-03-03T09:00:00Z";

async fn book(salon: &Salon, key: &str, body: &Value) -> Answer {
    salon.api.call("POST", "/appointments").json(body).once(key).await
}

/// Asserts that the second response is a copy of the first one.
fn replays(first: &Answer, second: &Answer) {
    assert!(!first.has("idempotent-replayed"), "{first}");
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!((second.status, &second.bytes), (first.status, &first.bytes));
    assert_eq!(second.etag(), first.etag());
}

#[tokio::test]
async fn a_repeated_booking_gets_the_first_response() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    let first = book(&salon, "k", &body).await;
    first.is(201);
    server.clock.advance(3600);
    replays(&first, &book(&salon, "k", &body).await);
    salon.cancel(&first.data()).await.is(200);
    replays(&first, &book(&salon, "k", &body).await);
    assert_eq!(salon.api.all("/appointments").await.len(), 1);
    book(&salon, "K", &body).await.is(201);
}

#[tokio::test]
async fn the_idempotency_key_compares_the_meaning_of_a_body() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    let first = book(&salon, "k", &body).await;
    let reordered = format!(
        "\n{{ \"starts_at\" : \"{AT}\", \"contact\": {{\"phone\":\"+33612345678\", \"name\": \"Zo\\u00e9 Martin\"}},\t\"service_id\": \"{}\"}}",
        salon.cut
    );
    replays(&first, &salon.api.call("POST", "/appointments").bytes(reordered).once("k").await);
}

#[tokio::test]
async fn another_request_with_the_same_key_gets_422_and_changes_nothing() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    let booked = book(&salon, "k", &body).await.created();
    let path = format!("/appointments/{}", booked["id"].as_str().unwrap());
    let other = salon.booking(&salon.cut, "2026-03-03T10:00:00Z", json!({}));
    book(&salon, "k", &other).await.fails(422, "idempotency_key_reused");
    for (method, path, body) in [
        ("POST", format!("{path}/cancel"), json!({})),
        ("POST", format!("{path}/reschedule"), json!({ "starts_at": "2026-03-03T10:00:00Z" })),
        ("PATCH", "/business".to_owned(), json!({ "name": "x" })),
        ("POST", "/appointments/018f0000-0000-7000-8000-000000000000/cancel".to_owned(), json!({})),
    ] {
        salon.api.call(method, &path).json(&body).once("k").await.fails(422, "idempotency_key_reused");
    }
    assert_eq!(salon.api.all("/appointments").await, [booked]);
    book(&salon, "k", &json!({})).await.fails(400, "invalid_request");
}

#[tokio::test]
async fn every_change_can_be_repeated() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let path = format!("/appointments/{}", booked["id"].as_str().unwrap());
    for (key, method, path, body) in [
        ("1", "PATCH", "/business".to_owned(), json!({ "name": "One" })),
        ("2", "POST", format!("{path}/reschedule"), json!({ "starts_at": "2026-03-03T10:00:00Z" })),
        ("3", "POST", format!("{path}/cancel"), Value::Null),
        ("4", "POST", format!("{path}/cancel"), Value::Null),
    ] {
        server.clock.advance(1);
        let send = || {
            let call = salon.api.call(method, &path).once(key);
            if body.is_null() { call } else { call.json(&body) }
        };
        let first = send().await;
        first.is(200);
        replays(&first, &send().await);
    }
    salon.api.patch("/business", &json!({ "name": "Two" })).await.is(200);
    let again = salon.api.call("PATCH", "/business").json(&json!({ "name": "One" })).once("1").await;
    assert_eq!(again.data()["name"], "One");
    assert_eq!(salon.get("/business").await.data()["name"], "Two", "a repeated request must change nothing");
}

#[tokio::test]
async fn a_refused_request_can_be_sent_again_with_its_idempotency_key() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let blocker = salon.book(&salon.colour, AT).await;
    let body = salon.booking(&salon.colour, AT, json!({}));
    for _ in 0..2 {
        let refused = book(&salon, "k", &body).await;
        assert!(!refused.fails(409, "slot_unavailable").has("idempotent-replayed"));
    }
    salon.cancel(&blocker).await.is(200);
    let other = salon.booking(&salon.cut, AT, json!({ "staff_id": salon.ben }));
    let first = book(&salon, "k", &other).await;
    first.is(201);
    replays(&first, &book(&salon, "k", &other).await);
    book(&salon, "k", &body).await.fails(422, "idempotency_key_reused");
    book(&salon, "n", &json!({})).await.fails(400, "invalid_request");
    book(&salon, "n", &body).await.is(201);
}

#[tokio::test]
async fn an_idempotency_key_belongs_to_its_api_key() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let other = salon.key(&["appointments:write"]).await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    let mine = book(&salon, "k", &body).await.created();
    let theirs = other.call("POST", "/appointments").json(&body).once("k").await.created();
    assert_ne!(mine["id"], theirs["id"]);
}

#[tokio::test]
async fn an_idempotency_key_is_valid_for_24_hours() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, "2026-03-06T09:00:00Z", json!({}));
    let first = book(&salon, "k", &body).await;
    first.is(201);
    server.clock.advance(24 * 3600 - 1);
    replays(&first, &book(&salon, "k", &body).await);
    server.clock.advance(2);
    let anew = book(&salon, "k", &body).await;
    assert!(!anew.has("idempotent-replayed"), "{anew}");
    assert_ne!(anew.created()["id"], first.data()["id"]);
    replays(&anew, &book(&salon, "k", &body).await);
}

#[tokio::test]
async fn an_idempotency_key_survives_a_restart() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    let first = book(&salon, "k", &body).await;
    server.restart().await;
    let salon = salon.again(&server);
    replays(&first, &book(&salon, "k", &body).await);
    let other = salon.booking(&salon.massage, AT, json!({}));
    book(&salon, "k", &other).await.fails(422, "idempotency_key_reused");
    server.clock.advance(24 * 3600 + 1);
    server.restart().await;
    let salon = salon.again(&server);
    let late = salon.booking(&salon.massage, "2026-03-04T09:00:00Z", json!({}));
    book(&salon, "k", &late).await.is(201);
}

#[tokio::test]
async fn only_visible_ascii_of_1_to_255_characters_is_a_key() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    for key in ["", "two words", "é", "tab\there", &"x".repeat(256)] {
        book(&salon, key, &body).await.invalid_at(&["Idempotency-Key"]);
    }
    let twice = salon.api.call("POST", "/appointments").json(&body).once("a").once("b").await;
    twice.invalid_at(&["Idempotency-Key"]);
    assert!(salon.api.all("/appointments").await.is_empty());
    for (index, key) in ["!", "~", "\"quoted\"", &"x".repeat(255)].into_iter().enumerate() {
        let body = salon.booking(&salon.cut, &format!("2026-03-03T{:02}:00:00Z", 9 + index), json!({}));
        let first = book(&salon, key, &body).await;
        replays(&first, &book(&salon, key, &body).await);
    }
}

#[tokio::test]
async fn a_repeated_request_is_replayed_before_if_match_is_checked() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let tag = salon.get("/business").await.etag();
    let send = || {
        let call = salon.api.call("PATCH", "/business").json(&json!({ "name": "New" }));
        call.header("if-match", &tag).once("k")
    };
    server.clock.advance(1);
    let first = send().await;
    first.is(200);
    replays(&first, &send().await);
    salon.api.patch("/business", &json!({ "name": "Newer" })).await.is(200);
    replays(&first, &send().await);
}

#[tokio::test]
async fn scope_and_suspension_are_checked_before_the_idempotency_key() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, AT, json!({}));
    book(&salon, "k", &body).await.is(201);
    let reader = salon.key(&["appointments:read"]).await;
    let refused = reader.call("POST", "/appointments").json(&body).once("").await;
    refused.fails(403, "insufficient_scope");
    salon.set(json!({ "suspended": true })).await;
    book(&salon, "k", &body).await.fails(403, "forbidden");
}

#[tokio::test]
async fn reading_ignores_the_header() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for path in ["/business", "/appointments", "/me"] {
        let answer = salon.api.call("GET", path).once("k").await;
        assert!(!answer.is(200).has("idempotent-replayed"));
    }
    book(&salon, "k", &salon.booking(&salon.cut, AT, json!({}))).await.is(201);
}
