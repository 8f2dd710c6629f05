//! Queries of an endpoint's delivery log: a filtered list, one delivery with its body, and counts.

use domain::{Delivery, DeliveryStatus, EventId, EventType, Named, Refusal, Timestamp, WebhookId};
use store::{Order, Record, keys};
use view::DeliveryView;

use super::schedule::{LOG_DAYS, RETRY_AFTER};
use crate::business::{BusinessHandle, Page, PageRequest, collect};
use crate::error::EngineError;

pub const ATTEMPTS_MAX: usize = RETRY_AFTER.len() + 1;

#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    pub event: Option<EventType>,
    /// Only events at or after this instant.
    pub from: Option<Timestamp>,
    /// Only events before this instant.
    pub until: Option<Timestamp>,
}

#[derive(Clone)]
pub struct SentDelivery {
    pub shown: DeliveryView,
    /// The body of each attempt. It is empty if the event was wiped, and `None` if it is no longer kept.
    pub body: Option<Vec<u8>>,
}

/// The body holds personal data, so it is not logged.
impl std::fmt::Debug for SentDelivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentDelivery").field("event_id", &self.shown.event_id).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryTally {
    pub delivered: usize,
    /// Deliveries whose newest attempt failed, with or without a further retry.
    pub failed: usize,
    /// Deliveries that were not sent because the endpoint was disabled.
    pub missed: usize,
    /// Whether older deliveries were not counted.
    pub more: bool,
}

impl BusinessHandle {
    pub async fn deliveries(
        &self,
        id: WebhookId,
        filter: DeliveryFilter,
        page: &PageRequest,
    ) -> Result<Page<DeliveryView>, EngineError> {
        let endpoint = self.webhook(id).await?.ok_or(Refusal::NotFound(Named::Webhook))?;
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
        let endpoint = self.webhook(id).await?.ok_or(Refusal::NotFound(Named::Webhook))?;
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
    ///
    /// # Errors
    /// [`Refusal::NotFound`].
    pub async fn tally_deliveries(
        &self,
        id: WebhookId,
        since: Timestamp,
        at_most: usize,
    ) -> Result<DeliveryTally, EngineError> {
        let endpoint = self.webhook(id).await?.ok_or(Refusal::NotFound(Named::Webhook))?;
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
        let count = |counted: fn(DeliveryStatus, bool) -> bool| {
            found.items.iter().filter(|(status, has_failed)| counted(*status, *has_failed)).count()
        };
        Ok(DeliveryTally {
            delivered: count(|status, _| status == DeliveryStatus::Delivered),
            failed: count(|status, has_failed| match status {
                DeliveryStatus::Failed => true,
                DeliveryStatus::Pending => has_failed,
                DeliveryStatus::Delivered | DeliveryStatus::Missed => false,
            }),
            missed: count(|status, _| status == DeliveryStatus::Missed),
            more: found.next.is_some(),
        })
    }
}
