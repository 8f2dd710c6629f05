//! Verifies certificates. A server may present a certificate that a certificate authority (CA) has signed, or a *named*
//! certificate, which the operator has configured.
//!
//! Many self-signed certificates are marked as CA certificates, and the verifier of the library refuses such a
//! certificate from a server. A named certificate is therefore only compared with the certificate of the server. The
//! handshake proves that the server has the key of the certificate, so no signature of a CA is needed.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use x509_parser::parse_x509_certificate;

/// The host names for which a named certificate is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedHosts {
    /// The certificate is accepted only for the names in it, and only while it is valid.
    OfCertificate,
    /// The certificate is accepted for any name at any time, because the operator has named it for this one server.
    Any,
}

pub fn trusting(
    named: Vec<CertificateDer<'static>>,
    hosts: NamedHosts,
    authorities: Arc<RootCertStore>,
) -> ClientConfig {
    let provider = Arc::new(ring::default_provider());
    // Without a CA certificate, the verifier of the library cannot be built. Then only named certificates are trusted.
    let signed = WebPkiServerVerifier::builder_with_provider(authorities, Arc::clone(&provider)).build().ok();
    let verifier = Verifier { named, hosts, signed, provider: Arc::clone(&provider) };
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default TLS versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsFault {
    Expired,
    NotYetValid,
    OtherName,
    UnknownIssuer,
    Certificate,
    Refused,
    /// The peer does not speak TLS.
    NotTls,
    Handshake,
}

pub fn tls_fault(error: &Error) -> TlsFault {
    use CertificateError as C;
    match error {
        Error::InvalidCertificate(C::Expired | C::ExpiredContext { .. }) => TlsFault::Expired,
        Error::InvalidCertificate(C::NotValidYet | C::NotValidYetContext { .. }) => TlsFault::NotYetValid,
        Error::InvalidCertificate(C::NotValidForName | C::NotValidForNameContext { .. }) => {
            TlsFault::OtherName
        }
        Error::InvalidCertificate(C::UnknownIssuer) => TlsFault::UnknownIssuer,
        Error::InvalidCertificate(_) => TlsFault::Certificate,
        Error::AlertReceived(_) => TlsFault::Refused,
        Error::InvalidMessage(_) => TlsFault::NotTls,
        _ => TlsFault::Handshake,
    }
}

/// Checks that a certificate is valid at the time `now` (RFC 5280, 4.1.2.5).
fn verify_validity(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let parsed = parse_x509_certificate(certificate).map_err(|_| CertificateError::BadEncoding)?;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let validity = parsed.1.validity();
    if now < validity.not_before.timestamp() {
        return Err(CertificateError::NotValidYet.into());
    }
    if now > validity.not_after.timestamp() {
        return Err(CertificateError::Expired.into());
    }
    Ok(())
}

#[derive(Debug)]
struct Verifier {
    named: Vec<CertificateDer<'static>>,
    hosts: NamedHosts,
    signed: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.named.iter().any(|named| named == shown) {
            if self.hosts == NamedHosts::OfCertificate {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                verify_validity(shown, now)?;
            }
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
