//! What an engine has of the outside: the ports and the trusted certificates.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ports::{BoxFuture, Clock, Dialer, Random, Resolver, Stream, system_clock, system_dialer, system_random};

use super::resolver::SystemResolver;
use super::trust::{Trust, TrustError};

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
    /// The machine's own clock, randomness and network.
    ///
    /// # Errors
    /// When the certificates that `SSL_CERT_FILE` names cannot be used.
    pub fn system() -> Result<Self, TrustError> {
        Ok(Self {
            clock: system_clock(),
            random: system_random(),
            resolver: Arc::new(SystemResolver::new()),
            dialer: system_dialer(),
            trust: Trust::system()?,
        })
    }

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
