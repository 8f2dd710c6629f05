//! The parts that every kind of actor uses: a [`Directory`], which starts and stops the actors and sends
//! messages to them, and the [`Reply`] to a message.
//!
//! Invariant: a message with a [`Reply`] holds two permits, one of the engine and one of its actor, until the
//! reply is sent or dropped. The permits limit the length of the mailboxes, because ractor sets no limit.

mod back_off;
mod directory;
mod use_order;

pub(crate) use directory::{Bounds, Directory, Running, Start};

use std::sync::Arc;

use ractor::ActorProcessingErr;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::Result;

/// The result of a callback that ractor calls on an actor. An error stops the actor.
pub(crate) type Handled<T = ()> = Result<T, ActorProcessingErr>;

/// Sends the answer to a message and holds the permits of the message. If no answer is sent, the caller gets an error.
pub(crate) struct Reply<T> {
    answer: oneshot::Sender<Result<T>>,
    claim: Option<Claim>,
    _permits: [OwnedSemaphorePermit; 2],
}

/// An exclusive lock on an idempotency key, an email address or a slug. The [`Reply`] has a copy, so the lock lasts
/// until the answer is sent, even if the request's future is dropped earlier.
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
    /// Releases the claim and then sends the answer. In this order, a client that repeats its request as soon as it has
    /// the answer does not find the claim still held.
    pub(crate) fn send(self, answer: Result<T>) {
        drop(self.claim);
        let _ = self.answer.send(answer);
    }
}
