//! What a message to an actor carries that somebody waits for.

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::EngineError;

/// The right to have a message in flight, held until it is answered.
#[derive(Debug)]
pub(crate) struct Permits {
    /// Of all that the engine has in flight.
    pub(crate) _engine: OwnedSemaphorePermit,
    /// Of what this actor has.
    pub(crate) _actor: OwnedSemaphorePermit,
}

/// Where an answer goes. Dropping it unanswered tells the caller that the actor failed or stopped.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, EngineError>>;
