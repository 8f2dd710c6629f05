//! The reply of a message to an actor, with the permits that the message holds.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::EngineError;

/// Answers a message in flight and holds its permits until then. If it is dropped unanswered, the caller
/// learns that the actor failed or stopped.
pub(crate) struct Reply<T> {
    pub(super) answer: oneshot::Sender<Result<T, EngineError>>,
    pub(super) claim: Option<Claim>,
    pub(super) _permits: [OwnedSemaphorePermit; 2],
}

/// An exclusive lock on an idempotency key or an e-mail address. The caller and its message share the lock,
/// so it is held until the commit even if the caller is dropped.
#[derive(Clone)]
pub(crate) struct Claim {
    _claim: Arc<dyn Send + Sync>,
}

impl Claim {
    pub(crate) fn new(claim: impl Send + Sync + 'static) -> Self {
        Self { _claim: Arc::new(claim) }
    }
}

impl<T> Reply<T> {
    /// Sends the answer. The claim is released before the answer, so that a client with the answer can repeat
    /// the request. The permits are released after the answer.
    pub(crate) fn send(self, answer: Result<T, EngineError>) {
        drop(self.claim);
        let _ = self.answer.send(answer);
    }
}
