//! Tests of `GET /metrics` on the operator listener, and of the API document on the public listener. Neither
//! request needs a key.

use crate::harness::{Server, raw};

async fn get(address: std::net::SocketAddr, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    raw(address, request.as_bytes()).await
}

#[tokio::test]
async fn requests_are_counted_by_their_route_and_not_by_their_path() {
    let server = Server::with_limit(3).await;
    let salon = server.salon().await;
    for _ in 0..2 {
        salon.get("/appointments/no-id").await.is(404);
    }
    salon.get("/secret-path").await.is(404);
    salon.get("/me").await.is(429);

    let mut text = get(server.operator_of("").address, "/metrics").await;
    // A request returns its permit only after its response was sent, so the metric is polled.
    while !text.contains("permits_in_use 0\n") {
        text = get(server.operator_of("").address, "/metrics").await;
    }
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    for line in [
        r#"http_requests_total{route="/v1/appointments/{appointment_id}",method="GET",status="404"} 2"#,
        r#"http_requests_total{route="unmatched",method="GET",status="404"} 1"#,
        r#"http_requests_total{route="/v1/me",method="GET",status="429"} 1"#,
        r#"http_requests_total{route="/admin/v1/businesses",method="POST",status="201"} 1"#,
        r#"rate_limited_requests_total{by="key"} 1"#,
        "listed_rows_total 0",
        "long_lists 0",
        "running_businesses 1",
        "permits_in_use 0",
        "store_failed 0",
        "wall_clock_doubted 0",
    ] {
        assert!(text.contains(&format!("receptionist_{line}\n")), "the metrics lack {line}:\n{text}");
    }
    assert!(!text.contains("secret-path") && !text.contains("no-id"), "{text}");
}

#[tokio::test]
async fn the_document_is_on_the_public_listener_and_metrics_are_not() {
    let server = Server::open().await;
    let public = server.anonymous().address;
    let text = get(public, "/openapi.json").await;
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("content-type: application/json"), "{text}");
    assert!(text.ends_with(&receptionist::openapi::document().to_string()));
    assert!(get(public, "/metrics").await.starts_with("HTTP/1.1 404"));
}

#[tokio::test]
async fn read_only_paths_refuse_other_methods_like_the_route_tables() {
    let server = Server::open().await;
    for (api, path) in [
        (server.root(), "/healthz"),
        (server.root(), "/readyz"),
        (server.root(), "/openapi.json"),
        (server.operator_root(), "/metrics"),
    ] {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"] {
            let answer = api.call(method, path).bytes("{").await;
            assert_eq!(
                answer.fails(405, "method_not_allowed").header("allow"),
                "GET, HEAD",
                "{method} {path}"
            );
        }
        api.call("HEAD", path).await.is(200);
    }
}
