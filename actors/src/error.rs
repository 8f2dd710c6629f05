//! Why the engine does not carry out a request: one error for all that is asked of it.

use std::time::Duration;

use crate::domain::Refusal;
use crate::store::{DiskFull, StoreError};

/// Why the engine does not carry out a request.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It is refused; nothing was changed.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// Too much is in flight already; nothing was changed.
    #[error("too many requests are in flight")]
    Overloaded,
    /// The engine is closing or has failed.
    #[error("the service is stopping")]
    Stopping,
    /// There is no such business.
    #[error("there is no such business")]
    NotFound,
    /// The key was revoked after the request had come in.
    #[error("the key is revoked")]
    KeyRevoked,
    /// The business was suspended after the request had come in.
    #[error("the business is suspended")]
    Suspended,
    /// The disk has too little room for it; nothing was changed.
    #[error(transparent)]
    DiskFull(#[from] DiskFull),
    /// The actor fails again and again, and rests for so long before it is started again; nothing was changed.
    #[error("the actor fails again and again, and rests")]
    Resting(Duration),
    /// The actor failed while it held the request.
    #[error("the business's actor failed")]
    Failed,
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] StoreError),
}

impl EngineError {
    /// Whether an actor that did not start for this reason has failed, so that it rests. One of a business that is set
    /// aside has not: it does not start however long it rests.
    pub(crate) fn is_of_the_actor(&self) -> bool {
        match self {
            Self::Store(StoreError::BusinessSetAside { .. }) => false,
            error => matches!(error, Self::Failed | Self::Store(_)),
        }
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
