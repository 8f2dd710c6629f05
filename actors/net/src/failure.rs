//! The outcome of an attempt, depending on its failure.

use domain::AttemptFailure;

use super::outage::Lack;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver responded with 2xx in time.
    Delivered,
    /// The attempt ended in another way.
    Failed,
    /// This machine lacked a resource, so no attempt was made and the receiver is not at fault.
    NotMade,
}

/// A local shortage or outage is not counted against the receiver.
pub(super) fn outcome(failure: AttemptFailure) -> Outcome {
    use AttemptFailure as F;
    if matches!(failure, F::Short | F::NoRoute | F::NoNameServer) {
        Outcome::NotMade
    } else {
        Outcome::Failed
    }
}

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
