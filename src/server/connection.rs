//! One HTTP/1.1 connection on any byte stream, with limits for times and sizes.

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
use super::received::Received;
use super::slots::{RESERVE_HEADER_TIME_MAX, Slot};
use super::stall::StallGuard;
use super::{HttpService, host};

/// The time limit for the head of a request, measured from the end of the previous response.
pub const HEADER_TIME_MAX: Duration = Duration::from_secs(30);

pub const HEADER_BYTES_MAX: usize = 32 * 1024;

pub const HEADERS_MAX: usize = 100;

/// The size of a connection's buffer, in bytes. Larger bodies pass through it in pieces.
const BUFFER_BYTES_MAX: usize = 64 * 1024;

/// A reason to refuse a request before routing. It is stored in the request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The connection has no slot, or the client of a proxy has too many requests in progress. Only the paths for
    /// supervisors and monitoring are served, for example `/healthz`.
    NoSlot,
    /// The request is not valid HTTP. The text is the reason.
    Malformed(&'static str),
}

/// Serves requests until the connection ends. A connection without a slot ends after one request.
pub(super) async fn serve<I>(
    io: I,
    peer: IpAddr,
    app: impl HttpService,
    watcher: Watcher,
    slot: &Slot,
    proxies: &TrustedProxies,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (link, is_held) = (&slot.link, slot.is_held);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        // The connection may lose its slot at the moment when the request arrives.
        let has_slot = link.begin_request() && is_held;
        let unfit = match host::problem(request.version(), request.uri(), request.headers()) {
            Some(problem) => Some(Unfit::Malformed(problem)),
            None => (!has_slot).then_some(Unfit::NoSlot),
        };
        let client = proxies.client(peer, request.headers());
        request.extensions_mut().insert(ClientAddr(client));
        if request.headers().contains_key(X_FORWARDED_FOR) && !proxies.contains(peer) {
            slot.warn_about_proxy(peer);
        }
        // The limit of connections per address does not apply to a trusted proxy. Instead, each client of the proxy has
        // a limit on its simultaneous requests.
        let of_client = (client != peer.to_canonical()).then(|| slot.begin(client));
        let unfit = unfit.or(matches!(of_client, Some(None)).then_some(Unfit::NoSlot));
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
            link.finish_request();
            Ok::<_, Infallible>(match of_client.flatten() {
                // The request counts against the limit of the client until the whole response is sent.
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
        // Responses are small, so one write of head and body costs less than a vectored write.
        .writev(false)
        .serve_connection(TokioIo::new(StallGuard::new(io, Arc::clone(link))), service);
    let mut connection = pin!(watcher.watch(connection));
    let ended = poll_fn(|cx| {
        let ended = connection.as_mut().poll(cx);
        if ended.is_pending() {
            link.mark_idle_if_sent();
        }
        ended
    });
    // Connections often fail, and the log line of each request contains the relevant facts. So this log line is only
    // for debugging.
    if let Err(error) = ended.await {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended with an error");
    }
}
