//! TLS of a listener: rustls with ring, for HTTP/1.1 only. The certificate and the key are read from files.
//!
//! Invariants: a read of the files succeeds only if both files are usable and the key matches the certificate. A
//! handshake uses the certificate and the key of the last successful read. Open connections keep their certificate.
//! Each time the service reads the files, it logs a warning for each problem that clients will have.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;
use ports::Clock;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::time::{MissedTickBehavior, interval};
use tokio_rustls::TlsAcceptor;

use super::certificate::Chain;
use crate::config::ConfigError;

pub const CHECK_EVERY: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The PEM file with the certificate chain, the server's own certificate first.
    pub cert: PathBuf,
    pub key: PathBuf,
    pub settings: TlsSettings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    pub cert: &'static str,
    pub key: &'static str,
}

type Stamp = Option<(i64, i64, u64, u64)>;

/// The certificate of a listener. The value is cheap to clone.
#[derive(Clone)]
pub struct Certificates(Arc<Inner>);

struct Inner {
    files: TlsFiles,
    hosts: Vec<String>,
    clock: Arc<dyn Clock>,
    current: Mutex<Current>,
}

struct Current {
    acceptor: TlsAcceptor,
    chain: Chain,
    /// The stamps (times, size, inode) of both files at the last read, even if the files were unusable.
    read: [Stamp; 2],
}

impl Certificates {
    /// Reads the certificate and the key of a listener. Clients use the names in `hosts` to connect to it.
    ///
    /// # Errors
    /// Returns an error with the file and the setting if a file cannot be read or has the wrong content.
    pub fn read(files: &TlsFiles, hosts: Vec<String>, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        // The stamps are taken before the files are read. If a file changes in between, its next stamp differs, and the
        // files are read again.
        let read = stamps(files);
        let (acceptor, chain) = acceptor(files)?;
        let current = Mutex::new(Current { acceptor, chain, read });
        let certificates = Self(Arc::new(Inner { files: files.clone(), hosts, clock, current }));
        certificates.warn();
        Ok(certificates)
    }

    fn warn(&self) {
        let Inner { files, hosts, clock, current } = &*self.0;
        for warning in current.lock().chain.warnings(clock.now(), hosts) {
            tracing::warn!(tls.certificate = %files.cert.display(), "{warning}");
        }
    }

    pub(crate) fn valid_until(&self) -> Timestamp {
        self.0.current.lock().chain.valid_until()
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.0.current.lock().acceptor.clone()
    }

    pub(crate) fn names(&self, host: &str) -> bool {
        self.0.current.lock().chain.is_for(host)
    }

    /// Reads the files again. If they are unusable, keeps the current certificate and logs the error.
    pub fn read_again(&self) {
        let files = &self.0.files;
        let read = stamps(files);
        let made = acceptor(files);
        let mut current = self.0.current.lock();
        current.read = read;
        match made {
            Ok((acceptor, chain)) => {
                (current.acceptor, current.chain) = (acceptor, chain);
                drop(current);
                tracing::info!(tls.certificate = %files.cert.display(), "the certificate was reloaded");
                self.warn();
            }
            Err(error) => {
                tracing::error!(%error, "cannot reload the certificate; the previous one stays in use");
            }
        }
    }

    fn look(&self) {
        let read = self.0.current.lock().read;
        if stamps(&self.0.files) != read {
            self.read_again();
        }
    }

    /// Checks the files every [`CHECK_EVERY`], as long as the future is polled.
    pub async fn watch(self) {
        let mut ticks = interval(CHECK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let looking = self.clone();
            let _ = tokio::task::spawn_blocking(move || looking.look()).await;
        }
    }
}

impl std::fmt::Debug for Certificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Certificates({})", self.0.files.cert.display())
    }
}

fn stamps(files: &TlsFiles) -> [Stamp; 2] {
    let stamp = |path: &Path| -> io::Result<_> {
        let file = fs::metadata(path)?;
        Ok((file.mtime(), file.mtime_nsec(), file.len(), file.ino()))
    };
    [&files.cert, &files.key].map(|path| stamp(path).ok())
}

pub(crate) fn acceptor(files: &TlsFiles) -> Result<(TlsAcceptor, Chain), ConfigError> {
    let TlsFiles { cert, key, settings } = files;
    let chain = CertificateDer::pem_file_iter(cert).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| unreadable(settings.cert, cert, &error, "certificate"))?;
    let Some(kept) = Chain::new(&chain) else {
        return Err(unreadable(settings.cert, cert, &pem::Error::NoItemsFound, "certificate"));
    };
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| unreadable(settings.key, key, &error, "private key"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|error| {
        ConfigError::new(settings.cert, format!("cannot use the certificate and key: {error}"))
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((TlsAcceptor::from(Arc::new(config)), kept))
}

fn unreadable(variable: &'static str, path: &Path, error: &pem::Error, kind: &str) -> ConfigError {
    let reason = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => format!("it contains no PEM {kind}"),
        _ => "it is not a valid PEM file".into(),
    };
    ConfigError::new(variable, format!("cannot read {}: {reason}", path.display()))
}

#[cfg(test)]
mod tests;
