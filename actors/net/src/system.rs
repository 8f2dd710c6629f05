//! The interfaces that an engine uses (clock, randomness, network), together with the trusted certificates.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ports::{BoxFuture, Clock, Dialer, Random, Resolver, Stream, SystemDialer, system_clock, system_random};

use super::resolver::SystemResolver;
use super::trust::{Trust, TrustError};

#[derive(Clone)]
pub struct Ports {
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub resolver: Arc<dyn Resolver>,
    pub dialer: Arc<dyn Dialer>,
    pub trust: Trust,
}

impl Ports {
    /// Returns implementations that use the clock, the randomness, the network and the trusted certificates of the
    /// operating system.
    ///
    /// # Errors
    /// Returns an error if the file that `SSL_CERT_FILE` names is unusable.
    pub fn system() -> Result<Self, TrustError> {
        Ok(Self {
            clock: system_clock(),
            random: system_random(),
            resolver: Arc::new(SystemResolver::new()),
            dialer: Arc::new(SystemDialer),
            trust: Trust::system()?,
        })
    }

    /// Returns implementations that use this clock and this randomness. Each use of the network fails, and no
    /// certificate is trusted.
    pub fn with_clock_and_random(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            clock,
            random,
            resolver: Arc::new(NoNetwork),
            dialer: Arc::new(NoNetwork),
            trust: Trust::none(),
        }
    }

    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
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
