//! The HTTP server: listeners, connections and their end. It knows nothing of what it serves.
//!
//! What always holds: a listener never stops accepting, and has at most [`CONNECTIONS_MAX`] connections and
//! [`RESERVE_MAX`] more that live for a moment ([`places`] says who is let in); a client that sends nothing, sends its
//! head too slowly, or does not read its answer is cut off in bounded time; after the shutdown signal nothing new is
//! accepted and [`serve`] returns within [`DRAIN_TIME_MAX`].

mod certificate;
mod client_addr;
mod connection;
mod error;
mod host;
mod http_service;
mod link;
mod places;
mod received;
mod stall;
pub(crate) mod tls;

use std::fs::{self, Permissions};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

pub(crate) use client_addr::network;
pub use client_addr::{ClientAddr, PROXY_NETWORKS_MAX, ProxiesError, TrustedProxies};
pub use connection::{HEADER_BYTES_MAX, HEADER_TIME_MAX, HEADERS_MAX, Unfit};
pub use error::ServerError;
pub use http_service::HttpService;
pub use places::{
    CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS, Counters, Limits, RESERVE_HEADER_TIME_MAX, RESERVE_MAX,
    RESERVE_PER_ADDRESS_MAX, RESERVE_TIME_MAX,
};
use places::{Place, Places};
pub use received::{DISCARD_BYTES_MAX, DISCARD_TIME_MAX};
pub use stall::{LINGER_TIME_MAX, WRITE_STALL_MAX};
pub use tls::{Certificates, LOOK_EVERY, TlsFiles, TlsSettings};

/// How long a TLS handshake may take.
pub const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(10);

/// How long requests in flight may take to finish after the shutdown signal.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);

/// How long sent data may stay unacknowledged before the kernel gives the connection up.
pub const TCP_USER_TIME_MAX: Duration = Duration::from_secs(30);

/// How many connections the system holds that are not yet taken; Linux holds no more than its `net.core.somaxconn`. A
/// rush beyond it has to try again, a second later.
const BACKLOG: u32 = 4_096;

/// How long to wait after an accept that failed for want of descriptors or memory.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(10);

/// How often the log says at most that accepting fails.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// How the connections of a server ended after the shutdown signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// How many were cut off because they were not done in time.
    pub cut_off: usize,
}

/// Listens on an address; `variable` is the setting it came from.
///
/// # Errors
/// When the address cannot be had, in one line that names address and setting.
pub fn bind(variable: &'static str, address: SocketAddr) -> Result<TcpListener, ServerError> {
    listen(address).map_err(|source| ServerError::Bind { variable, address, source: plain(source) })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(cfg!(unix))?; // for a start while the system still remembers connections of the last
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The error in words, without its number.
fn plain(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ (io::ErrorKind::AddrInUse
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::PermissionDenied) => kind.into(),
        _ => error,
    }
}

/// Listens on a socket in the file system that the service's own user alone can open. A socket that an earlier life has
/// left is replaced, so the caller must hold the lock of the directory.
///
/// # Errors
/// When the socket cannot be made, such as for a path of more than 107 bytes.
pub fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Where connections come from.
#[derive(Debug)]
pub enum Listener {
    /// The network.
    Tcp(TcpListener),
    /// This machine.
    Unix(UnixListener),
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

/// A connection that was accepted.
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listener {
    /// The next connection and the address of the client.
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

/// Serves until `shutdown` is ready, with TLS where there is a certificate, then lets the requests in flight finish.
pub async fn serve(
    listener: impl Into<Listener>,
    tls: Option<Certificates>,
    app: impl HttpService + Sync,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> Drained {
    let listener = listener.into();
    let proxies = limits.proxies.clone();
    let places = Places::new(limits);
    let graceful = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    let mut told = None;
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
                let place = places.admit(peer);
                let (app, watcher, proxies) = (app.clone(), graceful.watcher(), proxies.clone());
                let tls = tls.as_ref().map(Certificates::acceptor);
                tasks.spawn(async move {
                    let served = Box::pin(serve_stream(stream, peer, tls, app, watcher, &place, &proxies));
                    serve_in(&place, served).await;
                });
            }
            Err(error) if is_of_one_client(&error) => {}
            Err(error) => {
                places.spare();
                if told.is_none_or(|told: Instant| told.elapsed() >= TELL_EVERY) {
                    told = Some(Instant::now());
                    tracing::error!(error = &error as &dyn std::error::Error, "cannot accept connections");
                }
                sleep(ACCEPT_BACK_OFF).await;
            }
        }
    }
    drop(listener);
    drain(graceful, tasks, DRAIN_TIME_MAX).await
}

/// Serves for as long as the connection may stay.
async fn serve_in(place: &Place, served: impl Future<Output = ()>) {
    let served = async {
        if place.is_held {
            return served.await;
        }
        let _ = timeout(RESERVE_TIME_MAX, served).await;
    };
    tokio::select! {
        biased;
        () = place.link.evicted() => {}
        () = served => {}
    }
}

/// Waits for the connections to end, then ends those that are left.
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

/// Whether an accept failed because that one client is gone already.
fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

async fn serve_stream(
    stream: Stream,
    peer: IpAddr,
    tls: Option<TlsAcceptor>,
    app: impl HttpService,
    watcher: Watcher,
    place: &Place,
    proxies: &TrustedProxies,
) {
    let stream = match stream {
        Stream::Tcp(stream) => stream,
        Stream::Unix(stream) => return connection::serve(stream, peer, app, watcher, place, proxies).await,
    };
    if let Err(error) = tune(&stream) {
        // The client may be gone already; what works on is as good without.
        tracing::debug!(error = &error as &dyn std::error::Error, "cannot tune a connection");
    }
    let Some(tls) = tls else {
        return connection::serve(stream, peer, app, watcher, place, proxies).await;
    };
    match timeout(HANDSHAKE_TIME_MAX, tls.accept(stream)).await {
        Ok(Ok(stream)) => connection::serve(stream, peer, app, watcher, place, proxies).await,
        Ok(Err(error)) => tracing::debug!(error = &error as &dyn std::error::Error, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// Answers go out at once, and a peer that vanished is noticed.
fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_user_timeout(Some(TCP_USER_TIME_MAX))?;
    Ok(())
}

#[cfg(test)]
mod tests;
