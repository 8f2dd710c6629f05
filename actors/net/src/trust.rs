//! Whose certificates are trusted, and how TLS is spoken with receivers.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};

use super::named::{NamedHosts, trusting};

/// The variable that names a file of certificates to trust beside the system's.
pub const CERT_FILE_VARIABLE: &str = "SSL_CERT_FILE";

/// Where systems keep the certificates they trust. Asked by name only when [`CERT_FILE_VARIABLE`] is set, since the
/// usual search would then end at that file.
const SYSTEM_BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The certificate authorities that a receiver's certificate may come from. Cheap to clone.
#[derive(Clone)]
pub struct Trust {
    roots: Arc<RootCertStore>,
    /// Those that somebody has named, beside the system's.
    named: Arc<Vec<CertificateDer<'static>>>,
}

/// Why certificates cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read, or holds no certificate.
    #[error("{CERT_FILE_VARIABLE}: cannot read certificates from {path}: {reason}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The bytes are no certificate.
    #[error("this is no certificate")]
    Certificate(#[source] rustls::Error),
}

impl Trust {
    /// Trusts nobody.
    pub fn nobody() -> Self {
        Self { roots: Arc::new(RootCertStore::empty()), named: Arc::default() }
    }

    /// Trusts whom the system trusts, and the certificates in the file that `SSL_CERT_FILE` names. Reads files.
    ///
    /// # Errors
    /// When that file cannot be used. A system that trusts nobody is only logged.
    pub fn system() -> Result<Self, TrustError> {
        Self::load(std::env::var_os(CERT_FILE_VARIABLE).map(PathBuf::from).as_deref())
    }

    fn load(extra: Option<&Path>) -> Result<Self, TrustError> {
        let mut store = Self::nobody();
        match extra {
            None => add_all(&mut store, load_native_certs()),
            Some(path) => {
                let loaded = load_certs_from_paths(Some(path), None);
                let failed = loaded.errors.first().map(ToString::to_string);
                Arc::make_mut(&mut store.named).extend(loaded.certs.iter().cloned());
                add_all(&mut store, loaded);
                if store.is_empty() {
                    let reason = failed.unwrap_or_else(|| "it holds no PEM certificate".into());
                    return Err(TrustError::File { path: path.to_owned(), reason });
                }
                for bundle in SYSTEM_BUNDLES.map(Path::new).into_iter().filter(|bundle| bundle.exists()) {
                    add_all(&mut store, load_certs_from_paths(Some(bundle), None));
                }
            }
        }
        if store.is_empty() {
            tracing::warn!("the system trusts no certificate authority, so no webhook can be delivered");
        }
        Ok(store)
    }

    /// Whether nobody is trusted, so that no connection can be made.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Trusts one more authority, given as DER.
    ///
    /// # Errors
    /// When the bytes are no certificate.
    pub fn and(mut self, certificate: &[u8]) -> Result<Self, TrustError> {
        let certificate = CertificateDer::from(certificate.to_vec());
        Arc::make_mut(&mut self.roots).add(certificate.clone()).map_err(TrustError::Certificate)?;
        Arc::make_mut(&mut self.named).push(certificate);
        Ok(self)
    }

    /// How TLS is spoken with servers that people have set up for this service: mail relays and the operator listener. A
    /// server may also show a certificate that was named, for a host that is in it.
    pub fn client_config(&self) -> ClientConfig {
        trusting(self.named.to_vec(), NamedHosts::OfCertificate, self.roots())
    }

    /// Their certificates.
    pub fn roots(&self) -> Arc<RootCertStore> {
        Arc::clone(&self.roots)
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trust({})", self.roots.len())
    }
}

fn add_all(trust: &mut Trust, loaded: CertificateResult) {
    for error in &loaded.errors {
        tracing::warn!(error = %error, "some trusted certificates cannot be read");
    }
    for certificate in loaded.certs {
        let _ = Arc::make_mut(&mut trust.roots).add(certificate); // some that a system lists cannot be used
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Authority;
    use super::*;

    #[test]
    fn a_file_of_certificates_is_trusted_beside_the_system() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), Authority::new().pem()).unwrap();
        let system =
            SYSTEM_BUNDLES.iter().any(|bundle| std::fs::metadata(bundle).is_ok_and(|file| file.len() > 0));
        let trusted = Trust::load(Some(file.path())).unwrap().roots.len();
        assert!(if system { trusted > 1 } else { trusted == 1 }, "{trusted}");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
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
        assert!(Trust::nobody().and(b"none").is_err());
    }
}
