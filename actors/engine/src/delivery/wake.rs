//! How the actors of endpoints are woken: when something is due, when they have a place, when they have to look after
//! something. What always holds: one that runs is told, with a permit that keeps it from being put away before it has
//! looked; one that does not run is started for a place, or to look after what needs none.

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
    /// Has an endpoint's deliveries looked at, for something is due: by its actor if it runs, or else by one that is
    /// started as soon as there is a place.
    pub(crate) fn wake_delivery(self: &Arc<Self>, key: EndpointKey) {
        let is_set_aside = self.store.is_business_set_aside(key.business);
        if !is_set_aside && !self.tell_running(key, Message::Wake) {
            self.dispatcher.wake(key);
        }
    }

    /// Has an endpoint looked after that was deleted or turned off; starts its actor if need be, which needs no place
    /// for that.
    pub(crate) fn look_after(self: &Arc<Self>, key: EndpointKey) {
        if !self.tell_running(key, Message::Wake) {
            self.start_for(key, Message::Wake);
        }
    }

    /// Has an endpoint's actor see to what is left there of events that are to be wiped; starts it if need be.
    pub(crate) fn clean_deliveries(self: &Arc<Self>, key: EndpointKey) {
        if !self.tell_running(key, |permit| Message::Clean(None, permit)) {
            self.start_for(key, |permit| Message::Clean(None, permit));
        }
    }

    /// Hands an endpoint's actor a place, and starts it if need be.
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

    /// Tells an endpoint's actor something if it runs; the permit in it keeps it from being put away before.
    pub(super) fn tell_running(
        &self,
        key: EndpointKey,
        message: impl FnOnce(OwnedSemaphorePermit) -> Message,
    ) -> bool {
        let Some(running) = self.deliveries.if_running(key) else { return false };
        let Ok(permit) = Arc::clone(&running.permits).try_acquire_owned() else { return false };
        running.actor.cast(message(permit)).is_ok()
    }

    /// Tells an endpoint's actor something, started if need be.
    pub(super) fn start_for(
        self: &Arc<Self>,
        key: EndpointKey,
        message: impl FnOnce(OwnedSemaphorePermit) -> Message + Send + 'static,
    ) {
        let shared = Arc::clone(self);
        self.runtime.spawn(async move {
            // Without an actor what waits stands in the store, and the next start of the engine finds it.
            loop {
                match shared.deliveries.enter(key).await {
                    // One that does not hear it though it was not put away has failed; the supervisor starts the next
                    // one in a while, which looks by itself. One started here might fail as fast, and so for ever.
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
