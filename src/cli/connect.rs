//! How the operator API is reached: plainly, or by TLS.
//!
//! What always holds: by TLS nothing is sent but to a server that shows a certificate for the name or the address by which
//! it is called, from an authority that is trusted; or, where a file is named, the very certificate that is in it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actors::net::Trust;
use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
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
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(listed.iter().cloned());
    let signed = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build();
    let named = Named { listed, signed: signed.ok(), provider: Arc::clone(&provider) };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(config.dangerous().with_custom_certificate_verifier(Arc::new(named)).with_no_client_auth()))
}

/// How TLS is spoken with a server that has a certificate from whom the system trusts, or the file `SSL_CERT_FILE`.
///
/// # Errors
/// What is wrong with that file.
pub(super) fn trusting_the_system() -> Result<Arc<ClientConfig>, String> {
    let trust = Trust::system().map_err(|error| error.to_string())?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(config.with_root_certificates(trust.roots()).with_no_client_auth()))
}

/// Trusts the certificates that were named, whatever they say of themselves, and what they have signed.
#[derive(Debug)]
struct Named {
    listed: Vec<CertificateDer<'static>>,
    /// Looks for a signature of one of them; nothing where none can sign.
    signed: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The server proves below that it has the key, so it is the one that was named.
        if self.listed.iter().any(|listed| listed == shown) {
            return Ok(ServerCertVerified::assertion());
        }
        match &self.signed {
            Some(signed) => signed.verify_server_cert(shown, intermediates, name, ocsp, now),
            None => Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, shown, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, shown, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// A stream of bytes to the service.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Connection for Box<dyn Stream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

/// Which server is called: an address or a name, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Without brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

impl From<SocketAddr> for Place {
    fn from(address: SocketAddr) -> Self {
        Self { host: address.ip().to_string(), port: address.port() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
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
        let Self { place: Place { host, port }, tls } = self;
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
