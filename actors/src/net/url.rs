//! The URL of a webhook endpoint, well-formed and not plainly internal.
//!
//! [`WebhookUrl::parse`] is its one constructor. The rules on the text are about what parsers disagree on; every other
//! rule looks at what the WHATWG parser made of it, since that is what is dialled. An address written out is
//! classified here; what a name resolves to is the [guard](super::guard)'s matter, each time anew.

use std::fmt;
use std::net::IpAddr;

use hyper::http::uri::PathAndQuery;

use super::address::is_public;

/// So many characters a URL may have.
pub const URL_CHARS_MAX: usize = 2000;

/// So many bytes a name may have, without the dot at its end.
const NAME_BYTES_MAX: usize = 253;

/// So many bytes a label of a name may have.
const LABEL_BYTES_MAX: usize = 63;

/// The port of https.
const HTTPS_PORT: u16 = 443;

/// What callers are told of a host that is refused for where it leads: never more, so that the service is no scanner.
pub const NOT_PUBLIC: &str = "does not resolve to a public address";

/// Names that lead inside, wherever they resolve to, with everything below them.
const INTERNAL_NAMES: [&str; 8] =
    ["localhost", "local", "internal", "home.arpa", "onion", "test", "invalid", "cluster.local"];

/// A URL that a webhook may be posted to, if its host resolves to public addresses only.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WebhookUrl {
    text: String,
    host: Host,
    port: u16,
    path_and_query: String,
}

/// The host of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name in lower case, in its ASCII form, without a dot at its end.
    Name(String),
    /// An address written out.
    Ip(IpAddr),
}

/// Why a URL is refused, in words for whoever gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefusal {
    /// Over [`URL_CHARS_MAX`].
    #[error("must have at most 2000 characters")]
    TooLong,
    /// Another scheme, or none.
    #[error("must start with https://")]
    NotHttps,
    /// Characters that parsers disagree on.
    #[error("must not contain spaces, control characters or backslashes")]
    Characters,
    /// A user or a password.
    #[error("must not contain a user name or a password")]
    Credentials,
    /// A fragment, be it empty.
    #[error("must not contain a fragment")]
    Fragment,
    /// No host, or one that is no name.
    #[error("must have a valid host")]
    Host,
    /// Port 0.
    #[error("must not have port 0")]
    Port,
    /// Anything else that is no URL.
    #[error("must be a valid URL")]
    Malformed,
    /// A host that is not public whatever it resolves to.
    #[error("{NOT_PUBLIC}")]
    NotPublic,
}

impl WebhookUrl {
    /// Parses a URL as it was given.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        if text.chars().nth(URL_CHARS_MAX).is_some() {
            return Err(UrlRefusal::TooLong);
        }
        check_text(text)?;
        let url = url::Url::parse(text).map_err(|error| match error {
            url::ParseError::EmptyHost
            | url::ParseError::IdnaError
            | url::ParseError::InvalidIpv4Address
            | url::ParseError::InvalidIpv6Address
            | url::ParseError::InvalidDomainCharacter => UrlRefusal::Host,
            _ => UrlRefusal::Malformed,
        })?;
        if url.scheme() != "https" {
            return Err(UrlRefusal::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefusal::Credentials);
        }
        if url.fragment().is_some() {
            return Err(UrlRefusal::Fragment);
        }
        let port = url.port().unwrap_or(HTTPS_PORT);
        if port == 0 {
            return Err(UrlRefusal::Port);
        }
        let host = host(&url.host().ok_or(UrlRefusal::Host)?)?;
        let path_and_query = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        if PathAndQuery::try_from(path_and_query.as_str()).is_err() {
            return Err(UrlRefusal::Malformed);
        }
        Ok(Self { text: text.to_owned(), host, port, path_and_query })
    }

    /// The URL as it was given, and as the API shows it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host it leads to.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port it leads to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What a request for it asks for.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// The host and, unless it is that of https, the port, as the `Host` header carries them.
    pub fn authority(&self) -> String {
        if self.port == HTTPS_PORT { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }
}

/// Path and query may hold a secret of the receiver's, so only host and port show.
impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebhookUrl({})", self.authority())
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Ip(IpAddr::V4(address)) => address.fmt(f),
            Self::Ip(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// The rules on the text itself: what a parser would repair is refused instead.
fn check_text(text: &str) -> Result<(), UrlRefusal> {
    const START: &str = "https://";
    if text.chars().any(|c| c == '\\' || c.is_whitespace() || c.is_control()) {
        return Err(UrlRefusal::Characters);
    }
    if !text.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START)) {
        return Err(UrlRefusal::NotHttps);
    }
    let rest = &text[START.len()..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(UrlRefusal::Credentials);
    }
    // A parser skips slashes too many and finds a host in the path.
    if authority.is_empty() {
        return Err(UrlRefusal::Host);
    }
    Ok(())
}

fn host(host: &url::Host<&str>) -> Result<Host, UrlRefusal> {
    let address = match host {
        url::Host::Domain(name) => return host_name(name).map(Host::Name),
        url::Host::Ipv4(address) => IpAddr::V4(*address),
        url::Host::Ipv6(address) => IpAddr::V6(*address),
    };
    if is_public(address) { Ok(Host::Ip(address)) } else { Err(UrlRefusal::NotPublic) }
}

fn host_name(name: &str) -> Result<String, UrlRefusal> {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_label) {
        return Err(UrlRefusal::Host);
    }
    let internal = INTERNAL_NAMES.iter().any(|suffix| {
        name.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    if internal || !name.contains('.') {
        return Err(UrlRefusal::NotPublic);
    }
    Ok(name)
}

fn is_label(label: &str) -> bool {
    let of_a_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(of_a_label)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(name: &str) -> Host {
        Host::Name(name.to_owned())
    }

    fn ip(address: &str) -> Host {
        Host::Ip(address.parse().unwrap())
    }

    /// A name of so many bytes, of labels of one byte.
    fn long_name(bytes: usize) -> String {
        let name = "a.".repeat(bytes / 2) + "b";
        name[name.len() - bytes..].to_owned()
    }

    #[test]
    fn urls_in_good_form_are_accepted() {
        let long = long_name(253);
        let longest = format!("https://example.com/{}", "ü".repeat(URL_CHARS_MAX - 20));
        for (text, host, port, path_and_query) in [
            ("https://example.com", name("example.com"), 443, "/"),
            ("HTTPS://Example.COM/Hook?a=B&c", name("example.com"), 443, "/Hook?a=B&c"),
            ("https://example.com:8443/hook", name("example.com"), 8443, "/hook"),
            ("https://example.com:443?", name("example.com"), 443, "/?"),
            ("https://example.com:/", name("example.com"), 443, "/"),
            ("https://example.com:65535/", name("example.com"), 65535, "/"),
            ("https://example.com./hook", name("example.com"), 443, "/hook"),
            ("https://example.com/a/../b", name("example.com"), 443, "/b"),
            ("https://example.com/user@host", name("example.com"), 443, "/user@host"),
            (
                "https://example.com/a|b^c`d{e}\"f?x=`|^{}[]",
                name("example.com"),
                443,
                "/a|b^c%60d%7Be%7D%22f?x=`|^{}[]",
            ),
            ("https://a_b.example.com/", name("a_b.example.com"), 443, "/"),
            ("https://bücher.example/ü", name("xn--bcher-kva.example"), 443, "/%C3%BC"),
            ("https://ｅxample。com/", name("example.com"), 443, "/"),
            ("https://localhost.example.com/", name("localhost.example.com"), 443, "/"),
            ("https://notlocal.mylocalhost.com/", name("notlocal.mylocalhost.com"), 443, "/"),
            ("https://93.184.216.34/", ip("93.184.216.34"), 443, "/"),
            ("https://1572395042/", ip("93.184.216.34"), 443, "/"),
            ("https://93.184.216.34.:8443/", ip("93.184.216.34"), 8443, "/"),
            ("https://[2606:4700::1111]:8443/x", ip("2606:4700::1111"), 8443, "/x"),
            (&format!("https://{long}"), name(&long), 443, "/"),
            (&format!("https://{long}./"), name(&long), 443, "/"),
        ] {
            let url = WebhookUrl::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
            assert_eq!((url.as_str(), url.host(), url.port()), (text, &host, port));
            assert_eq!(url.path_and_query(), path_and_query);
        }
        assert_eq!(longest.chars().count(), URL_CHARS_MAX);
        assert!(WebhookUrl::parse(&longest).is_ok());
    }

    #[test]
    fn urls_in_bad_form_are_refused() {
        use UrlRefusal::{Characters, Credentials, Fragment, Malformed, NotHttps, NotPublic, Port, TooLong};
        let (long, too_long) =
            (long_name(254), format!("https://example.com/{}", "x".repeat(URL_CHARS_MAX - 19)));
        let (long, long_label) = (format!("https://{long}/"), format!("https://{}.com/", "x".repeat(64)));
        for (text, refusal) in [
            (too_long.as_str(), TooLong),
            ("", NotHttps),
            ("https", NotHttps),
            ("https:/example.com", NotHttps),
            ("https:example.com", NotHttps),
            ("http://example.com/", NotHttps),
            ("ftp://example.com/", NotHttps),
            ("//example.com/", NotHttps),
            ("example.com", NotHttps),
            ("ｈttps://example.com/", NotHttps),
            ("javascript:alert(1)//https://example.com", NotHttps),
            ("https:\\\\example.com/", Characters),
            ("https://example.com\\@10.0.0.1/", Characters),
            ("https://example.com/\\", Characters),
            (" https://example.com/", Characters),
            ("https://example.com/ ", Characters),
            ("https://example.com/a b", Characters),
            ("https://exam\tple.com/", Characters),
            ("https://exam\nple.com/", Characters),
            ("https://example.com/\r\nx: y", Characters),
            ("https://example.com/\0", Characters),
            ("https://example.com/\u{7f}", Characters),
            ("https://example.com/\u{85}", Characters),
            ("https://example.com/\u{a0}", Characters),
            ("https://example.com/\u{3000}", Characters),
            ("https://user@example.com/", Credentials),
            ("https://user:password@example.com/", Credentials),
            ("https://:password@example.com/", Credentials),
            ("https://@example.com/", Credentials),
            ("https://:@example.com/", Credentials),
            ("https://example.com/#x", Fragment),
            ("https://example.com#", Fragment),
            ("https://example.com:0/", Port),
            ("https://example.com:65536/", Malformed),
            ("https://example.com:x/", Malformed),
            ("https://", UrlRefusal::Host),
            ("https:///example.com/", UrlRefusal::Host),
            ("https:////10.0.0.1/", UrlRefusal::Host),
            ("https://?example.com", UrlRefusal::Host),
            ("https://:443/", UrlRefusal::Host),
            ("https://.example.com/", UrlRefusal::Host),
            ("https://example..com/", UrlRefusal::Host),
            ("https://example.com../", UrlRefusal::Host),
            ("https://./", UrlRefusal::Host),
            ("https://../", UrlRefusal::Host),
            ("https://exa$mple.com/", UrlRefusal::Host),
            ("https://exa%00mple.com/", UrlRefusal::Host),
            ("https://exa%20mple.com/", UrlRefusal::Host),
            ("https://1.2.3.4.5/", UrlRefusal::Host),
            ("https://256.1.1.1/", UrlRefusal::Host),
            ("https://[::1/", UrlRefusal::Host),
            ("https://[fe80::1%25eth0]/", UrlRefusal::Host),
            (&long, UrlRefusal::Host),
            (&long_label, UrlRefusal::Host),
            ("https://2130706433/", NotPublic),
            ("https://0x7f.1/", NotPublic),
            ("https://0X7F000001/", NotPublic),
            ("https://0177.0.0.1/", NotPublic),
            ("https://127.1/", NotPublic),
            ("https://127.0.0.1./", NotPublic),
            ("https://%31%32%37.0.0.1/", NotPublic),
            ("https://１２７.0.0.1/", NotPublic),
            ("https://127。0。0。1/", NotPublic),
            ("https://①②⑦.0.0.1/", NotPublic),
            ("https://0/", NotPublic),
            ("https://169.254.169.254/latest/meta-data", NotPublic),
            ("https://10.0.0.1/", NotPublic),
            ("https://[::1]/", NotPublic),
            ("https://[::]/", NotPublic),
            ("https://[::ffff:127.0.0.1]/", NotPublic),
            ("https://[::ffff:8.8.8.8]/", NotPublic),
            ("https://[64:ff9b::7f00:1]/", NotPublic),
            ("https://[fd00:ec2::254]/", NotPublic),
            ("https://localhost/", NotPublic),
            ("https://LOCALHOST:8443/", NotPublic),
            ("https://ｌocalhost/", NotPublic),
            ("https://localhost./", NotPublic),
            ("https://a.localhost/", NotPublic),
            ("https://printer.local/", NotPublic),
            ("https://printer.LOCAL./", NotPublic),
            ("https://metadata.google.internal/", NotPublic),
            ("https://router.home.arpa/", NotPublic),
            ("https://home.arpa/", NotPublic),
            ("https://hidden.onion/", NotPublic),
            ("https://example.test/", NotPublic),
            ("https://example.invalid/", NotPublic),
            ("https://kubernetes.default.svc.cluster.local/", NotPublic),
            ("https://intranet/", NotPublic),
            ("https://com./", NotPublic),
            ("https://xn--bcher-kva/", NotPublic),
        ] {
            assert_eq!(WebhookUrl::parse(text).err(), Some(refusal), "{text}");
        }
    }

    #[test]
    fn the_host_header_carries_a_port_only_if_it_is_another() {
        for (text, authority) in [
            ("https://Example.com.:443/", "example.com"),
            ("https://example.com:8443/", "example.com:8443"),
            ("https://[2606:4700:0::1111]/", "[2606:4700::1111]"),
            ("https://[2606:4700::1111]:1/", "[2606:4700::1111]:1"),
            ("https://1.1.1.1:8443/", "1.1.1.1:8443"),
        ] {
            assert_eq!(WebhookUrl::parse(text).unwrap().authority(), authority, "{text}");
        }
    }

    #[test]
    fn a_url_does_not_show_its_path_in_a_log() {
        let url = WebhookUrl::parse("https://example.com/T0/secret?token=x").unwrap();
        assert_eq!(format!("{url:?}"), "WebhookUrl(example.com)");
    }

    proptest! {
        #[test]
        fn whatever_is_accepted_leads_to_a_public_address_or_a_name_with_a_dot(
            rest in "([0-9a-fx%\\.:\\[\\]@#/?]{1,24}|\\PC{1,24}|[a-z0-9.。０-９]{1,16})"
        ) {
            if let Ok(url) = WebhookUrl::parse(&format!("https://{rest}")) {
                match url.host() {
                    Host::Name(name) => prop_assert!(name.contains('.') && !name.ends_with('.')),
                    Host::Ip(address) => prop_assert!(is_public(*address)),
                }
                prop_assert!(url.port() != 0);
                prop_assert!(url.path_and_query().is_ascii());
            }
        }
    }
}
