//! Opens a connection to the operator API over its Unix socket, plain TCP, or TLS.
//!
//! Invariant: with TLS, data is sent only to a server whose certificate covers the requested name or address
//! and is signed by a trusted certificate authority (CA). With a certificate file, the server's certificate must be in
//! the file, or a certificate in the file must have signed it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use net::{NamedHosts, Trust, named};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

/// A TLS configuration that accepts the certificates in this file and the certificates signed by one of them.
pub(super) fn trusting(file: &Path) -> Result<Arc<ClientConfig>, String> {
    let listed = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let listed = listed.map_err(|error| match error {
        rustls::pki_types::pem::Error::Io(error) => format!("cannot be read: {error}"),
        _ => "is not a valid PEM file".to_owned(),
    })?;
    if listed.is_empty() {
        return Err("contains no PEM certificate".to_owned());
    }
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(listed.iter().cloned());
    Ok(Arc::new(named::trusting(listed, NamedHosts::Any, authorities.into())))
}

/// A TLS configuration that trusts the CA certificates of the system or of the file in `SSL_CERT_FILE`.
pub(super) fn trusting_the_system() -> Result<Arc<ClientConfig>, String> {
    let trust = Trust::system().map_err(|error| error.to_string())?;
    Ok(Arc::new(trust.client_config()))
}

/// The `Authorization` header with a token, marked as sensitive.
pub(super) fn bearer(token: &str) -> Option<HeaderValue> {
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    header.set_sensitive(true);
    Some(header)
}

pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Connection for Box<dyn Stream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerAddress {
    /// A host without brackets, and a port.
    Network { host: String, port: u16 },
    /// The path of a Unix socket.
    Socket(PathBuf),
}

impl ServerAddress {
    /// The host in a URL. A socket has no host.
    pub(super) fn authority(&self) -> String {
        match self {
            Self::Network { .. } => self.to_string(),
            Self::Socket(_) => "localhost".to_owned(),
        }
    }
}

impl From<SocketAddr> for ServerAddress {
    fn from(address: SocketAddr) -> Self {
        Self::Network { host: address.ip().to_string(), port: address.port() }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Network { host, port } => write!(f, "{host}:{port}"),
            Self::Socket(path) => write!(f, "{}", path.display()),
        }
    }
}

#[derive(Clone)]
pub(super) struct Connector {
    address: ServerAddress,
    tls: Option<TlsConnector>,
}

impl Connector {
    pub(super) fn new(address: ServerAddress, tls: Option<Arc<ClientConfig>>) -> Self {
        Self { address, tls: tls.map(TlsConnector::from) }
    }

    pub(super) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    async fn connect(self) -> io::Result<TokioIo<Box<dyn Stream>>> {
        let Self { address, tls } = self;
        let (host, port) = match address {
            ServerAddress::Network { host, port } => (host, port),
            ServerAddress::Socket(path) => {
                return Ok(TokioIo::new(Box::new(UnixStream::connect(path).await?)));
            }
        };
        // The system's resolver is used, because it also knows the names in local files such as `/etc/hosts`.
        let addresses = tokio::net::lookup_host((host.as_str(), port)).await.map_err(io::Error::other)?;
        let stream = TcpStream::connect(&addresses.collect::<Vec<_>>()[..]).await?;
        stream.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match tls {
            None => Box::new(stream),
            Some(tls) => {
                let name = ServerName::try_from(host).map_err(io::Error::other)?;
                Box::new(tls.connect(name, stream).await?)
            }
        };
        Ok(TokioIo::new(stream))
    }
}

impl tower::Service<Uri> for Connector {
    type Response = TokioIo<Box<dyn Stream>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        Box::pin(self.clone().connect())
    }
}
