//! The engine's interfaces to clocks, random numbers, the network, mail and a chat model. A simulation passes its own
//! implementations.
//!
//! Invariant: only this file reads the machine's clocks and random numbers. `clippy.toml` enforces this.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{MailError, Timestamp};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use uuid::Uuid;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Clock: Send + Sync + 'static {
    /// The time of the wall clock. An administrator or NTP may set this clock forward or back.
    fn now(&self) -> Timestamp;

    /// The time since a fixed moment of the current boot. It is never adjusted, and it includes the time during which
    /// the machine was suspended.
    fn steady(&self) -> Duration;

    /// The id of the current boot, if the system has one. Values of `steady` from different boots cannot be compared.
    fn boot_id(&self) -> Option<Uuid> {
        None
    }
}

pub trait Random: Send + Sync + 'static {
    fn fill(&self, bytes: &mut [u8]);
}

pub trait Resolver: Send + Sync + 'static {
    /// Resolves a name without search domains. The error [`NoNameServer`] means that currently no name can be resolved.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    fn known(&self, _host: &str) -> Vec<IpAddr> {
        Vec::new()
    }

    /// True if a name server responds to a query. A response with an error code also counts.
    fn is_answered(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no name server: {0}")]
pub struct NoNameServer(pub String);

pub trait Dialer: Send + Sync + 'static {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>>;

    /// True if this machine has a route to the address. The check sends no packet.
    fn has_route(&self, _to: IpAddr) -> bool {
        true
    }
}

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {
    fn peer_addr(&self) -> io::Result<SocketAddr>;
}

pub trait Mailer: Send + Sync + 'static {
    /// Sends a mail to the relay and returns the relay's response. The caller must set a timeout.
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>>;
}

#[derive(Clone, PartialEq, Eq)]
pub struct MadeMail {
    pub to: String,
    pub bytes: Vec<u8>,
}

/// Prints no content, because a mail may contain a sign-in link.
impl std::fmt::Debug for MadeMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MadeMail({} bytes)", self.bytes.len())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailFailure {
    /// The relay was unreachable, refused the login or stopped responding. Every other mail would fail in the
    /// same way.
    #[error("{0}")]
    Relay(MailError),
    #[error("{0}")]
    Refused(MailError),
    #[error("{0}")]
    RefusedForGood(MailError),
}

impl MailFailure {
    pub fn error(&self) -> &MailError {
        match self {
            Self::Relay(error) | Self::Refused(error) | Self::RefusedForGood(error) => error,
        }
    }
}

/// The server of a chat model.
pub trait ModelServer: Send + Sync + 'static {
    /// Sends a request with this body. Returns the status and the unread body of the response. The caller must set a
    /// timeout.
    fn ask(&self, body: Vec<u8>) -> BoxFuture<'_, Result<ModelResponse, ModelFault>>;
}

pub struct ModelResponse {
    pub status: u16,
    pub body: Box<dyn ModelBody>,
}

pub trait ModelBody: Send {
    /// Reads the next bytes. Returns `None` at the end of the body, and after the connection is lost.
    fn next(&mut self) -> BoxFuture<'_, Option<Vec<u8>>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    #[error("there is no connection to the server")]
    Unreachable,
    #[error("the server has closed the connection without a response")]
    Closed,
}

pub fn system_clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock { boot_id: boot_id() })
}

struct SystemClock {
    /// The id is read once at the start, because it does not change while the process runs.
    boot_id: Option<Uuid>,
}

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "only this file reads the clock")]
    fn now(&self) -> Timestamp {
        let since_1970 =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn steady(&self) -> Duration {
        let read = rustix::time::clock_gettime(STEADY_CLOCK);
        let seconds = u64::try_from(read.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(read.tv_nsec).unwrap_or_default())
    }

    fn boot_id(&self) -> Option<Uuid> {
        self.boot_id
    }
}

fn boot_id() -> Option<Uuid> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    text.trim().parse().ok()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const STEADY_CLOCK: rustix::time::ClockId = rustix::time::ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEADY_CLOCK: rustix::time::ClockId = rustix::time::ClockId::Monotonic;

pub fn system_random() -> Arc<dyn Random> {
    Arc::new(SystemRandom)
}

struct SystemRandom;

impl Random for SystemRandom {
    #[allow(clippy::disallowed_methods, reason = "only this file reads randomness")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system supplies randomness");
    }
}

const ANY_PORT: u16 = 443;

/// Numbers of system errors that mean no route (`ENETUNREACH`, `EHOSTUNREACH`, `ENETDOWN`), no local address
/// (`EADDRNOTAVAIL`, `EAFNOSUPPORT`), or a blocked route (`EINVAL`, `EACCES`).
const NO_ROUTE: [i32; 7] = [101, 113, 100, 99, 97, 22, 13];

pub struct SystemDialer;

impl Dialer for SystemDialer {
    #[allow(clippy::disallowed_methods, reason = "only this function opens connections")]
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }

    fn has_route(&self, to: IpAddr) -> bool {
        // When a UDP socket connects, the system looks up the route but sends no packet.
        let from: IpAddr = match to {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let asked = UdpSocket::bind((from, 0)).and_then(|socket| socket.connect((to, ANY_PORT)));
        // Other errors, for example too many open files, do not show that a route is missing.
        !asked.is_err_and(|error| error.raw_os_error().is_some_and(|number| NO_ROUTE.contains(&number)))
    }
}

impl Stream for TcpStream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        TcpStream::peer_addr(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_returns_the_address_of_its_peer() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(SystemDialer.dial(address).await.unwrap().peer_addr().unwrap(), address);
    }

    #[test]
    fn loopback_has_a_route_and_a_link_local_address_without_interface_has_none() {
        assert!(SystemDialer.has_route(Ipv4Addr::LOCALHOST.into()));
        // A link-local address without the name of a network interface has no route.
        assert!(!SystemDialer.has_route("fe80::1".parse().unwrap()));
    }
}
