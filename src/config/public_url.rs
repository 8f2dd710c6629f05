//! The origin at which people and programs reach the service: scheme, host and port.
//!
//! Invariants: the setting permits plain http for loopback hosts only. An origin without a port equals the
//! same origin with the default port of its scheme.

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use super::value::{ConfigError, read};
use super::variables;

/// An origin (RFC 6454). The service compares `Origin` and `Host` with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    is_https: bool,
    host: Host,
    port: u16,
}

impl PublicUrl {
    /// Parses an origin. Accepts plain http for any host, because the function also parses the headers `Host` and
    /// `Origin`. Refuses a path after the port.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let is_bare = url.username().is_empty()
            && url.password().is_none()
            && matches!(url.path(), "" | "/")
            && url.query().is_none()
            && url.fragment().is_none();
        // The URL parser accepts some invalid texts and corrects them. This function refuses them.
        let is_clean = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if !is_bare || !is_clean {
            return None;
        }
        Some(Self { is_https, host: url.host()?.to_owned(), port: url.port_or_known_default()? })
    }

    /// The origin of a listener. It is used if no public URL is configured.
    pub fn of_listener(address: SocketAddr, is_https: bool) -> Self {
        let host = match address.ip() {
            IpAddr::V4(ip) => Host::Ipv4(ip),
            IpAddr::V6(ip) => Host::Ipv6(ip),
        };
        Self { is_https, host, port: address.port() }
    }

    pub fn is_https(&self) -> bool {
        self.is_https
    }

    pub fn dialled(&self) -> (String, u16) {
        let host = match &self.host {
            Host::Domain(name) => name.clone(),
            Host::Ipv4(ip) => ip.to_string(),
            Host::Ipv6(ip) => ip.to_string(),
        };
        (host, self.port)
    }

    /// Whether the host is this machine, by name or by address.
    pub fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(ip) => ip.is_loopback(),
            Host::Ipv6(ip) => ip.to_canonical().is_loopback(),
        }
    }

    pub(super) fn read(given: Option<OsString>) -> Result<Option<Self>, ConfigError> {
        read(variables::PUBLIC_URL, given, |text| match Self::parse(text) {
            None => Err("must be a scheme, a host and optionally a port, such as https://book.example.com"),
            Some(url) if !url.is_https && !url.is_loopback() => {
                Err("must be https unless the host is this machine, since others can read plain http")
            }
            Some(url) => Ok(url),
        })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.is_https { ("https", 443) } else { ("http", 80) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == usual { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_the_form_that_browsers_send() {
        for (text, origin) in [
            ("https://Book.Example.com", "https://book.example.com"),
            ("https://book.example.com:443/", "https://book.example.com"),
            ("https://book.example.com:8443", "https://book.example.com:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:80", "http://[::1]"),
            ("http://localhost:3000", "http://localhost:3000"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().to_string(), origin);
        }
        for bad in [
            "",
            "book.example.com",
            "ftp://book.example.com",
            "https://",
            "https://u@book.example.com",
            "https://book.example.com/v1",
            "https://book.example.com/?",
            "https://book.example.com#x",
            " https://book.example.com",
            "https:\\\\book.example.com",
            "null",
        ] {
            assert_eq!(PublicUrl::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn plain_http_is_allowed_only_for_loopback() {
        let read = |text: &str| PublicUrl::read(Some(text.into())).map_err(|error| error.to_string());
        for good in ["http://127.9.9.9:1", "http://[::1]", "http://localhost", "https://book.example.com"] {
            assert!(read(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("http://book.example.com", "must be https unless the host is this machine"),
            ("http://10.0.0.1", "must be https unless the host is this machine"),
            ("book.example.com", "must be a scheme, a host"),
            ("", "must not be empty"),
        ] {
            let error = read(bad).unwrap_err();
            assert!(error.starts_with(&format!("RECEPTIONIST_PUBLIC_URL: {why}")), "{error}");
        }
        assert_eq!(PublicUrl::read(None), Ok(None));
    }
}
