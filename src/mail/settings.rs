//! The settings for mails: the relay and the sender.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use lettre::message::Mailbox;
use url::{Host, Url};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Security {
    /// TLS from the first byte.
    Tls,
    /// A plain connection that `STARTTLS` must switch to TLS.
    StartTls,
    /// Plain text, for loopback addresses only.
    None,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Relay {
    pub(crate) security: Security,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) credentials: Option<(String, String)>,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Relay({:?} {}:{})", self.security, self.host, self.port)
    }
}

/// Error messages do not repeat the address of a relay, since it may contain a password.
const EXPECTED: &str =
    "must be smtps://user:password@host:465, smtp://user:password@host:587 or smtp+plain://host:port";

impl FromStr for Relay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| EXPECTED.to_owned())?;
        let (security, port) = match url.scheme() {
            "smtps" => (Security::Tls, Some(465)),
            "smtp" => (Security::StartTls, Some(587)),
            "smtp+plain" => (Security::None, None),
            _ => return Err(EXPECTED.into()),
        };
        // The URL parser does not validate the host of a URL with one of these schemes, so the host is parsed here.
        let host = url.host_str().and_then(|host| Host::parse(host).ok()).ok_or(EXPECTED)?;
        let port = url.port().or(port).ok_or_else(|| format!("{EXPECTED}; the port is missing"))?;
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(format!("{EXPECTED}, with nothing after the port"));
        }
        let decoded = |part: &str| {
            let decoded = percent_encoding::percent_decode_str(part).decode_utf8();
            decoded
                .map(|part| part.into_owned())
                .map_err(|_| "the user and the password must be UTF-8".to_owned())
        };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, Some(password)) if !user.is_empty() => Some((decoded(user)?, decoded(password)?)),
            _ => return Err("must have both a user and a password, or neither".into()),
        };
        let is_loopback = match &host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => IpAddr::from(*address).to_canonical().is_loopback(),
        };
        if security == Security::None && !is_loopback {
            return Err(
                "must not be smtp+plain unless the relay is on this machine, since others can read mails and passwords in transit".into()
            );
        }
        let host = match host {
            Host::Domain(name) => name,
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        Ok(Self { security, host, port, credentials })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailFrom(Mailbox);

impl MailFrom {
    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.0
    }

    /// The domain of the sender's address.
    pub(crate) fn domain(&self) -> &str {
        self.0.email.domain()
    }
}

impl FromStr for MailFrom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mailbox: Result<Mailbox, _> = text.parse();
        let mailbox = mailbox.ok().filter(|_| text.is_ascii() || !text.contains(char::is_control));
        let mailbox = mailbox.filter(|mailbox| mailbox.email.to_string().is_ascii());
        mailbox.map(Self).ok_or_else(|| "must be an address such as Receptionist <desk@example.com>".into())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailSettings {
    pub relay: Relay,
    pub from: MailFrom,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_relay_addresses_are_accepted() {
        let relay = |text: &str| text.parse::<Relay>().unwrap();
        let named = relay("smtps://us%40er:p%3Aw@mail.example.com:465");
        assert_eq!(named.credentials, Some(("us@er".into(), "p:w".into())));
        assert_eq!(
            (named.security, named.host.as_str(), named.port),
            (Security::Tls, "mail.example.com", 465)
        );
        assert_eq!(relay("smtps://mail.example.com").port, 465);
        let starting = relay("smtp://a:b@mail.example.com");
        assert_eq!((starting.security, starting.port), (Security::StartTls, 587));
        for local in ["127.0.0.1:25", "[::1]:2525", "localhost:1025", "127.8.8.8:1"] {
            assert_eq!(relay(&format!("smtp+plain://{local}")).security, Security::None);
        }
        assert_eq!(relay("smtp+plain://[::1]:2525").host, "::1");
    }

    #[test]
    fn an_invalid_relay_address_is_refused_without_its_password() {
        for bad in [
            "",
            "mail.example.com",
            "http://mail.example.com",
            "smtps://",
            "smtps://user@host",
            "smtps://:geheim@host",
            "smtp://u:geheim@host/path",
            "smtp://u:geheim@host?tls=no",
            "smtp+plain://host:25",
            "smtp+plain://10.0.0.1:25",
            "smtp+plain://[::2]:25",
            "smtp+plain://127.0.0.1",
            "smtps://u:geheim@host:99999",
            "smtps://u%ff:geheim@host",
        ] {
            let error = bad.parse::<Relay>().unwrap_err();
            assert!(error.contains("must") || error.contains("loopback"), "{bad}: {error}");
            assert!(!error.contains("geheim") && !error.contains('\n'), "{bad}: {error}");
        }
        let relay = "smtps://u:geheim@host".parse::<Relay>().unwrap();
        assert!(!format!("{relay:?}").contains("geheim"));
    }

    #[test]
    fn a_sender_is_a_name_and_an_address() {
        let from: MailFrom = "Réception <desk@example.com>".parse().unwrap();
        assert_eq!((from.domain(), from.mailbox().name.as_deref()), ("example.com", Some("Réception")));
        assert_eq!("desk@example.com".parse::<MailFrom>().unwrap().mailbox().name, None);
        for bad in [
            "",
            "desk",
            "A <desk>",
            "A <a@b.example>, B <c@d.example>",
            "A <a@b.example>\r\nBcc: x@y.example",
        ] {
            assert!(bad.parse::<MailFrom>().is_err(), "{bad:?}");
        }
    }
}
