//! The URL of a webhook endpoint, well-formed and not plainly internal.
//!
//! [`WebhookUrl::parse`] is its one constructor. The rules on the text are about what parsers disagree on; every other
//! rule looks at what the WHATWG parser made of it, since that is what is dialled. An address written out is
//! classified here; what a name resolves to is the [guard](super::guard)'s matter, each time anew.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use domain::UrlRefusal;
use hyper::http::uri::PathAndQuery;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

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

impl JsonSchema for WebhookUrl {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "WebhookUrl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "uri", "maxLength": URL_CHARS_MAX,
            "pattern": "^[hH][tT][tT][pP][sS]://"})
    }
}

/// The host of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name in lower case, in its ASCII form, without a dot at its end.
    Name(String),
    /// An address written out.
    Ip(IpAddr),
}

impl WebhookUrl {
    /// Parses a URL as it was given.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        if text.chars().nth(URL_CHARS_MAX).is_some() {
            return Err(UrlRefusal::TooLong(URL_CHARS_MAX));
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
