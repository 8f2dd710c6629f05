//! TLS of a listener: rustls with ring, HTTP/1.1 only, with the certificate that its files hold at the time.
//!
//! What always holds: a handshake is made with a certificate and a key that belong together, those that were read last;
//! files that cannot be used change nothing; connections that are open stay as they are; a warning in the log names what
//! clients will object to, each time the files are read.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::Timestamp;
use actors::ports::Clock;
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::time::{MissedTickBehavior, interval};
use tokio_rustls::TlsAcceptor;

use super::certificate::Chain;
use super::error::ServerError;

/// How often the files are looked at, whether they have changed.
pub const LOOK_EVERY: Duration = Duration::from_secs(10);

/// The files that make a listener speak HTTPS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, PEM, the server's own first.
    pub cert: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
    /// The settings that name them, by which errors do.
    pub settings: TlsSettings,
}

/// The names of the settings of a listener's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// The one that names the certificate chain.
    pub cert: &'static str,
    /// The one that names the key.
    pub key: &'static str,
}

/// What a file looked like: when it was changed, how long it was, which it was.
type Stamp = Option<(i64, i64, u64, u64)>;

/// The certificate of a listener. Cheap to clone.
#[derive(Clone)]
pub struct Certificates(Arc<Inner>);

struct Inner {
    files: TlsFiles,
    /// The hosts by which clients call the listener, as far as the settings name them.
    hosts: Vec<String>,
    clock: Arc<dyn Clock>,
    current: Mutex<Current>,
}

struct Current {
    acceptor: TlsAcceptor,
    chain: Chain,
    /// What the files looked like when they were read last, whether they could be used or not.
    read: [Stamp; 2],
}

impl Certificates {
    /// Reads the files of a listener that clients call by these hosts.
    ///
    /// # Errors
    /// When one cannot be read or does not hold what it should, in one line that names file and setting.
    pub fn read(files: &TlsFiles, hosts: Vec<String>, clock: Arc<dyn Clock>) -> Result<Self, ServerError> {
        // Before the files are read: what changes meanwhile is read once more.
        let read = stamps(files);
        let (acceptor, chain) = acceptor(files)?;
        let current = Mutex::new(Current { acceptor, chain, read });
        let certificates = Self(Arc::new(Inner { files: files.clone(), hosts, clock, current }));
        certificates.warn();
        Ok(certificates)
    }

    /// Logs what clients will object to.
    fn warn(&self) {
        let Inner { files, hosts, clock, current } = &*self.0;
        for warning in current.lock().chain.warnings(clock.now(), hosts) {
            tracing::warn!(tls.certificate = %files.cert.display(), "{warning}");
        }
    }

    /// The instant at which the first certificate of the chain expires.
    pub(crate) fn valid_until(&self) -> Timestamp {
        self.0.current.lock().chain.valid_until()
    }

    /// What speaks TLS with clients now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.0.current.lock().acceptor.clone()
    }

    /// Whether the certificate is for this name.
    pub(crate) fn names(&self, host: &str) -> bool {
        self.0.current.lock().chain.is_for(host)
    }

    /// Reads the files again. Where they cannot be used, one line in the log says so, and nothing changes.
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
                tracing::info!(tls.certificate = %files.cert.display(), "the certificate was read again");
                self.warn();
            }
            Err(error) => tracing::error!(%error, "the certificate that was read before stays in use"),
        }
    }

    /// Reads the files again if they have changed.
    fn look(&self) {
        let read = self.0.current.lock().read;
        if stamps(&self.0.files) != read {
            self.read_again();
        }
    }

    /// Looks at the files every [`LOOK_EVERY`], for as long as it is polled.
    pub async fn watch(self) {
        let mut ticks = interval(LOOK_EVERY);
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

/// What speaks TLS with the certificate chain that the files hold now, and that chain.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<(TlsAcceptor, Chain), ServerError> {
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
    let mut config = config.map_err(|source| ServerError::Certificate { variable: settings.cert, source })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((TlsAcceptor::from(Arc::new(config)), kept))
}

fn unreadable(variable: &'static str, path: &Path, error: &pem::Error, kind: &str) -> ServerError {
    let reason = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => format!("it holds no PEM {kind}"),
        _ => "it is not a valid PEM file".into(),
    };
    ServerError::Pem { variable, path: path.to_owned(), reason }
}

#[cfg(test)]
mod tests;
