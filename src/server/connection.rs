//! One connection: HTTP/1.1 on any stream of bytes, within times and sizes.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tower::ServiceExt;

use super::client_addr::{ClientAddr, TrustedProxies, X_FORWARDED_FOR};
use super::host;
use super::http_service::HttpService;
use super::places::{Place, RESERVE_HEADER_TIME_MAX};
use super::received::Received;
use super::stall::StallGuard;

/// How long the head of a request may take to arrive, counted from the end of the answer before it: so also how
/// long a connection may be idle.
pub const HEADER_TIME_MAX: Duration = Duration::from_secs(30);

/// The greatest size of the head of a request, request line included, in bytes.
pub const HEADER_BYTES_MAX: usize = 32 * 1024;

/// The greatest number of headers of a request.
pub const HEADERS_MAX: usize = 100;

/// The size of a connection's buffer, in bytes; larger bodies pass through it in pieces.
const BUFFER_BYTES_MAX: usize = 64 * 1024;

/// Why a request is refused whatever it asks for, in its extensions: the service says so, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The listener has no place for the connection: only what is always answered is.
    NoPlace,
    /// It is no request of HTTP, and why.
    Malformed(&'static str),
}

/// Serves the requests of one connection until it ends; one request where it has no place.
pub(super) async fn serve<I>(
    io: I,
    peer: IpAddr,
    app: impl HttpService,
    watcher: Watcher,
    place: &Place,
    proxies: &TrustedProxies,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (link, is_held) = (&place.link, place.is_held);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        // A place can be lost just when a request comes.
        let has_place = link.ask() && is_held;
        let unfit = match host::problem(request.version(), request.uri(), request.headers()) {
            Some(problem) => Some(Unfit::Malformed(problem)),
            None => (!has_place).then_some(Unfit::NoPlace),
        };
        let client = proxies.client(peer, request.headers());
        request.extensions_mut().insert(ClientAddr(client));
        if request.headers().contains_key(X_FORWARDED_FOR) && !proxies.contains(peer) {
            place.tell_of_proxy(peer);
        }
        // A proxy has any number of connections; each of its clients has its share of them.
        let of_client = (client != peer.to_canonical()).then(|| place.begin(client));
        let unfit = unfit.or(matches!(of_client, Some(None)).then_some(Unfit::NoPlace));
        if let Some(unfit) = unfit {
            request.extensions_mut().insert(unfit);
        }
        let expects = request.headers().contains_key(header::EXPECT);
        let (head, body) = request.into_parts();
        let body = Received::new(body, Arc::clone(link));
        let answer = app.clone().oneshot(hyper::Request::from_parts(head, Body::new(body.clone())));
        async move {
            let mut answer = answer.await.unwrap_or_else(|never| match never {});
            link.lingers.store(!body.is_end_stream(), Ordering::Relaxed);
            if !body.discard(expects) {
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            link.answer();
            Ok::<_, Infallible>(match of_client.flatten() {
                // It is under way until all of its answer is taken.
                Some(under_way) => answer.map(|body| {
                    Body::new(body.map_frame(move |frame| {
                        let _ = &under_way;
                        frame
                    }))
                }),
                None => answer,
            })
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(if is_held { HEADER_TIME_MAX } else { RESERVE_HEADER_TIME_MAX })
        .keep_alive(is_held)
        .max_header_size(HEADER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(BUFFER_BYTES_MAX)
        // Answers are small: one write of head and body costs less than a vector of them.
        .writev(false)
        .serve_connection(TokioIo::new(StallGuard::new(io, Arc::clone(link))), service);
    let mut connection = pin!(watcher.watch(connection));
    let ended = poll_fn(|cx| {
        let ended = connection.as_mut().poll(cx);
        if ended.is_pending() {
            link.settle();
        }
        ended
    });
    // Connections break all the time; what matters of it is logged with the request.
    if let Err(error) = ended.await {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended with an error");
    }
}
