//! Tests of webhook endpoints: their creation, changes, activation and deactivation, and the deliveries in
//! the operator API.

use std::future::IntoFuture;

use serde_json::{Value, json};

use crate::harness::{Server, id, ids, merged};

#[tokio::test]
async fn an_endpoint_is_shown_with_all_fields_and_its_secret_only_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut made = salon.webhook().await;
    let secret = made.as_object_mut().unwrap().remove("secret").unwrap();
    assert!(secret.as_str().unwrap().starts_with("whsec_"));
    assert_eq!(secret.as_str().unwrap().len(), "whsec_".len() + 44);
    assert_eq!(made["url"], "https://a.example.com/hook?x=1");
    assert_eq!(made["events"], json!(["appointment.booked", "contact.created"]));
    assert_eq!(
        (&made["status"], &made["disabled_reason"], &made["disabled_at"]),
        (&json!("enabled"), &Value::Null, &Value::Null)
    );
    let path = format!("/webhooks/{}", id(&made));
    assert_eq!(salon.get(&path).await.data(), made);
    assert_eq!(salon.get("/webhooks").await.list(), [made.clone()]);
    assert_eq!(salon.operator.get(&path).await.data(), merged(made, json!({ "failing_since": null })));
}

#[tokio::test]
async fn a_url_that_is_not_public_is_refused_without_details() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for url in [
        "http://a.example.com/",
        "https://10.0.0.1/",
        "https://127.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://x.internal.example.org/",
        "https://unknown.example.net/",
        "https://u:p@a.example.com/",
        "ftp://a.example.com/",
        "https://a.example.com/#f",
        "https://a.example.com:0/",
        "https://single/",
        "",
        " https://a.example.com/",
    ] {
        let body = json!({ "url": url, "events": ["contact.created"] });
        let answer = salon.api.post("/webhooks", &body).await;
        answer.fails(400, "invalid_request").invalid_at(&["url"]);
        assert!(!answer.message().contains("10.0.0.1") || url.contains("10.0.0.1"), "{}", answer.message());
    }
    let made = salon.webhook().await;
    let path = format!("/webhooks/{}", id(&made));
    salon.api.patch(&path, &json!({ "url": "https://x.internal.example.org/" })).await.invalid_at(&["url"]);
    salon.api.patch(&path, &json!({ "url": "https://b.example.com/" })).await.data();
}

#[tokio::test]
async fn events_are_one_to_six_known_types_each_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let with = |events: Value| json!({ "url": "https://a.example.com/", "events": events });
    for (events, path) in [
        (json!([]), "events"),
        (json!(["contact.created", "contact.created"]), "events[1]"),
        (json!(["contact.deleted"]), "events[0]"),
        (json!("contact.created"), "events"),
    ] {
        salon.api.post("/webhooks", &with(events)).await.invalid_at(&[path]);
    }
    salon.api.post("/webhooks", &json!({})).await.invalid_at(&["url", "events"]);
}

#[tokio::test]
async fn a_business_has_at_most_25_endpoints() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for _ in 0..25 {
        salon.webhook().await;
    }
    let body = json!({ "url": "https://a.example.com/", "events": ["contact.created"] });
    salon.api.post("/webhooks", &body).await.fails(409, "conflict");
    let first = ids(&salon.get("/webhooks").await.list())[0].clone();
    salon.api.delete(&format!("/webhooks/{first}")).await.is(204);
    salon.api.post("/webhooks", &body).await.created();
    salon.api.delete(&format!("/webhooks/{first}")).await.fails(404, "not_found");
}

#[tokio::test]
async fn an_endpoint_is_disabled_and_enabled_by_an_integration_or_the_operator() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.webhook().await;
    let path = format!("/webhooks/{}", id(&made));
    let off = salon.api.patch(&path, &json!({ "status": "disabled" })).await.data();
    assert_eq!((&off["status"], &off["disabled_reason"]), (&json!("disabled"), &json!("api")));
    assert!(off["disabled_at"].is_string());
    let on = salon.api.patch(&path, &json!({ "status": "enabled" })).await.data();
    assert_eq!((&on["disabled_reason"], &on["disabled_at"]), (&Value::Null, &Value::Null));
    let off = salon.operator.patch(&path, &json!({ "status": "disabled" })).await.data();
    assert_eq!(off["disabled_reason"], "operator");
    salon.operator.patch(&path, &json!({ "url": "https://b.example.com/" })).await.invalid_at(&["url", ""]);
}

#[tokio::test]
async fn events_while_an_endpoint_is_disabled_are_missed_and_can_be_resent() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.webhook().await;
    let path = format!("/webhooks/{}", id(&made));
    salon.operator.patch(&path, &json!({ "status": "disabled" })).await.data();
    salon.contact(json!({ "name": "A" })).await;
    let log = salon.operator.all(&format!("{path}/deliveries")).await;
    assert_eq!(log.len(), 1);
    assert_eq!(
        (&log[0]["status"], &log[0]["type"], &log[0]["attempts_made"]),
        (&json!("missed"), &json!("contact.created"), &json!(0))
    );
    let resend = format!("{path}/deliveries/{}/resend", log[0]["event_id"].as_str().unwrap());
    salon.operator.post(&resend, &json!({})).await.fails(409, "conflict");
    salon.operator.post(&format!("{path}/resend-missed"), &json!({})).await.fails(409, "conflict");
    salon.operator.patch(&path, &json!({ "status": "enabled" })).await.data();
    salon.operator.post(&resend, &json!({})).await.is(202);
    salon
        .operator
        .post(&format!("{path}/deliveries/{}/resend", id(&made)), &json!({}))
        .await
        .fails(404, "not_found");
    assert_eq!(salon.operator.all(&format!("{path}/deliveries?status=missed")).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_test_returns_its_outcome() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.webhook().await;
    let path = format!("/webhooks/{}/test", id(&made));
    let tested = salon.api.call("POST", &path).await.data();
    assert_eq!(
        (&tested["type"], &tested["delivered"], &tested["response_status"]),
        (&json!("appointment.booked"), &json!(false), &Value::Null)
    );
    assert!(tested["error"].is_string());
    let tested = salon.api.post(&path, &json!({ "type": "message.taken" })).await.data();
    assert_eq!(tested["type"], "message.taken");
    salon.api.post(&path, &json!({ "type": "x" })).await.invalid_at(&["type"]);
    assert_eq!(salon.operator.all(&format!("/webhooks/{}/deliveries", id(&made))).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_rotated_secret_is_shown_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.webhook().await;
    let rotated = salon
        .operator
        .post(&format!("/webhooks/{}/rotate-secret", id(&made)), &json!({}))
        .await
        .is(200)
        .data();
    assert!(rotated["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_ne!(rotated["secret"], made["secret"]);
}

#[tokio::test]
async fn a_repeated_request_does_not_resolve_the_host_name_again() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let create = json!({ "url": "https://a.example.com/", "events": ["contact.created"] });
    let post = |body: &Value| salon.api.call("POST", "/webhooks").json(body).once("post");
    let first = post(&create).await;
    let path = format!("/webhooks/{}", id(&first.created()));
    let move_to = json!({ "url": "https://b.example.com/" });
    let patch = |body: &Value| salon.api.call("PATCH", &path).json(body).once("patch");
    let moved = patch(&move_to).await;
    moved.is(200);

    server.network.set_names_down(true);
    for (given, again) in [(&first, post(&create).await), (&moved, patch(&move_to).await)] {
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!((again.status, &again.bytes, again.etag()), (given.status, &given.bytes, given.etag()));
    }
    for url in ["https://c.example.com/", "https://unknown.example.net/"] {
        let other = json!({ "url": url, "events": ["contact.created"] });
        post(&other).await.fails(422, "idempotency_key_reused");
        patch(&json!({ "url": url })).await.fails(422, "idempotency_key_reused");
    }
    // With a new idempotency key, the same body is not a repeated request. The service tries to resolve the host
    // name in the URL, the lookup fails, and the request is refused. While the business is suspended, even
    // repeated requests are refused.
    let new = salon.api.call("POST", "/webhooks").json(&create).once("new").await;
    new.invalid_at(&["url"]);
    salon.set(json!({ "suspended": true })).await;
    post(&create).await.fails(403, "forbidden");
    server.network.set_names_down(false);
    salon.set(json!({ "suspended": false })).await;
    salon.api.call("POST", "/webhooks").json(&create).once("new").await.created();
}

#[tokio::test]
async fn the_creation_of_an_endpoint_returns_its_etag() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = json!({ "url": "https://a.example.com/", "events": ["contact.created"] });
    let post = || salon.api.call("POST", "/webhooks").json(&body).once("k");
    let (made, again) = (post().await, post().await);
    let path = format!("/webhooks/{}", id(&made.created()));
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!((made.etag(), again.etag()), (salon.get(&path).await.etag(), made.etag()));
    let patch = |tag: &str| {
        salon.api.call("PATCH", &path).json(&json!({ "description": "New" })).header("if-match", tag)
    };
    server.clock.advance(1);
    patch(&made.etag()).await.is(200);
    patch(&made.etag()).await.fails(409, "conflict");
}

#[tokio::test]
async fn hanging_lookups_and_tests_block_no_other_requests() {
    /// The number of concurrent requests of one business.
    const EACH: usize = 8;
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let body = |url: &str| json!({ "url": url, "events": ["contact.created"] });
    let hanging = body("https://a.silent.example.org/");
    let wire = body("https://a.wire.example.com/");
    let path = format!("/webhooks/{}", id(&salon.api.post("/webhooks", &wire).await.created()));
    let test = format!("{path}/test");
    let calls = (0..EACH).flat_map(|number| {
        let save = match number % 2 {
            0 => salon.api.call("POST", "/webhooks").json(&hanging),
            _ => salon.api.call("PATCH", &path).json(&json!({ "url": hanging["url"] })),
        };
        [save, salon.api.call("POST", &test)]
    });
    let hang: Vec<_> = calls.map(|call| tokio::spawn(call.into_future())).collect();
    server.network.wait_for_silent(2 * EACH).await;

    let fine = body("https://a.example.com/");
    salon.api.post("/webhooks", &fine).await.fails(503, "internal_error");
    salon.api.patch(&path, &json!({ "url": fine["url"] })).await.fails(503, "internal_error");
    salon.api.call("POST", &test).await.fails(503, "internal_error");
    // Requests that need no DNS lookup succeed, and so do the requests of other businesses.
    salon.api.patch(&path, &json!({ "description": "New" })).await.is(200);
    let theirs = other.api.post("/webhooks", &fine).await.created();
    other.api.call("POST", &format!("/webhooks/{}/test", id(&theirs))).await.is(200);
    assert!(hang.iter().all(|call| !call.is_finished()));
    for call in hang {
        call.abort();
    }
}
