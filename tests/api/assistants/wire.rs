//! Tests of the checks that the service makes before it handles an MCP message: `Host`, `Origin`, API key,
//! rate limit and message size.

use serde_json::json;

use super::Assistant;
use crate::harness::{Server, raw};

fn ping() -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
}

#[tokio::test]
async fn host_and_origin_are_checked_before_the_key() {
    let server = Server::open().await;
    let api = server.root();
    for (header, value) in [("host", "evil.example"), ("origin", "https://evil.example"), ("origin", "null")]
    {
        let refused = api.call("POST", "/mcp").json(&ping()).header(header, value).await;
        refused.fails(403, "forbidden").says("RECEPTIONIST_PUBLIC_URL");
    }
    for (header, value) in [("host", "localhost:5"), ("origin", "http://127.0.0.1:6274"), ("host", "[::1]")] {
        api.call("POST", "/mcp").json(&ping()).header(header, value).await.fails(401, "unauthorized");
    }
    // The request has two `Origin` headers. Only the first of them is valid.
    let key = server.salon().await.key;
    let bytes = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nOrigin: http://localhost\r\n\
         Origin: https://evil.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    );
    let answer = raw(api.address, bytes.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

#[tokio::test]
async fn every_request_needs_a_valid_key() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for api in [server.root(), server.root().with_token("rcpt_00000000_00000000000000000000000000000000")] {
        for (method, path) in [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")] {
            api.call(method, path).json(&ping()).await.fails(401, "unauthorized");
        }
    }
    let assistant = Assistant::of(&server, &salon);
    assistant.0.call("GET", "/mcp").await.fails(405, "method_not_allowed");
    assert_eq!(assistant.0.call("DELETE", "/mcp").await.header("allow"), "POST");
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/mcp/x"]
    {
        server.root().get(path).await.fails(404, "not_found");
    }
    salon.operator.delete(&format!("/keys/{}", salon.key_id)).await.is(204);
    assistant.send(&ping()).await.fails(401, "unauthorized");
}

#[tokio::test]
async fn a_suspended_business_refuses_assistants() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    salon.set(json!({"suspended": true})).await;
    assistant.send(&ping()).await.fails(403, "forbidden").says("suspended");
}

#[tokio::test]
async fn messages_share_the_rate_limit_of_v1() {
    let server = Server::with_limit(4).await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    assert_eq!(assistant.send(&ping()).await.number("x-ratelimit-remaining"), 3);
    salon.get("/me").await.is(200);
    assert_eq!(assistant.send(&ping()).await.number("x-ratelimit-remaining"), 1);
    assistant.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await.is(202);
    assistant.send(&ping()).await.fails(429, "rate_limited");
    salon.get("/me").await.fails(429, "rate_limited");
}

#[tokio::test]
async fn too_large_and_malformed_messages_are_refused() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let post = |bytes: Vec<u8>| assistant.0.call("POST", "/mcp").bytes(bytes);
    post(vec![b' '; 256 * 1024 + 1]).await.fails(413, "invalid_request");
    for (body, code) in
        [(&b"{"[..], -32700), (b"", -32700), (b"\xff", -32700), (b"[]", -32600), (b"{}", -32600)]
    {
        let answer = post(body.to_vec()).await;
        assert_eq!((answer.status, &answer.body["error"]["code"]), (400, &json!(code)), "{answer}");
        assert_eq!(answer.body["id"], json!(null));
    }
    let other_type = assistant.0.call("POST", "/mcp").bytes("{}").header("content-type", "text/plain");
    other_type.await.fails(415, "invalid_request");
    // A message that is a response is refused, because the server sends no requests.
    let answer = assistant.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
    assert_eq!((answer.status, &answer.body["error"]["code"]), (400, &json!(-32600)));
    // A client that accepts only JSON, or sends no `Accept` header, also gets a response.
    for accept in ["application/json", "*/*"] {
        assistant.0.call("POST", "/mcp").json(&ping()).header("accept", accept).await.is(200);
    }
}
