//! The state that the endpoints' actors share: their directory, the dispatcher and the client for outgoing
//! requests.
//!
//! Invariant: a running actor gets each message with a permit, which keeps the actor running until it has
//! handled the message. A stopped actor is started for an attempt permit, or for work that needs no permit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use domain::BusinessId;
use net::{Network, WebhookClient};
use ractor::MessagingErr;
use store::{StoreError, Weight};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;

use super::dispatch::{AttemptPermit, Dispatcher, Host};
use super::key::EndpointKey;
use super::message::Message;
use crate::actor::Directory;
use crate::business::{BusinessHandle, Businesses};
use crate::error::EngineError;
use crate::limits::Limits;
use crate::quota::Quota;
use crate::shared::Shared;

pub(crate) struct Deliveries {
    pub(crate) shared: Arc<Shared>,
    /// One actor per endpoint with running or recent deliveries.
    pub(crate) directory: Directory<EndpointKey, Message>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) client: WebhookClient,
    /// The webhook URLs that are resolved before they are saved.
    pub(super) saves: Quota,
    pub(super) tests: Arc<Quota>,
    pub(super) runtime: Handle,
    businesses: Weak<Businesses>,
    actors_at_rest: usize,
    /// The number of endpoints that were disabled after failures.
    pub(crate) turned_off: AtomicU64,
    /// The number of deliveries that exceeded the budget.
    pub(crate) missed_over_budget: AtomicU64,
}

impl Deliveries {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        directory: Directory<EndpointKey, Message>,
        (businesses, tests): (&Weak<Businesses>, &Arc<Quota>),
        limits: &Limits,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            directory,
            dispatcher: Dispatcher::new(limits.delivery_permits, shared.steady.clone()),
            client: WebhookClient::new(&shared.ports, &shared.ports.trust),
            saves: Quota::outgoing(),
            tests: Arc::clone(tests),
            runtime: Handle::current(),
            businesses: Weak::clone(businesses),
            actors_at_rest: limits.actors_at_rest,
            turned_off: AtomicU64::new(0),
            missed_over_budget: AtomicU64::new(0),
        }
    }

    /// `None` after the engine is dropped.
    pub(super) fn business(&self, id: BusinessId) -> Option<BusinessHandle> {
        Some(BusinessHandle::new(&self.businesses.upgrade()?, id))
    }

    /// Starts the background jobs of a business if its actor runs.
    pub(super) fn maintain(&self, business: BusinessId) {
        self.businesses.upgrade().into_iter().for_each(|businesses| businesses.maintain(business));
    }

    /// Whether so many actors run that an actor without work must stop immediately.
    pub(super) fn are_too_many(&self) -> bool {
        self.directory.len() > self.actors_at_rest
    }

    /// Logs and counts an endpoint that was disabled after failures. The batch of the change contains the
    /// team's alerts.
    pub(crate) fn note_turned_off(&self, key: EndpointKey) {
        self.turned_off.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            business.id = %key.business,
            webhook.id = %key.endpoint,
            "a webhook endpoint was disabled: all attempts for an event failed, and meanwhile no other event was delivered"
        );
    }

    /// Makes an endpoint read its due deliveries. The running actor reads them, or a new actor as soon as
    /// there is a permit.
    pub(crate) fn wake(self: &Arc<Self>, key: EndpointKey) {
        let is_set_aside = self.shared.store.is_business_set_aside(key.business);
        if !is_set_aside && !self.tell_running(key, Message::Wake) {
            self.dispatcher.wake(key);
        }
    }

    /// Handles the deletion or disabling of an endpoint. It needs no permit.
    pub(crate) fn refresh(self: &Arc<Self>, key: EndpointKey) {
        self.tell(key, Message::Wake);
    }

    /// Cleans the endpoint's deliveries of events to be wiped.
    pub(crate) fn clean(self: &Arc<Self>, key: EndpointKey) {
        self.tell(key, |permit| Message::Clean(None, permit));
    }

    pub(crate) fn hand_permit(self: &Arc<Self>, permit: AttemptPermit) {
        if self.shared.check_open().is_err() {
            return self.dispatcher.stop();
        }
        let key = permit.key();
        if self.shared.store.is_business_set_aside(key.business) {
            return self.dispatcher.rest(key, None);
        }
        let mut handed = Some(permit);
        if let Some(running) = self.directory.if_running(key)
            && let Ok(in_use) = Arc::clone(&running.permits).try_acquire_owned()
            && let Some(permit) = handed.take()
            && let Err(MessagingErr::SendErr(Message::Permit(permit, _))) =
                running.actor.cast(Message::Permit(permit, in_use))
        {
            handed = Some(permit);
        }
        if let Some(permit) = handed {
            self.start_for(key, |in_use| Message::Permit(permit, in_use));
        }
    }

    /// Sends a message to the endpoint's actor, and starts the actor if it does not run.
    pub(super) fn tell(self: &Arc<Self>, key: EndpointKey, message: fn(OwnedSemaphorePermit) -> Message) {
        if !self.tell_running(key, message) {
            self.start_for(key, message);
        }
    }

    /// Sends a message to a running actor. The permit in the message keeps the actor running.
    fn tell_running(&self, key: EndpointKey, message: impl FnOnce(OwnedSemaphorePermit) -> Message) -> bool {
        let Some(running) = self.directory.if_running(key) else { return false };
        let Ok(permit) = Arc::clone(&running.permits).try_acquire_owned() else { return false };
        running.actor.cast(message(permit)).is_ok()
    }

    fn start_for(
        self: &Arc<Self>,
        key: EndpointKey,
        message: impl FnOnce(OwnedSemaphorePermit) -> Message + Send + 'static,
    ) {
        let deliveries = Arc::clone(self);
        self.runtime.spawn(async move {
            // Without an actor, the deliveries wait in the store until the next start of the engine.
            loop {
                match deliveries.directory.enter(key).await {
                    // The actor has failed. The supervisor restarts it after a back-off, and it then reads
                    // the rows itself. An actor started here could fail again immediately, in an endless
                    // loop.
                    Ok((running, permit)) => {
                        let _ = running.actor.cast(message(permit));
                        return;
                    }
                    Err(EngineError::Overloaded) => {
                        if let Some(running) = deliveries.directory.if_running(key) {
                            drop(running.permits.acquire().await);
                        }
                    }
                    Err(EngineError::Stopping) => return,
                    Err(EngineError::Store(StoreError::BusinessSetAside { .. })) => {
                        return deliveries.dispatcher.rest(key, None);
                    }
                    Err(EngineError::Resting(left)) => return deliveries.dispatcher.rest(key, Some(left)),
                    Err(error) => {
                        let (business, endpoint) = (key.business, key.endpoint);
                        tracing::error!(business.id = %business, webhook.id = %endpoint, %error, "the deliveries of an endpoint cannot start");
                        return deliveries.dispatcher.rest(key, Some(deliveries.directory.back_off(key)));
                    }
                }
            }
        });
    }
}

impl Host for Deliveries {
    fn has_room(&self) -> bool {
        self.shared.store.check_room(Weight::Keeps).is_ok()
    }

    fn network(&self) -> &Network {
        self.client.network()
    }

    fn hand(self: Arc<Self>, permit: AttemptPermit) {
        self.hand_permit(permit);
    }
}
