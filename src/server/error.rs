//! Why a server cannot start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("{variable}: cannot listen on {address}: {source}")]
    Bind {
        /// The setting that holds the address.
        variable: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A PEM file cannot be read or holds no certificate or key.
    #[error("{variable}: cannot read {}: {reason}", path.display())]
    Pem {
        /// The setting that names the file.
        variable: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Certificate and key are no pair, or not of a kind that is supported.
    #[error("{variable}: cannot use the certificate and key: {source}")]
    Certificate {
        /// The setting that names the certificate.
        variable: &'static str,
        /// Why.
        source: rustls::Error,
    },
}
