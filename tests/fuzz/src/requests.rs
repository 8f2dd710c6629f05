//! A fuzz target that sends requests to both APIs. The complete router handles them in this process. No
//! response may be an internal error, and each must have the documented JSON structure.
//!
//! The input is a text with requests, separated by lines that contain `---`. A request has a line with its
//! method and path, headers, an empty line and a body. Placeholders such as `{service_id}` are replaced by
//! the ids of existing records. The business is created once per process. For every input, an engine is
//! opened on a copy of the business's disk. Inputs therefore do not affect each other, and a failure can be
//! reproduced.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header, response};
use domain::Timestamp;
use engine::Engine;
use http_body_util::BodyExt;
use net::Ports;
use ports::{BoxFuture, Clock, Dialer, Random, Resolver, Stream};
use receptionist::app::App;
use receptionist::config::{AdminToken, RateLimits};
use receptionist::server::ClientAddr;
use receptionist::service::apps;
use serde_json::Value;
use store::{MemoryBackend, Store};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tower::ServiceExt;

/// The maximum number of requests that are sent from one input.
const REQUESTS_MAX: usize = 12;

const TOKEN: &str = "for-operators-only";

/// A clock that always shows Monday 2026-03-02, 06:00 UTC.
struct Morning;

impl Clock for Morning {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_772_431_200_000)
    }

    fn steady(&self) -> Duration {
        Duration::ZERO
    }
}

/// A source of pseudo-random bytes. It gives every fuzz input the same sequence of bytes.
#[derive(Default)]
struct Counted(AtomicU64);

impl Random for Counted {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let number =
                self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            chunk.copy_from_slice(&(number ^ (number >> 29)).to_be_bytes()[..chunk.len()]);
        }
    }
}

/// Resolves every name to a public address. Refuses every connection.
pub(crate) struct Unreachable;

impl Resolver for Unreachable {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(vec![[93, 184, 216, 34].into()])))
    }
}

impl Dialer for Unreachable {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into())))
    }
}

struct Answer {
    status: u16,
    body: Value,
}

pub(crate) struct Server {
    engine: Engine,
    public: App,
    admin: App,
    _stop: watch::Sender<bool>,
    key: String,
    /// The names of the placeholders, with the ids that replace them.
    ids: Vec<(&'static str, String)>,
}

/// The records that exist before an input. Each row contains the placeholder of a record, and the path and the body of
/// the request that creates the record.
const FOUNDING: [(&str, &str, &str); 16] = [
    (
        "business_id",
        "/admin/v1/businesses",
        r#"{"name":"S","timezone":"Europe/Paris","phone_region":"FR","hours":[
        {"day":"monday","open":"09:00","close":"18:00"},{"day":"friday","open":"22:00","close":"02:00"}]}"#,
    ),
    ("service_id", "/services", r#"{"name":"Cut","duration_minutes":30}"#),
    ("staff_id", "/staff", r#"{"name":"Anna","service_ids":["{service_id}"]}"#),
    (
        "own_key",
        "/keys",
        r#"{"name":"all","scopes":["business:read","business:write","calls:read","contacts:read",
        "contacts:write","appointments:read","appointments:write","messages:read","knowledge:write","webhooks:manage"]}"#,
    ),
    ("feed_id", "/feeds", r#"{"staff_id":"{staff_id}"}"#),
    ("key_id", "/keys", r#"{"name":"spare","scopes":["calls:read"]}"#),
    (
        "appointment_id",
        "/appointments",
        r#"{"service_id":"{service_id}","starts_at":"2026-03-02T10:00:00Z",
        "contact":{"name":"Ada","phone":"+33612345678"}}"#,
    ),
    (
        "call_id",
        "/calls",
        r#"{"direction":"inbound","status":"completed","outcome":"other","from_number":"+33612345679",
        "started_at":"2026-03-02T05:00:00Z","ended_at":"2026-03-02T05:01:30Z"}"#,
    ),
    ("message_id", "/messages", r#"{"body":"Hello"}"#),
    ("time_off_id", "/staff/{staff_id}/time-off", r#"{"from":"2026-03-20","to":"2026-03-21"}"#),
    ("knowledge_id", "/knowledge", r#"{"title":"Parking","content":"Behind the house."}"#),
    ("person_id", "/people", r#"{"email":"ada@example.com","role":"owner","staff_id":"{staff_id}"}"#),
    // No other record refers to the following records, so inputs can delete them.
    ("spare_service_id", "/services", r#"{"name":"Beard","duration_minutes":30}"#),
    ("spare_staff_id", "/staff", r#"{"name":"Ben","service_ids":[]}"#),
    ("spare_contact_id", "/contacts", r#"{"name":"Bo"}"#),
    (
        "webhook_id",
        "/v1/webhooks",
        r#"{"url":"https://a.example.com/","events":["contact.created","appointment.booked"]}"#,
    ),
];

/// The state from which every input starts: the disk, the position in the sequence of pseudo-random
/// bytes, an API key, and the ids of the records.
struct Founded {
    disk: MemoryBackend,
    drawn: u64,
    key: String,
    ids: Vec<(&'static str, String)>,
}

static FOUNDED: LazyLock<Founded> = LazyLock::new(|| runtime().block_on(found()));

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

async fn found() -> Founded {
    let (disk, random) = (MemoryBackend::new(), Arc::new(Counted::default()));
    let mut server = Server::open(&disk, &random).await;
    for (name, path, body) in FOUNDING {
        let path = if path.starts_with("/v1") || path.starts_with("/admin") {
            path.to_owned()
        } else {
            format!("/admin/v1/businesses/{{business_id}}{path}")
        };
        let made = server.send(&format!("POST {path}\n\n{body}")).await.unwrap();
        assert_eq!(made.status, 201, "{}", made.body);
        let data = &made.body["data"];
        if name == "own_key" {
            server.key = data["key"].as_str().unwrap().to_owned();
        }
        if name == "appointment_id" {
            server.ids.push(("contact_id", data["contact_id"].as_str().unwrap().to_owned()));
        }
        server.ids.push((name, data["id"].as_str().unwrap().to_owned()));
    }
    // An event occurs while the endpoint is disabled, so the endpoint misses it. An input can then resend this event.
    let path = server.fill("/admin/v1/businesses/{business_id}/webhooks/{webhook_id}");
    server.send(&format!("PATCH {path}\n\n{{\"status\":\"disabled\"}}")).await;
    server.send("POST /v1/contacts\n\n{\"name\":\"Grace\"}").await;
    server.send(&format!("PATCH {path}\n\n{{\"status\":\"enabled\"}}")).await;
    let missed = server.send(&format!("GET {path}/deliveries")).await.unwrap();
    server.ids.push(("event_id", missed.body["data"][0]["event_id"].as_str().unwrap().to_owned()));
    // A special day is identified by its date, so the date is one of the ids.
    server.ids.push(("date", "2026-03-10".to_owned()));
    server.engine.close().await.unwrap();
    Founded { disk, drawn: random.0.load(Ordering::Relaxed), key: server.key, ids: server.ids }
}

impl Server {
    async fn open(disk: &MemoryBackend, random: &Arc<Counted>) -> Self {
        let unreachable = Arc::new(Unreachable);
        let ports = Ports::with_clock_and_random(Arc::new(Morning), random.clone());
        let ports = Ports { resolver: unreachable.clone(), dialer: unreachable, ..ports };
        let store = Store::in_memory(disk, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store, ports).await.unwrap();
        engine.people().set_public_url(Some("http://127.0.0.1:8080"));
        let (stop, stopping) = watch::channel(false);
        let token = AdminToken::new(TOKEN).unwrap();
        let (public, admin) =
            apps(&engine, &token, RateLimits { key: NonZeroU32::MAX, person: NonZeroU32::MAX }, stopping);
        Self { engine, public, admin, _stop: stop, key: String::new(), ids: Vec::new() }
    }

    /// Returns a server with the state [`FOUNDED`], from which every input starts.
    async fn founded() -> Self {
        let Founded { disk, drawn, key, ids } = &*FOUNDED;
        let server = Self::open(&disk.copied(), &Arc::new(Counted(AtomicU64::new(*drawn)))).await;
        Self { key: key.clone(), ids: ids.clone(), ..server }
    }

    pub(crate) fn fill(&self, text: &str) -> String {
        self.ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
    }

    /// Sends a `POST` request with this body and the API key.
    pub(crate) async fn post(&self, path: &'static str, body: String) -> (StatusCode, Bytes) {
        let mut request = Request::post(path).body(Body::from(body)).unwrap();
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let (head, bytes) = self.answer(request).await;
        (head.status, bytes)
    }

    /// Sends a request and returns the response. Adds the API key or the operator's token, unless the request
    /// has an `Authorization` header.
    async fn answer(&self, mut request: Request<Body>) -> (response::Parts, Bytes) {
        let operators = request.uri().path().starts_with("/admin") || request.uri().path() == "/metrics";
        if !request.headers().contains_key(header::AUTHORIZATION) {
            let token = format!("Bearer {}", if operators { TOKEN } else { &self.key });
            request.headers_mut().insert(header::AUTHORIZATION, token.parse().unwrap());
        }
        request.extensions_mut().insert(ClientAddr([127, 0, 0, 1].into()));
        let router = if operators { &self.admin } else { &self.public };
        let (head, body) = router.clone().oneshot(request).await.unwrap().into_parts();
        (head, body.collect().await.unwrap().to_bytes())
    }

    /// Sends a request and checks its response. Returns `None` if the text is not a valid request.
    async fn send(&self, text: &str) -> Option<Answer> {
        let text = self.fill(text);
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let (method, path) = lines.next()?.split_once(' ')?;
        let (method, uri): (Method, Uri) = (method.parse().ok()?, path.parse().ok()?);
        if !uri.path().starts_with('/') {
            return None;
        }
        // A backup would write to the path that the request contains, so backup requests are not sent.
        if uri.path().starts_with("/admin/v1/backup") {
            return None;
        }
        let mut request = Request::new(Body::from(body.to_owned()));
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let (name, value): (HeaderName, HeaderValue) = (name.parse().ok()?, value.trim().parse().ok()?);
            request.headers_mut().append(name, value);
        }
        (*request.method_mut(), *request.uri_mut()) = (method.clone(), uri.clone());
        let (head, bytes) = self.answer(request).await;
        let (status, shown) = (head.status.as_u16(), String::from_utf8_lossy(&bytes));
        assert!(status < 500, "{method} {uri}: {status} {shown}");
        assert!(head.headers.contains_key("x-request-id"), "{method} {uri}");
        if uri.path().starts_with("/v1/") {
            assert!(head.headers.contains_key("x-ratelimit-limit"), "{method} {uri}: {status}");
        }
        if method == Method::HEAD || matches!(status, 204 | 304) {
            assert!(bytes.is_empty(), "{method} {uri}: {status} {shown}");
            return Some(Answer { status, body: Value::Null });
        }
        // These paths belong to no API, so their successful responses do not have the structure of an API response.
        if status < 400 && ["/healthz", "/readyz", "/openapi.json", "/metrics"].contains(&uri.path()) {
            return Some(Answer { status, body: Value::Null });
        }
        // Pages are not JSON. `tests/dashboard` and `tests/book` check them.
        let path = uri.path();
        let is_page = |path: &str| {
            ["/", "/dashboard", "/widget.js"].contains(&path)
                || ["/dashboard/", "/book/"].iter().any(|start| path.starts_with(start))
        };
        let is_json = head.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
        if is_page(path) && !is_json {
            assert!(head.headers.contains_key("content-security-policy"), "{method} {uri}: {status}");
            return Some(Answer { status, body: Value::Null });
        }
        if status == 200 && uri.path().ends_with("/export") {
            assert_eq!(head.headers[header::CONTENT_TYPE], "application/x-ndjson", "{method} {uri}");
            assert!(shown.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{shown}");
            return Some(Answer { status, body: Value::Null });
        }
        if status == 200 && uri.path().ends_with(".csv") {
            assert_eq!(head.headers[header::CONTENT_TYPE], "text/csv; charset=utf-8", "{method} {uri}");
            return Some(Answer { status, body: Value::Null });
        }
        assert_eq!(
            head.headers[header::CONTENT_TYPE],
            "application/json",
            "{method} {uri}: {status} {shown}"
        );
        let body: Value =
            serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("{method} {uri}: {shown}"));
        if status < 400 {
            assert!(
                body.get("data").is_some() && body.get("error").is_none(),
                "{method} {uri}: {status} {shown}"
            );
        } else {
            let error = &body["error"];
            let told =
                error["code"].is_string() && error["message"].as_str().is_some_and(|text| !text.is_empty());
            assert!(told && body.get("data").is_none(), "{method} {uri}: {status} {shown}");
        }
        Some(Answer { status, body })
    }
}

/// Sends the requests of the input in order, and checks the responses.
pub fn check(data: &[u8]) {
    answered(data);
}

/// Sends the requests of the input. Returns the statuses of the responses.
pub fn answered(data: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(data);
    on_founded(async |server| {
        let mut statuses = Vec::new();
        for request in text.split("\n---\n").take(REQUESTS_MAX) {
            statuses.extend(server.send(request).await.map(|answer| answer.status));
        }
        statuses
    })
}

/// Runs a function on a new server. Then checks that the server still works.
pub(crate) fn on_founded<T>(does: impl AsyncFnOnce(&Server) -> T) -> T {
    LazyLock::force(&FOUNDED); // this starts its own runtime
    runtime().block_on(async {
        let server = Server::founded().await;
        let done = does(&server).await;
        // The input may have deleted the business, so the check uses the list of businesses.
        let still = server.send("GET /admin/v1/businesses").await;
        assert_eq!(still.unwrap().status, 200);
        assert!(!server.engine.store_failed());
        server.engine.close().await.unwrap();
        done
    })
}
