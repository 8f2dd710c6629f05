//! The rows of an endpoint's due index.

use chrono::TimeDelta;
use domain::{Delivery, DeliveryStatus, EventId, Timestamp, WebhookEndpoint};
use ractor::ActorRef;
use store::{Batch, Key, Order, StoreError, keys};

use super::key::EndpointKey;
use super::message::Message;
use super::schedule::delay_before;
use super::state::{ROWS_PER_TURN, State};
use super::write::write_delivery;
use crate::shared::Shared;

/// A due time further ahead of the schedule than this was written by a wrong clock.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

pub(super) struct Due {
    pub(super) now: Vec<Delivery>,
    pub(super) next: Option<Timestamp>,
    /// Whether another read must follow immediately.
    pub(super) more: bool,
}

impl State {
    /// Reads the waiting rows in the order of their due times and deletes stale ones.
    pub(super) async fn due(
        &self,
        shared: &Shared,
        endpoint: &WebhookEndpoint,
        now: Timestamp,
        room: usize,
    ) -> Result<Due, StoreError> {
        let mut due = Due { now: Vec::new(), next: None, more: false };
        let mut batch = Batch::default();
        let EndpointKey { business, endpoint: id } = self.key;
        let range = keys::deliveries_due(business, id);
        let mut looked_at = 0;
        let rows = shared.store.walk(&range, Order::Ascending, |key, _| keys::instant_and_id::<EventId>(key));
        for row in rows {
            let (key, (at, event)) = row?;
            if self.is_under_way(event) {
                continue;
            }
            if due.now.len() == room {
                break; // the first attempt that ends asks for a turn
            }
            if looked_at >= ROWS_PER_TURN {
                due.more = true;
                break;
            }
            let delivery = shared.store.look::<Delivery>(&keys::delivery(business, id, event))?;
            // A row that cannot be decoded stays in the store and is not counted. Otherwise it would
            // permanently hide the rows after it in key order.
            let Some(delivery) = delivery else { continue };
            looked_at += 1;
            let Some(delivery) = delivery.filter(|delivery| waits(delivery, endpoint, at)) else {
                batch.delete(key);
                continue;
            };
            if at > now {
                due.next = Some(at);
                break;
            }
            due.now.push(delivery);
        }
        if !batch.is_empty() {
            shared.store.submit(business, batch, Box::new(|| ()));
            shared.store.settled_to_send(business).await?; // otherwise the next turn would find them again
        }
        if !endpoint.is_enabled() {
            due.now.clear();
            due.next = None;
        }
        Ok(due)
    }

    /// Moves due times back that are later than the schedule allows. The wall clock was ahead when they were
    /// written and was corrected later.
    pub(super) async fn clamp_due_times(&mut self, shared: &Shared) -> Result<(), StoreError> {
        let EndpointKey { business, endpoint: id } = self.key;
        let Some(endpoint) = shared.store.find::<WebhookEndpoint>(&self.row())? else { return Ok(()) };
        let (now, mut range) = (shared.steady.now(), keys::deliveries_due(business, id));
        loop {
            let (mut batch, mut last) = (Batch::default(), None);
            let rows =
                shared.store.walk(&range, Order::Descending, |key, _| keys::instant_and_id::<EventId>(key));
            for row in rows.take(ROWS_PER_TURN) {
                let (key, (at, event)) = row?;
                if at <= now + AHEAD_MAX {
                    last = None;
                    break;
                }
                last = Some(key);
                let delivery = shared.store.find::<Delivery>(&keys::delivery(business, id, event))?;
                let Some(delivery) = delivery.filter(|delivery| waits(delivery, &endpoint, at)) else {
                    continue;
                };
                if self.is_under_way(event) {
                    continue; // it was due
                }
                let latest = latest(&delivery, now);
                if at > latest + AHEAD_MAX {
                    let after = Delivery { next_attempt_at: Some(latest), ..delivery };
                    write_delivery(&mut batch, self.key, &after, Some(at));
                }
            }
            if !batch.is_empty() {
                shared.store.submit(business, batch, Box::new(|| ()));
                shared.store.settled(business).await?;
            }
            match last {
                Some(last) => range = range.before(last),
                None => return Ok(()),
            }
            tokio::task::yield_now().await;
        }
    }

    /// Deletes the rows of a deleted endpoint in bounded steps. Each step starts after the commit of the
    /// previous step. Otherwise it would read the same rows again.
    pub(super) fn purge(&mut self, shared: &Shared, myself: &ActorRef<Message>) -> Result<(), StoreError> {
        if self.purging {
            return Ok(());
        }
        let EndpointKey { business, endpoint } = self.key;
        let mut batch = Batch::default();
        for range in [keys::deliveries_due(business, endpoint), keys::deliveries(business, endpoint)] {
            for row in shared.store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
                batch.delete(Key::new(&row?.0));
            }
        }
        let listed = keys::endpoint_index(business, endpoint);
        if batch.is_empty() && shared.store.contains(&listed)? {
            batch.delete(keys::delivery_reached(business, endpoint));
            batch.delete(listed);
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.purging = true;
        let myself = myself.clone();
        shared.store.submit(business, batch, Box::new(move || _ = myself.cast(Message::Purged)));
        Ok(())
    }
}

/// The latest due time that the schedule allows.
fn latest(delivery: &Delivery, now: Timestamp) -> Timestamp {
    now + delay_before(delivery.attempts)
}

/// Whether any due time of an endpoint is later than the schedule allows.
pub(super) async fn is_beyond_schedule(shared: &Shared, key: EndpointKey) -> Result<bool, StoreError> {
    let EndpointKey { business, endpoint } = key;
    let (now, mut range) = (shared.steady.now(), keys::deliveries_due(business, endpoint));
    loop {
        let mut last = None;
        let rows =
            shared.store.walk(&range, Order::Descending, |key, _| keys::instant_and_id::<EventId>(key));
        for row in rows.take(ROWS_PER_TURN) {
            let (row, (at, event)) = row?;
            if at <= now + AHEAD_MAX {
                return Ok(false);
            }
            let delivery = shared.store.find::<Delivery>(&keys::delivery(business, endpoint, event))?;
            if delivery.is_some_and(|delivery| at > latest(&delivery, now) + AHEAD_MAX) {
                return Ok(true);
            }
            last = Some(row);
        }
        let Some(last) = last else { return Ok(false) };
        range = range.before(last);
        tokio::task::yield_now().await;
    }
}

fn waits(delivery: &Delivery, endpoint: &WebhookEndpoint, at: Timestamp) -> bool {
    delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending && delivery.next_attempt_at == Some(at)
}
