//! The URL of a webhook endpoint. It must be well-formed and must not have an internal host.
//!
//! The rules on the text refuse texts that a parser would repair silently. All other rules check the result of the
//! WHATWG parser, and connections use the same result. The rules on public hosts are not applied to a stored URL, so an
//! endpoint stays usable if these rules change. Before each connection, a guard checks the IP addresses of the host.

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::IpAddr;
use std::ops::Deref;

use http::uri::PathAndQuery;

use super::UrlRefusal;
use super::public::is_public;

/// The maximum length of a host name, without the final dot.
const NAME_BYTES_MAX: usize = 253;

const LABEL_BYTES_MAX: usize = 63;

const HTTPS_PORT: u16 = 443;

/// The message for every host that is not public. It gives no details, so that the service cannot be used to
/// scan its network.
pub const NOT_PUBLIC: &str = "does not resolve to a public address";

/// Names that are refused together with all their subdomains, whatever their addresses are.
const INTERNAL_NAMES: [&str; 8] =
    ["localhost", "local", "internal", "home.arpa", "onion", "test", "invalid", "cluster.local"];

/// A valid URL. The service sends webhooks to it only if all addresses of its host are public.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WebhookUrl {
    text: String,
    host: Host,
    port: u16,
    path_and_query: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name in lower case and ASCII form, without the final dot.
    Name(String),
    /// The URL contains an address instead of a name.
    Ip(IpAddr),
}

impl WebhookUrl {
    pub const CHARS_MAX: usize = 2000;

    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        let url = Self::from_stored(text)?;
        if url.host.is_public() { Ok(url) } else { Err(UrlRefusal::NotPublic) }
    }

    /// Parses a URL that was already saved. The rules on public hosts are not applied.
    pub fn from_stored(text: &str) -> Result<Self, UrlRefusal> {
        if text.chars().nth(Self::CHARS_MAX).is_some() {
            return Err(UrlRefusal::TooLong(Self::CHARS_MAX));
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

    /// Parses the target of a redirect. A fragment is dropped.
    pub fn join(&self, target: &str) -> Result<Self, UrlRefusal> {
        let base = url::Url::parse(&self.text).map_err(|_| UrlRefusal::Malformed)?;
        let mut url = base.join(target).map_err(|_| UrlRefusal::Malformed)?;
        url.set_fragment(None);
        let url = Self::from_stored(url.as_str())?;
        if url.has_origin_of(self) || url.host.is_public() { Ok(url) } else { Err(UrlRefusal::NotPublic) }
    }

    /// Whether both URLs have the same host and port.
    pub fn has_origin_of(&self, other: &Self) -> bool {
        (&self.host, self.port) == (&other.host, other.port)
    }

    /// Returns the text as it was entered. The API shows it in this form.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the target of an HTTP request.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Returns the value of the `Host` header: the host, and the port unless it is 443.
    pub fn authority(&self) -> String {
        if self.port == HTTPS_PORT { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }
}

impl Deref for WebhookUrl {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// The output contains only the host and the port, because path and query may contain a secret of the receiver.
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

/// Refuses a text that a parser would repair silently.
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
    // In `https:///name`, a URL parser would skip the third slash and treat `name` as the host.
    if authority.is_empty() {
        return Err(UrlRefusal::Host);
    }
    Ok(())
}

fn host(host: &url::Host<&str>) -> Result<Host, UrlRefusal> {
    match host {
        url::Host::Domain(name) => host_name(name).map(Host::Name),
        url::Host::Ipv4(address) => Ok(Host::Ip(IpAddr::V4(*address))),
        url::Host::Ipv6(address) => Ok(Host::Ip(IpAddr::V6(*address))),
    }
}

impl Host {
    /// True if the host is a public address, or a name that contains a dot and is not internal.
    fn is_public(&self) -> bool {
        let name = match self {
            Self::Ip(address) => return is_public(*address),
            Self::Name(name) => name,
        };
        let internal = INTERNAL_NAMES.iter().any(|suffix| {
            name.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        });
        !internal && name.contains('.')
    }
}

fn host_name(name: &str) -> Result<String, UrlRefusal> {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_label) {
        return Err(UrlRefusal::Host);
    }
    Ok(name)
}

fn is_label(label: &str) -> bool {
    let of_a_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(of_a_label)
}
