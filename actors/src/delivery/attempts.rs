//! One attempt: the room for it, its request, and what is written of its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ractor::ActorRef;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::EndpointKey;
use super::actor::{Message, State};
use super::schedule::{AttemptResult, Next, after_attempt};
use super::signature::sign;
use crate::business::Request;
use crate::business::commands::webhooks::TurnOff;
use crate::domain::{Actor as Who, Delivery, DeliveryStatus, Timestamp, WebhookEndpoint};
use crate::engine::{EngineError, Inner};
use crate::net::{Post, WebhookUrl};
use crate::store::{Batch, Record, StoreError, keys};

/// How many attempts of all endpoints may be under way at once. Each has a connection, or looks a name up.
pub(crate) const ATTEMPTS_ALL_MAX: usize = 1_024;
/// How many of them to endpoints that the last attempt did not reach, so that there is always room for the others.
pub(crate) const ATTEMPTS_DOUBTFUL_MAX: usize = 768;
/// Once fewer of those are free, such an endpoint gets one attempt at a time.
const SCARCE: usize = ATTEMPTS_DOUBTFUL_MAX / 2;
/// How long an endpoint waits when this machine was short of something.
const SHORTAGE_PAUSE: Duration = Duration::from_secs(1);

/// The room for attempts of all endpoints, and how many were made.
#[derive(Debug)]
pub(crate) struct Slots {
    all: Arc<Semaphore>,
    doubtful: Arc<Semaphore>,
    delivered: AtomicU64,
    failed: AtomicU64,
}

/// The right to one attempt, held until its outcome is on the disk.
#[derive(Debug)]
pub(crate) struct Slot {
    _all: OwnedSemaphorePermit,
    _doubtful: Option<OwnedSemaphorePermit>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(ATTEMPTS_ALL_MAX)),
            doubtful: Arc::new(Semaphore::new(ATTEMPTS_DOUBTFUL_MAX)),
            delivered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        }
    }
}

impl Slots {
    /// Room for one more attempt of an endpoint that has so many under way, if there is any.
    pub(super) fn take(&self, doubtful: bool, under_way: usize) -> Option<Slot> {
        let doubtful = if doubtful {
            if under_way > 0 && self.doubtful.available_permits() < SCARCE {
                return None;
            }
            Some(Arc::clone(&self.doubtful).try_acquire_owned().ok()?)
        } else {
            None
        };
        Some(Slot { _all: Arc::clone(&self.all).try_acquire_owned().ok()?, _doubtful: doubtful })
    }

    /// Waits until nothing is under way.
    pub(crate) async fn idle(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "a small constant")]
        let all = self.all.acquire_many(ATTEMPTS_ALL_MAX as u32);
        drop(all.await);
    }

    /// How many attempts are under way, or on their way to the disk.
    pub(crate) fn under_way(&self) -> usize {
        ATTEMPTS_ALL_MAX.saturating_sub(self.all.available_permits())
    }

    /// How many attempts reached their endpoint, and how many failed.
    pub(crate) fn made(&self) -> (u64, u64) {
        (self.delivered.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed))
    }
}

/// An attempt that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(super) delivery: Delivery,
    pub(super) result: AttemptResult,
    pub(super) began: Timestamp,
    pub(super) slot: Slot,
}

impl State {
    /// Begins an attempt in a task of its own.
    pub(super) fn attempt(
        &mut self,
        inner: &Arc<Inner>,
        myself: &ActorRef<Message>,
        endpoint: &WebhookEndpoint,
        mut delivery: Delivery,
        slot: Slot,
    ) -> Result<(), StoreError> {
        let event = delivery.event_id;
        let Some(body) = inner.store.get_raw(&keys::event(self.key.business, event))? else {
            self.give_up(inner, myself, delivery);
            return Ok(());
        };
        delivery.reached_before.get_or_insert(self.reached());
        self.attempting.insert(event);
        let (client, reached, myself) = (inner.webhooks.clone(), Arc::clone(&self.reached), myself.clone());
        match signed(inner, endpoint, &event.to_string(), body, false) {
            Ok((post, began)) => {
                self.tasks.spawn(async move {
                    // Known with the head of the answer, however slow its body is.
                    let on_head = |delivered| {
                        if delivered {
                            reached.fetch_add(1, Ordering::AcqRel);
                        }
                    };
                    let result = client.post(post, on_head).await.into();
                    let _ = myself.cast(Message::Ended(Box::new(Ended { delivery, result, began, slot })));
                });
            }
            Err(result) => {
                let began = inner.clocks.now();
                let _ = myself.cast(Message::Ended(Box::new(Ended { delivery, result, began, slot })));
            }
        }
        Ok(())
    }

    /// Takes note of an attempt that has ended, and has it written.
    pub(super) fn ended(
        &mut self,
        inner: &Arc<Inner>,
        myself: &ActorRef<Message>,
        ended: Ended,
    ) -> Result<(), StoreError> {
        self.attempting.remove(&ended.delivery.event_id);
        if !ended.result.made {
            // For want of something here, not there: it is still due, and no attempt of the schedule is used up.
            self.again.remove(&ended.delivery.event_id);
            self.pause(myself, SHORTAGE_PAUSE);
            return Ok(());
        }
        (self.doubtful, self.unproven) = (!ended.result.delivered, false);
        let count = if ended.result.delivered { &inner.slots.delivered } else { &inner.slots.failed };
        count.fetch_add(1, Ordering::Relaxed);
        self.record(inner, myself, ended)
    }

    /// Writes what came of an attempt. Turning the endpoint off is the business's to write, in the same batch.
    pub(super) fn record(
        &mut self,
        inner: &Arc<Inner>,
        myself: &ActorRef<Message>,
        ended: Ended,
    ) -> Result<(), StoreError> {
        let event = ended.delivery.event_id;
        // An endpoint that was deleted meanwhile leaves nothing behind.
        if self.endpoint(inner)?.is_none() {
            return Ok(());
        }
        let now = inner.steady.now();
        let (after, next) =
            after_attempt(&ended.delivery, ended.result.clone(), (ended.began, now), self.reached());
        let due_before = match self.again.remove(&event) {
            None => ended.delivery.next_attempt_at,
            Some(due) if next == Next::Delivered => Some(due),
            Some(_) => return Ok(()), // it stands in the store already that it is sent again
        };
        self.recording.insert(event);
        if next == Next::TurnOff {
            self.turn_off(inner, myself, after, ended);
            return Ok(());
        }
        let EndpointKey { business, endpoint } = self.key;
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &after, due_before);
        // Written no later than any delivery that counts from it.
        let reached = self.reached();
        if self.reached_written != reached {
            self.reached_written = reached;
            batch.put(keys::delivery_reached(business, endpoint), reached.to_be_bytes().to_vec());
        }
        let (myself, slot) = (myself.clone(), ended.slot);
        let done = move || {
            let _ = myself.cast(Message::Recorded(event));
            drop(slot);
        };
        inner.store.submit(business, batch, Box::new(done));
        Ok(())
    }

    /// Has the business turn the endpoint off.
    fn turn_off(&self, inner: &Arc<Inner>, myself: &ActorRef<Message>, after: Delivery, ended: Ended) {
        let EndpointKey { business, endpoint } = self.key;
        let handle = crate::BusinessHandle { inner: Arc::clone(inner), id: business };
        let (due, event) = (ended.delivery.next_attempt_at, after.event_id);
        let (reached, myself) = (Arc::clone(&self.reached), myself.clone());
        tokio::spawn(async move {
            let change = TurnOff { endpoint, delivery: after, due, reached };
            let message = match handle.change(Request::by(Who::System), change).await {
                Ok(_) | Err(EngineError::Refused(_) | EngineError::NotFound) => Message::Recorded(event),
                Err(EngineError::Stopping) => return,
                Err(_) => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Message::NotRecorded(Box::new(ended))
                }
            };
            let _ = myself.cast(message);
        });
    }

    /// Ends a delivery whose event is not there. One that cannot be made must not hold the others up.
    fn give_up(&mut self, inner: &Inner, myself: &ActorRef<Message>, delivery: Delivery) {
        let EndpointKey { business, endpoint } = self.key;
        let event = delivery.event_id;
        tracing::error!(
            business.id = %business,
            webhook.id = %endpoint,
            event.id = %event,
            "a delivery waits whose event is not there; it has failed"
        );
        let due_before = delivery.next_attempt_at;
        let after = Delivery {
            status: DeliveryStatus::Failed,
            last_error: Some("the event is not kept any more".into()),
            next_attempt_at: None,
            ..delivery
        };
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &after, due_before);
        self.recording.insert(event);
        let myself = myself.clone();
        inner.store.submit(business, batch, Box::new(move || _ = myself.cast(Message::Recorded(event))));
    }
}

/// Writes a delivery as it shall be, and moves its row among those that wait.
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

/// The signed request of an attempt that begins now, or the result of one that cannot be made.
pub(crate) fn signed(
    inner: &Inner,
    endpoint: &WebhookEndpoint,
    id: &str,
    body: Vec<u8>,
    test: bool,
) -> Result<(Post, Timestamp), AttemptResult> {
    let url = WebhookUrl::parse(&endpoint.url).map_err(|_| AttemptResult {
        made: true,
        delivered: false,
        response_status: None,
        response_body: None,
        error: Some("the URL is refused".into()),
    })?;
    // Receivers hold it against their own clocks, not against our stamps.
    let seconds = inner.clocks.raw().millis().div_euclid(1_000);
    let mut headers = vec![
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", sign(endpoint.secret.bytes(), id, seconds, &body)),
        ("content-type", "application/json".to_owned()),
    ];
    if test {
        headers.push(("webhook-test", "true".to_owned()));
    }
    Ok((Post { url, headers, body: body.into() }, inner.clocks.now()))
}
