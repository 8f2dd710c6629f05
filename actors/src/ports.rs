//! What the engine needs from outside itself, so that a simulation can stand in for all of it.
//!
//! Ambient time and randomness exist only in this file; `clippy.toml` bans them everywhere else.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use uuid::Uuid;

use crate::domain::Timestamp;
use crate::net::trust::Trust;

/// What a port that takes its time hands back.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The machine's two clocks. The engine asks them through its own clock, which holds one against the other.
pub trait Clock: Send + Sync + 'static {
    /// What the wall clock shows. It may jump both ways.
    fn now(&self) -> Timestamp;

    /// The time since a moment that is unknown and stays the same as long as the machine runs. It goes evenly whatever
    /// the wall clock does, and on while the machine is suspended.
    fn steady(&self) -> Duration;

    /// The id of the boot in which `steady` counts: two readings with the same id have the same zero. `None` when the
    /// system has no such id.
    fn boot_id(&self) -> Option<Uuid> {
        None
    }
}

/// A source of bytes that nobody can foretell.
pub trait Random: Send + Sync + 'static {
    /// Fills the slice.
    fn fill(&self, bytes: &mut [u8]);
}

/// Finds the addresses of names.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of a name, which is absolute though it has no dot at its end: no search domain is tried.
    ///
    /// # Errors
    /// One that holds [`NoNameServer`] says that nothing can be known of any name; others are about this one.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// The addresses of a name for which no name server needs to be asked; empty for all others.
    fn known(&self, _host: &str) -> Vec<IpAddr> {
        Vec::new()
    }

    /// Whether any name server answers anything, be it that it cannot answer.
    fn is_answered(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }
}

/// There is no name server, or none that answers: says why.
#[derive(Debug, thiserror::Error)]
#[error("there is no name server: {0}")]
pub struct NoNameServer(pub String);

/// Opens connections.
pub trait Dialer: Send + Sync + 'static {
    /// Connects to exactly this address.
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>>;

    /// Whether this machine knows a way to an address. Nothing is sent to find out, so nothing is known of what lies
    /// on the way.
    fn has_route(&self, _to: IpAddr) -> bool {
        true
    }
}

/// A connection.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {
    /// Whom it is connected to.
    ///
    /// # Errors
    /// When it is not connected any more.
    fn peer_addr(&self) -> io::Result<SocketAddr>;
}

/// Hands mails to the relay that carries them on.
pub trait Mailer: Send + Sync + 'static {
    /// Hands one over and gives what the relay answered. It need not end by itself.
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>>;
}

/// A mail as it is sent.
#[derive(Clone, PartialEq, Eq)]
pub struct MadeMail {
    /// The address it goes to.
    pub to: String,
    /// Its head and body (RFC 5322).
    pub bytes: Vec<u8>,
}

/// It may bear a link that lets in.
impl std::fmt::Debug for MadeMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MadeMail({} bytes)", self.bytes.len())
    }
}

/// Why a relay did not take a mail, in its own words where it had any.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailFailure {
    /// It could not be asked: it was not reached, or did not let us in, or stopped answering. Says nothing of the mail.
    #[error("{0}")]
    Relay(String),
    /// It refused the mail for now (4xx).
    #[error("{0}")]
    Refused(String),
    /// It refused the mail for good (5xx).
    #[error("{0}")]
    RefusedForGood(String),
}

/// The ports of one engine.
#[derive(Clone)]
pub struct Ports {
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub random: Arc<dyn Random>,
    /// Where names are resolved.
    pub resolver: Arc<dyn Resolver>,
    /// What opens connections.
    pub dialer: Arc<dyn Dialer>,
    /// Whose certificates are trusted on them.
    pub trust: Trust,
}

impl Ports {
    /// A clock and randomness, and a network on which no name resolves and no connection opens.
    pub fn with_clock_and_random(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            clock,
            random,
            resolver: Arc::new(NoNetwork),
            dialer: Arc::new(NoNetwork),
            trust: Trust::nobody(),
        }
    }

    /// So many random bytes.
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

/// The machine's own clocks.
pub fn system_clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock { boot_id: boot_id() })
}

/// The machine's clocks.
struct SystemClock {
    /// Read once: it stays the same as long as the process runs.
    boot_id: Option<Uuid>,
}

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
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

/// The kernel draws this id at each boot. Other systems have no such file.
fn boot_id() -> Option<Uuid> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    text.trim().parse().ok()
}

/// The clock that goes on in suspension, where the system has one.
#[cfg(any(target_os = "linux", target_os = "android"))]
const STEADY_CLOCK: rustix::time::ClockId = rustix::time::ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEADY_CLOCK: rustix::time::ClockId = rustix::time::ClockId::Monotonic;

/// The machine's own source of randomness.
pub fn system_random() -> Arc<dyn Random> {
    Arc::new(SystemRandom)
}

/// The operating system's generator.
struct SystemRandom;

impl Random for SystemRandom {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that draws randomness")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives randomness");
    }
}

/// The network of an engine that has none.
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
