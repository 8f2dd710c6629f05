//! The trusted certificates, and the TLS configurations for outgoing connections.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ports::Clock;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};

use super::named::{NamedHosts, trusting};

/// The environment variable that names a file of certificates. They are trusted in addition to the system's
/// certificates.
pub const CERT_FILE_VARIABLE: &str = "SSL_CERT_FILE";

/// The files in which systems keep their certificates. If [`CERT_FILE_VARIABLE`] is set, `rustls-native-certs` reads
/// only the file that the variable names. In this case, this module reads the system's files itself.
const SYSTEM_BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The trusted certificate authorities, and the certificates (`named`) that servers may use directly. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trust {
    roots: Arc<RootCertStore>,
    named: Arc<Vec<CertificateDer<'static>>>,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("{CERT_FILE_VARIABLE}: cannot read certificates from {path}: {reason}", path = path.display())]
    File { path: PathBuf, reason: String },
    #[error("the certificate is invalid")]
    Certificate(#[source] rustls::Error),
}

impl Trust {
    pub fn none() -> Self {
        Self { roots: Arc::new(RootCertStore::empty()), named: Arc::default() }
    }

    /// Reads from the disk the CA certificates of the system and the certificates in the file that `SSL_CERT_FILE`
    /// names.
    ///
    /// # Errors
    /// Returns an error if the file is unusable. If the system has no CA certificate, this is only logged.
    pub fn system() -> Result<Self, TrustError> {
        Self::load(std::env::var_os(CERT_FILE_VARIABLE).map(PathBuf::from).as_deref())
    }

    fn load(extra: Option<&Path>) -> Result<Self, TrustError> {
        let mut store = Self::none();
        match extra {
            None => add_all(&mut store, load_native_certs()),
            Some(path) => {
                let loaded = load_certs_from_paths(Some(path), None);
                let failed = loaded.errors.first().map(ToString::to_string);
                Arc::make_mut(&mut store.named).extend(loaded.certs.iter().cloned());
                add_all(&mut store, loaded);
                if store.is_empty() {
                    let reason = failed.unwrap_or_else(|| "it contains no PEM certificate".into());
                    return Err(TrustError::File { path: path.to_owned(), reason });
                }
                for bundle in SYSTEM_BUNDLES.map(Path::new).into_iter().filter(|bundle| bundle.exists()) {
                    add_all(&mut store, load_certs_from_paths(Some(bundle), None));
                }
            }
        }
        if store.is_empty() {
            tracing::warn!(
                "the system trusts no certificate authority, so no webhook can be delivered and no calendar can be read"
            );
        }
        Ok(store)
    }

    /// True if no certificate is trusted. In this case, no TLS connection is possible.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    pub fn and(mut self, certificate: &[u8]) -> Result<Self, TrustError> {
        let certificate = CertificateDer::from(certificate.to_vec());
        Arc::make_mut(&mut self.roots).add(certificate.clone()).map_err(TrustError::Certificate)?;
        Arc::make_mut(&mut self.named).push(certificate);
        Ok(self)
    }

    /// Returns the configuration for connections to mail relays and to the operator listener. A server is trusted if
    /// a trusted authority signed its certificate, or if the file that `SSL_CERT_FILE` names contains the certificate
    /// itself.
    pub fn client_config(&self) -> ClientConfig {
        trusting(self.named.to_vec(), NamedHosts::OfCertificate, self.roots())
    }

    pub fn roots(&self) -> Arc<RootCertStore> {
        Arc::clone(&self.roots)
    }
}

fn add_all(trust: &mut Trust, loaded: CertificateResult) {
    for error in &loaded.errors {
        tracing::warn!(error = %error, "some trusted certificates cannot be read");
    }
    for certificate in loaded.certs {
        let _ = Arc::make_mut(&mut trust.roots).add(certificate); // some system certificates are unusable
    }
}

/// Returns the configuration for connections to receivers of webhooks. No session is resumed, so each connection
/// verifies the certificate.
pub(super) fn receiver_config(trust: &Trust, clock: Arc<dyn Clock>) -> ClientConfig {
    let mut config = ClientConfig::builder_with_details(
        Arc::new(ring::default_provider()),
        Arc::new(CertificateClock(clock)),
    )
    .with_safe_default_protocol_versions()
    .expect("ring supports the default TLS versions")
    .with_root_certificates(trust.roots())
    .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    config
}

struct CertificateClock(Arc<dyn Clock>);

impl TimeProvider for CertificateClock {
    fn current_time(&self) -> Option<UnixTime> {
        let millis = u64::try_from(self.0.now().millis()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_millis(millis)))
    }
}

impl fmt::Debug for CertificateClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CertificateClock")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Authority;
    use super::*;

    #[test]
    fn a_file_of_certificates_is_trusted_in_addition_to_the_system() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), Authority::new().pem()).unwrap();
        let system =
            SYSTEM_BUNDLES.iter().any(|bundle| std::fs::metadata(bundle).is_ok_and(|file| file.len() > 0));
        let trusted = Trust::load(Some(file.path())).unwrap().roots.len();
        assert!(if system { trusted > 1 } else { trusted == 1 }, "{trusted}");
    }

    #[test]
    fn the_error_names_a_file_that_cannot_be_used() {
        let empty = tempfile::NamedTempFile::new().unwrap();
        for path in [empty.path(), Path::new("/no/such/file.pem")] {
            let error = Trust::load(Some(path)).unwrap_err().to_string();
            assert!(
                error.starts_with("SSL_CERT_FILE: ") && error.contains(path.to_str().unwrap()),
                "{error}"
            );
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn bytes_that_are_no_certificate_are_not_trusted() {
        assert!(Trust::none().and(b"none").is_err());
    }
}
