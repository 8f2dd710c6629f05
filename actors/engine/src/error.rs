//! The error of requests to the engine.

use std::time::Duration;

use domain::Refusal;
use store::{DiskFull, StoreError};

pub(crate) type Result<T, E = EngineError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// Too many requests are in progress. Nothing was changed.
    #[error("too many requests are in flight")]
    Overloaded,
    #[error("the service is stopping")]
    Stopping,
    #[error("there is no such business")]
    NotFound,
    #[error("the key is revoked")]
    KeyRevoked,
    #[error("the business is suspended")]
    Suspended,
    #[error(transparent)]
    DiskFull(#[from] DiskFull),
    /// The actor failed repeatedly and is not restarted before this time has passed. Nothing was changed.
    #[error("the actor failed repeatedly and is not restarted yet; try again later")]
    Resting(Duration),
    /// The search index of the knowledge entries must be built first. Nothing was changed. The handle of the business
    /// builds the index and repeats the request.
    #[error("the knowledge entries are not indexed")]
    NotIndexed,
    #[error("the business's actor failed")]
    Failed,
    #[error("the store failed")]
    Store(#[from] StoreError),
}

impl EngineError {
    /// An actor failed to start with this error. Returns true if the next start of the actor must be delayed. For a
    /// business that is set aside, returns false, because a delay does not help: the next start fails too.
    pub(crate) fn is_of_the_actor(&self) -> bool {
        match self {
            Self::Store(StoreError::BusinessSetAside { .. }) => false,
            error => matches!(error, Self::Failed | Self::Store(_)),
        }
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
