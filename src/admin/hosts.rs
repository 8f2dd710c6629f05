//! The host names of the operator listener.
//!
//! In a DNS rebinding attack, the host name of the attacker's web page resolves to this listener, so the page can
//! send requests to the listener.
//!
//! Invariant: if the host name of a request is not accepted, the request is refused before its token or path is
//! checked. IP addresses and `localhost` are accepted, because an attacker cannot change how they resolve.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::{Host, Url};

use crate::rest::error::ApiError;
use crate::server::Certificates;

/// The accepted host names, in addition to IP addresses and `localhost`.
#[derive(Clone, Default)]
pub(crate) struct AdminHosts {
    named: Arc<[String]>,
    certificates: Option<Certificates>,
}

impl AdminHosts {
    /// `named` contains the configured names. The names in the certificate are accepted too.
    pub(crate) fn new(named: &[String], certificates: Option<Certificates>) -> Self {
        Self { named: named.into(), certificates }
    }

    pub(super) async fn check(self, request: Request, next: Next) -> Response {
        let header = request.headers().get(header::HOST).map(|host| host.to_str().unwrap_or_default());
        // A request without the header Host is accepted: only HTTP/1.0 permits such requests, and no browser uses
        // HTTP/1.0. If the request target is a full URL, the URL contains the host.
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
    fn addresses_and_localhost_and_configured_names_are_accepted() {
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
