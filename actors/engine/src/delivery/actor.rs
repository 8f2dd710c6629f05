//! The actor of one webhook endpoint. Its queue is the store's index of due deliveries; the
//! [dispatcher](super::dispatch) decides when the actor may send.
//!
//! A *turn* reads the due rows and begins an attempt for each attempt permit that the actor has. After each message,
//! the actor requests a turn, unless a requested turn has not begun yet. An actor that has nothing to do until the next
//! due time may be stopped.

use std::sync::Arc;

use domain::{Delivery, EventId, Timestamp};
use net::Attempt;
use ractor::{Actor, ActorRef};
use store::{KeyRange, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::EndpointKey;
use super::dispatch::{AttemptPermit, UnderWay};
use super::service::Deliveries;
use super::state::{Loaded, State};
use crate::actor::{Handled, Reply};
use crate::error::EngineError;

/// The `OwnedSemaphorePermit` in a message keeps the actor running until the message is handled.
pub(crate) enum Message {
    Wake(OwnedSemaphorePermit),
    Permit(AttemptPermit, OwnedSemaphorePermit),
    ClampDueTimes(OwnedSemaphorePermit),
    Turn,
    /// The outcome of the attempt with this number is known. Its response body is still being read.
    Head(EventId, u64),
    Ended(Box<Ended>),
    Recorded(EventId),
    NotRecorded(Box<Ended>),
    /// The alert about the outage has been written, or the write has failed.
    Alerted,
    Purged,
    /// Remove the personal data of erased contacts from the deliveries of events that must be wiped
    /// ([`super::resend`]). If an event is given, begin after this event. Otherwise, begin with the first event.
    Clean(Option<EventId>, OwnedSemaphorePermit),
    Cleaned(Option<EventId>),
    Resend(Box<Resending>),
    #[cfg(test)]
    Fail,
}

pub(crate) struct Ended {
    pub(super) number: u64,
    pub(super) delivery: Delivery,
    pub(super) attempt: Attempt,
    /// The first KiB of the response body, if it was read.
    pub(super) body: Option<String>,
    pub(super) began: Timestamp,
    pub(super) under_way: UnderWay,
}

pub(crate) struct Resending {
    pub(super) what: Resend,
    pub(super) resent: u64,
    pub(super) reply: Reply<u64>,
}

pub(crate) enum Resend {
    One(EventId),
    /// Make the next attempt of a pending delivery immediately.
    Now(EventId),
    /// Resend every missed and failed delivery in this range of the log. The actor handles only the first rows, and
    /// then sends itself a message with the rest of the range, so that it can handle other messages in between.
    Missed(KeyRange),
}

pub(crate) struct DeliveryActor;

impl DeliveryActor {
    pub(crate) async fn start(
        deliveries: Arc<Deliveries>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        let shared = &deliveries.shared;
        shared.check_business(key.business)?;
        // An earlier actor of this endpoint may have written outcomes that are not durable yet. The start
        // waits for them, so that the attempts are not repeated.
        shared.store.wait_durable(key.business).await?;
        let loaded = State::load(&deliveries, key, permits)?;
        let spawned = Self::spawn_linked(None, Self, loaded, shared.supervisor.clone()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        deliveries.directory.note(actor.get_id(), key);
        Ok(actor)
    }
}

impl Actor for DeliveryActor {
    type Msg = Message;
    type State = State;
    type Arguments = Loaded;

    async fn pre_start(&self, myself: ActorRef<Message>, loaded: Loaded) -> Handled<State> {
        Ok(State::new(myself, loaded))
    }

    async fn handle(&self, myself: ActorRef<Message>, message: Message, state: &mut State) -> Handled {
        // If the engine is closing, the message is dropped. No delivery is lost, because the store contains the waiting
        // deliveries.
        let Some(deliveries) = state.deliveries.upgrade() else { return Ok(()) };
        let is_set_aside = |state: &State| deliveries.shared.store.is_business_set_aside(state.key.business);
        let handled = if is_set_aside(state) { Ok(()) } else { state.take(&deliveries, message).await };
        if is_set_aside(state) {
            // The attempts in progress are aborted when the actor stops. This stop does not count as a failure,
            // so the supervisor does not restart the actor.
            deliveries.directory.dismiss(state.key);
            deliveries.dispatcher.rest(state.key, None);
            myself.stop(Some("the business is set aside".into()));
            return Ok(());
        }
        Ok(handled?)
    }
}

impl State {
    async fn take(&mut self, deliveries: &Arc<Deliveries>, message: Message) -> Result<(), StoreError> {
        match message {
            Message::Turn => {
                self.turn_asked = false;
                return self.turn(deliveries).await;
            }
            // Deliveries may be due, so the actor keeps the message's permit until a turn has read the rows. The permit
            // keeps the actor running.
            Message::Wake(permit) => self.work = Some(permit),
            Message::Permit(attempt_permit, permit) => {
                self.work = Some(permit);
                self.attempt_permits.push(attempt_permit);
            }
            Message::ClampDueTimes(permit) => {
                self.work = Some(permit);
                self.clamp_due_times(&deliveries.shared).await?;
            }
            Message::Head(event, number) => self.head(event, number),
            Message::Ended(ended) => self.ended(deliveries, *ended)?,
            Message::Recorded(event) => self.recorded(event),
            Message::Alerted => self.alerting = false,
            Message::NotRecorded(ended) => self.record(deliveries, *ended)?,
            Message::Clean(after, permit) => {
                self.work = Some(permit);
                self.clean(deliveries, after).await?;
            }
            Message::Cleaned(after) => self.clean(deliveries, after).await?,
            Message::Purged => self.purging = false,
            Message::Resend(resending) => self.resend(deliveries, resending).await?,
            #[cfg(test)]
            Message::Fail => std::panic::resume_unwind(Box::new("a test ends the actor")),
        }
        self.ask_turn();
        Ok(())
    }
}
