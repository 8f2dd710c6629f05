//! The origin at which people reach the service: scheme, host and port.

use std::net::SocketAddr;

use url::{Host, Url};

/// An origin that people can be sent to: `https`, or `http` on the loopback alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Reads an origin.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let form = || format!("must be an origin such as https://desk.example.com, not {text:?}");
        let url = Url::parse(text).map_err(|_| form())?;
        let host = url.host().ok_or_else(form)?;
        let bare = url.username().is_empty() && url.password().is_none();
        let only = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !matches!(url.scheme(), "http" | "https") || !bare || !only {
            return Err(form());
        }
        if url.scheme() == "http" && !is_loopback(&host) {
            return Err(format!(
                "must be https off the loopback, where passwords could be read on their way, not {text:?}"
            ));
        }
        Ok(Self(url.origin().ascii_serialization()))
    }

    /// The origin of a listener, where nothing else is set: none off the loopback without TLS.
    pub fn of_listener(address: SocketAddr, tls: bool) -> Option<Self> {
        let scheme = if tls { "https" } else { "http" };
        (tls || address.ip().is_loopback()).then(|| Self(format!("{scheme}://{address}")))
    }

    /// The origin, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_https_or_on_the_loopback_and_nothing_beside_it() {
        for (given, origin) in [
            ("https://desk.example.com", "https://desk.example.com"),
            ("https://Desk.example.com:443/", "https://desk.example.com"),
            ("https://desk.example.com:8443", "https://desk.example.com:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://localhost:8080", "http://localhost:8080"),
        ] {
            assert_eq!(PublicUrl::new(given).unwrap().as_str(), origin);
        }
        for bad in [
            "desk.example.com",
            "https://",
            "ftp://desk.example.com",
            "https://a@desk.example.com",
            "https://:b@desk.example.com",
            "https://desk.example.com/x",
            "https://desk.example.com?x",
            "https://desk.example.com#x",
        ] {
            assert!(PublicUrl::new(bad).unwrap_err().contains("must be an origin"), "{bad}");
        }
        for bad in ["http://desk.example.com", "http://192.0.2.1", "http://0.0.0.0:8080"] {
            assert!(PublicUrl::new(bad).unwrap_err().contains("https off the loopback"), "{bad}");
        }
    }

    #[test]
    fn a_listener_is_an_origin_but_off_the_loopback_without_tls() {
        let of = |address: &str, tls| {
            PublicUrl::of_listener(address.parse().unwrap(), tls).map(|url| url.as_str().to_owned())
        };
        assert_eq!(of("127.0.0.1:8080", false).as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(of("[::1]:8080", true).as_deref(), Some("https://[::1]:8080"));
        assert_eq!(of("192.0.2.1:443", true).as_deref(), Some("https://192.0.2.1:443"));
        assert_eq!(of("0.0.0.0:8080", false), None);
    }
}
