//! The handle of one business: what the edges call.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::actor::{Message, Permits};
use super::commands::Change;
use crate::domain::{Actor, BusinessId, Timestamp};
use crate::engine::{EngineError, Inner};

/// An `If-Match` condition (RFC 9110 §13.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// `*`: any state of the resource.
    Any,
    /// One of these strong tags, quotes included.
    Tags(Vec<String>),
}

/// What makes a request the same one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// SHA-256 of the API key's id and the `Idempotency-Key`.
    pub key: [u8; 32],
    /// SHA-256 of method, path and canonical body.
    pub fingerprint: [u8; 32],
}

/// Who asks for a change, and under which conditions.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who.
    pub actor: Actor,
    /// Only when the resource still has this tag.
    pub if_match: Option<IfMatch>,
    /// Only once.
    pub idempotency: Option<Idempotency>,
}

impl Request {
    /// A request without conditions.
    pub fn by(actor: Actor) -> Self {
        Self { actor, if_match: None, idempotency: None }
    }
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerStatus {
    /// The resource as it is now.
    Done,
    /// The resource that was created.
    Created,
    /// The resource is no more; there is no body.
    Gone,
}

/// The answer to a change. Everything it shows is on the disk.
#[derive(Clone)]
pub struct Answer {
    /// What kind of answer it is.
    pub status: AnswerStatus,
    /// The resource's JSON; empty for [`AnswerStatus::Gone`].
    pub body: Bytes,
    /// Whether it is the answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// What the resource is does not show in a log: it may be a person, or a secret that is shown this once.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .field("replayed", &self.replayed)
            .finish()
    }
}

/// Where an answer goes. Dropping it unanswered tells the caller that the actor failed or stopped.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, EngineError>>;

/// A business, reached through its actor for changes and through the store for reads. Cheap to clone.
#[derive(Clone)]
pub struct BusinessHandle {
    pub(crate) inner: Arc<Inner>,
    pub(crate) id: BusinessId,
}

impl BusinessHandle {
    /// The business's id.
    pub fn id(&self) -> BusinessId {
        self.id
    }

    /// The present instant, by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.inner.clocks.now()
    }

    /// Carries out a change. The answer comes once the change is on the disk; dropping the future does not undo it.
    ///
    /// # Errors
    /// [`EngineError::Refused`] when it is refused, which changes nothing; [`EngineError::Overloaded`] and
    /// [`EngineError::Stopping`] before anything was tried; [`EngineError::NotFound`] when there is no such business;
    /// [`EngineError::Failed`] when the actor failed, so that the change may or may not have been made.
    pub async fn change<C: Change + 'static>(
        &self,
        request: Request,
        change: C,
    ) -> Result<Answer, EngineError> {
        let change: Box<dyn Change> = Box::new(change);
        self.call(|reply, permits| Message::Change { request, change, reply, permits }).await
    }

    /// Sends the actor one message and waits for the answer.
    pub(crate) async fn call<T>(
        &self,
        message: impl FnOnce(Reply<T>, Permits) -> Message,
    ) -> Result<T, EngineError> {
        let engine_permit = self.inner.permit()?;
        let (reply, answer) = oneshot::channel();
        // The message is made with the first actor's permit; an actor that stopped before taking it gives it back.
        let mut running = self.inner.businesses.running(&self.inner, self.id).await?;
        let permit = loop {
            match Arc::clone(&running.permits).try_acquire_owned() {
                Ok(permit) => break permit,
                Err(tokio::sync::TryAcquireError::NoPermits) => return Err(EngineError::Overloaded),
                Err(tokio::sync::TryAcquireError::Closed) => {
                    running = self.inner.businesses.running(&self.inner, self.id).await?;
                }
            }
        };
        let message = message(reply, Permits { _engine: engine_permit, _business: permit });
        if running.actor.cast(message).is_err() {
            // It failed between the two lines above, before it took the message: nothing was changed.
            running.permits.close();
            return Err(EngineError::Overloaded);
        }
        match answer.await {
            Ok(result) => result,
            // The actor or the store failed while it held the message: nobody knows what of it will be there.
            Err(_) => Err(EngineError::Failed),
        }
    }
}

impl std::fmt::Debug for BusinessHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BusinessHandle({})", self.id)
    }
}
