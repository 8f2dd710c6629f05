//! Tests of the connection after a request whose body the service has not read. Either the service handles the
//! next request on this connection, or the response says that the connection closes.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use receptionist::server::{DISCARD_BYTES_MAX, DISCARD_TIME_MAX, LINGER_TIME_MAX};

use crate::harness::{Api, Server, TOKEN};

const MADE_UP: &str = "00000000-0000-7000-8000-000000000001";

/// A connection to which a test writes bytes and from which it reads responses.
struct Wire(TcpStream);

impl Wire {
    async fn to(api: &Api) -> Self {
        Self(TcpStream::connect(api.address).await.unwrap())
    }

    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Reads the next response. Returns its head in lower case, and discards its body.
    async fn response(&mut self) -> String {
        self.response_or_end().await.expect("a response")
    }

    /// The head of the next response, or `None` if the server closes the connection first.
    async fn response_or_end(&mut self) -> Option<String> {
        let read = async {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(self.0.read_u8().await.ok()?);
            }
            let head = String::from_utf8_lossy(&head[..head.len() - 2]).to_lowercase();
            let length = head.split("content-length: ").nth(1).map(|rest| rest.lines().next().unwrap());
            // Some bodies are so long that a test would take seconds to read them byte by byte.
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            self.0.read_exact(&mut body).await.ok()?;
            if head.contains("transfer-encoding: chunked") {
                while !body.ends_with(b"\r\n0\r\n\r\n") {
                    body.push(self.0.read_u8().await.ok()?);
                }
            }
            Some(head)
        };
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("no response arrived in time")
    }

    /// The remaining bytes until the server closes the connection. The connection must not be reset.
    async fn rest(mut self) -> String {
        let mut all = String::new();
        self.0.read_to_string(&mut all).await.expect("no reset");
        all
    }
}

/// The start of a request. The caller adds the headers that describe the body.
fn head(method: &str, path: &str, headers: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{headers}")
}

/// Requests that the service refuses. For every path, there is a request without a credential. The requests with a
/// credential are refused for other reasons.
async fn refused(server: &Server) -> Vec<(Api, String)> {
    let salon = server.salon().await;
    let weak = salon.key(&["knowledge:write"]).await.token().to_owned();
    let suspended = server.salon().await;
    suspended.set(serde_json::json!({ "suspended": true })).await;
    let (public, operator) = (server.root(), server.operator_root());
    let filled = |path: &str| {
        let parts = path.split('/').map(|part| if part.starts_with('{') { MADE_UP } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    let apart =
        ["/healthz", "/openapi.json", "/mcp", "/nowhere", "/v1/nowhere"].map(|path| ("POST", path, &public));
    let hidden = ["/metrics", "/nowhere", "/admin/v1/nowhere"].map(|path| ("POST", path, &operator));
    let mut all: Vec<(Api, String)> = Vec::new();
    for (method, path, api) in apart.into_iter().chain(hidden) {
        all.push((api.clone(), head(method, path, "")));
        all.push((api.clone(), head("GET", path, "")));
    }
    for (method, path) in receptionist::service::routes() {
        let is_public = path.starts_with("/v1");
        let (api, token) = if is_public { (&public, &salon.key[..]) } else { (&operator, TOKEN) };
        let bearer = format!("authorization: Bearer {token}\r\n");
        let path = filled(path);
        all.push((api.clone(), head(method.as_str(), &path, "")));
        all.push((api.clone(), head("BREW", &path, &bearer)));
        // The service refuses this media type. It ignores the media type of a GET request.
        all.push((
            api.clone(),
            head(method.as_str(), &path, &format!("{bearer}content-type: text/plain\r\n")),
        ));
        all.push((api.clone(), head(method.as_str(), &format!("{path}?odd=%zz"), &bearer)));
        if is_public {
            for key in [&weak, &suspended.key] {
                let headers = format!("authorization: Bearer {key}\r\ncontent-type: text/plain\r\n");
                all.push((api.clone(), head(method.as_str(), &path, &headers)));
            }
        }
    }
    for (method, path, _) in receptionist::service::pages() {
        all.push((public.clone(), head(method.as_str(), &filled(path), "content-type: text/plain\r\n")));
    }
    all
}

#[tokio::test]
async fn after_a_refusal_the_connection_handles_the_next_request() {
    let server = Server::open().await;
    for (api, head) in refused(&server).await {
        let next = loop {
            let mut wire = Wire::to(&api).await;
            let began = Instant::now();
            wire.send(format!("{head}content-length: 5\r\n\r\n")).await;
            let response = wire.response().await;
            assert!(!response.contains("connection: close"), "{head}{response}");
            let _ = wire.0.write_all(b"hello").await;
            let next = self::head("GET", "/next", "connection: close\r\n\r\n");
            let _ = wire.0.write_all(next.as_bytes()).await;
            if let Some(next) = wire.response_or_end().await {
                break next;
            }
            // On a busy machine, the body may arrive after the server has stopped waiting for it. The test
            // then tries again.
            assert!(began.elapsed() >= DISCARD_TIME_MAX, "{head}the connection was closed too early");
        };
        assert!(next.starts_with("http/1.1 404 ") || next.starts_with("http/1.1 401 "), "{head}{next}");
    }
}

#[tokio::test]
async fn a_connection_that_ends_after_a_refusal_says_so_and_is_not_reset() {
    let server = Server::open().await;
    let long = format!("content-length: {}\r\n\r\n", DISCARD_BYTES_MAX + 1);
    for (api, head) in refused(&server).await {
        for framing in
            [&long, "transfer-encoding: chunked\r\n\r\n", "expect: 100-continue\r\ncontent-length: 5\r\n\r\n"]
        {
            let mut wire = Wire::to(&api).await;
            wire.send(format!("{head}{framing}")).await;
            let response = wire.response().await;
            assert!(!response.starts_with("http/1.1 100"), "{head}{framing}{response}");
            assert!(response.contains("connection: close\r\n"), "{head}{framing}{response}");
            wire.send("5\r\nhello\r\n".repeat(1_000)).await;
            assert_eq!(wire.rest().await, "", "{head}{framing}");
        }
    }
}

#[tokio::test]
async fn refusals_for_rate_and_size_leave_a_usable_connection_or_say_that_it_ends() {
    let server = Server::with_limit(1).await;
    let salon = server.salon().await;
    salon.get("/me").await.is(200);
    let bearer = format!("authorization: Bearer {}\r\n", salon.key);
    let mut wire = Wire::to(&salon.api).await;
    for _ in 0..3 {
        wire.send(head("POST", "/v1/contacts", &format!("{bearer}content-length: 2\r\n\r\n{{}}"))).await;
        assert!(wire.response().await.starts_with("http/1.1 429 "));
    }
    let server = Server::open().await;
    let salon = server.salon().await;
    let bearer = format!("authorization: Bearer {}\r\ncontent-type: application/json\r\n", salon.key);
    for (framing, body) in [
        ("content-length: 1000000", String::new()),
        ("transfer-encoding: chunked", format!("100000\r\n{}\r\n", " ".repeat(0x0010_0000))),
    ] {
        let mut wire = Wire::to(&salon.api).await;
        wire.send(head("POST", "/v1/contacts", &format!("{bearer}{framing}\r\n\r\n"))).await;
        // The server may send its response before it has read the body. So a failed write is ignored, and only the
        // response is checked.
        let _ = wire.0.write_all(body.as_bytes()).await;
        let response = wire.response().await;
        assert!(
            response.starts_with("http/1.1 413 ") && response.contains("connection: close\r\n"),
            "{response}"
        );
    }
    // The HTTP library refuses an invalid head. The client can still read the response of the library.
    let mut wire = Wire::to(&salon.api).await;
    wire.send("GET / HTTP/1.1\r\na b: c\r\n\r\n").await;
    wire.send("x".repeat(10_000)).await;
    let response = wire.response().await;
    assert!(
        response.starts_with("http/1.1 400 ") && response.contains("connection: close\r\n"),
        "{response}"
    );
    assert_eq!(wire.rest().await, "");
}

#[tokio::test]
async fn a_missing_body_is_not_awaited() {
    let server = Server::open().await;
    let mut wire = Wire::to(&server.root()).await;
    wire.send(head("POST", "/v1/contacts", "content-length: 5\r\n\r\n")).await;
    wire.response().await;
    let start = Instant::now();
    assert_eq!(wire.rest().await, "");
    let took = start.elapsed();
    assert!(took < LINGER_TIME_MAX * 4, "{took:?}");
}
