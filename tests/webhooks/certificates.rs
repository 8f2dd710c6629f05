//! Creates valid and invalid certificates for receivers.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio_rustls::TlsAcceptor;

use crate::tls;

pub(crate) struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "an authority for tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// A valid certificate for a name.
    pub(crate) fn server(&self, name: &str) -> TlsAcceptor {
        self.signed(&CertificateParams::new([name.to_owned()]).unwrap())
    }

    /// An expired certificate.
    pub(crate) fn expired(&self, name: &str) -> TlsAcceptor {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_after = date_time_ymd(2001, 1, 1);
        self.signed(&params)
    }

    /// A certificate that is not yet valid.
    pub(crate) fn early(&self, name: &str) -> TlsAcceptor {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(4000, 1, 1);
        self.signed(&params)
    }

    fn signed(&self, params: &CertificateParams) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        acceptor(&params.signed_by(&key, &self.issuer).unwrap(), &key)
    }
}

/// A self-signed certificate.
pub(crate) fn self_signed(name: &str) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    acceptor(&CertificateParams::new([name.to_owned()]).unwrap().self_signed(&key).unwrap(), &key)
}

fn acceptor(certificate: &rcgen::Certificate, key: &KeyPair) -> TlsAcceptor {
    TlsAcceptor::from(Arc::new(tls::server(certificate, key)))
}
