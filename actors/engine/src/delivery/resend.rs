//! Sends events again, with the same ids and bytes, the current secret and a new schedule.

use std::sync::Arc;
use std::time::Duration;

use domain::{
    BudgetKind, Conflict, Delivery, DeliveryStatus, EventId, Named, ProblemCode, Refusal, WebhookEndpoint,
};
use ractor::ActorRef;
use store::{Batch, KeyRange, Order, Promised, StoreError, keys};

use super::key::EndpointKey;
use super::message::{Message, Resend, Resending};
use super::schedule::LOG_DAYS;
use super::service::Deliveries;
use super::state::{ROWS_PER_TURN, State};
use super::write::write_delivery;
use crate::error::EngineError;
use crate::shared::Shared;

/// The pause of a step while too much is in flight.
const OVERLOAD_PAUSE: Duration = Duration::from_secs(1);

impl State {
    pub(super) async fn resend(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
        mut step: Box<Resending>,
    ) -> Result<(), StoreError> {
        let shared = &deliveries.shared;
        if shared.store.failed() {
            step.reply.send(Err(EngineError::Stopping));
            return Ok(());
        }
        // Until the next turn has read the rows, there may be work.
        self.hold();
        // Attempts of an earlier epoch end before anything is sent again.
        if let Some(endpoint) = shared.store.look(&self.row())? {
            self.abort_stale(myself, endpoint.as_ref());
        }
        let done = match &mut step.what {
            Resend::One(event) => self.resend_one(deliveries, *event).await,
            Resend::Missed(range) => self.resend_missed(deliveries, range).await,
        };
        match done {
            Ok((count, progress)) => {
                step.resent += count;
                match progress {
                    Progress::Continues => _ = myself.cast(Message::Resend(step)),
                    Progress::Waits => self.resending.push(*step),
                    Progress::Done => step.reply.send(Ok(step.resent)),
                }
            }
            // Some events are already scheduled again, and an error would hide their number.
            Err(EngineError::Overloaded | EngineError::Resting(_)) if step.resent > 0 => {
                let myself = myself.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(OVERLOAD_PAUSE).await;
                    let _ = myself.cast(Message::Resend(step));
                });
            }
            Err(error) => step.reply.send(Err(error)),
        }
        Ok(())
    }

    /// Reserves room for up to `count` further waiting deliveries.
    async fn room_for(&self, deliveries: &Deliveries, count: usize) -> Result<Promised, EngineError> {
        let business = deliveries.business(self.key.business).ok_or(EngineError::Stopping)?;
        business.promise_waiting(count).await
    }

    /// The endpoint, if events can be sent to it again.
    fn resendable(&self, shared: &Shared) -> Result<WebhookEndpoint, EngineError> {
        let endpoint = shared.store.get::<WebhookEndpoint>(&self.row())?;
        let endpoint = endpoint.ok_or(Refusal::NotFound(Named::Webhook))?;
        if !endpoint.is_enabled() {
            return Err(Refusal::conflict(
                Conflict::EndpointDisabled,
                "status",
                ProblemCode::Now("disabled".into()),
            )
            .into());
        }
        Ok(endpoint)
    }

    async fn resend_one(
        &mut self,
        deliveries: &Deliveries,
        event: EventId,
    ) -> Result<(u64, Progress), EngineError> {
        let shared = &deliveries.shared;
        let endpoint = self.resendable(shared)?;
        let EndpointKey { business, endpoint: id } = self.key;
        shared.store.settled(business).await?;
        let delivery = shared.store.get::<Delivery>(&keys::delivery(business, id, event))?;
        let delivery = delivery.filter(|delivery| delivery.created_at > shared.clocks.now() - LOG_DAYS);
        let delivery = delivery.ok_or(Refusal::NotFound(Named::Delivery))?;
        if delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending {
            return Err(Refusal::conflict(
                Conflict::DeliveryPending,
                "status",
                ProblemCode::Now("pending".into()),
            )
            .into());
        }
        let promised = self.room_for(deliveries, 1).await?;
        if promised.rows() == 0 {
            let full = Conflict::BudgetUsedUp(BudgetKind::WaitingDeliveries);
            return Err(Refusal::conflict(full, "waiting_deliveries", ProblemCode::WaitingFull).into());
        }
        if self.is_under_way(event) {
            return Ok((0, Progress::Waits));
        }
        let mut batch = Batch::default();
        let endpoint = self.resendable(shared)?; // it may have changed meanwhile
        if self.is_wiped(shared, event)? {
            return Err(Refusal::conflict(Conflict::EventWiped, "event_id", ProblemCode::EventWiped).into());
        }
        self.send_again(shared, &mut batch, &delivery, &endpoint);
        shared.store.submit(business, batch, Box::new(|| ()));
        drop(promised); // the rows count themselves from here on
        shared.store.settled(business).await?;
        Ok((1, Progress::Done))
    }

    /// Sends the missed and failed deliveries of the range's next rows again, within the budget. Returns
    /// their number.
    async fn resend_missed(
        &mut self,
        deliveries: &Deliveries,
        range: &mut KeyRange,
    ) -> Result<(u64, Progress), EngineError> {
        let (shared, business) = (&deliveries.shared, self.key.business);
        shared.store.settled(business).await?;
        let endpoint = self.resendable(shared)?; // read after the wait, like the rows below
        let oldest = shared.clocks.now() - LOG_DAYS;
        let (mut lost, mut last, mut waits) = (Vec::new(), None, false);
        for row in shared.store.records::<Delivery>(range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, delivery) = row?;
            let status = delivery.status_in(endpoint.epoch);
            // A pending delivery is not waited for: its attempts may last for days.
            if status != DeliveryStatus::Pending && self.is_under_way(delivery.event_id) {
                waits = true;
                break;
            }
            last = Some(key);
            let is_lost = matches!(status, DeliveryStatus::Missed | DeliveryStatus::Failed);
            if is_lost && delivery.created_at > oldest {
                lost.push(delivery);
            }
        }
        let (mut full, mut wiped) = (false, 0);
        if !lost.is_empty() {
            let promised = self.room_for(deliveries, lost.len()).await?;
            full = promised.rows() < lost.len() as u64;
            lost.truncate(usize::try_from(promised.rows()).unwrap_or(usize::MAX));
            let (endpoint, mut batch) = (self.resendable(shared)?, Batch::default()); // it may have changed meanwhile
            for delivery in &lost {
                if self.is_wiped(shared, delivery.event_id)? {
                    wiped += 1;
                    continue;
                }
                self.send_again(shared, &mut batch, delivery, &endpoint);
            }
            shared.store.submit(business, batch, Box::new(|| ()));
            drop(promised); // the rows count themselves from here on
            shared.store.settled(business).await?;
        }
        if let Some(last) = &last {
            *range = range.after(*last);
        }
        let count = lost.len() as u64 - wiped;
        let progress = match last {
            _ if full => Progress::Done,
            _ if waits => Progress::Waits,
            Some(_) => Progress::Continues,
            None => Progress::Done,
        };
        Ok((count, progress))
    }

    fn send_again(
        &self,
        shared: &Shared,
        batch: &mut Batch,
        delivery: &Delivery,
        endpoint: &WebhookEndpoint,
    ) {
        assert!(!self.is_under_way(delivery.event_id), "what is sent again is not under way");
        let again = delivery.again(endpoint.epoch, shared.steady.now());
        write_delivery(batch, self.key, &again, delivery.next_attempt_at);
    }
}

enum Progress {
    /// Continue with the next rows.
    Continues,
    /// Wait until the outcome of the attempt in progress is durable, because the outcome changes the row of
    /// the delivery.
    Waits,
    Done,
}
