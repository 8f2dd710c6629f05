//! The interfaces of the engine to its environment, which a simulation replaces.
//!
//! Invariant: ambient time and randomness are read only in this file; `clippy.toml` forbids them elsewhere.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use uuid::Uuid;

use crate::domain::Timestamp;
use crate::net::trust::Trust;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Clock: Send + Sync + 'static {
    /// The wall clock, which can jump in both directions.
    fn now(&self) -> Timestamp;

    /// The time since an unknown fixed moment of this boot. It runs evenly, also during suspension of the
    /// machine.
    fn steady(&self) -> Duration;

    /// The id of the boot in which `steady` counts. Readings with the same id have the same zero. `None` if
    /// the system has no such id.
    fn boot_id(&self) -> Option<Uuid> {
        None
    }
}

pub trait Random: Send + Sync + 'static {
    fn fill(&self, bytes: &mut [u8]);
}

pub trait Resolver: Send + Sync + 'static {
    /// All addresses of a name. The name is absolute even without a final dot, so no search domain is tried.
    /// An error that contains [`NoNameServer`] affects all names; other errors affect this name.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    fn known(&self, _host: &str) -> Vec<IpAddr> {
        Vec::new()
    }

    /// Whether a name server responds at all, also with a failure.
    fn is_answered(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no name server: {0}")]
pub struct NoNameServer(pub String);

pub trait Dialer: Send + Sync + 'static {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>>;

    /// Whether this machine has a route to an address. Nothing is sent.
    fn has_route(&self, _to: IpAddr) -> bool {
        true
    }
}

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {
    fn peer_addr(&self) -> io::Result<SocketAddr>;
}

pub trait Mailer: Send + Sync + 'static {
    /// Sends a mail to the relay and returns the relay's response. It has no timeout of its own.
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>>;
}

#[derive(Clone, PartialEq, Eq)]
pub struct MadeMail {
    pub to: String,
    pub bytes: Vec<u8>,
}

/// The mail can contain a sign-in link.
impl std::fmt::Debug for MadeMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MadeMail({} bytes)", self.bytes.len())
    }
}

/// Why the relay did not accept a mail, in the relay's words if it sent any.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailFailure {
    /// The relay was not reached, refused the login or stopped responding. Other mails are affected too.
    #[error("{0}")]
    Relay(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    RefusedForGood(String),
}

#[derive(Clone)]
pub struct Ports {
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub resolver: Arc<dyn Resolver>,
    pub dialer: Arc<dyn Dialer>,
    pub trust: Trust,
}

impl Ports {
    /// Ports with a network on which no name resolves and no connection opens.
    pub fn with_clock_and_random(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            clock,
            random,
            resolver: Arc::new(NoNetwork),
            dialer: Arc::new(NoNetwork),
            trust: Trust::nobody(),
        }
    }

    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
    }
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ports")
    }
}

pub fn system_clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock { boot_id: boot_id() })
}

struct SystemClock {
    /// Read once, because it does not change while the process runs.
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

/// Linux creates this id at each boot.
fn boot_id() -> Option<Uuid> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    text.trim().parse().ok()
}

/// Continues during suspension.
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

struct NoNetwork;

impl Resolver for NoNetwork {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async { Err(io::Error::other("there is no network")) })
    }
}

impl Dialer for NoNetwork {
    fn dial(&self, _address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async { Err(io::ErrorKind::NetworkUnreachable.into()) })
    }
}
