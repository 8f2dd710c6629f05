//! The reasons why an attempt to deliver a webhook failed.
//!
//! The text of a delivery's error is stored, and the APIs return it. The texts must therefore never change.

use std::fmt;

use serde::{Serialize, Serializer};

use super::words::words;

words! {
    /// A reason without a parameter. Reasons with a parameter, such as a status code, are variants of [`AttemptError`].
    AttemptFailure {
        /// The host has an address that is not public, or the peer's address differs from the checked address.
        NotPublic = "refused: the URL does not resolve to a public address",
        UrlRefused = "the URL is refused",
        EventGone = "the event is not kept any more",
        Header = "a header of the request is invalid",
        ConnectTimeout = "timeout while connecting",
        HandshakeTimeout = "timeout during the TLS handshake",
        ResponseTimeout = "timeout waiting for the response",
        ConnectionRefused = "connect: connection refused",
        ConnectionReset = "connect: connection reset",
        NetworkUnreachable = "connect: network unreachable",
        HostUnreachable = "connect: host unreachable",
        SystemTimeout = "connect: timeout",
        ConnectFailed = "connect: failed",
        HostName = "tls: the host is no name for a certificate",
        CertificateExpired = "tls: the certificate has expired",
        CertificateNotYetValid = "tls: the certificate is not valid yet",
        CertificateOtherName = "tls: the certificate is for another name",
        CertificateIssuer = "tls: the certificate's issuer is not trusted",
        CertificateInvalid = "tls: the certificate is not valid",
        HandshakeRefused = "tls: the receiver refused the handshake",
        HandshakeFailed = "tls: the handshake failed",
        HandshakeClosed = "tls: the connection was closed during the handshake",
        Closed = "closed: the connection was closed before the response",
        InvalidResponse = "invalid response: it is not HTTP/1.1, or its head is too large",
        Short = "not made: this service is short of connections",
        NoRoute = "not made: this service is cut off, for it has no route to any network",
        NoNameServer = "not made: this service is cut off, for no name server answers it",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptError {
    Failed(AttemptFailure),
    Redirect(u16),
    Status(u16),
    /// A stored text that matches no other variant.
    Other(String),
}

impl AttemptError {
    pub fn from_text(text: String) -> Self {
        let redirect =
            || text.strip_prefix("redirect: status ")?.strip_suffix(", not followed")?.parse().ok();
        let known = AttemptFailure::from_word(&text)
            .map(Self::Failed)
            .or_else(|| text.strip_prefix("status ")?.parse().ok().map(Self::Status))
            .or_else(|| redirect().map(Self::Redirect));
        known.filter(|known| known.to_string() == text).unwrap_or(Self::Other(text))
    }
}

impl fmt::Display for AttemptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => failure.fmt(f),
            Self::Redirect(status) => write!(f, "redirect: status {status}, not followed"),
            Self::Status(status) => write!(f, "status {status}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl Serialize for AttemptError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<AttemptFailure> for AttemptError {
    fn from(failure: AttemptFailure) -> Self {
        Self::Failed(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_read_back_from_its_text() {
        let failures = AttemptFailure::ALL.iter().map(|failure| (*failure).into());
        for error in failures.chain([AttemptError::Redirect(307), AttemptError::Status(500)]) {
            assert_eq!(AttemptError::from_text(error.to_string()), error);
        }
    }

    #[test]
    fn an_unknown_error_text_is_preserved() {
        for text in [
            "the receiver answered 500",
            "status 0500",
            "status +500",
            "status 99999",
            "redirect: status",
            "",
        ] {
            let error = AttemptError::from_text(text.into());
            assert_eq!((&error, error.to_string()), (&AttemptError::Other(text.into()), text.into()));
        }
    }
}
