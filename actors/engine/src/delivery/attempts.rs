//! One attempt: its request, its end and the rows of its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use domain::{
    Actor as Who, AttemptFailure, BusinessId, Delivery, DeliveryStatus, EventId, ResourceId, WebhookEndpoint,
};
use net::{Post, WebhookClient};
use ractor::ActorRef;
use store::{Batch, StoreError, keys};
use tokio::time::timeout;

use super::dispatch::AttemptPermit;
use super::key::EndpointKey;
use super::message::{Ended, Message};
use super::post::signed;
use super::schedule::{AttemptResult, Next, after_attempt};
use super::service::Deliveries;
use super::state::{Attempting, State};
use super::write::write_delivery;
use crate::business::Request;
use crate::business::commands::webhooks::TurnOff;
use crate::error::EngineError;
use crate::live::LiveChange;
use crate::quota::Quota;
use crate::shared::Shared;

/// An attempt keeps its permit this long for the response body, which usually arrives with the head. The next
/// attempt then finds a reusable connection.
const BODY_GRACE: Duration = Duration::from_millis(10);
/// How long an endpoint waits after a shortage of this machine's own resources.
const SHORTAGE_PAUSE: Duration = Duration::from_secs(1);

impl State {
    pub(super) fn attempt(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
        endpoint: &WebhookEndpoint,
        mut delivery: Delivery,
        permit: AttemptPermit,
    ) -> Result<(), StoreError> {
        let Deliveries { shared, dispatcher, client, .. } = &**deliveries;
        let event = delivery.event_id;
        let body = match shared.store.find_raw(&keys::event(self.key.business, event))? {
            Some(body) if !body.is_empty() => body,
            none => {
                self.give_up(shared, myself, delivery, none.is_some());
                return Ok(());
            }
        };
        delivery.reached_before.get_or_insert(self.reached());
        self.attempts += 1;
        let (number, epoch) = (self.attempts, delivery.epoch);
        let under_way = dispatcher.under_way();
        let known = Arc::new(AtomicBool::new(false));
        let (post, began) = signed(shared, endpoint, &event.to_string(), body, false);
        let attempt = AttemptTask {
            client: client.clone(),
            bodies: Arc::clone(&dispatcher.bodies),
            business: self.key.business,
            reached: Arc::clone(&self.reached),
            known: Arc::clone(&known),
            myself: myself.clone(),
            event,
            number,
            permit,
        };
        let myself = myself.clone();
        let task = self.tasks.spawn(async move {
            let result = attempt.run(post).await;
            let ended = Ended { number, delivery, result, began, under_way };
            let _ = myself.cast(Message::Ended(Box::new(ended)));
        });
        self.attempting.insert(event, Attempting { number, epoch, known, task });
        Ok(())
    }

    /// Ends the attempts in progress that the endpoint must no longer receive: the attempts of an earlier
    /// epoch, or all attempts if the endpoint was deleted. Their permits are released immediately.
    pub(super) fn abort_stale(&mut self, myself: &ActorRef<Message>, endpoint: Option<&WebhookEndpoint>) {
        let before = self.attempting.len();
        let epoch = endpoint.filter(|endpoint| endpoint.is_enabled()).map(|endpoint| endpoint.epoch);
        self.attempting.retain(|_, attempt| {
            let goes_on = epoch == Some(attempt.epoch) || attempt.known.load(Ordering::Acquire);
            if !goes_on {
                attempt.task.abort();
            }
            goes_on
        });
        if self.attempting.len() < before {
            self.resend_what_waited(myself);
        }
    }

    pub(super) fn head(&mut self, event: EventId, number: u64) {
        if self.attempting.get(&event).is_some_and(|attempt| attempt.number == number) {
            self.attempting.remove(&event);
            self.recording.insert(event, number);
        }
    }

    pub(super) fn ended(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
        ended: Ended,
    ) -> Result<(), StoreError> {
        let event = ended.delivery.event_id;
        match self.attempting.get(&event) {
            Some(attempt) if attempt.number == ended.number => _ = self.attempting.remove(&event),
            None if self.recording.get(&event) == Some(&ended.number) => {}
            _ => return Ok(()), // the attempt was aborted
        }
        if !ended.result.made {
            // The shortage is local. The delivery stays due, and no attempt of the schedule is used up.
            self.pause(myself, SHORTAGE_PAUSE);
            self.resend_what_waited(myself);
            return Ok(());
        }
        self.record(deliveries, myself, ended)
    }

    pub(super) fn recorded(&mut self, myself: &ActorRef<Message>, event: EventId) {
        self.recording.remove(&event);
        self.resend_what_waited(myself);
    }

    fn resend_what_waited(&mut self, myself: &ActorRef<Message>) {
        for resending in self.resending.drain(..) {
            let _ = myself.cast(Message::Resend(Box::new(resending)));
        }
    }

    /// Writes the outcome of an attempt. If the endpoint must be disabled, the business actor writes it in
    /// the same batch.
    pub(super) fn record(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
        ended: Ended,
    ) -> Result<(), StoreError> {
        let (shared, event) = (&deliveries.shared, ended.delivery.event_id);
        // A deleted endpoint keeps no rows.
        if matches!(shared.store.look::<WebhookEndpoint>(&self.row())?, Some(None)) {
            self.recorded(myself, event);
            return Ok(());
        }
        let now = shared.steady.now();
        let (mut after, next) =
            after_attempt(&ended.delivery, ended.result.clone(), (ended.began, now), self.reached());
        let is_wiped = after.next_attempt_at.is_none() && self.is_to_be_wiped(shared, event)?;
        if is_wiped {
            after = after.cleaned();
        }
        self.recording.insert(event, ended.number);
        if next == Next::TurnOff {
            self.turn_off(deliveries, myself, after, ended);
            return Ok(());
        }
        let EndpointKey { business, endpoint } = self.key;
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &after, ended.delivery.next_attempt_at);
        // The count is durable no later than a delivery that refers to it.
        let reached = self.reached();
        if self.reached_written != reached {
            self.reached_written = reached;
            batch.put(keys::delivery_reached(business, endpoint), reached.to_be_bytes().to_vec());
        }
        let (myself, under_way) = (myself.clone(), ended.under_way);
        let deliveries = Arc::downgrade(deliveries);
        let done = move || {
            let _ = myself.cast(Message::Recorded(event));
            if let Some(deliveries) = deliveries.upgrade() {
                if is_wiped {
                    deliveries.maintain(business); // the business then wipes the event
                }
                let change = LiveChange { kind: "delivery", id: endpoint.uuid(), person: None };
                deliveries.shared.live.tell(business, [change]);
            }
            drop(under_way);
        };
        shared.store.submit_outcome(business, batch, Box::new(done));
        Ok(())
    }

    fn turn_off(&self, deliveries: &Deliveries, myself: &ActorRef<Message>, after: Delivery, ended: Ended) {
        let EndpointKey { business, endpoint } = self.key;
        let Some(handle) = deliveries.business(business) else { return };
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

    /// Ends a delivery whose event is missing, wiped or unreadable, so that it does not block the other
    /// deliveries.
    fn give_up(&mut self, shared: &Shared, myself: &ActorRef<Message>, delivery: Delivery, was_wiped: bool) {
        let EndpointKey { business, endpoint } = self.key;
        let event = delivery.event_id;
        let due_before = delivery.next_attempt_at;
        let after = if was_wiped {
            delivery.cleaned()
        } else {
            tracing::error!(
                business.id = %business,
                webhook.id = %endpoint,
                event.id = %event,
                "the event of a pending delivery is missing or cannot be read; the delivery has failed"
            );
            Delivery {
                status: DeliveryStatus::Failed,
                last_error: Some(AttemptFailure::EventGone.into()),
                next_attempt_at: None,
                ..delivery
            }
        };
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &after, due_before);
        self.recording.insert(event, self.attempts);
        let myself = myself.clone();
        shared.store.submit(business, batch, Box::new(move || _ = myself.cast(Message::Recorded(event))));
    }
}

struct AttemptTask {
    client: WebhookClient,
    bodies: Arc<Quota>,
    business: BusinessId,
    reached: Arc<AtomicU64>,
    known: Arc<AtomicBool>,
    myself: ActorRef<Message>,
    event: EventId,
    number: u64,
    permit: AttemptPermit,
}

impl AttemptTask {
    /// Makes the attempt. Its permit is released when the head of the response arrives, or [`BODY_GRACE`]
    /// later. The rest of the body is read without a permit. A separate bound limits these reads, and a body
    /// over the bound is not read.
    async fn run(self, post: Post) -> AttemptResult {
        let Self { client, bodies, business, reached, known, myself, event, number, mut permit } = self;
        permit.begin();
        let (attempt, rest) = client.post(post).await;
        known.store(true, Ordering::Release);
        let mut result = AttemptResult::from(attempt);
        if result.delivered {
            reached.fetch_add(1, Ordering::AcqRel);
        }
        if result.made {
            permit.end(result.delivered);
        }
        let Some(rest) = rest else { return result };
        let mut body = Box::pin(client.body(rest));
        if let Ok(text) = timeout(BODY_GRACE, &mut body).await {
            result.response_body = Some(text);
            return result;
        }
        drop(permit);
        let Some(_permit) = bodies.take_owned(business) else { return result };
        let _ = myself.cast(Message::Head(event, number));
        result.response_body = Some(body.await);
        result
    }
}
