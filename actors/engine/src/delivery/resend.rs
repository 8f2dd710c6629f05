//! Sends deliveries again, and cleans deliveries. Deliveries with an attempt in progress are not changed.
//!
//! An event is sent again with the same id and bytes, the current secret and a new schedule. Cleaning removes
//! personal data of erased contacts: response bodies are deleted, and deliveries that still wait become
//! missed. The business wipes an event when no delivery of the event contains personal data any more.

use std::sync::Arc;
use std::time::Duration;

use domain::{
    BudgetKind, Conflict, Delivery, DeliveryStatus, EventId, Named, ProblemCode, Refusal, WebhookEndpoint,
    WebhookStatus,
};
use store::keys::kind;
use store::records::WipeRecord;
use store::{Batch, Done, KeyRange, Order, Record, StoreError, keys};

use super::EndpointKey;
use super::actor::{Message, Resend, Resending};
use super::due::write_delivery;
use super::schedule::LOG_DAYS;
use super::service::Deliveries;
use super::state::{ROWS_PER_TURN, State, Target};
use crate::error::EngineError;
use crate::shared::Shared;

/// The pause after a step that failed because too many requests were in progress. The step is then repeated.
const OVERLOAD_PAUSE: Duration = Duration::from_secs(1);

enum Progress {
    Continues,
    /// The step must wait for the outcome of the attempt in progress, because the outcome changes the row of the
    /// delivery.
    Waits,
    Done,
}

impl State {
    pub(super) async fn resend(
        &mut self,
        deliveries: &Arc<Deliveries>,
        mut step: Box<Resending>,
    ) -> Result<(), StoreError> {
        let shared = &deliveries.shared;
        if shared.store.failed() {
            step.reply.send(Err(EngineError::Stopping));
            return Ok(());
        }
        // This step may write due deliveries, which the actor reads in its next turn. The actor must keep running until
        // then.
        self.hold();
        // Attempts that began before the endpoint was last disabled are aborted first, so that their events can be sent
        // again.
        if let Some(endpoint) = shared.store.look(&self.row())? {
            self.abort_stale(endpoint.as_ref());
        }
        let done = match &mut step.what {
            Resend::One(event) => self.resend_one(deliveries, *event).await,
            Resend::Now(event) => self.try_now(deliveries, *event).await,
            Resend::Missed(range) => self.resend_missed(deliveries, range).await,
        };
        match done {
            Ok((count, progress)) => {
                step.resent += count;
                match progress {
                    Progress::Continues => _ = self.myself.cast(Message::Resend(step)),
                    Progress::Waits => self.resending.push(*step),
                    Progress::Done => step.reply.send(Ok(step.resent)),
                }
            }
            // Earlier steps have already scheduled some events. If the request failed now, the caller would not learn
            // their number. So the request does not fail, and this step is repeated after a pause.
            Err(EngineError::Overloaded | EngineError::Resting(_)) if step.resent > 0 => {
                let myself = self.myself.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(OVERLOAD_PAUSE).await;
                    let _ = myself.cast(Message::Resend(step));
                });
            }
            Err(error) => step.reply.send(Err(error)),
        }
        Ok(())
    }

    fn resendable(&self, shared: &Shared) -> Result<WebhookEndpoint, EngineError> {
        let endpoint = shared.store.get::<WebhookEndpoint>(&self.row())?;
        let endpoint = endpoint.ok_or(Refusal::NotFound(Named::Webhook))?;
        if !endpoint.is_enabled() {
            let now = ProblemCode::now(WebhookStatus::Disabled);
            return Err(Refusal::conflict(Conflict::EndpointDisabled, "status", now).into());
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
        let delivery = self.logged(shared, event).await?;
        if delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending {
            let now = ProblemCode::now(DeliveryStatus::Pending);
            return Err(Refusal::conflict(Conflict::DeliveryPending, "status", now).into());
        }
        if self.is_under_way(event) {
            return Ok((0, Progress::Waits));
        }
        match self.send_again(deliveries, &[delivery]).await? {
            (_, true) => {
                let full = Conflict::BudgetUsedUp(BudgetKind::WaitingDeliveries);
                Err(Refusal::conflict(full, "waiting_deliveries", ProblemCode::WaitingFull).into())
            }
            (0, false) => {
                Err(Refusal::conflict(Conflict::EventWiped, "event_id", ProblemCode::EventWiped).into())
            }
            (sent, false) => Ok((sent, Progress::Done)),
        }
    }

    /// Makes the next attempt of a pending delivery due now. The schedule continues after this attempt.
    async fn try_now(
        &mut self,
        deliveries: &Deliveries,
        event: EventId,
    ) -> Result<(u64, Progress), EngineError> {
        let shared = &deliveries.shared;
        let delivery = self.logged(shared, event).await?;
        let endpoint = shared.store.get::<WebhookEndpoint>(&self.row())?;
        let endpoint = endpoint.ok_or(Refusal::NotFound(Named::Webhook))?;
        let status = delivery.status_in(endpoint.epoch);
        if status != DeliveryStatus::Pending {
            let now = ProblemCode::now(status);
            return Err(Refusal::conflict(Conflict::DeliveryNotPending(status), "status", now).into());
        }
        if self.attempting.contains_key(&event) {
            return Ok((1, Progress::Done));
        }
        if self.is_under_way(event) {
            return Ok((0, Progress::Waits));
        }
        let business = self.key.business;
        let due = Delivery { next_attempt_at: Some(shared.steady.now()), ..delivery.clone() };
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &due, delivery.next_attempt_at);
        shared.store.submit(business, batch, Box::new(|| ()));
        shared.store.wait_durable(business).await?;
        Ok((1, Progress::Done))
    }

    /// The delivery of an event, if the log shows it.
    async fn logged(&self, shared: &Shared, event: EventId) -> Result<Delivery, EngineError> {
        let EndpointKey { business, endpoint } = self.key;
        shared.store.wait_durable(business).await?;
        let delivery = shared.store.get::<Delivery>(&keys::delivery(business, endpoint, event))?;
        let delivery = delivery.filter(|delivery| delivery.created_at > shared.clocks.now() - LOG_DAYS);
        Ok(delivery.ok_or(Refusal::NotFound(Named::Delivery))?)
    }

    /// Resends the missed and failed deliveries in the next rows of the range. Returns how many were resent.
    async fn resend_missed(
        &mut self,
        deliveries: &Deliveries,
        range: &mut KeyRange,
    ) -> Result<(u64, Progress), EngineError> {
        let (shared, business) = (&deliveries.shared, self.key.business);
        shared.store.wait_durable(business).await?;
        let endpoint = self.resendable(shared)?; // the endpoint is read after the wait, like the rows below
        let oldest = shared.clocks.now() - LOG_DAYS;
        let (mut lost, mut last, mut waits) = (Vec::new(), None, false);
        for row in shared.store.records::<Delivery>(range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, delivery) = row?;
            let status = delivery.status_in(endpoint.epoch);
            // The step does not wait for a pending delivery, because the attempts may continue for days.
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
        let (count, is_full) =
            if lost.is_empty() { (0, false) } else { self.send_again(deliveries, &lost).await? };
        if let Some(last) = &last {
            *range = range.after(*last);
        }
        let progress = match last {
            _ if is_full => Progress::Done,
            _ if waits => Progress::Waits,
            Some(_) => Progress::Continues,
            None => Progress::Done,
        };
        Ok((count, progress))
    }

    /// Sends the given deliveries again. Skips deliveries whose events are wiped or must be wiped. Returns the number
    /// of scheduled deliveries, and true if the budget of waiting deliveries had no room for some of the given ones.
    async fn send_again(
        &self,
        deliveries: &Deliveries,
        lost: &[Delivery],
    ) -> Result<(u64, bool), EngineError> {
        let (shared, business) = (&deliveries.shared, self.key.business);
        let handle = deliveries.business(business).ok_or(EngineError::Stopping)?;
        let promised = handle.promise_waiting(lost.len()).await?;
        let room = usize::try_from(promised.rows()).unwrap_or(usize::MAX);
        let is_full = room < lost.len();
        // The endpoint is read again, because it may have changed while this function waited for the budget.
        let endpoint = self.resendable(shared)?;
        if room == 0 {
            return Ok((0, is_full));
        }
        let (mut batch, mut sent) = (Batch::default(), 0);
        for delivery in lost.iter().take(room) {
            if self.is_wiped(shared, delivery.event_id)? {
                continue;
            }
            assert!(
                !self.is_under_way(delivery.event_id),
                "a delivery with an attempt in progress must not be sent again"
            );
            let again = delivery.again(endpoint.epoch, shared.steady.now());
            write_delivery(&mut batch, self.key, &again, delivery.next_attempt_at);
            sent += 1;
        }
        shared.store.submit(business, batch, Box::new(|| ()));
        drop(promised); // from here on the submitted rows count against the budget
        shared.store.wait_durable(business).await?;
        Ok((sent, is_full))
    }

    /// Finds the next events that must be wiped, and cleans their deliveries. A cleaned delivery has no response body
    /// and gets no further attempt. A delivery is skipped if an attempt is in progress. A delivery that can still be
    /// sent is also skipped, until the deadline [`WipeRecord::until`] of its event.
    pub(super) async fn clean(
        &mut self,
        deliveries: &Arc<Deliveries>,
        after: Option<EventId>,
    ) -> Result<(), StoreError> {
        let EndpointKey { business, endpoint: id } = self.key;
        let shared = &deliveries.shared;
        shared.store.wait_durable(business).await?;
        let target = Target::read(&shared.store, self.key)?;
        let Some(Target { endpoint, suspended }) = target else { return Ok(()) };
        let (mut batch, mut last, mut looked_at) = (Batch::default(), None, 0);
        let all = keys::of_kind(business, kind::WIPE);
        let range = after.map_or(all, |after| all.after(keys::wipe(business, after)));
        for row in shared.store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, value) = row?;
            looked_at += 1;
            let Some(event) = shared.store.usable(&key, keys::id_at_end::<EventId>(&key))? else { continue };
            last = Some(event);
            // A wipe record that cannot be decoded counts as due now.
            let record = shared.store.usable(&key, WipeRecord::decode(&value))?;
            let delivery = shared.store.find::<Delivery>(&keys::delivery(business, id, event))?;
            let Some(delivery) = delivery.filter(|delivery| !delivery.is_clean()) else { continue };
            let is_pending = delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending;
            let is_late = record.is_none_or(|WipeRecord { until }| shared.clocks.steady() >= until);
            if self.is_under_way(event) || is_pending && endpoint.is_enabled() && !suspended && !is_late {
                continue;
            }
            write_delivery(&mut batch, self.key, &delivery.cleaned(), delivery.next_attempt_at);
        }
        let more = last.filter(|_| looked_at == ROWS_PER_TURN);
        let deliveries = Arc::downgrade(deliveries);
        let done: Done = match more {
            Some(_) => self.done(Message::Cleaned(more)),
            None => Box::new(move || {
                if let Some(deliveries) = deliveries.upgrade() {
                    deliveries.maintain(business);
                }
            }),
        };
        if batch.is_empty() {
            if more.is_some() {
                done();
            }
            return Ok(());
        }
        shared.store.submit(business, batch, done);
        shared.store.wait_durable(business).await // otherwise the actor's next turn would read the old rows
    }

    pub(super) fn is_to_be_wiped(&self, shared: &Shared, event: EventId) -> Result<bool, StoreError> {
        shared.store.contains(&keys::wipe(self.key.business, event))
    }

    /// Whether the event is wiped or must be wiped. A request never sends a wiped event again.
    pub(super) fn is_wiped(&self, shared: &Shared, event: EventId) -> Result<bool, StoreError> {
        let bytes = shared.store.get_raw(&keys::event(self.key.business, event))?;
        Ok(bytes.is_some_and(|bytes| bytes.is_empty()) || self.is_to_be_wiped(shared, event)?)
    }
}
