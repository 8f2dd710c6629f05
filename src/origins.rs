//! Checks of `Host` and `Origin`. Requests must be addressed to the service's public origin or to a loopback
//! address.
//!
//! With DNS rebinding, a page in a person's browser can send requests to the page's own host name, which
//! resolves to this service. The `Host` of such a request, and its `Origin` if the browser sends one, are
//! not those of the service. Invariant: a request is refused if its `Host` or its `Origin` is neither that of
//! the service nor a loopback address. An absent `Origin` is accepted, because programs other than browsers
//! send none.
//!
//! A page of another site may also submit a form to this service. The header `Sec-Fetch-Site` reveals such a
//! form. Without this header, `Origin` reveals it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::config::PublicUrl;

/// The relation between the site of the page that sends a request and the site that receives the request (Fetch
/// Metadata).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Clone, Debug)]
pub(crate) struct Origins {
    /// The public origin of the service. `Host` and `Origin` may also contain a loopback address with any port.
    public: Option<PublicUrl>,
}

impl Origins {
    pub(crate) fn new(public: Option<PublicUrl>) -> Self {
        Self { public }
    }

    pub(crate) fn refused(&self, headers: &HeaderMap) -> Option<&'static str> {
        // An absent Host is accepted. It occurs only in HTTP/1.0, which browsers do not use.
        let host = headers.get(header::HOST);
        if host.is_some_and(|host| !self.is_good_host(host)) {
            return Some("Host");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        (!origins.all(|origin| self.is_good_origin(origin))).then_some("Origin")
    }

    /// Whether the `Host` is absent, is the public host of the service, or is a loopback address.
    pub(crate) fn knows_host(&self, headers: &HeaderMap) -> bool {
        headers.get(header::HOST).is_none_or(|host| self.is_good_host(host))
    }

    /// Whether a page of another site sent the request. A client that sends neither `Sec-Fetch-Site` nor `Origin` is
    /// not a browser.
    pub(crate) fn is_cross_site(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(SEC_FETCH_SITE) {
            let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
            return !sites.all(|site| site == "same-origin" || site == "none");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        !origins.all(|origin| self.is_own_origin(origin, headers.get(header::HOST)))
    }

    /// Whether the origin is the public origin, or the loopback address to which the request was sent.
    fn is_own_origin(&self, origin: &HeaderValue, host: Option<&HeaderValue>) -> bool {
        let Some(origin) = origin.to_str().ok().and_then(PublicUrl::parse) else { return false };
        let host = host.and_then(|host| host.to_str().ok());
        let host = host.and_then(|host| PublicUrl::parse(&format!("http://{host}")));
        self.public.as_ref() == Some(&origin) || (origin.is_loopback() && host.as_ref() == Some(&origin))
    }

    fn is_good_host(&self, host: &HeaderValue) -> bool {
        let Ok(host) = host.to_str() else { return false };
        // A Host contains no scheme, so the default port is that of the public origin's scheme.
        let schemes = self.public.as_ref().map(|public| if public.is_https() { "https" } else { "http" });
        let parsed = |scheme: &str| PublicUrl::parse(&format!("{scheme}://{host}"));
        parsed("http").is_some_and(|host| host.is_loopback())
            || schemes.and_then(parsed).is_some_and(|host| self.public.as_ref() == Some(&host))
    }

    fn is_good_origin(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().ok().and_then(PublicUrl::parse);
        origin.is_some_and(|origin| origin.is_loopback() || self.public.as_ref() == Some(&origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(public: Option<&str>, host: &str, origin: Option<&str>) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        Origins::new(public.map(|public| PublicUrl::parse(public).unwrap())).refused(&headers)
    }

    #[test]
    fn loopback_is_accepted_with_any_port() {
        for host in
            ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "127.9.9.9", "[::1]:3000", "[::ffff:127.0.0.1]"]
        {
            assert_eq!(refused(None, host, None), None, "{host}");
            assert_eq!(refused(Some("https://book.example.com"), host, None), None, "{host}");
            for scheme in ["http", "https"] {
                assert_eq!(refused(None, host, Some(&format!("{scheme}://{host}"))), None, "{host}");
            }
        }
    }

    #[test]
    fn the_public_origin_is_accepted_only_with_its_port() {
        let public = Some("https://book.example.com");
        for host in ["book.example.com", "Book.example.com:443"] {
            assert_eq!(refused(public, host, Some("https://book.example.com")), None);
        }
        for host in ["book.example.com:8443", "evil.example", "book.example.com.evil.example", "10.0.0.1", ""]
        {
            assert_eq!(refused(public, host, None), Some("Host"), "{host}");
        }
        for origin in [
            "http://book.example.com",
            "https://book.example.com:8443",
            "https://evil.example",
            "https://localhost.evil.example",
            "null",
            "book.example.com",
            "",
        ] {
            assert_eq!(refused(public, "book.example.com", Some(origin)), Some("Origin"), "{origin}");
        }
    }

    #[test]
    fn without_a_public_origin_only_loopback_is_accepted() {
        assert_eq!(refused(None, "book.example.com", None), Some("Host"));
        assert_eq!(refused(None, "localhost", Some("https://book.example.com")), Some("Origin"));
    }

    #[test]
    fn a_form_of_another_page_is_cross_site() {
        let is_cross_site = |public: &str, given: &[(&str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
            }
            Origins::new(PublicUrl::parse(public)).is_cross_site(&headers)
        };
        let public = "https://book.example.com";
        for good in [
            &[("sec-fetch-site", "same-origin")][..],
            &[("sec-fetch-site", "none")],
            &[("origin", "https://book.example.com")],
            &[("host", "localhost:8080"), ("origin", "http://localhost:8080")],
            &[],
        ] {
            assert!(!is_cross_site(public, good), "{good:?}");
        }
        for bad in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site"), ("origin", "https://book.example.com")],
            &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
            &[("origin", "null")],
            &[("origin", "http://book.example.com")],
            &[("origin", "https://evil.example"), ("host", "book.example.com")],
            &[("origin", "https://book.example.com"), ("origin", "https://evil.example")],
            &[("host", "localhost:8080"), ("origin", "http://localhost:3000")],
            &[("host", "evil.example"), ("origin", "http://evil.example")],
        ] {
            assert!(is_cross_site(public, bad), "{bad:?}");
        }
    }
}
