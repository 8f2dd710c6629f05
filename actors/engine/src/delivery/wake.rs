//! Wakes the actors of endpoints.
//!
//! Invariant: a running actor gets a message with a permit, which keeps it running until it has looked. A
//! stopped actor is started for a place, or for work that needs no place.

use std::sync::Arc;

use net::Network;
use ractor::MessagingErr;
use store::{StoreError, Weight};
use tokio::sync::OwnedSemaphorePermit;

use super::dispatch::{Host, Place};
use super::key::EndpointKey;
use super::message::Message;
use crate::error::EngineError;
use crate::shared::Shared;

impl Shared {
    /// Has an endpoint's due deliveries read: by its running actor, or by a new one as soon as there is a
    /// place.
    pub(crate) fn wake_delivery(self: &Arc<Self>, key: EndpointKey) {
        let is_set_aside = self.store.is_business_set_aside(key.business);
        if !is_set_aside && !self.tell_running(key, Message::Wake) {
            self.dispatcher.wake(key);
        }
    }

    /// Handles the deletion or disabling of an endpoint. It needs no place.
    pub(crate) fn look_after(self: &Arc<Self>, key: EndpointKey) {
        if !self.tell_running(key, Message::Wake) {
            self.start_for(key, Message::Wake);
        }
    }

    /// Cleans the endpoint's deliveries of events to be wiped.
    pub(crate) fn clean_deliveries(self: &Arc<Self>, key: EndpointKey) {
        if !self.tell_running(key, |permit| Message::Clean(None, permit)) {
            self.start_for(key, |permit| Message::Clean(None, permit));
        }
    }

    pub(crate) fn hand_place(self: &Arc<Self>, place: Place) {
        if self.check_open().is_err() {
            return self.dispatcher.stop();
        }
        let key = place.key();
        if self.store.is_business_set_aside(key.business) {
            return self.dispatcher.rest(key, None);
        }
        let mut handed = Some(place);
        if let Some(running) = self.deliveries.if_running(key)
            && let Ok(permit) = Arc::clone(&running.permits).try_acquire_owned()
            && let Some(place) = handed.take()
            && let Err(MessagingErr::SendErr(Message::Place(place, _))) =
                running.actor.cast(Message::Place(place, permit))
        {
            handed = Some(place);
        }
        if let Some(place) = handed {
            self.start_for(key, |permit| Message::Place(place, permit));
        }
    }

    /// Sends a message to a running actor. The permit in it keeps the actor running.
    pub(super) fn tell_running(
        &self,
        key: EndpointKey,
        message: impl FnOnce(OwnedSemaphorePermit) -> Message,
    ) -> bool {
        let Some(running) = self.deliveries.if_running(key) else { return false };
        let Ok(permit) = Arc::clone(&running.permits).try_acquire_owned() else { return false };
        running.actor.cast(message(permit)).is_ok()
    }

    pub(super) fn start_for(
        self: &Arc<Self>,
        key: EndpointKey,
        message: impl FnOnce(OwnedSemaphorePermit) -> Message + Send + 'static,
    ) {
        let shared = Arc::clone(self);
        self.runtime.spawn(async move {
            // Without an actor, the deliveries wait in the store until the next start of the engine.
            loop {
                match shared.deliveries.enter(key).await {
                    // The actor has failed. The supervisor restarts it after a back-off, and it then reads
                    // the rows itself. An actor started here could fail again at once, in an endless loop.
                    Ok((running, permit)) => {
                        let _ = running.actor.cast(message(permit));
                        return;
                    }
                    Err(EngineError::Overloaded) => {
                        if let Some(running) = shared.deliveries.if_running(key) {
                            drop(running.permits.acquire().await);
                        }
                    }
                    Err(EngineError::Stopping) => return,
                    Err(EngineError::Store(StoreError::BusinessSetAside { .. })) => {
                        return shared.dispatcher.rest(key, None);
                    }
                    Err(EngineError::Resting(left)) => return shared.dispatcher.rest(key, Some(left)),
                    Err(error) => {
                        let (business, endpoint) = (key.business, key.endpoint);
                        tracing::error!(business.id = %business, webhook.id = %endpoint, %error, "deliveries do not start");
                        return shared.dispatcher.rest(key, Some(shared.deliveries.back_off(key)));
                    }
                }
            }
        });
    }
}

impl Host for Shared {
    fn has_room(&self) -> bool {
        self.store.check_room(Weight::Keeps).is_ok()
    }

    fn network(&self) -> &Network {
        self.webhooks.network()
    }

    fn hand(self: Arc<Self>, place: Place) {
        self.hand_place(place);
    }
}
