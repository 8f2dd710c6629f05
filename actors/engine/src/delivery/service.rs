//! The state that the endpoints' actors share: their directory, the dispatcher and the client for outgoing
//! requests. At the start of the engine, this module registers the waiting deliveries.
//!
//! Invariants:
//!
//! - Each message contains a message permit, which keeps the actor running until the message is handled.
//! - A stopped actor is started when its endpoint gets an attempt permit, or for work that needs no attempt
//!   permit. When the engine starts, it starts actors without an attempt permit only to correct due times.
//! - The waiting deliveries are registered with the dispatcher in bounded steps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BusinessId, Delivery, EventId, Failing, WebhookEndpoint};
use net::WebhookClient;
use ractor::MessagingErr;
use store::keys::installation_kind;
use store::{KeyRange, Order, StoreError, keys};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;

use super::EndpointKey;
use super::actor::Message;
use super::attempts::is_unreported;
use super::dispatch::{AttemptPermit, Dispatcher};
use super::due::is_beyond_schedule;
use super::state::Reached;
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
    /// Limits how many hosts of new webhook URLs are looked up at the same time.
    pub(super) saves: Quota,
    pub(super) tests: Arc<Quota>,
    pub(super) runtime: Handle,
    businesses: Weak<Businesses>,
    actors_at_rest: usize,
    pub(crate) turned_off: AtomicU64,
    pub(crate) missed_over_budget: AtomicU64,
}

const ENDPOINTS_PER_TURN: usize = 64;

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

    /// Returns the handle of a business, or `None` after the engine is dropped.
    pub(super) fn business(&self, id: BusinessId) -> Option<BusinessHandle> {
        Some(BusinessHandle::new(&self.businesses.upgrade()?, id))
    }

    pub(super) fn maintain(&self, business: BusinessId) {
        if let Some(businesses) = self.businesses.upgrade() {
            businesses.maintain(business);
        }
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.directory.len() > self.actors_at_rest
    }

    /// Logs and counts an endpoint that was disabled after failures.
    pub(crate) fn note_turned_off(&self, key: EndpointKey) {
        self.turned_off.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            business.id = %key.business,
            webhook.id = %key.endpoint,
            "a webhook endpoint was disabled: all attempts for an event failed, and meanwhile no other event was delivered"
        );
    }

    /// Makes an endpoint's actor read the due deliveries. If the actor is not running, it starts when the endpoint gets
    /// its next attempt permit. If the business is set aside, does nothing.
    pub(crate) fn wake(self: &Arc<Self>, key: EndpointKey) {
        let is_set_aside = self.shared.store.is_business_set_aside(key.business);
        if !is_set_aside && !self.tell_running(key, Message::Wake) {
            self.dispatcher.wake(key);
        }
    }

    /// Makes an actor notice that its endpoint was deleted or disabled. The actor needs no attempt permit for
    /// this.
    pub(crate) fn refresh(self: &Arc<Self>, key: EndpointKey) {
        self.tell(key, Message::Wake);
    }

    pub(crate) fn clean(self: &Arc<Self>, key: EndpointKey) {
        self.tell(key, |permit| Message::Clean(None, permit));
    }

    pub(super) fn hand(self: &Arc<Self>, permit: AttemptPermit) {
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
            // If no actor can be started, the message is dropped. No delivery is lost, because the store
            // contains all of them.
            loop {
                match deliveries.directory.enter(key).await {
                    // If the `cast` fails, the actor has failed. The supervisor restarts it after a
                    // back-off.
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
                        tracing::error!(business.id = %business, webhook.id = %endpoint, %error, "the actor of a webhook endpoint cannot start; its deliveries wait");
                        return deliveries.dispatcher.rest(key, Some(deliveries.directory.back_off(key)));
                    }
                }
            }
        });
    }

    pub(crate) fn begin(self: &Arc<Self>) {
        self.dispatcher.begin(Arc::downgrade(self));
        // The registration is a separate task, so that the caller does not wait for it.
        tokio::spawn(Arc::clone(self).register_all());
    }

    /// Registers every endpoint with waiting deliveries. After that, corrects the due times that a wrong clock has set
    /// too late. Endpoints with unreadable rows are skipped.
    async fn register_all(self: Arc<Self>) {
        for corrects in [false, true] {
            let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX);
            while let Some(endpoints) = self.next_endpoints(&mut range) {
                for key in endpoints {
                    let done = if corrects { self.correct(key).await } else { self.register(key) };
                    if let Err(error) = done {
                        let EndpointKey { business, endpoint } = key;
                        tracing::error!(
                            business.id = %business, webhook.id = %endpoint, %error,
                            "the deliveries of an endpoint cannot be read"
                        );
                    }
                }
                tokio::task::yield_now().await;
            }
        }
    }

    async fn correct(self: &Arc<Self>, key: EndpointKey) -> Result<(), StoreError> {
        if is_beyond_schedule(&self.shared, key).await? {
            self.tell(key, Message::ClampDueTimes);
        }
        Ok(())
    }

    /// Returns the next endpoints of the list, or `None` at the end of the list and while the engine closes. A row that
    /// names no endpoint is set aside.
    fn next_endpoints(&self, range: &mut KeyRange) -> Option<Vec<EndpointKey>> {
        self.shared.check_open().ok()?;
        let store = &self.shared.store;
        let rows = store.walk(range, Order::Ascending, |row, _| {
            let (business, endpoint) = keys::business_and_endpoint(row)?;
            if keys::endpoint_index(business, endpoint)[..] != *row {
                return Err(StoreError::damaged("key", "the key is longer than the key of an endpoint"));
            }
            Ok(EndpointKey { business, endpoint })
        });
        let rows = rows.take(ENDPOINTS_PER_TURN).collect::<Result<Vec<_>, _>>();
        let rows = rows.inspect_err(|error| tracing::error!(%error, "the endpoints cannot be read")).ok()?;
        *range = range.after(rows.last()?.0);
        let keys = rows.into_iter().map(|(_, key)| key);
        Some(keys.filter(|key| !store.is_business_set_aside(key.business)).collect())
    }

    fn register(&self, key: EndpointKey) -> Result<(), StoreError> {
        let (EndpointKey { business, endpoint }, Shared { store, steady, .. }) = (key, &*self.shared);
        let record = store.look::<WebhookEndpoint>(&keys::webhook(business, endpoint))?;
        if matches!(record, Some(None)) {
            self.dispatcher.register(key, Duration::ZERO, false); // its actor deletes the rows of the deleted endpoint
            return Ok(());
        }
        let failing = Reached::read(store, key)?.failing;
        let failing =
            failing.filter(|failing| record.flatten().is_some_and(|record| is_unreported(&record, *failing)));
        let alert_at = failing.map(Failing::alert_at);
        let due = keys::deliveries_due(business, endpoint);
        let mut rows = store.walk(&due, Order::Ascending, |row, _| {
            let (at, event) = keys::instant_and_id::<EventId>(row)?;
            Ok((at, store.get::<Delivery>(&keys::delivery(business, endpoint, event))?))
        });
        let first = rows.next().transpose()?;
        let failed_before = first.as_ref().is_some_and(|(_, (_, delivery))| {
            delivery.as_ref().is_some_and(|delivery| delivery.attempts > 0)
        });
        let due_at = first.map(|(_, (at, _))| at);
        if let Some(at) = due_at.into_iter().chain(alert_at).min() {
            let wait = (at - steady.now()).to_std().unwrap_or_default();
            self.dispatcher.register(key, wait, failed_before);
        }
        Ok(())
    }
}
