//! Errors that prevent the server from starting.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("{variable}: cannot listen on {address}: {source}")]
    Bind { variable: &'static str, address: SocketAddr, source: io::Error },
    #[error("{variable}: cannot read {}: {reason}", path.display())]
    Pem { variable: &'static str, path: PathBuf, reason: String },
    /// The certificate and key do not match, or their kind is not supported.
    #[error("{variable}: cannot use the certificate and key: {source}")]
    Certificate { variable: &'static str, source: rustls::Error },
}
