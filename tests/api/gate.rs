//! Tests of the authentication, and of the order in which the service checks a request.

use serde_json::json;

use crate::harness::{SCOPES, Server, TOKEN, raw, raw_to_the_end};

/// Every endpoint with its scope.
const ENDPOINTS: [(&str, &str, &str); 10] = [
    ("GET", "/business", "business:read"),
    ("PATCH", "/business", "business:write"),
    ("GET", "/services", "business:read"),
    ("GET", "/staff", "business:read"),
    ("GET", "/availability", "appointments:read"),
    ("GET", "/appointments", "appointments:read"),
    ("POST", "/appointments", "appointments:write"),
    ("GET", "/appointments/none", "appointments:read"),
    ("POST", "/appointments/none/cancel", "appointments:write"),
    ("POST", "/appointments/none/reschedule", "appointments:write"),
];

const GARBAGE: &str = "{";

#[tokio::test]
async fn without_a_valid_key_everything_under_v1_is_401() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let unknown = format!("rcpt_{}_{}", "a".repeat(8), "b".repeat(32));
    let other_secret = format!("{}x", &salon.key[..salon.key.len() - 1]);
    let unlike = if other_secret == salon.key { unknown.clone() } else { other_secret };
    let endpoints = ENDPOINTS.map(|(method, path, _)| (method, path));
    let nowhere = [("GET", ""), ("GET", "/"), ("GET", "/nowhere"), ("DELETE", "/me"), ("BREW", "/business")];
    for (method, path) in endpoints.into_iter().chain(nowhere) {
        server.anonymous().call(method, path).bytes(GARBAGE).await.fails(401, "unauthorized");
        for key in ["x", &unknown, &unlike, &salon.key[1..], &salon.key.to_lowercase(), TOKEN] {
            server.with_key(key).call(method, path).await.fails(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn exactly_one_bearer_header_is_accepted() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let api = server.anonymous();
    for value in ["", "Bearer", "Basic abc", &salon.key, &format!("Token {}", salon.key)] {
        api.call("GET", "/me").header("authorization", value).await.fails(401, "unauthorized");
    }
    let good = format!("Bearer {}", salon.key);
    api.call("GET", "/me")
        .header("authorization", &good)
        .header("authorization", &good)
        .await
        .fails(401, "unauthorized");
    api.call("GET", "/me").header("authorization", &good.replace("Bearer", "bearer")).await.is(200);
    api.call("GET", "/me").header("x-api-key", &salon.key).await.is(401);
    api.get(&format!("/me?api_key={}", salon.key)).await.is(401);
}

#[tokio::test]
async fn a_401_names_the_fault_of_the_credential() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let api = server.anonymous();
    let unknown = format!("Bearer rcpt_{}_{}", "a".repeat(8), "b".repeat(32));
    let ask = async |value: &str| api.call("GET", "/me").header("authorization", value).await;
    api.get("/me").await.fails(401, "unauthorized").says("has no Authorization header").says("<API_KEY>");
    ask("Basic abc").await.fails(401, "unauthorized").says("contains no bearer token");
    ask(&salon.key).await.fails(401, "unauthorized").says("contains no bearer token");
    ask("Bearer rcpt_abc").await.fails(401, "unauthorized").says("The API key is malformed");
    ask(&unknown).await.fails(401, "unauthorized").says("The API key is unknown or was revoked");
    let operator_root = server.operator_root();
    let refused = operator_root.call("GET", "/admin/v1/businesses").await;
    refused.fails(401, "unauthorized").says("has no Authorization header").says("<OPERATOR_TOKEN>");
    let refused = operator_root.with_token(&salon.key).get("/admin/v1/businesses").await;
    refused.fails(401, "unauthorized").says("The operator token is wrong").says("RECEPTIONIST_ADMIN_TOKEN");
    for (path, list) in [
        (format!("/services/{}", salon.cut), "GET /v1/services lists services."),
        (format!("/staff/{}", salon.anna), "GET /v1/staff lists staff."),
        ("/messages/x/y".into(), "GET /v1/messages lists messages."),
    ] {
        salon.get(&path).await.fails(404, "not_found").says(&format!("There is no such path. {list}"));
    }
    salon.get("/nowhere").await.fails(404, "not_found").says("There is no such path.");
    let list = "GET /admin/v1/businesses/{business_id}/services lists services.";
    salon.operator.get("/services/x/y").await.fails(404, "not_found").says(list);
    for (path, action) in [
        ("/appointments/x", "POST /v1/appointments/{appointment_id}/cancel"),
        ("/appointments/x", "POST /v1/appointments/{appointment_id}/reschedule"),
    ] {
        for method in ["PATCH", "PUT", "DELETE"] {
            salon.api.call(method, path).await.fails(405, "method_not_allowed").says(action);
        }
    }
    salon.api.delete("/me").await.fails(405, "method_not_allowed").says("This path allows GET, HEAD.");
}

#[tokio::test]
async fn path_and_method_are_checked_before_suspension_and_scope() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let weak = salon.key(&["knowledge:write"]).await;
    salon.set(json!({ "suspended": true })).await;
    for path in ["", "/", "/nowhere", "/appointments/x/y", "/Business", "/business/"] {
        weak.get(path).await.fails(404, "not_found");
    }
    for (method, path, allow) in [
        ("DELETE", "/business", "GET, PATCH, HEAD"),
        ("POST", "/me", "GET, HEAD"),
        ("PUT", "/appointments", "GET, POST, HEAD"),
        ("GET", "/appointments/none/cancel", "POST"),
        ("PATCH", "/appointments/none", "GET, HEAD"),
        ("OPTIONS", "/services", "GET, HEAD"),
        ("BREW", "/staff", "GET, HEAD"),
    ] {
        let answer = weak.call(method, path).bytes(GARBAGE).await;
        let listed = |text: &str| {
            let mut methods: Vec<_> = text.split(", ").map(str::to_owned).collect();
            methods.sort();
            methods
        };
        assert_eq!(listed(answer.fails(405, "method_not_allowed").header("allow")), listed(allow));
    }
}

#[tokio::test]
async fn a_suspension_is_checked_before_the_scope_and_does_not_apply_to_me() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let weak = salon.key(&["knowledge:write"]).await;
    salon.set(json!({ "suspended": true })).await;
    for (method, path, _) in ENDPOINTS {
        for api in [&weak, &salon.api] {
            api.call(method, path).bytes(GARBAGE).await.fails(403, "forbidden");
        }
    }
    assert_eq!(weak.get("/me").await.data()["business"]["id"], salon.id);
    salon.set(json!({ "suspended": false })).await;
    salon.get("/business").await.is(200);
}

#[tokio::test]
async fn the_scope_is_checked_before_the_syntax_and_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (method, path, scope) in ENDPOINTS {
        let others: Vec<_> = SCOPES.into_iter().filter(|other| *other != scope).collect();
        let all_but_one = salon.key(&others).await;
        let request = all_but_one.call(method, &format!("{path}?bogus=%zz")).bytes(GARBAGE);
        request.header("content-type", "text/plain").await.fails(403, "insufficient_scope").says(scope);
        let answer = salon.key(&[scope]).await.call(method, &format!("{path}?bogus=%zz")).await;
        assert_ne!(answer.status, 403, "{answer}");
        all_but_one.get("/me").await.is(200);
    }
}

#[tokio::test]
async fn the_syntax_is_checked_before_the_id_in_the_path() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let unknown = "018f0000-0000-7000-8000-000000000000";
    for id in ["none", unknown] {
        let get = format!("/appointments/{id}");
        let (cancel, reschedule) = (format!("{get}/cancel"), format!("{get}/reschedule"));
        salon.get(&get).await.fails(404, "not_found");
        salon.get(&format!("{get}?x=1")).await.invalid_at(&["x"]);
        salon.api.call("POST", &cancel).await.fails(404, "not_found");
        salon.api.call("POST", &cancel).bytes(GARBAGE).await.fails(400, "invalid_request");
        salon.api.call("POST", &cancel).bytes("{}").header("content-type", "text/plain").await.is(415);
        salon.api.call("POST", &cancel).once("two words").await.invalid_at(&["Idempotency-Key"]);
        salon.api.call("POST", &cancel).header("if-match", "bare").await.invalid_at(&["If-Match"]);
        salon.api.post(&reschedule, &json!({})).await.invalid_at(&["starts_at"]);
        let good = json!({ "starts_at": "2026-03-03T09:00:00Z" });
        salon.api.post(&reschedule, &good).await.fails(404, "not_found");
        salon.api.post(&format!("{reschedule}?x=1"), &good).await.invalid_at(&["x"]);
    }
}

#[tokio::test]
async fn every_response_has_a_request_id_and_a_valid_one_of_the_client_is_used() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let longest = "!~".repeat(64);
    for id in ["a", "req-1", &longest] {
        for path in ["/me", "/nowhere"] {
            let answer = salon.api.call("GET", path).header("x-request-id", id).await;
            assert_eq!(answer.header("x-request-id"), id);
        }
        assert_eq!(
            server.anonymous().call("GET", "/me").header("x-request-id", id).await.header("x-request-id"),
            id
        );
    }
    for id in ["", "two words", &"x".repeat(129), "tab\there"] {
        let answer = salon.api.call("GET", "/me").header("x-request-id", id).await;
        assert!(uuid::Uuid::try_parse(answer.header("x-request-id")).is_ok(), "{answer}");
    }
    let (one, two) = (salon.get("/me").await, salon.get("/me").await);
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[tokio::test]
async fn health_and_readiness_need_no_key_and_are_on_the_public_listener_only() {
    let server = Server::open().await;
    let answer = server.root().get("/healthz").await;
    assert_eq!(answer.is(200).body, json!({ "status": "ok" }));
    let answer = server.root().get("/readyz").await;
    assert_eq!(answer.is(200).body, json!({ "status": "ready" }));
    server.root().get("/nowhere").await.fails(404, "not_found");
    server.root().get("/admin/v1/businesses").await.fails(404, "not_found");
    server.operator.get("/me").await.fails(404, "not_found");
    // The operator listener checks the token before the path.
    server.operator_root().get("/readyz").await.fails(401, "unauthorized");
}

#[tokio::test]
async fn bytes_that_are_not_http_get_a_refusal_or_no_response_and_the_service_continues() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let key = format!("authorization: Bearer {}\r\n", salon.key);
    for (request, statuses) in [
        ("\r\n\r\n".to_owned(), &["400", ""][..]),
        ("GET\r\n\r\n".to_owned(), &["400"]),
        ("GET /v1/me HTTP/9.9\r\n\r\n".to_owned(), &["400", "505"]),
        ("\u{16}\u{3}\u{1}TLS".to_owned(), &["400", ""]),
        (format!("GET /v1/me HTTP/1.1\r\nhost: x\r\n{key}a b: c\r\n\r\n"), &["400"]),
        (format!("GET /v1/{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(1 << 20)), &["400", "414", "431", ""]),
        (
            format!(
                "POST /v1/appointments HTTP/1.1\r\nhost: x\r\n{key}content-length: 1\r\ncontent-length: 2\r\n\r\n{{}}"
            ),
            &["400"],
        ),
        (
            format!(
                "POST /v1/appointments HTTP/1.1\r\nhost: x\r\n{key}transfer-encoding: chunked\r\n\r\nzz\r\n"
            ),
            &["400"],
        ),
        (
            format!("POST /v1/appointments HTTP/1.1\r\nhost: x\r\n{key}content-length: 9\r\n\r\n{{"),
            &["400", ""],
        ),
        (format!("GET /v1/%ff HTTP/1.1\r\nhost: x\r\n{key}connection: close\r\n\r\n"), &["404"]),
        (format!("GET /v1/appointments/%ff HTTP/1.1\r\nhost: x\r\n{key}connection: close\r\n\r\n"), &["404"]),
    ] {
        let answer = raw_to_the_end(salon.api.address, request.as_bytes()).await;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(statuses.contains(&status), "{request:.200} -> {answer}");
    }
    salon.get("/me").await.is(200);
}

#[tokio::test]
async fn a_request_without_one_valid_host_is_refused_before_its_key_is_checked() {
    let server = Server::with_limit(1).await;
    for (listener, path) in [(server.root(), "/v1/me"), (server.operator_root(), "/admin/v1/businesses")] {
        for hosts in ["", "host: a\r\nhost: a\r\n", "host: a b\r\n"] {
            let request = format!("GET {path} HTTP/1.1\r\n{hosts}x-request-id: mine\r\n\r\n");
            let answer = raw(listener.address, request.as_bytes()).await;
            assert!(answer.starts_with("HTTP/1.1 400 "), "{request}{answer}");
            assert!(answer.contains(r#""code":"invalid_request""#), "{request}{answer}");
            assert!(answer.contains("x-request-id: mine\r\n"), "{request}{answer}");
        }
        let answer = raw(listener.address, format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await;
        assert!(
            answer.starts_with("HTTP/1.0 401 "),
            "the request must not count against a rate limit: {answer}"
        );
    }
}

#[tokio::test]
async fn head_responds_like_get_without_a_body() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let get = salon.get("/business").await;
    let head = salon.api.call("HEAD", "/business").await;
    assert_eq!(head.is(200).etag(), get.etag());
}
