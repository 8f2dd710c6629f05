//! One connection: HTTP/1.1 on any stream of bytes, within times and sizes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tower::ServiceExt;

use super::HttpService;
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

/// The address at the other end of the connection, in the extensions of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// Serves the requests of one connection until it ends.
pub(super) async fn serve<I>(io: I, peer: SocketAddr, app: impl HttpService, watcher: Watcher)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let linger = Arc::new(AtomicBool::new(false));
    let refused = linger.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(PeerAddr(peer));
        let (has_body, refused) = (!request.body().is_end_stream(), refused.clone());
        let answer = app.clone().oneshot(request.map(Body::new));
        async move {
            let answer = answer.await.unwrap_or_else(|never| match never {});
            // A refused request may not have been read to its end.
            refused.store(has_body && !answer.status().is_success(), Ordering::Relaxed);
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME_MAX)
        .max_header_size(HEADER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(BUFFER_BYTES_MAX)
        // Answers are small: one write of head and body costs less than a vector of them.
        .writev(false)
        .serve_connection(TokioIo::new(StallGuard::new(io, linger)), service);
    // Connections break all the time; what matters of it is logged with the request.
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended with an error");
    }
}
