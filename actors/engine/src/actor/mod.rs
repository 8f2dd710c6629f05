//! The parts that are common to every kind of actor: a [directory](Directory) of the running ones, which
//! sends messages to them, and the [reply](Reply) of each message.
//!
//! Invariant: a message that needs an answer holds permits until it is answered. The permits bound the
//! mailboxes, which ractor does not bound.

mod back_off;
mod directory;
mod use_order;

pub(crate) use directory::{Bounds, Directory, Running, Start};

use std::sync::Arc;

use ractor::ActorProcessingErr;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::Result;

/// The result of an actor's function. An error ends the actor.
pub(crate) type Handled<T = ()> = Result<T, ActorProcessingErr>;

/// Holds the permits of a message. Dropped unanswered, it tells the caller that the actor failed.
pub(crate) struct Reply<T> {
    answer: oneshot::Sender<Result<T>>,
    claim: Option<Claim>,
    _permits: [OwnedSemaphorePermit; 2],
}

/// A claim on an idempotency key or an e-mail address. The message contains a copy, so the claim lasts until
/// the commit even if the caller is dropped.
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
    /// The claim is released first, so that a client with the answer can repeat the request.
    pub(crate) fn send(self, answer: Result<T>) {
        drop(self.claim);
        let _ = self.answer.send(answer);
    }
}
