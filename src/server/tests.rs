use std::future::pending;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use axum::{Extension, Router};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::*;
use crate::app::App;
use crate::http::body::{self, BODY_BYTES_MAX};
use crate::metrics::Metrics;
use crate::rest::error::ApiError;

const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
pub(super) const GET_AND_CLOSE: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

pub(super) fn hello() -> Router {
    Router::new().route("/", get(|| async { "hello" }))
}

pub(super) fn limits(connections: usize, per_address: usize) -> Limits {
    Limits {
        connections,
        per_address: NonZeroUsize::new(per_address).unwrap(),
        proxies: TrustedProxies::default(),
        counters: Arc::default(),
    }
}

/// The client's end of a connection with a pipe of this size.
fn connect(router: Router, graceful: &GracefulShutdown, pipe_bytes: usize) -> (DuplexStream, JoinSet<()>) {
    connect_to(&Slots::new(limits(1, 1)), router, graceful, pipe_bytes)
}

/// The client's end of a connection to a listener that has these slots.
fn connect_to(
    slots: &Arc<Slots>,
    app: impl HttpService + Sync,
    graceful: &GracefulShutdown,
    pipe_bytes: usize,
) -> (DuplexStream, JoinSet<()>) {
    let (client, server) = duplex(pipe_bytes);
    let (slot, watcher) = (slots.admit(PEER), graceful.watcher());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let proxies = "127.0.0.0/8".parse().unwrap();
        serve_in(&slot, connection::serve(server, PEER, app, watcher, &slot, &proxies)).await;
    });
    (client, tasks)
}

pub(super) async fn read_to_end(client: &mut (impl tokio::io::AsyncRead + Unpin)) -> String {
    let mut all = Vec::new();
    client.read_to_end(&mut all).await.unwrap();
    String::from_utf8(all).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_arrive_in_time_ends_the_connection() {
    for sent in [&b""[..], b"GET / HT", b"GET / HTTP/1.1\r\nhost: x\r\n"] {
        let graceful = GracefulShutdown::new();
        let (mut client, _tasks) = connect(hello(), &graceful, 1024);
        let start = Instant::now();
        client.write_all(sent).await.unwrap();
        assert!(!read_to_end(&mut client).await.contains("200 OK"));
        assert!((HEADER_TIME_MAX..HEADER_TIME_MAX * 2).contains(&start.elapsed()), "{:?}", start.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_ends_after_its_response() {
    let graceful = GracefulShutdown::new();
    let (mut client, _tasks) = connect(hello(), &graceful, 1024);
    client.write_all(GET).await.unwrap();
    let start = Instant::now();
    assert!(read_to_end(&mut client).await.ends_with("hello"));
    assert!((HEADER_TIME_MAX..HEADER_TIME_MAX * 2).contains(&start.elapsed()), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_its_response_is_disconnected() {
    let router = Router::new().route("/", get(|| async { vec![b'x'; 1 << 20] }));
    let graceful = GracefulShutdown::new();
    let (mut client, mut tasks) = connect(router, &graceful, 64);
    client.write_all(GET).await.unwrap();
    let start = Instant::now();
    tasks.join_next().await.unwrap().unwrap();
    assert!((WRITE_STALL_MAX..WRITE_STALL_MAX * 2).contains(&start.elapsed()), "{:?}", start.elapsed());
}

/// The head of a request whose body is one byte too large.
fn too_large() -> Vec<u8> {
    format!("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", BODY_BYTES_MAX + 1).into_bytes()
}

fn takes_bodies() -> Router {
    let read = |headers: HeaderMap, body: Body| async move {
        body::read(&headers, body).await.map(|_| ()).map_err(ApiError::from)
    };
    Router::new().route("/", post(read))
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_refused_while_it_sends_can_read_the_response() {
    let graceful = GracefulShutdown::new();
    let (client, mut tasks) = connect(takes_bodies(), &graceful, 1024);
    let (mut answer, mut request) = tokio::io::split(client);
    request.write_all(&too_large()).await.unwrap();
    request.write_all(&vec![b' '; BODY_BYTES_MAX + 1]).await.unwrap();
    let answer = read_to_end(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("invalid_request"), "{answer}");
    // The client never stops sending, so the server must close the connection.
    let start = Instant::now();
    while request.write_all(b"more").await.is_ok() {
        assert!(start.elapsed() < LINGER_TIME_MAX * 2, "the server did not stop reading");
        tokio::time::advance(Duration::from_millis(100)).await;
    }
    tasks.join_next().await.unwrap().unwrap();
    assert!(start.elapsed() <= LINGER_TIME_MAX + Duration::from_millis(200), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_body_too_large_is_refused_over_a_real_socket_before_it_was_sent() {
    let (address, _stop, _server) = start(None, takes_bodies()).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(&too_large()).await.unwrap();
    let mut status = [0; 12];
    client.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");
}

#[tokio::test]
async fn a_head_that_exceeds_its_limits_is_refused() {
    let head = |headers: usize, bytes: usize| {
        let mut head = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n".to_owned();
        (2..headers).for_each(|n| head.push_str(&format!("x{n}: y\r\n")));
        if let Some(rest) = bytes.checked_sub(head.len() + 7) {
            head.push_str(&format!("z: {}\r\n", "z".repeat(rest)));
        }
        head + "\r\n"
    };
    assert_eq!(head(1, HEADER_BYTES_MAX).len(), HEADER_BYTES_MAX);
    for (head, expected) in [
        (head(HEADERS_MAX, 0), "HTTP/1.1 200"),
        (head(HEADERS_MAX + 1, 0), "HTTP/1.1 431"),
        (head(1, HEADER_BYTES_MAX), "HTTP/1.1 200"),
        (head(1, HEADER_BYTES_MAX + 1), "HTTP/1.1 431"),
    ] {
        let graceful = GracefulShutdown::new();
        let (mut client, _tasks) = connect(hello(), &graceful, 1 << 20);
        client.write_all(head.as_bytes()).await.unwrap();
        let answer = read_to_end(&mut client).await;
        assert!(answer.starts_with(expected), "{expected} for {} bytes: {answer}", head.len());
    }
}

#[tokio::test]
async fn requests_contain_the_address_of_their_client() {
    let router = Router::new().route(
        "/",
        get(|Extension(ClientAddr(client)): Extension<ClientAddr>| async move { client.to_string() }),
    );
    for (forwarded, client) in [("", "127.0.0.1"), ("x-forwarded-for: 192.0.2.9, 192.0.2.7\r\n", "192.0.2.7")]
    {
        let graceful = GracefulShutdown::new();
        let (mut stream, _tasks) = connect(router.clone(), &graceful, 1024);
        let request = format!("GET / HTTP/1.1\r\nhost: x\r\n{forwarded}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        assert!(read_to_end(&mut stream).await.ends_with(&format!("\r\n\r\n{client}")));
    }
}

fn app_of(router: Router) -> App {
    crate::app::app(router, Arc::new(Metrics::new([], vec![])))
}

fn app(router: Router) -> App {
    app_of(router.route("/healthz", get(|| async { "well" })).route("/readyz", get(|| async { "ready" })))
}

#[tokio::test]
async fn a_request_without_one_valid_host_is_refused_in_the_error_format() {
    for (version, hosts, status) in [
        ("1.1", "host: x\r\n", 200),
        ("1.1", "HOST: localhost:8080\r\n", 200),
        ("1.1", "host:\r\n", 200),
        ("1.0", "", 200),
        ("1.1", "", 400),
        ("1.1", "host: x\r\nhost: x\r\n", 400),
        ("1.0", "host: x\r\nhost: y\r\n", 400),
        ("1.1", "host: x/y\r\n", 400),
    ] {
        let graceful = GracefulShutdown::new();
        let (mut client, _tasks) = connect_to(&Slots::new(limits(1, 1)), app(hello()), &graceful, 1024);
        let request = format!("GET / HTTP/{version}\r\n{hosts}x-request-id: mine\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        // The server does not read bytes that follow an invalid request.
        let again = format!("GET / HTTP/{version}\r\nhost: x\r\nconnection: close\r\n\r\n");
        let _ = client.write_all(again.as_bytes()).await;
        let answer = read_to_end(&mut client).await;
        assert!(answer.starts_with(&format!("HTTP/{version} {status} ")), "{request}{answer}");
        assert!(answer.contains("x-request-id: mine\r\n"), "{request}{answer}");
        let answers = answer.matches("HTTP/1.").count();
        if status == 400 {
            assert!(answer.contains(r#""code":"invalid_request""#) && answers == 1, "{request}{answer}");
        } else if version == "1.1" {
            assert_eq!(answers, 2, "{request}{answer}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_slot_ends_soon() {
    let slots = Slots::new(limits(1, 1));
    let graceful = GracefulShutdown::new();
    let (_first, _tasks) = connect_to(&slots, hello(), &graceful, 1024);
    for sent in ["", "GET /healthz HTTP/1.1\r\nhos"] {
        let (mut client, _tasks) = connect_to(&slots, hello(), &graceful, 1024);
        client.write_all(sent.as_bytes()).await.unwrap();
        let start = Instant::now();
        read_to_end(&mut client).await;
        assert_eq!(start.elapsed(), RESERVE_HEADER_TIME_MAX, "{sent}");
    }
    // The head of this request arrives in time, but the handler never responds. So the server closes the connection
    // after its maximum duration.
    let router = Router::new().route("/healthz", get(pending::<()>));
    let (mut client, _tasks) = connect_to(&slots, app_of(router), &graceful, 1024);
    let start = Instant::now();
    client.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    assert_eq!(read_to_end(&mut client).await, "");
    assert_eq!(start.elapsed(), RESERVE_TIME_MAX);
}

#[tokio::test(start_paused = true)]
async fn requests_that_take_longer_than_the_shutdown_are_cut_off() {
    let router = Router::new().route("/", get(pending::<()>));
    let graceful = GracefulShutdown::new();
    let (mut client, tasks) = connect(router, &graceful, 1024);
    client.write_all(GET).await.unwrap();
    tokio::task::yield_now().await;
    let start = Instant::now();
    assert_eq!(drain(graceful, tasks, DRAIN_TIME_MAX).await, Drained { cut_off: 1 });
    assert_eq!(start.elapsed(), DRAIN_TIME_MAX);
    assert_eq!(read_to_end(&mut client).await, "");
}

#[tokio::test(start_paused = true)]
async fn idle_connections_do_not_delay_the_shutdown() {
    let graceful = GracefulShutdown::new();
    let (_client, tasks) = connect(hello(), &graceful, 1024);
    tokio::task::yield_now().await;
    let start = Instant::now();
    assert_eq!(drain(graceful, tasks, DRAIN_TIME_MAX).await, Drained { cut_off: 0 });
    assert_eq!(start.elapsed(), Duration::ZERO);
}

/// Starts a server on a free port. The returned sender stops it.
async fn start(
    tls: Option<Certificates>,
    app: impl HttpService + Sync,
) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<Drained>) {
    start_with(limits(CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS), tls, app).await
}

pub(super) async fn start_with(
    limits: Limits,
    tls: Option<Certificates>,
    app: impl HttpService + Sync,
) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<Drained>) {
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let server = tokio::spawn(serve(listener, tls, app, limits, async move {
        let _ = stopped.await;
    }));
    (address, stop, server)
}

#[tokio::test]
async fn a_request_in_progress_gets_its_response_before_the_server_ends() {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (handler_entered, handler_release) = (entered.clone(), release.clone());
    let slow = move || async move {
        handler_entered.notify_one();
        handler_release.notified().await;
        "done"
    };
    let (address, stop, server) = start(None, Router::new().route("/", get(slow))).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(GET).await.unwrap();
    entered.notified().await;
    stop.send(()).unwrap();
    // Waits until the listener is closed and the server accepts no new connection.
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    release.notify_one();
    assert!(read_to_end(&mut client).await.ends_with("done"));
    assert_eq!(server.await.unwrap(), Drained { cut_off: 0 });
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_connection_stays_open() {
    async fn panics() {
        panic!("a fault for the test");
    }
    let router = Router::new().route("/panic", get(panics)).route("/", get(|| async { "hello" }));
    let app = crate::app::app(router, Arc::new(Metrics::new([], vec![])));
    let (address, _stop, _server) = start(None, app).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET /panic HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    client.write_all(GET_AND_CLOSE).await.unwrap();
    let answers = read_to_end(&mut client).await;
    assert!(answers.starts_with("HTTP/1.1 500") && answers.ends_with("hello"), "{answers}");
    assert!(answers.contains("internal_error") && !answers.contains("a fault for the test"), "{answers}");
}

/// A client that connects from this loopback address.
pub(super) async fn connect_from(source: [u8; 4], server: SocketAddr) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((source, 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

/// Sends a request from this address and returns the response.
async fn ask(source: [u8; 4], server: SocketAddr, path: &str) -> String {
    let mut client = connect_from(source, server).await;
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    read_to_end(&mut client).await
}

pub(super) const CROWD: [u8; 4] = [127, 0, 0, 2];
const OTHER: [u8; 4] = [127, 0, 0, 3];

#[tokio::test]
async fn above_the_limit_of_its_address_only_healthz_responds() {
    let limits = limits(100, 2);
    let (server, _stop, _task) = start_with(limits.clone(), None, app(hello())).await;
    let mut first = connect_from(CROWD, server).await;
    let answer = ask(CROWD, server, "/").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "the largest permitted body was refused: {answer}");
    let _second = connect_from(CROWD, server).await;
    let answer = ask(CROWD, server, "/").await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("internal_error"), "{answer}");
    assert!(answer.contains("retry-after: 1\r\n") && answer.contains("connection: close\r\n"), "{answer}");
    assert!(ask(CROWD, server, "/healthz").await.ends_with("well"));
    assert!(ask(OTHER, server, "/").await.ends_with("hello"));
    assert_eq!(limits.counters.refused.load(std::sync::atomic::Ordering::Relaxed), 2);
    first.write_all(GET_AND_CLOSE).await.unwrap();
    assert!(read_to_end(&mut first).await.ends_with("hello"), "a connection that has a slot must keep it");
}

#[tokio::test]
async fn a_full_listener_closes_idle_connections() {
    let limits = limits(3, 3);
    let (server, _stop, _task) = start_with(limits.clone(), None, app(hello())).await;
    let mut resting = Vec::new();
    for _ in 0..3 {
        let mut client = connect_from(CROWD, server).await;
        client.write_all(GET).await.unwrap();
        let mut status = [0; 12];
        client.read_exact(&mut status).await.unwrap();
        resting.push(client);
    }
    assert!(ask(OTHER, server, "/").await.ends_with("hello"));
    for mut client in resting {
        assert!(read_to_end(&mut client).await.ends_with("hello"), "a response must be sent completely");
    }
    assert_eq!(limits.counters.evicted.load(std::sync::atomic::Ordering::Relaxed), 3);
    assert_eq!(limits.counters.refused.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_listener_without_free_slots_responds_to_healthz_and_readyz() {
    let entered = Arc::new(Notify::new());
    let handler_entered = entered.clone();
    let busy = move || async move {
        handler_entered.notify_one();
        pending::<()>().await;
    };
    let app = app(Router::new().route("/", get(busy)));
    let (server, _stop, _task) = start_with(limits(2, 2), None, app).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut client = connect_from(CROWD, server).await;
        client.write_all(GET).await.unwrap();
        entered.notified().await;
        held.push(client);
    }
    assert!(ask(OTHER, server, "/healthz").await.ends_with("well"));
    assert!(ask(OTHER, server, "/readyz").await.ends_with("ready"));
    assert!(ask(OTHER, server, "/").await.starts_with("HTTP/1.1 503"));
    drop(held);
    // When the other clients have disconnected, their slots are free again.
    while !ask(OTHER, server, "/nowhere").await.starts_with("HTTP/1.1 404") {}
}

#[tokio::test]
async fn a_client_of_a_proxy_has_its_own_limit_of_requests() {
    let begun = Arc::new(Notify::new());
    let told = Arc::clone(&begun);
    let slow = get(async move || {
        told.notify_one();
        pending::<()>().await;
    });
    let app = app(hello().route("/slow", slow));
    let slots = Slots::new(Limits { proxies: "127.0.0.0/8".parse().unwrap(), ..limits(10, 2) });
    let graceful = GracefulShutdown::new();
    let ask = async |path: &str, client: &str| {
        let (mut stream, tasks) = connect_to(&slots, app.clone(), &graceful, 1024);
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: {client}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        (stream, tasks)
    };
    let status = async |client: &str| {
        let (mut stream, _tasks) = ask("/", client).await;
        read_to_end(&mut stream).await[9..12].to_owned()
    };
    let mut slow = Vec::new();
    for _ in 0..2 {
        slow.push(ask("/slow", "192.0.2.1").await);
        begun.notified().await;
    }
    assert_eq!((&*status("192.0.2.1").await, &*status("192.0.2.2").await), ("503", "200"));
    let (stream, mut tasks) = slow.pop().unwrap();
    drop(stream);
    tasks.join_next().await;
    assert_eq!(status("192.0.2.1").await, "200");
}

#[tokio::test]
async fn a_connection_that_sends_no_body_is_closed_for_another() {
    let begun = Arc::new(Notify::new());
    let told = Arc::clone(&begun);
    let reads = post(async move |body: Body| {
        told.notify_one();
        let _ = axum::body::to_bytes(body, 10).await;
    });
    let slots = Slots::new(limits(1, 9));
    let graceful = GracefulShutdown::new();
    let (mut first, mut tasks) = connect_to(&slots, hello().route("/reads", reads), &graceful, 1024);
    first.write_all(b"POST /reads HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n").await.unwrap();
    begun.notified().await;
    tokio::task::yield_now().await;
    let (mut second, _second_tasks) = connect_to(&slots, hello(), &graceful, 1024);
    tasks.join_next().await;
    assert_eq!(read_to_end(&mut first).await, "");
    second.write_all(GET_AND_CLOSE).await.unwrap();
    assert!(read_to_end(&mut second).await.ends_with("hello"));
    assert_eq!(slots.limits.counters.evicted.load(Ordering::Relaxed), 1);
}
