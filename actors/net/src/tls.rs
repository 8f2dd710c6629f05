//! The TLS configuration for receivers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ports::Clock;
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;

use super::trust::Trust;

/// Sessions are not resumed: every connection verifies the certificate, and no receiver can leave tickets in
/// memory.
pub(super) fn client_config(trust: &Trust, clock: Arc<dyn Clock>) -> ClientConfig {
    let mut config = ClientConfig::builder_with_details(
        Arc::new(ring::default_provider()),
        Arc::new(CertificateClock(clock)),
    )
    .with_safe_default_protocol_versions()
    .expect("ring speaks the default versions")
    .with_root_certificates(trust.roots())
    .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    config
}

/// Checks certificates against the engine's clock.
struct CertificateClock(Arc<dyn Clock>);

impl TimeProvider for CertificateClock {
    fn current_time(&self) -> Option<UnixTime> {
        let millis = u64::try_from(self.0.now().millis()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_millis(millis)))
    }
}

impl fmt::Debug for CertificateClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CertificateClock")
    }
}
