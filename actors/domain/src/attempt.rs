//! Why an attempt to deliver a webhook failed.
//!
//! The text of an error is how deliveries are stored and how the APIs show them, so it never changes.

use std::fmt;

use serde::{Serialize, Serializer};

use super::words::words;

words! {
    /// Why an attempt failed, where no value belongs to the reason.
    AttemptFailure {
        /// The host does not resolve to public addresses only, or the connection led elsewhere.
        NotPublic = "refused: the URL does not resolve to a public address",
        /// The URL of the endpoint is not one that webhooks may be sent to.
        UrlRefused = "the URL is refused",
        /// The event was deleted, or cannot be read.
        EventGone = "the event is not kept any more",
        /// A header of the request is invalid.
        Header = "a header of the request is invalid",
        /// The deadline passed while the connection was opened.
        ConnectTimeout = "timeout while connecting",
        /// The deadline passed during the TLS handshake.
        HandshakeTimeout = "timeout during the TLS handshake",
        /// The deadline passed before the head of the response.
        ResponseTimeout = "timeout waiting for the response",
        /// The receiver refused the connection.
        ConnectionRefused = "connect: connection refused",
        /// The connection was reset while it was opened.
        ConnectionReset = "connect: connection reset",
        /// There is no route to the network of the receiver.
        NetworkUnreachable = "connect: network unreachable",
        /// There is no route to the receiver.
        HostUnreachable = "connect: host unreachable",
        /// The system gave up opening the connection.
        SystemTimeout = "connect: timeout",
        /// The connection could not be opened for another reason.
        ConnectFailed = "connect: failed",
        /// A certificate cannot be issued for the host.
        HostName = "tls: the host is no name for a certificate",
        /// The certificate has expired.
        CertificateExpired = "tls: the certificate has expired",
        /// The certificate is not valid yet.
        CertificateNotYetValid = "tls: the certificate is not valid yet",
        /// The certificate was issued for another name.
        CertificateOtherName = "tls: the certificate is for another name",
        /// The issuer of the certificate is not trusted.
        CertificateIssuer = "tls: the certificate's issuer is not trusted",
        /// The certificate is invalid for another reason.
        CertificateInvalid = "tls: the certificate is not valid",
        /// The receiver refused the TLS handshake.
        HandshakeRefused = "tls: the receiver refused the handshake",
        /// The TLS handshake failed for another reason.
        HandshakeFailed = "tls: the handshake failed",
        /// The receiver closed the connection during the TLS handshake.
        HandshakeClosed = "tls: the connection was closed during the handshake",
        /// The receiver closed the connection before it sent a response.
        Closed = "closed: the connection was closed before the response",
        /// The response is not HTTP/1.1, or its head is too large.
        InvalidResponse = "invalid response: it is not HTTP/1.1, or its head is too large",
        /// Nothing was sent: this service has no file, port or memory left for a connection.
        Short = "not made: this service is short of connections",
        /// Nothing was sent: this machine has no route to any network.
        NoRoute = "not made: this service is cut off, for it has no route to any network",
        /// Nothing was sent: no name server answers this machine.
        NoNameServer = "not made: this service is cut off, for no name server answers it",
    }
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptError {
    /// For this reason.
    Failed(AttemptFailure),
    /// The receiver answered with a redirect of this status, which is not followed.
    Redirect(u16),
    /// The receiver answered with this status.
    Status(u16),
    /// A stored text that no other variant has.
    Other(String),
}

impl AttemptError {
    /// The error that has this text.
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
    fn a_text_that_no_error_has_is_kept() {
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
