//! TLS of the public listener: rustls with ring, HTTP/1.1 only.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::ServerError;

/// The setting that names the certificate chain.
const CERT_VARIABLE: &str = "RECEPTIONIST_TLS_CERT";

/// The setting that names the key.
const KEY_VARIABLE: &str = "RECEPTIONIST_TLS_KEY";

/// The files that make a listener speak HTTPS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, PEM, the server's own first.
    pub cert: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
}

/// What speaks TLS with clients.
///
/// # Errors
/// When a file cannot be read or does not hold what it should, in one line that names file and setting.
pub fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ServerError> {
    let chain = CertificateDer::pem_file_iter(&files.cert).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| unreadable(CERT_VARIABLE, &files.cert, &error, "certificate"))?;
    if chain.is_empty() {
        return Err(unreadable(CERT_VARIABLE, &files.cert, &pem::Error::NoItemsFound, "certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| unreadable(KEY_VARIABLE, &files.key, &error, "private key"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|source| ServerError::Certificate { variable: CERT_VARIABLE, source })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unreadable(variable: &'static str, path: &Path, error: &pem::Error, kind: &str) -> ServerError {
    let reason = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => format!("it holds no PEM {kind}"),
        _ => "it is not a valid PEM file".into(),
    };
    ServerError::Pem { variable, path: path.to_owned(), reason }
}
