//! What comes of an attempt, and why it failed.

use super::outage::Lack;
use super::url::NOT_PUBLIC;

/// Whether a webhook is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver answered 2xx in time.
    Delivered,
    /// Anything else that came of an attempt.
    Failed,
    /// No attempt was made: this machine lacked what it takes, so nothing is known of the receiver.
    NotMade,
}

/// Why an attempt failed, in words that may be shown to the endpoint's owner.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    /// The guard refuses the host, or the connection led elsewhere.
    #[error("refused: the URL {NOT_PUBLIC}")]
    NotPublic,
    #[error("timeout {0}")]
    Timeout(&'static str),
    #[error("connect: {0}")]
    Connect(&'static str),
    #[error("tls: {0}")]
    Tls(&'static str),
    #[error("closed: the connection was closed before the response")]
    Closed,
    #[error("invalid response: it is not HTTP/1.1, or its head is too large")]
    Response,
    #[error("redirect: status {0}, not followed")]
    Redirect(u16),
    #[error("status {0}")]
    Status(u16),
    #[error("a header of the request is invalid")]
    Header,
    /// Nothing was sent, for a lack of our own.
    #[error("not made: this service is short of connections")]
    Short,
    /// Nothing was sent, or nothing could have come back, for want of a network here.
    #[error("not made: this service is cut off, for {0}")]
    Out(Lack),
}

impl Failure {
    /// What came of the attempt: a lack of our own is not held against the receiver.
    pub(super) fn outcome(&self) -> Outcome {
        if matches!(self, Self::Short | Self::Out(_)) { Outcome::NotMade } else { Outcome::Failed }
    }

    /// What an error of the HTTP client comes down to.
    pub(super) fn from_http(error: &hyper::Error) -> Self {
        if error.is_parse() { Self::Response } else { Self::Closed }
    }
}
