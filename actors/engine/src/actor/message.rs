//! The permits and the reply channel of a message to an actor.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::EngineError;

/// The permits of a message in flight. They are held until it is answered.
#[derive(Debug)]
pub(crate) struct Permits {
    pub(crate) _engine: OwnedSemaphorePermit,
    pub(crate) _actor: OwnedSemaphorePermit,
    pub(crate) held: Option<Held>,
}

/// A claim that a caller holds until its message is answered: an idempotency key or an e-mail address. The
/// message contains a copy, so the claim is held until the commit even if the caller is dropped.
#[derive(Clone)]
pub(crate) struct Held {
    _held: Arc<dyn Send + Sync>,
}

impl Held {
    pub(crate) fn new(held: impl Send + Sync + 'static) -> Self {
        Self { _held: Arc::new(held) }
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

impl Permits {
    /// Sends the answer. The claim is released before, so an identical request finds it free after the
    /// answer; the permits are released afterwards.
    pub(crate) fn answer(mut self, send: impl FnOnce()) {
        self.held = None;
        send();
    }
}

/// The reply channel. If it is dropped unanswered, the caller learns that the actor failed or stopped.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, EngineError>>;
