//! The actor of one endpoint: its queue is the index of what is due. Whose turn it is to send, and when something is
//! due again, the [dispatcher](super::dispatch) knows.
//!
//! Whatever happens asks for one more turn; a turn looks at what is due and begins what there are places for. The turns
//! that are asked for while messages wait are one turn. While it only waits, for a place or for its time, the actor
//! holds no permit and may be put away.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use store::StoreError;
use tokio::sync::Semaphore;

use super::key::EndpointKey;
use super::message::Message;
use super::state::State;
use crate::error::EngineError;
use crate::shared::Shared;

/// The actor of one endpoint's deliveries.
pub(crate) struct DeliveryActor;

impl DeliveryActor {
    /// Starts the actor of an endpoint. Whatever there is to do the dispatcher tells it, in its time.
    pub(crate) async fn start(
        shared: Arc<Shared>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        shared.check_business(key.business)?;
        // What an actor before this one has handed to the committer is read, too, and its outcomes above all: attempts
        // wait for those of nobody.
        shared.store.settled(key.business).await?;
        let state = State::load(&shared, key, permits)?;
        let spawned = Self::spawn_linked(None, Self, state, shared.supervisor.clone()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        shared.deliveries.note(actor.get_id(), key); // before it can fail
        Ok(actor)
    }
}

impl Actor for DeliveryActor {
    type Msg = Message;
    type State = State;
    type Arguments = State;

    async fn pre_start(&self, _: ActorRef<Message>, state: State) -> Result<State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // The engine is closing; what waits is in the store.
        let Some(shared) = state.shared.upgrade() else { return Ok(()) };
        let is_set_aside = || shared.store.is_business_set_aside(state.key.business);
        let handled = if is_set_aside() { Ok(()) } else { state.take(&shared, &myself, message).await };
        if shared.store.is_business_set_aside(state.key.business) {
            // The actor has not failed: nothing starts it again. Attempts under way end with it.
            shared.deliveries.dismiss(state.key);
            shared.dispatcher.rest(state.key, None);
            myself.stop(Some("the business is set aside".into()));
            return Ok(());
        }
        Ok(handled?)
    }
}

impl State {
    async fn take(
        &mut self,
        shared: &Arc<Shared>,
        myself: &ActorRef<Message>,
        message: Message,
    ) -> Result<(), StoreError> {
        let waking = match message {
            Message::Turn => {
                self.turn_asked = false;
                return self.turn(shared, myself).await;
            }
            Message::Wake(permit) => Some(permit),
            Message::Place(place, permit) => {
                self.places.push(place);
                Some(permit)
            }
            Message::Straighten(permit) => {
                self.straighten(shared).await?;
                Some(permit)
            }
            Message::Head(event, number) => {
                self.head(event, number);
                None
            }
            Message::Ended(ended) => {
                self.ended(shared, myself, *ended)?;
                None
            }
            Message::Recorded(event) => {
                self.recorded(myself, event);
                None
            }
            Message::NotRecorded(ended) => {
                self.record(shared, myself, *ended)?;
                None
            }
            Message::Clean(after, permit) => {
                self.clean(shared, myself, after).await?;
                Some(permit)
            }
            Message::Cleaned(after) => {
                self.clean(shared, myself, after).await?;
                None
            }
            Message::Purged => {
                self.purging = false;
                None
            }
            Message::Resend(resending) => {
                self.resend(shared, myself, resending).await?;
                None
            }
            #[cfg(test)]
            Message::Fail => std::panic::resume_unwind(Box::new("a test ends the actor")),
        };
        if waking.is_some() {
            // Until the turn has looked, there may be work.
            self.work = waking;
        }
        self.ask_turn(myself);
        Ok(())
    }
}
