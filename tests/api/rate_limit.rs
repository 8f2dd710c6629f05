//! Tests of the rate limits of API keys, and of addresses that send requests without a key.

use serde_json::json;

use crate::harness::{Answer, Server};

fn limits(answer: &Answer) -> [i64; 3] {
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map(|name| answer.number(name))
}

#[tokio::test]
async fn the_limit_of_a_key_applies_to_each_minute_of_the_clock() {
    let server = Server::with_limit(3).await;
    server.clock.set("2026-03-02T06:00:12.345Z");
    let salon = server.salon().await;
    let minute = server.clock.seconds() / 60 * 60;
    for left in [2, 1, 0] {
        assert_eq!(limits(salon.get("/me").await.is(200)), [3, left, minute + 60]);
    }
    for (second, wait) in [(12, 48), (30, 30), (59, 1)] {
        server.clock.set(&format!("2026-03-02T06:00:{second}.345Z"));
        let answer = salon.get("/me").await;
        assert_eq!(limits(answer.fails(429, "rate_limited")), [3, 0, minute + 60]);
        assert_eq!(answer.number("retry-after"), wait);
    }
    server.clock.set("2026-03-02T06:01:00Z");
    assert_eq!(limits(salon.get("/me").await.is(200)), [3, 2, minute + 120]);
}

#[tokio::test]
async fn every_response_except_429_counts() {
    let server = Server::with_limit(6).await;
    let salon = server.salon().await;
    salon.get("/nowhere").await.is(404);
    salon.api.delete("/me").await.is(405);
    salon.get("/appointments?x=1").await.is(400);
    salon.api.patch("/business", &json!({})).await.is(400);
    let tag = salon.get("/business").await.etag();
    let known = salon.api.call("GET", "/business").header("if-none-match", &tag).await;
    assert_eq!(limits(known.is(304))[1], 0);
    for _ in 0..10 {
        salon.get("/me").await.is(429);
        salon.get("/nowhere").await.is(429);
    }
    server.clock.advance(60);
    assert_eq!(limits(&salon.get("/me").await)[1], 5);
}

#[tokio::test]
async fn each_key_of_a_business_has_its_own_limit() {
    let server = Server::with_limit(1).await;
    let salon = server.salon().await;
    let other = salon.key(&["business:read"]).await;
    salon.get("/me").await.is(200);
    salon.get("/me").await.is(429);
    other.get("/me").await.is(200);
    other.get("/me").await.is(429);
}

#[tokio::test]
async fn requests_without_a_valid_key_are_counted_by_address_and_never_against_a_key() {
    let server = Server::with_limit(2).await;
    let salon = server.salon().await;
    let wrong = format!("{}{}", &salon.key[..45], if salon.key.ends_with('a') { 'b' } else { 'a' });
    assert_eq!(limits(server.with_key(&wrong).get("/me").await.is(401))[1], 1);
    assert_eq!(limits(server.anonymous().get("/nowhere").await.is(401))[1], 0);
    server.anonymous().get("/me").await.fails(429, "rate_limited");
    server.with_key(&wrong).get("/me").await.fails(429, "rate_limited");
    assert_eq!(limits(salon.get("/me").await.is(200))[1], 1);
    server.clock.advance(60);
    server.anonymous().get("/me").await.is(401);
}

#[tokio::test]
async fn requests_through_a_trusted_proxy_are_counted_by_the_forwarded_address() {
    let from = async |server: &Server, clients: &[&str]| {
        let anonymous = server.anonymous();
        let request = anonymous.call("GET", "/me");
        clients.iter().fold(request, |request, client| request.header("x-forwarded-for", client)).await.status
    };
    let server = Server::with_proxies("127.0.0.1,198.51.100.0/24", 1).await;
    for (clients, status) in [
        (&["203.0.113.1"][..], 401),
        (&["203.0.113.1"], 429),
        (&["203.0.113.2:4711"], 401),
        (&["made up, 203.0.113.1, 198.51.100.9"], 429),
        (&["203.0.113.3", "203.0.113.1"], 429),
        (&["2001:db8::1"], 401),
        (&["[2001:db8::ffff]:1"], 429),
        (&["::ffff:203.0.113.1"], 429),
        // If the forwarded address is not valid, the request counts towards the limit of the proxy's address.
        (&["203.0.113.4, unknown"], 401),
        (&[], 429),
    ] {
        assert_eq!(from(&server, clients).await, status, "{clients:?}");
    }
    // The service ignores the `X-Forwarded-For` header of a proxy that is not trusted.
    let server = Server::with_proxies("198.51.100.0/24", 1).await;
    assert_eq!(from(&server, &["203.0.113.1"]).await, 401);
    assert_eq!(from(&server, &["203.0.113.2"]).await, 429);
}

#[tokio::test]
async fn a_revoked_key_counts_as_no_key() {
    let server = Server::with_limit(2).await;
    let salon = server.salon().await;
    salon.get("/me").await.is(200);
    salon.operator.delete(&format!("/keys/{}", salon.key_id)).await.is(204);
    for _ in 0..2 {
        salon.get("/me").await.is(401);
    }
    salon.get("/me").await.is(429);
}

#[tokio::test]
async fn concurrent_requests_never_exceed_the_limit() {
    let server = Server::with_limit(20).await;
    let salon = server.salon().await;
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let api = salon.api.clone();
            tokio::spawn(async move { api.get("/me").await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 20);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 30);
}

#[tokio::test]
async fn the_operator_api_and_health_are_not_limited() {
    let server = Server::with_limit(1).await;
    for _ in 0..3 {
        server.operator.get("/businesses").await.is(200);
        server.root().get("/healthz").await.is(200);
        server.operator.anonymous().get("/businesses").await.is(401);
    }
}
