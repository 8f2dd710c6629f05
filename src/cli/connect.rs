//! How the service is reached: plainly, or by TLS.
//!
//! What always holds: by TLS nothing is sent but to a server that is trusted. For the operator API that is one that
//! shows a certificate of the file that is named, or one that an authority in the file has signed for the address.

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

/// How TLS is spoken with servers that the system trusts, and those of the file that `SSL_CERT_FILE` names.
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

/// Connects to one place, by TLS or plainly.
#[derive(Clone)]
pub(super) struct Connector {
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
}

impl Connector {
    /// To an address.
    pub(super) fn new(address: SocketAddr, tls: Option<Arc<ClientConfig>>) -> Self {
        Self::to((address.ip().to_string(), address.port()), tls)
    }

    /// To a host, which may be a name, and a port.
    pub(super) fn to((host, port): (String, u16), tls: Option<Arc<ClientConfig>>) -> Self {
        Self { host, port, tls: tls.map(TlsConnector::from) }
    }

    /// With which scheme it is called.
    pub(super) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    async fn connect(self) -> io::Result<TokioIo<Box<dyn Stream>>> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match self.tls {
            None => Box::new(stream),
            Some(tls) => {
                let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
                Box::new(tls.connect(name, stream).await?)
            }
        };
        Ok(TokioIo::new(stream))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connector({}://{}:{})", self.scheme(), self.host, self.port)
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
