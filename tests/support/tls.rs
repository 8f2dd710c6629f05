//! TLS configurations for receivers and servers in tests.

use std::sync::Arc;

use rcgen::{Certificate, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// The configuration of a server with this certificate. The server does not ask clients for certificates.
pub(crate) fn server(certificate: &Certificate, key: &KeyPair) -> ServerConfig {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap()
}
