//! The names by which the operator listener is called.
//!
//! A page that a person has open may send requests to a name of its own that leads to this listener (DNS rebinding). So
//! what always holds: a request with a name that is not the listener's is refused before its token or path is looked at.
//! An IP address cannot lead anywhere else, and no page is called `localhost`.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::{Host, Url};

use crate::rest::error::ApiError;
use crate::server::Certificates;

/// The names, beside IP addresses and `localhost`. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct AdminHosts {
    named: Arc<[String]>,
    certificates: Option<Certificates>,
}

impl AdminHosts {
    /// These names, and those in the certificate.
    pub(crate) fn new(named: &[String], certificates: Option<Certificates>) -> Self {
        Self { named: named.into(), certificates }
    }

    /// Passes a request on, or refuses it.
    pub(super) async fn check(self, request: Request, next: Next) -> Response {
        let header = request.headers().get(header::HOST).map(|host| host.to_str().unwrap_or_default());
        // A request of HTTP/1.0 may have no Host; no browser speaks it. Where it has one, the target names the same.
        let target = request.uri().authority().map(axum::http::uri::Authority::as_str);
        if header.or(target).is_none_or(|host| self.has(host)) {
            next.run(request).await
        } else {
            ApiError::UnknownAdminHost.into_response()
        }
    }

    fn has(&self, host: &str) -> bool {
        let url = Url::parse(&format!("http://{host}")).ok();
        match url.as_ref().and_then(Url::host) {
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
            Some(Host::Domain(name)) => {
                name == "localhost"
                    || self.named.iter().any(|named| named == name)
                    || self.certificates.as_ref().is_some_and(|certificates| certificates.names(name))
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_localhost_and_the_names_that_are_set_are_known() {
        let hosts = AdminHosts::new(&["desk.example".into()], None);
        for host in
            ["127.0.0.1", "192.0.2.1:8081", "[::1]:8081", "localhost", "LocalHost:1", "Desk.Example:8081"]
        {
            assert!(hosts.has(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "x.desk.example",
            "desk.example.evil",
            "localhost.evil.example",
            "a b",
        ] {
            assert!(!hosts.has(host), "{host}");
        }
    }
}
