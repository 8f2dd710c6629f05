//! A turn of an endpoint's actor, and the rows of the endpoint's due index. A turn reads the due rows, begins
//! an attempt for each permit and sets the time at which the dispatcher wakes the endpoint next.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{Delivery, DeliveryStatus, EventId, Timestamp, WebhookEndpoint};
use store::{Batch, Key, KeyRange, Order, Record, StoreError, Weight, keys, unless_set_aside};
use tokio::time::Instant;

use super::EndpointKey;
use super::actor::Message;
use super::dispatch::ATTEMPTS_MAX;
use super::schedule::delay_before;
use super::service::Deliveries;
use super::state::{ROWS_PER_TURN, State, Target};
use crate::shared::Shared;

/// The maximum number of attempts whose outcome is known but not durable. The status of the response determines the
/// outcome, so an attempt counts even while the body of its response is still being read.
const RECORDING_MAX: usize = 64;

/// The maximum number of due deliveries that the actor remembers between two reads of the index.
const AHEAD_ROWS: usize = 64;
const _: () = assert!(AHEAD_ROWS >= ATTEMPTS_MAX, "a turn may begin this many attempts");

/// A tolerance. The schedule determines the latest possible due time of a delivery. If the stored due time is later by
/// more than this tolerance, it was set while the clock was wrong.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

pub(super) struct Due {
    pub(super) now: Vec<Delivery>,
    pub(super) next: Option<Timestamp>,
    /// Whether another read must follow immediately.
    pub(super) more: bool,
}

impl State {
    pub(super) async fn turn(&mut self, deliveries: &Arc<Deliveries>) -> Result<(), StoreError> {
        let Deliveries { shared, dispatcher, client, .. } = &**deliveries;
        if shared.check_open().is_err() {
            // The attempts in progress continue while the engine closes, unless their endpoint has been disabled.
            if let Ok(target) = self.target.read(&shared.store, self.key) {
                self.abort_stale(target.as_ref().map(|target| &target.endpoint));
            }
            self.attempt_permits.clear();
            return Ok(());
        }
        // If `hold` gets no permit, the actor is being stopped. The turn then ends early, so that it does not overwrite
        // a newer wake-up in the dispatcher.
        self.hold();
        if self.work.is_none() {
            if !self.attempt_permits.is_empty() {
                self.attempt_permits.clear();
                dispatcher.wake(self.key);
            }
            return Ok(());
        }
        let target = unless_set_aside(self.target.read(&shared.store, self.key))?;
        let Some(target) = target else {
            // The endpoint's record is unreadable, so nothing can be sent. The deliveries stay stored.
            self.wait_without_work(deliveries, None);
            return Ok(());
        };
        self.abort_stale(target.as_ref().map(|target| &target.endpoint));
        if shared.store.check_room(Weight::Keeps).is_err() {
            // Outcomes cannot be written on a full disk, so no permit is used until there is room.
            self.attempt_permits.clear();
            dispatcher.wake(self.key);
            self.rest(deliveries, false);
            return Ok(());
        }
        let Some(Target { endpoint, suspended }) = target.as_deref() else {
            self.wait(deliveries, None);
            self.purge(shared)?;
            self.rest(deliveries, self.purging);
            return Ok(());
        };
        while self.tasks.try_join_next().is_some() {}
        let room = ATTEMPTS_MAX.saturating_sub(self.attempting.len());
        let room = room.min(RECORDING_MAX.saturating_sub(self.recording.len()));
        if room == 0 {
            self.wait(deliveries, None); // the next attempt that ends requests a turn
            return Ok(());
        }
        if *suspended {
            // The deliveries wait. The change that ends the suspension wakes all endpoints of the business.
            self.wait_without_work(deliveries, None);
            return Ok(());
        }
        if let Some(until) = self.paused_until.filter(|until| Instant::now() < *until) {
            self.wait_without_work(deliveries, Some(until - Instant::now()));
            return Ok(());
        }
        let alert_in = self.alert_of_failing(deliveries, endpoint);
        let now = shared.steady.now();
        let mut due = self.due(shared, endpoint, now, room).await?;
        if due.more {
            self.ask_turn();
        }
        if due.now.is_empty() {
            let next = due.next.map(|next| (next - now).to_std().unwrap_or_default());
            self.wait(deliveries, next.into_iter().chain(alert_in).min());
            self.rest(deliveries, due.more);
            return Ok(());
        }
        // During an outage, each failed probe allows one trial attempt, and `take_trial` claims it. An endpoint without
        // due deliveries must not claim the attempt, because it has nothing to send. So the function returns before
        // this point if `due.now` is empty.
        let network = client.network();
        if network.is_out() && client.is_cut_off_from(&endpoint.url) {
            due.now.truncate(usize::from(network.take_trial()));
        }
        if due.now.is_empty() {
            dispatcher.cut_off(self.key);
            self.attempt_permits.clear();
            self.rest(deliveries, due.more);
            return Ok(());
        }
        // The attempts begin after the business's changes in progress are durable, because the clients of
        // these changes have priority. The changes may add deliveries and change the endpoint, so the
        // endpoint is read again.
        shared.store.wait_durable_to_send(self.key.business).await?;
        let epoch = endpoint.epoch;
        let target = self.target.read(&shared.store, self.key)?;
        let target = target.filter(|now| now.endpoint.epoch == epoch && !now.suspended);
        let Some(target) = target else {
            self.ask_turn();
            return Ok(());
        };
        let missing = due.now.len().saturating_sub(self.attempt_permits.len());
        if missing > 0 {
            self.attempt_permits.extend(dispatcher.want(self.key, missing));
        } else {
            let next = due.next.map(|next| (next - now).to_std().unwrap_or_default());
            dispatcher.rest(self.key, next);
        }
        for delivery in due.now {
            let Some(permit) = self.attempt_permits.pop() else { break };
            self.ahead.pop_front();
            self.attempt(deliveries, &target.endpoint, delivery, permit)?;
        }
        self.attempt_permits.clear();
        self.rest(deliveries, due.more);
        Ok(())
    }

    /// Returns the next due deliveries in the order of their due times. If the actor remembers too few of them, reads
    /// the due index again and deletes rows whose delivery no longer waits.
    pub(super) async fn due(
        &mut self,
        shared: &Shared,
        endpoint: &WebhookEndpoint,
        now: Timestamp,
        room: usize,
    ) -> Result<Due, StoreError> {
        let mut due = Due { now: self.remembered(shared, endpoint, room)?, next: None, more: false };
        if due.now.len() == room {
            return Ok(due); // the first attempt that ends requests a turn
        }
        due.now.clear();
        self.ahead.clear();
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
            if looked_at >= ROWS_PER_TURN {
                due.more = true;
                break;
            }
            let delivery = shared.store.look::<Delivery>(&keys::delivery(business, id, event))?;
            // The index row of an undecodable delivery is not deleted, and does not count towards `ROWS_PER_TURN`. If
            // it counted, such rows could use up the limit in every turn, and later rows would never be read.
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
            self.ahead.push_back((at, event));
            if due.now.len() < room {
                due.now.push(delivery);
            }
            if self.ahead.len() == AHEAD_ROWS {
                break;
            }
        }
        if !batch.is_empty() {
            shared.store.submit(business, batch, Box::new(|| ()));
            shared.store.wait_durable_to_send(business).await?; // the next turn must see the deletions
        }
        if !endpoint.is_enabled() {
            due.now.clear();
            due.next = None;
            self.ahead.clear();
        }
        Ok(due)
    }

    /// Returns deliveries from the list `ahead`, at most `room`. The list contains the deliveries that the last read of
    /// the due index found. If a delivery no longer waits, removes it from the list and does not return it; the next
    /// read of the index deletes its row. No returned delivery is in progress, because a delivery leaves `ahead` when
    /// its attempt begins.
    fn remembered(
        &mut self,
        shared: &Shared,
        endpoint: &WebhookEndpoint,
        room: usize,
    ) -> Result<Vec<Delivery>, StoreError> {
        let EndpointKey { business, endpoint: id } = self.key;
        let mut found = Vec::new();
        while found.len() < room.min(self.ahead.len()) {
            let (at, event) = self.ahead[found.len()];
            let delivery = shared.store.find::<Delivery>(&keys::delivery(business, id, event))?;
            match delivery.filter(|delivery| waits(delivery, endpoint, at)) {
                Some(delivery) => found.push(delivery),
                None => _ = self.ahead.remove(found.len()),
            }
        }
        Ok(found)
    }

    /// Corrects due times that a wrong wall clock has set later than the schedule allows.
    pub(super) async fn clamp_due_times(&mut self, shared: &Shared) -> Result<(), StoreError> {
        let EndpointKey { business, endpoint: id } = self.key;
        let Some(endpoint) = shared.store.find::<WebhookEndpoint>(&self.row())? else { return Ok(()) };
        let mut left = Some(keys::deliveries_due(business, id));
        while let Some(range) = left {
            let (late, rest) = next_too_late(shared, self.key, range)?;
            left = rest;
            let mut batch = Batch::default();
            for (at, latest, delivery) in late {
                // If an attempt is in progress, its outcome sets the new due time.
                if waits(&delivery, &endpoint, at) && !self.is_under_way(delivery.event_id) {
                    let after = Delivery { next_attempt_at: Some(latest), ..delivery };
                    write_delivery(&mut batch, self.key, &after, Some(at));
                }
            }
            if !batch.is_empty() {
                shared.store.submit(business, batch, Box::new(|| ()));
                shared.store.wait_durable(business).await?;
            }
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Deletes the rows of a deleted endpoint in bounded steps, each after the commit of the previous step.
    pub(super) fn purge(&mut self, shared: &Shared) -> Result<(), StoreError> {
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
        shared.store.submit(business, batch, self.done(Message::Purged));
        Ok(())
    }
}

pub(super) async fn is_beyond_schedule(shared: &Shared, key: EndpointKey) -> Result<bool, StoreError> {
    let mut left = Some(keys::deliveries_due(key.business, key.endpoint));
    while let Some(range) = left {
        let (late, rest) = next_too_late(shared, key, range)?;
        if !late.is_empty() {
            return Ok(true);
        }
        left = rest;
        tokio::task::yield_now().await;
    }
    Ok(false)
}

/// A delivery that is due too late: its due time, the latest due time that the schedule allows, and the delivery.
type TooLate = (Timestamp, Timestamp, Delivery);

/// Reads the last rows of the range. Returns the deliveries whose due time is later than the schedule allows. Also
/// returns the rest of the range if it may contain more such deliveries.
fn next_too_late(
    shared: &Shared,
    EndpointKey { business, endpoint }: EndpointKey,
    range: KeyRange,
) -> Result<(Vec<TooLate>, Option<KeyRange>), StoreError> {
    let (now, mut late, mut left) = (shared.steady.now(), Vec::new(), None);
    let rows = shared.store.walk(&range, Order::Descending, |key, _| keys::instant_and_id::<EventId>(key));
    for row in rows.take(ROWS_PER_TURN) {
        let (row, (at, event)) = row?;
        if at <= now + AHEAD_MAX {
            return Ok((late, None));
        }
        left = Some(range.before(row));
        let delivery = shared.store.find::<Delivery>(&keys::delivery(business, endpoint, event))?;
        if let Some(delivery) = delivery {
            let latest = now + delay_before(delivery.attempts);
            if at > latest + AHEAD_MAX {
                late.push((at, latest, delivery));
            }
        }
    }
    Ok((late, left))
}

fn waits(delivery: &Delivery, endpoint: &WebhookEndpoint, at: Timestamp) -> bool {
    delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending && delivery.next_attempt_at == Some(at)
}

/// Writes a delivery and moves its row in the due index.
pub(crate) fn write_delivery(
    batch: &mut Batch,
    key: EndpointKey,
    after: &Delivery,
    due_before: Option<Timestamp>,
) {
    let EndpointKey { business, endpoint } = key;
    if let Some(due) = due_before {
        batch.delete(keys::delivery_due(business, endpoint, due, after.event_id));
    }
    if let Some(due) = after.next_attempt_at {
        batch.put(keys::delivery_due(business, endpoint, due, after.event_id), Vec::new());
    }
    batch.put(keys::delivery(business, endpoint, after.event_id), after.encode());
}
