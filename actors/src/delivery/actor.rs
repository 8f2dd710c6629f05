//! The actor of one endpoint: its queue is the index of what is due. Whose turn it is to send, and when something is
//! due again, the [dispatcher](super::dispatch) knows.
//!
//! Whatever happens asks for one more turn; a turn looks at what is due and begins what there are places for. The turns
//! that are asked for while messages wait are one turn. While it only waits, for a place or for its time, the actor
//! holds no permit and may be put away.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};
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
        let waking = match message {
            Message::Turn => {
                state.turn_asked = false;
                return Ok(state.turn(&shared, &myself).await?);
            }
            Message::Wake(permit) => Some(permit),
            Message::Place(place, permit) => {
                state.places.push(place);
                Some(permit)
            }
            Message::Straighten(permit) => {
                state.straighten(&shared).await?;
                Some(permit)
            }
            Message::Head(event, number) => {
                state.head(event, number);
                None
            }
            Message::Ended(ended) => {
                state.ended(&shared, &myself, *ended)?;
                None
            }
            Message::Recorded(event) => {
                state.recorded(&myself, event);
                None
            }
            Message::NotRecorded(ended) => {
                state.record(&shared, &myself, *ended)?;
                None
            }
            Message::Clean(after, permit) => {
                state.clean(&shared, &myself, after).await?;
                Some(permit)
            }
            Message::Cleaned(after) => {
                state.clean(&shared, &myself, after).await?;
                None
            }
            Message::Purged => {
                state.purging = false;
                None
            }
            Message::Resend(resending) => {
                state.resend(&shared, &myself, resending).await?;
                None
            }
            #[cfg(test)]
            Message::Fail => std::panic::resume_unwind(Box::new("a test ends the actor")),
        };
        if waking.is_some() {
            // Until the turn has looked, there may be work.
            state.work = waking;
        }
        state.ask_turn(&myself);
        Ok(())
    }
}
