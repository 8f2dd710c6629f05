//! What comes of an attempt, by why it failed.

use domain::AttemptFailure;

use super::outage::Lack;

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

/// What came of an attempt that failed so: a lack of our own is not held against the receiver.
pub(super) fn outcome(failure: AttemptFailure) -> Outcome {
    use AttemptFailure as F;
    if matches!(failure, F::Short | F::NoRoute | F::NoNameServer) {
        Outcome::NotMade
    } else {
        Outcome::Failed
    }
}

/// What an error of the HTTP client comes down to.
pub(super) fn from_http(error: &hyper::Error) -> AttemptFailure {
    if error.is_parse() { AttemptFailure::InvalidResponse } else { AttemptFailure::Closed }
}

impl From<Lack> for AttemptFailure {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Route => Self::NoRoute,
            Lack::NameServer => Self::NoNameServer,
        }
    }
}
