//! The handle of one business: what the edges call.

use std::sync::Arc;

use domain::{BusinessId, Timestamp};
use store::StoreError;
use tokio::sync::oneshot;

use super::change::{AnswerOf, AnyChange, AnyValue, Change};
use super::duties;
use super::message::Message;
use super::request::{Answer, Request};
use crate::actor::{Held, Permits, Reply};
use crate::error::EngineError;
use crate::live::LiveSubscription;
use crate::shared::Shared;

/// A business, reached through its actor for changes and through the store for reads. Cheap to clone.
#[derive(Clone)]
pub struct BusinessHandle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: BusinessId,
    /// What every message carries until it is answered.
    pub(crate) held: Option<Held>,
}

impl BusinessHandle {
    /// The handle of a business, whether or not there is one.
    pub(crate) fn new(shared: &Arc<Shared>, id: BusinessId) -> Self {
        Self { shared: Arc::clone(shared), id, held: None }
    }

    /// A handle whose messages carry this until they are answered.
    pub(crate) fn holding(&self, held: Option<Held>) -> Self {
        Self { held, ..self.clone() }
    }

    /// The business's id.
    pub fn id(&self) -> BusinessId {
        self.id
    }

    /// The present instant, by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.shared.clocks.now()
    }

    /// Whether what the business keeps has anything that has outlived its time, or is to be noted, as the round through
    /// the businesses that nobody uses asks.
    ///
    /// # Errors
    /// The store's failure, or a row that does not decode and is set aside.
    pub fn has_duties(&self) -> Result<bool, StoreError> {
        duties::has_any(&self.shared.store, &self.shared.clocks, self.id)
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
    ) -> Result<AnswerOf<C>, EngineError> {
        let change: Box<dyn AnyChange> = Box::new(change);
        let answer: Answer<AnyValue> =
            self.call(|reply, permits| Message::Change { request, change, reply, permits }).await?;
        Ok(answer.map(|value| *value.downcast().expect("a change answers what its type says")))
    }

    /// Hears from now on of what changes in the business, once each change is on the disk.
    pub fn watch(&self) -> LiveSubscription {
        self.shared.live.watch(self.id)
    }

    /// A number that grows whenever something of the business has changed, and may when something of others has: by it
    /// one tells whether anything can have changed since, in one life of the engine.
    pub fn changes(&self) -> u64 {
        self.shared.store.synced_through(self.id)
    }

    /// Sends the actor one message and waits for the answer.
    pub(crate) async fn call<T>(
        &self,
        message: impl FnOnce(Reply<T>, Permits) -> Message,
    ) -> Result<T, EngineError> {
        self.shared.check_business(self.id)?;
        let answered = self.call_actor(message).await;
        if answered.is_err() {
            // The business may have been set aside meanwhile, which ends its actor.
            self.shared.check_business(self.id)?;
        }
        answered
    }

    async fn call_actor<T>(
        &self,
        message: impl FnOnce(Reply<T>, Permits) -> Message,
    ) -> Result<T, EngineError> {
        let engine_permit = self.shared.permit()?;
        let (reply, answer) = oneshot::channel();
        let (running, permit) = self.shared.businesses.enter(self.id).await?;
        let message =
            message(reply, Permits { _engine: engine_permit, _actor: permit, held: self.held.clone() });
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
