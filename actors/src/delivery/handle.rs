//! What the edges ask of deliveries: the log, resending, a test.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::key::EndpointKey;
use super::message::{Message, Resend, Resending};
use super::post::signed;
use super::sample::sample;
use super::schedule::LOG_DAYS;
use super::signature::reveal;
use super::target::{Suspended, Target, settled};
use crate::actor::{Permits, Reply};
use crate::business::{BusinessHandle, Page, PageRequest, collect};
use crate::domain::{Delivery, DeliveryStatus, EventId, EventType, Refusal, WebhookEndpoint, WebhookId};
use crate::error::EngineError;
use crate::net::{Asker, GuardError, WebhookUrl};
use crate::store::{Order, Record, Weight, keys};
use crate::view::{DeliveryView, TestView};

/// What the delivery log is narrowed to.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    /// Only those that stand like this.
    pub status: Option<DeliveryStatus>,
}

impl BusinessHandle {
    fn endpoint_key(&self, endpoint: WebhookId) -> EndpointKey {
        EndpointKey { business: self.id, endpoint }
    }

    /// The delivery log of an endpoint, newest first.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or the store's failure.
    pub async fn deliveries(
        &self,
        id: WebhookId,
        filter: DeliveryFilter,
        page: &PageRequest,
    ) -> Result<Page<DeliveryView>, EngineError> {
        let endpoint = self.webhook(id).await?.ok_or(Refusal::NotFound("webhook endpoint"))?;
        let oldest = self.now() - LOG_DAYS;
        let range = keys::deliveries(self.id, id);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                let delivery = Delivery::decode(value)?;
                let status = delivery.status_in(endpoint.epoch);
                let shown =
                    delivery.created_at > oldest && filter.status.is_none_or(|wanted| wanted == status);
                Ok(shown.then(|| DeliveryView::new(&delivery, status)))
            })
        })
        .await
    }

    /// Sends an event again: the same id and bytes, a new schedule.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`Refusal::Conflict`] while it waits, the endpoint is disabled, or as much waits as may.
    pub async fn resend(&self, endpoint: WebhookId, event: EventId) -> Result<(), EngineError> {
        self.ask_delivery(endpoint, Resend::One(event)).await.map(drop)
    }

    /// Sends every missed and failed event of an enabled endpoint again, as far as the budget of what waits has room;
    /// gives how many.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`Refusal::Conflict`] while the endpoint is disabled.
    pub async fn resend_missed(&self, endpoint: WebhookId) -> Result<u64, EngineError> {
        self.ask_delivery(endpoint, Resend::Missed(keys::deliveries(self.id, endpoint))).await
    }

    async fn ask_delivery(&self, endpoint: WebhookId, what: Resend) -> Result<u64, EngineError> {
        self.webhook(endpoint).await?.ok_or(Refusal::NotFound("webhook endpoint"))?;
        self.shared.store.check_room(Weight::Grows)?;
        let engine_permit = self.shared.permit()?;
        let (reply, answer): (Reply<u64>, _) = oneshot::channel();
        let running = self.shared.deliveries.running(self.endpoint_key(endpoint)).await?;
        let in_use = Arc::clone(&running.permits).try_acquire_owned().map_err(|_| EngineError::Overloaded)?;
        let permits = Permits { _engine: engine_permit, _actor: in_use };
        let resending = Resending { what, resent: 0, reply, _permits: permits };
        running.actor.cast(Message::Resend(Box::new(resending))).map_err(|_| EngineError::Overloaded)?;
        answer.await.map_err(|_| EngineError::Failed)?
    }

    /// Resolves a webhook's address and refuses it unless every address is public.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the path `url`, which never says to which address the name leads;
    /// [`EngineError::Overloaded`] when too many are being resolved, or for another lack of our own.
    pub async fn check_webhook_url(&self, url: &WebhookUrl) -> Result<(), EngineError> {
        let _permit = self.shared.saves.take(self.id).ok_or(EngineError::Overloaded)?;
        match self.shared.webhooks.guard().check(url, Asker::Save).await {
            Ok(_) => Ok(()),
            Err(GuardError::Short(_) | GuardError::Out(_)) => Err(EngineError::Overloaded),
            Err(refused) => Err(Refusal::invalid("url", refused.to_string()).into()),
        }
    }

    /// Makes one signed attempt at once with a sample, whatever the endpoint's status; it leaves no trace.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`EngineError::Overloaded`] when too many tests are being made,
    /// [`EngineError::Suspended`], or the store's failure.
    pub async fn test_webhook(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<TestView, EngineError> {
        let _permit = self.shared.tests.take(self.id).ok_or(EngineError::Overloaded)?;
        let timezone = self.business().await?.zone.name();
        // Last of all, and then nothing is waited for: a new secret that was answered signs.
        let key = self.endpoint_key(id);
        let (store, suspended) = (&self.shared.store, Suspended::default());
        let read = |store: &_| Target::read(store, key, &suspended);
        let target = settled(store, self.id, read(store)?, read).await?;
        let target = target.ok_or(EngineError::Overloaded)?.ok_or(Refusal::NotFound("webhook endpoint"))?;
        if target.suspended {
            return Err(EngineError::Suspended);
        }
        let endpoint = target.endpoint;
        let event = event.or_else(|| endpoint.events.iter().next()).unwrap_or(EventType::AppointmentBooked);
        let now = self.now();
        let event_id: EventId = self.shared.mint_id(now);
        let body = crate::view::event(event_id, event, now, self.id, &sample(event, now, timezone));
        let started = tokio::time::Instant::now();
        let result = match signed(&self.shared, &endpoint, &event_id.to_string(), body, true) {
            Ok((post, _)) => self.shared.webhooks.post(post).await.0.into(),
            Err(result) => result,
        };
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(TestView {
            event_id,
            kind: event,
            delivered: result.delivered,
            response_status: result.response_status,
            error: result.error,
            duration_ms,
        })
    }

    /// A webhook endpoint, or `None`.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookEndpoint>, EngineError> {
        self.read(|store| store.get(&keys::webhook(self.id, id))).await
    }

    /// The webhook endpoints in the order of their creation.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn webhooks(&self, page: &PageRequest) -> Result<Page<WebhookEndpoint>, EngineError> {
        let range = keys::of_kind(self.id, keys::kind::WEBHOOK);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| {
                WebhookEndpoint::decode(value).map(Some)
            })
        })
        .await
    }

    /// Gives an endpoint a new secret and shows it; the old one stops working at once. Where the same request did so
    /// earlier, nothing is shown: the secret is not remembered.
    ///
    /// # Errors
    /// As a change.
    pub async fn rotate_secret(
        &self,
        id: WebhookId,
        request: crate::business::Request,
    ) -> Result<Option<String>, EngineError> {
        let secret = crate::domain::WebhookSecret::new(self.shared.ports.random_bytes());
        let rotate = crate::business::commands::webhooks::RotateSecret { id, secret };
        let answer = self.change(request, rotate).await?;
        Ok((!answer.replayed).then(|| reveal(&secret)))
    }
}
