//! Tests of a business that is set aside because of damaged rows. Every request to this business gets the
//! status 500. Requests to all other businesses succeed.

use std::net::SocketAddr;

use serde_json::json;

use crate::harness::{Server, TOKEN, raw};

/// Sends a request and returns the response. The status may be 500, which the harness otherwise refuses.
async fn call(address: SocketAddr, line: &str, token: &str, body: &str) -> String {
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    raw(address, head.as_bytes()).await
}

#[tokio::test]
async fn a_business_that_is_set_aside_returns_500_and_the_others_work() {
    let mut server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    server.stop().await;
    let list = server.data_dir().join("businesses-set-aside");
    std::fs::write(&list, format!("{} page 17 of store/db is damaged\n", salon.id)).unwrap();
    server.start().await;
    let other = other.again(&server);

    let (public, operator) = (server.anonymous().address, server.operator_of(&salon.id).address);
    let booking = json!({
        "service_id": salon.cut, "starts_at": "2026-03-03T09:00:00Z", "contact": { "name": "Zoé" }
    });
    let mcp = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let base = format!("/admin/v1/businesses/{}", salon.id);
    let mut answers = Vec::new();
    for (line, body) in [
        ("GET /v1/me", String::new()),
        ("GET /v1/services", String::new()),
        ("GET /v1/appointments", String::new()),
        ("GET /v1/contacts", String::new()),
        ("POST /v1/appointments", booking.to_string()),
        ("POST /v1/contacts", json!({ "name": "Zoé" }).to_string()),
        ("POST /mcp", mcp.to_string()),
    ] {
        answers.push(call(public, line, &salon.key, &body).await);
    }
    for (line, body) in [
        (format!("GET {base}"), ""),
        (format!("GET {base}/services"), ""),
        (format!("GET {base}/keys"), ""),
        (format!("PATCH {base}"), "{\"name\":\"New\"}"),
        (format!("DELETE {base}"), ""),
    ] {
        answers.push(call(operator, &line, TOKEN, body).await);
    }
    for answer in answers {
        let answer = answer.to_lowercase();
        assert!(answer.starts_with("http/1.1 500 "), "{answer}");
        assert!(answer.contains("internal_error") && answer.contains("x-request-id: "), "{answer}");
        assert!(!answer.contains("aside") && !answer.contains("damaged"), "{answer}");
    }
    // A key with a wrong secret gets a response that does not reveal the state of the business.
    let last = salon.key.chars().next_back().unwrap();
    let wrong = format!("{}{}", &salon.key[..salon.key.len() - 1], if last == 'a' { 'b' } else { 'a' });
    server.with_key(&wrong).get("/me").await.fails(401, "unauthorized");

    server.root().get("/healthz").await.is(200);
    other.get("/me").await.is(200);
    other.try_book(&other.cut, "2026-03-03T09:00:00Z").await.is(201);
    let listed = server.operator.get("/businesses").await.list();
    assert_eq!(listed.iter().map(|business| business["id"].clone()).collect::<Vec<_>>(), [json!(other.id)]);
    let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let metrics = raw(operator, request).await;
    assert!(metrics.contains("receptionist_businesses_set_aside 1\n"), "{metrics}");

    // After the operator has deleted the list of the businesses that are set aside, the service accepts the
    // business again.
    server.stop().await;
    std::fs::remove_file(&list).unwrap();
    server.start().await;
    let back = salon.again(&server);
    back.get("/me").await.is(200);
    back.try_book(&back.cut, "2026-03-03T09:00:00Z").await.is(201);
}
