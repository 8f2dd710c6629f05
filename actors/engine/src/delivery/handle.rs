//! The interface to endpoints and their deliveries. It sends deliveries again, and reads the delivery log: a
//! filtered list, one delivery with its body, and counts. Tests of endpoints are in [`super::trial`].

use std::collections::HashMap;

use domain::{
    Delivery, DeliveryStatus, EventId, EventType, Failing, Named, Refusal, Timestamp, UrlRefusal,
    WebhookEndpoint, WebhookId, WebhookSecret, WebhookUrl,
};
use net::{GuardError, LookupStage};
use store::{Order, Record, StoreError, Weight, keys};
use view::DeliveryView;

use super::EndpointKey;
use super::actor::{Message, Resend, Resending};
use super::schedule::{LOG_DAYS, RETRY_AFTER};
use super::service::Deliveries;
use super::signature::reveal;
use super::state::Reached;
use crate::business::commands::webhooks::RotateSecret;
use crate::business::{BusinessHandle, Page, PageRequest, Request, collect};
use crate::error::EngineError;

pub const ATTEMPTS_MAX: usize = RETRY_AFTER.len() + 1;

#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    pub event: Option<EventType>,
    /// Lists only events at or after this instant.
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

#[derive(Clone)]
pub struct SentDelivery {
    pub shown: DeliveryView,
    /// The request body, which is the same in each attempt. It is empty if the event was wiped, and `None` if the row
    /// of the event was deleted.
    pub body: Option<Vec<u8>>,
}

/// The body contains personal data, so it is not logged.
impl std::fmt::Debug for SentDelivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentDelivery").field("event_id", &self.shown.event_id).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryTally {
    pub delivered: usize,
    /// The number of deliveries whose newest attempt failed, even if a retry follows.
    pub failed: usize,
    /// The number of deliveries that were not sent because the endpoint was disabled.
    pub missed: usize,
    pub more: bool,
}

impl BusinessHandle {
    pub(super) fn endpoint_key(&self, endpoint: WebhookId) -> EndpointKey {
        EndpointKey { business: self.id, endpoint }
    }

    /// Sends an event again with the same id and bytes on a new schedule. Fails with [`Refusal::Conflict`]
    /// while the delivery waits, the endpoint is disabled or the budget of waiting deliveries is used up.
    pub async fn resend(&self, endpoint: WebhookId, event: EventId) -> Result<(), EngineError> {
        self.ask_delivery(endpoint, Resend::One(event)).await.map(drop)
    }

    /// Makes the next attempt of a pending delivery immediately. Fails with [`Refusal::Conflict`] if the delivery
    /// is not pending.
    pub async fn try_delivery_now(&self, endpoint: WebhookId, event: EventId) -> Result<(), EngineError> {
        self.ask_delivery(endpoint, Resend::Now(event)).await.map(drop)
    }

    /// Sends the events of missed and failed deliveries again, as many as the budget of waiting deliveries allows.
    /// Returns the number of events that are sent again. Fails with [`Refusal::Conflict`] while the endpoint is
    /// disabled.
    pub async fn resend_missed(&self, endpoint: WebhookId) -> Result<u64, EngineError> {
        self.ask_delivery(endpoint, Resend::Missed(keys::deliveries(self.id, endpoint))).await
    }

    async fn ask_delivery(&self, endpoint: WebhookId, what: Resend) -> Result<u64, EngineError> {
        self.existing_webhook(endpoint).await?;
        self.shared().store.check_room(Weight::Grows)?;
        let permit = self.shared().permit()?;
        let message = |reply| Message::Resend(Box::new(Resending { what, resent: 0, reply }));
        let key = self.endpoint_key(endpoint);
        let asked = self.businesses.deliveries.directory.call((key, permit, None), message).await;
        self.shared().check_business(self.id)?; // the actor also ends if the business is set aside
        asked
    }

    /// Resolves a webhook's host. If one of its addresses is not public, refuses the host and does not disclose the
    /// address. Fails with [`EngineError::Overloaded`] if too many lookups run, or if this machine has no network or
    /// too few resources.
    pub async fn check_webhook_url(&self, url: &WebhookUrl) -> Result<(), EngineError> {
        let Deliveries { saves, client, .. } = &*self.businesses.deliveries;
        let _permit = saves.take(self.id).ok_or(EngineError::Overloaded)?;
        match client.guard().check(url, LookupStage::Save).await {
            Ok(_) => Ok(()),
            Err(GuardError::Short(_) | GuardError::Out(_)) => Err(EngineError::Overloaded),
            Err(_) => Err(Refusal::invalid("url", UrlRefusal::NotPublic).into()),
        }
    }

    async fn existing_webhook(&self, id: WebhookId) -> Result<WebhookEndpoint, EngineError> {
        Ok(self.webhook(id).await?.ok_or(Refusal::NotFound(Named::Webhook))?)
    }

    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookEndpoint>, EngineError> {
        self.read(|store| store.get(&keys::webhook(self.id, id))).await
    }

    pub async fn webhooks(&self, page: &PageRequest) -> Result<Page<WebhookEndpoint>, EngineError> {
        self.all(page).await
    }

    pub async fn outages(
        &self,
        endpoints: impl IntoIterator<Item = WebhookId>,
    ) -> Result<HashMap<WebhookId, Failing>, EngineError> {
        let ids: Vec<_> = endpoints.into_iter().collect();
        self.read(|store| {
            let outages =
                ids.iter().map(|id| Ok((*id, Reached::read(store, self.endpoint_key(*id))?.failing)));
            let outages = outages.filter_map(|row: Result<_, StoreError>| match row {
                Ok((id, failing)) => Some(Ok((id, failing?))),
                Err(error) => Some(Err(error)),
            });
            outages.collect()
        })
        .await
    }

    /// Replaces the secret of an endpoint. Returns the new secret, or `None` for a repeated request.
    pub async fn rotate_secret(
        &self,
        id: WebhookId,
        request: Request,
    ) -> Result<Option<String>, EngineError> {
        let secret = WebhookSecret::new(self.shared().ports.random_bytes());
        let rotate = RotateSecret { id, secret };
        let answer = self.change(request, rotate).await?;
        Ok((!answer.replayed).then(|| reveal(&secret)))
    }

    pub async fn deliveries(
        &self,
        id: WebhookId,
        filter: DeliveryFilter,
        page: &PageRequest,
    ) -> Result<Page<DeliveryView>, EngineError> {
        let endpoint = self.existing_webhook(id).await?;
        let oldest = self.now() - LOG_DAYS;
        let range = keys::deliveries_within(self.id, id, (filter.from, filter.until));
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                let delivery = Delivery::decode(value)?;
                let status = delivery.status_in(endpoint.epoch);
                let shown = delivery.created_at > oldest
                    && filter.status.is_none_or(|wanted| wanted == status)
                    && filter.event.is_none_or(|wanted| wanted == delivery.event);
                Ok(shown.then(|| DeliveryView::new(&delivery, status)))
            })
        })
        .await
    }

    pub async fn delivery(&self, id: WebhookId, event: EventId) -> Result<SentDelivery, EngineError> {
        let endpoint = self.existing_webhook(id).await?;
        let oldest = self.now() - LOG_DAYS;
        let found = self.read(|store| {
            let row = keys::delivery(self.id, id, event);
            let Some(delivery) = store.find::<Delivery>(&row)? else { return Ok(None) };
            Ok(Some((delivery, store.find_raw(&keys::event(self.id, event))?)))
        });
        let found = found.await?.filter(|(delivery, _)| delivery.created_at > oldest);
        let (delivery, body) = found.ok_or(Refusal::NotFound(Named::Delivery))?;
        let shown = DeliveryView::new(&delivery, delivery.status_in(endpoint.epoch));
        Ok(SentDelivery { shown, body })
    }

    /// Counts up to `at_most` of the newest deliveries since an instant, by status.
    pub async fn tally_deliveries(
        &self,
        id: WebhookId,
        since: Timestamp,
        at_most: usize,
    ) -> Result<DeliveryTally, EngineError> {
        let endpoint = self.existing_webhook(id).await?;
        let range = keys::deliveries_within(self.id, id, (Some(since), None));
        let newest = PageRequest { limit: at_most, after: None };
        let found = self.list(&newest, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                let delivery = Delivery::decode(value)?;
                let status = delivery.status_in(endpoint.epoch);
                Ok(Some((status, delivery.last_error.is_some() && delivery.attempts > 0)))
            })
        });
        let found = found.await?;
        let mut tally = DeliveryTally { more: found.next.is_some(), ..DeliveryTally::default() };
        for (status, has_failed) in found.items {
            match status {
                DeliveryStatus::Delivered => tally.delivered += 1,
                DeliveryStatus::Failed => tally.failed += 1,
                DeliveryStatus::Pending => tally.failed += usize::from(has_failed),
                DeliveryStatus::Missed => tally.missed += 1,
            }
        }
        Ok(tally)
    }
}
