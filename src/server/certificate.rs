//! The validity period (RFC 5280, 4.1.2.5) and the names of a certificate chain.
//!
//! Problems with the period or the names cause warnings only. The service starts even with an expired
//! certificate, since that is more useful than no service.

use domain::Timestamp;
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use x509_parser::parse_x509_certificate;

/// The warnings begin this number of days before the expiry. Certificates are usually renewed earlier, so a warning
/// shows that a renewal is missing.
const WARNED_DAYS: i64 = 14;

/// The server's own certificate, and the period in which all certificates of the chain are valid.
#[derive(Clone)]
pub(crate) struct Chain {
    own: CertificateDer<'static>,
    valid_from: Timestamp,
    valid_until: Timestamp,
}

impl Chain {
    /// The first certificate must be the server's own. The period of an unparsable certificate is ignored.
    pub(super) fn new(certificates: &[CertificateDer<'static>]) -> Option<Self> {
        let mut chain = Self {
            own: certificates.first()?.clone(),
            valid_from: Timestamp::MIN,
            valid_until: Timestamp::MAX,
        };
        for certificate in certificates {
            let Ok((_, parsed)) = parse_x509_certificate(certificate) else { continue };
            let instant = |seconds: i64| Timestamp::from_millis(seconds.saturating_mul(1_000));
            let validity = parsed.validity();
            chain.valid_from = chain.valid_from.max(instant(validity.not_before.timestamp()));
            chain.valid_until = chain.valid_until.min(instant(validity.not_after.timestamp()));
        }
        Some(chain)
    }

    pub(crate) fn valid_until(&self) -> Timestamp {
        self.valid_until
    }

    pub(crate) fn is_for(&self, host: &str) -> bool {
        let certificate = ParsedCertificate::try_from(&self.own);
        let name = ServerName::try_from(host);
        certificate
            .is_ok_and(|certificate| name.is_ok_and(|name| verify_server_name(&certificate, &name).is_ok()))
    }

    /// The reasons why clients that use the names in `hosts` reject the certificate, now or soon.
    pub(crate) fn warnings(&self, now: Timestamp, hosts: &[String]) -> Vec<String> {
        let (from, until) = (self.valid_from, self.valid_until);
        let days_left = (until.millis() - now.millis()) / (24 * 60 * 60 * 1_000);
        let validity = if now > until {
            Some(format!("the certificate expired at {until}"))
        } else if now < from {
            Some(format!("the certificate is not valid before {from}"))
        } else {
            (days_left < WARNED_DAYS).then(|| format!("the certificate expires at {until}"))
        };
        let others = hosts.iter().filter(|host| !self.is_for(host));
        let names = others.map(|host| format!("the certificate is not for {host}"));
        validity.into_iter().chain(names).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1_000)
    }

    fn certificate(host: &str, from: i64, until: i64) -> CertificateDer<'static> {
        let mut params = rcgen::CertificateParams::new([host.to_owned()]).unwrap();
        let epoch = rcgen::date_time_ymd(1970, 1, 1);
        params.not_before = epoch + std::time::Duration::from_secs(from.unsigned_abs());
        params.not_after = epoch + std::time::Duration::from_secs(until.unsigned_abs());
        params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().der().clone()
    }

    #[test]
    fn a_chain_is_valid_while_all_its_certificates_are_valid() {
        let [own, authority] =
            [certificate("desk.example", DAY, 100 * DAY), certificate("ca.example", 2 * DAY, 50 * DAY)];
        let chain = Chain::new(&[own, authority]).unwrap();
        assert_eq!(chain.valid_until(), at(50 * DAY));
        let warnings = |second| chain.warnings(at(second), &[]);
        assert_eq!(warnings(2 * DAY - 1), ["the certificate is not valid before 1970-01-03T00:00:00.000Z"]);
        assert!(warnings(2 * DAY).is_empty() && warnings(36 * DAY).is_empty());
        assert_eq!(warnings(36 * DAY + 1), ["the certificate expires at 1970-02-20T00:00:00.000Z"]);
        assert_eq!(warnings(50 * DAY), ["the certificate expires at 1970-02-20T00:00:00.000Z"]);
        assert_eq!(warnings(50 * DAY + 1), ["the certificate expired at 1970-02-20T00:00:00.000Z"]);
        assert!(Chain::new(&[]).is_none());
    }

    #[test]
    fn the_warnings_contain_hosts_that_the_certificate_does_not_cover() {
        let chain = Chain::new(&[certificate("*.desk.example", 0, 100 * DAY)]).unwrap();
        let hosts = ["a.desk.example", "desk.example", "192.0.2.1"].map(String::from);
        assert_eq!(
            chain.warnings(at(DAY), &hosts),
            ["the certificate is not for desk.example", "the certificate is not for 192.0.2.1"]
        );
    }
}
