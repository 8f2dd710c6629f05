//! How the operator API is reached: by its socket, plainly over the network, or by TLS.
//!
//! What always holds: by TLS nothing is sent but to a server that shows a certificate for the name or the address by which
//! it is called, from an authority that is trusted; or, where a file is named, the very certificate that is in it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actors::net::{NamedHosts, Trust, named};
use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

/// How TLS is spoken with a server that has a certificate of this file, or one that an authority in it has signed.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn trusting(file: &Path) -> Result<Arc<ClientConfig>, String> {
    let listed = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let listed = listed.map_err(|error| match error {
        rustls::pki_types::pem::Error::Io(error) => format!("cannot be read: {error}"),
        _ => "is not a valid PEM file".to_owned(),
    })?;
    if listed.is_empty() {
        return Err("holds no PEM certificate".to_owned());
    }
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(listed.iter().cloned());
    Ok(Arc::new(named::trusting(listed, NamedHosts::Any, authorities.into())))
}

/// How TLS is spoken with a server that has a certificate from whom the system trusts, or the file `SSL_CERT_FILE`.
///
/// # Errors
/// What is wrong with that file.
pub(super) fn trusting_the_system() -> Result<Arc<ClientConfig>, String> {
    let trust = Trust::system().map_err(|error| error.to_string())?;
    Ok(Arc::new(trust.client_config()))
}

/// A stream of bytes to the service.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Connection for Box<dyn Stream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

/// Which server is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// An address or a name, without brackets, and a port.
    Network { host: String, port: u16 },
    /// A socket in the file system.
    Socket(PathBuf),
}

impl Place {
    /// The server as a URL names it. A socket has no name there.
    pub(super) fn authority(&self) -> String {
        match self {
            Self::Network { .. } => self.to_string(),
            Self::Socket(_) => "localhost".to_owned(),
        }
    }
}

impl From<SocketAddr> for Place {
    fn from(address: SocketAddr) -> Self {
        Self::Network { host: address.ip().to_string(), port: address.port() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Network { host, port } => write!(f, "{host}:{port}"),
            Self::Socket(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Connects to one server, by TLS or plainly.
#[derive(Clone)]
pub(super) struct Connector {
    place: Place,
    tls: Option<TlsConnector>,
}

impl Connector {
    pub(super) fn new(place: Place, tls: Option<Arc<ClientConfig>>) -> Self {
        Self { place, tls: tls.map(TlsConnector::from) }
    }

    /// With which scheme it is called.
    pub(super) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    async fn connect(self) -> io::Result<TokioIo<Box<dyn Stream>>> {
        let Self { place, tls } = self;
        let (host, port) = match place {
            Place::Network { host, port } => (host, port),
            Place::Socket(path) => {
                return Ok(TokioIo::new(Box::new(UnixStream::connect(path).await?)));
            }
        };
        // By the system's resolver, so that names of its own files are known too.
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

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connector({}://{})", self.scheme(), self.place)
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
