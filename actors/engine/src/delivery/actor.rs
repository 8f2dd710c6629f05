//! The actor of one webhook endpoint. Its queue is the store's index of due deliveries; the
//! [dispatcher](super::dispatch) decides when the actor may send.
//!
//! Every message requests a turn, and requests that arrive before the turn are combined into one turn. A turn
//! reads the due rows and begins an attempt for each permit of the dispatcher. The actor may be stopped while
//! it only waits.

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use store::StoreError;
use tokio::sync::Semaphore;

use super::key::EndpointKey;
use super::message::Message;
use super::service::Deliveries;
use super::state::State;
use crate::error::EngineError;

pub(crate) struct DeliveryActor;

impl DeliveryActor {
    pub(crate) async fn start(
        deliveries: Arc<Deliveries>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        let shared = &deliveries.shared;
        shared.check_business(key.business)?;
        // An earlier actor may have submitted outcomes. Reading before they are durable would repeat those
        // attempts.
        shared.store.settled(key.business).await?;
        let state = State::load(&deliveries, key, permits)?;
        let spawned = Self::spawn_linked(None, Self, state, shared.supervisor.clone()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        deliveries.directory.note(actor.get_id(), key); // registered first, because loading may fail
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
        // The engine is closing. The waiting deliveries are in the store.
        let Some(deliveries) = state.deliveries.upgrade() else { return Ok(()) };
        let is_set_aside = |state: &State| deliveries.shared.store.is_business_set_aside(state.key.business);
        let handled =
            if is_set_aside(state) { Ok(()) } else { state.take(&deliveries, &myself, message).await };
        if is_set_aside(state) {
            // This is not a failure, so the supervisor does not restart the actor. Attempts in progress end
            // with the actor.
            deliveries.directory.dismiss(state.key);
            deliveries.dispatcher.rest(state.key, None);
            myself.stop(Some("the business is set aside".into()));
            return Ok(());
        }
        Ok(handled?)
    }
}

impl State {
    async fn take(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
        message: Message,
    ) -> Result<(), StoreError> {
        let waking = match message {
            Message::Turn => {
                self.turn_asked = false;
                return self.turn(deliveries, myself).await;
            }
            Message::Wake(permit) => Some(permit),
            Message::Permit(attempt_permit, permit) => {
                self.attempt_permits.push(attempt_permit);
                Some(permit)
            }
            Message::ClampDueTimes(permit) => {
                self.clamp_due_times(&deliveries.shared).await?;
                Some(permit)
            }
            Message::Head(event, number) => {
                self.head(event, number);
                None
            }
            Message::Ended(ended) => {
                self.ended(deliveries, myself, *ended)?;
                None
            }
            Message::Recorded(event) => {
                self.recorded(myself, event);
                None
            }
            Message::NotRecorded(ended) => {
                self.record(deliveries, myself, *ended)?;
                None
            }
            Message::Clean(after, permit) => {
                self.clean(deliveries, myself, after).await?;
                Some(permit)
            }
            Message::Cleaned(after) => {
                self.clean(deliveries, myself, after).await?;
                None
            }
            Message::Purged => {
                self.purging = false;
                None
            }
            Message::Resend(resending) => {
                self.resend(deliveries, myself, resending).await?;
                None
            }
            #[cfg(test)]
            Message::Fail => std::panic::resume_unwind(Box::new("a test ends the actor")),
        };
        if waking.is_some() {
            // Until the turn has read the rows, there may be work.
            self.work = waking;
        }
        self.ask_turn(myself);
        Ok(())
    }
}
