//! The HTTP server: listeners, connections and the shutdown. It is independent of the service that handles
//! requests.
//!
//! Invariants:
//! - A listener accepts every connection. At most [`CONNECTIONS_MAX`] connections have a slot. A further connection
//!   is served for a short time without a slot. If there are already [`RESERVE_MAX`] connections without a slot,
//!   the oldest of these is closed ([`slots`]).
//! - The server closes a connection in bounded time if its client sends nothing, sends a request head too
//!   slowly, or does not read the response.
//! - After the shutdown signal no connection is accepted, and [`serve`] returns within [`DRAIN_TIME_MAX`].

mod certificate;
mod client_addr;
mod connection;
mod host;
mod link;
mod received;
mod slots;
mod stall;
pub(crate) mod tls;

use std::convert::Infallible;
use std::fs::{self, Permissions};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use hyper::{Request, Response};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::Service;

pub(crate) use client_addr::network;
pub use client_addr::{ClientAddr, PROXY_NETWORKS_MAX, ProxiesError, TrustedProxies};
pub use connection::{HEADER_BYTES_MAX, HEADER_TIME_MAX, HEADERS_MAX, Unfit};
pub use received::{DISCARD_BYTES_MAX, DISCARD_TIME_MAX};
pub use slots::{
    CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS, Counters, Limits, RESERVE_HEADER_TIME_MAX, RESERVE_MAX,
    RESERVE_PER_ADDRESS_MAX, RESERVE_TIME_MAX,
};
use slots::{Slot, Slots};
pub use stall::{LINGER_TIME_MAX, WRITE_STALL_MAX};
pub use tls::{CHECK_EVERY, Certificates, TlsFiles, TlsSettings};

pub const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(10);

/// The time limit for requests that are being handled when the shutdown signal arrives.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);

/// The time after which the kernel closes a connection whose sent data is not acknowledged.
pub const TCP_USER_TIME_MAX: Duration = Duration::from_secs(30);

/// The maximum number of connections that wait to be accepted. Linux limits it to `net.core.somaxconn`.
const BACKLOG: u32 = 4_096;

/// The pause after the listener could not accept a connection for lack of descriptors or memory.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(10);

const LOG_EVERY: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// The number of connections that were still open after the time limit of the shutdown, and that the server closed.
    pub cut_off: usize,
}

/// Listens on an address. The message of an error contains no OS error number.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?; // otherwise a restart fails while old connections are in TIME_WAIT
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::AddrInUse
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::PermissionDenied) => kind.into(),
        _ => error,
    })
}

/// Listens on a Unix socket that only the service's own user can open. The function replaces a socket of a
/// previous run, so the caller must hold the lock of the directory.
///
/// # Errors
/// Returns an error if the socket cannot be created, for example because its path is longer than 107 bytes.
pub fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// The interface between the server and the application: infallible, always ready, and cheap to clone.
pub trait HttpService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<S> HttpService for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}

#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listener {
    async fn accept(&self) -> io::Result<(Stream, IpAddr)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Ok((Stream::Tcp(stream), peer.ip()))
            }
            Self::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Stream::Unix(stream), Ipv4Addr::LOCALHOST.into()))
            }
        }
    }
}

/// Serves connections until `shutdown` resolves, and then finishes the requests that are being handled.
pub async fn serve(
    listener: impl Into<Listener>,
    tls: Option<Certificates>,
    app: impl HttpService + Sync,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> Drained {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    let listener = listener.into();
    let proxies = limits.proxies.clone();
    let slots = Slots::new(limits);
    let graceful = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    let mut logged = None;
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(ended) = tasks.join_next() => {
                log_panicked(ended);
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let slot = slots.admit(peer);
                let (app, watcher, proxies) = (app.clone(), graceful.watcher(), proxies.clone());
                let tls = tls.as_ref().map(Certificates::acceptor);
                tasks.spawn(async move {
                    let served = Box::pin(serve_stream(stream, peer, tls, app, watcher, &slot, &proxies));
                    serve_in(&slot, served).await;
                });
            }
            // The client disconnected before the server accepted the connection.
            Err(error)
                if matches!(
                    error.kind(),
                    ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
                ) => {}
            Err(error) => {
                slots.spare();
                if logged.is_none_or(|at: Instant| at.elapsed() >= LOG_EVERY) {
                    logged = Some(Instant::now());
                    tracing::error!(error = &error as &dyn std::error::Error, "cannot accept connections");
                }
                sleep(ACCEPT_BACK_OFF).await;
            }
        }
    }
    drop(listener);
    drain(graceful, tasks, DRAIN_TIME_MAX).await
}

/// Serves a connection until it ends or is evicted. A connection in the reserve ([`Slot::is_held`] is false) is closed
/// after [`RESERVE_TIME_MAX`] at the latest.
async fn serve_in(slot: &Slot, served: impl Future<Output = ()>) {
    let served = async {
        if slot.is_held {
            return served.await;
        }
        let _ = timeout(RESERVE_TIME_MAX, served).await;
    };
    tokio::select! {
        biased;
        () = slot.link.evicted() => {}
        () = served => {}
    }
}

async fn drain(graceful: GracefulShutdown, mut tasks: JoinSet<()>, time_max: Duration) -> Drained {
    let in_time = timeout(time_max, async {
        graceful.shutdown().await;
        while let Some(ended) = tasks.join_next().await {
            log_panicked(ended);
        }
    });
    let _ = in_time.await;
    let cut_off = tasks.len();
    tasks.shutdown().await;
    Drained { cut_off }
}

fn log_panicked(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!("a connection's task panicked");
    }
}

async fn serve_stream(
    stream: Stream,
    peer: IpAddr,
    tls: Option<TlsAcceptor>,
    app: impl HttpService,
    watcher: Watcher,
    slot: &Slot,
    proxies: &TrustedProxies,
) {
    let stream = match stream {
        Stream::Tcp(stream) => stream,
        Stream::Unix(stream) => return connection::serve(stream, peer, app, watcher, slot, proxies).await,
    };
    if let Err(error) = tune(&stream) {
        // The connection is served without these options. Usually the client has already disconnected.
        tracing::debug!(error = &error as &dyn std::error::Error, "cannot set the options of a connection");
    }
    let Some(tls) = tls else {
        return connection::serve(stream, peer, app, watcher, slot, proxies).await;
    };
    match timeout(HANDSHAKE_TIME_MAX, tls.accept(stream)).await {
        Ok(Ok(stream)) => connection::serve(stream, peer, app, watcher, slot, proxies).await,
        Ok(Err(error)) => tracing::debug!(error = &error as &dyn std::error::Error, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// Sets the options of a connection, so that responses are sent without delay and lost peers are detected.
fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_user_timeout(Some(TCP_USER_TIME_MAX))?;
    Ok(())
}

#[cfg(test)]
mod tests;
