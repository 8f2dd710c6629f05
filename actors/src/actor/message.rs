//! What a message to an actor carries that somebody waits for.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::EngineError;

/// The right to have a message in flight, held until it is answered.
#[derive(Debug)]
pub(crate) struct Permits {
    /// Of all that the engine has in flight.
    pub(crate) _engine: OwnedSemaphorePermit,
    /// Of what this actor has.
    pub(crate) _actor: OwnedSemaphorePermit,
    /// What the caller holds meanwhile, if anything.
    pub(crate) held: Option<Held>,
}

/// What a caller holds until its message is answered: an idempotency key, or the claim on an e-mail address. The message
/// carries it too, so that it is held until the commit although the caller goes away.
#[derive(Clone)]
pub(crate) struct Held {
    _held: Arc<dyn Send + Sync>,
}

impl Held {
    /// Holds this until the last copy is dropped.
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
    /// Sends the answer. What the caller holds is released before, so that the same request finds it free once it is
    /// answered; the permits are released after.
    pub(crate) fn answer(mut self, send: impl FnOnce()) {
        self.held = None;
        send();
    }
}

/// Where an answer goes. Dropping it unanswered tells the caller that the actor failed or stopped.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, EngineError>>;
