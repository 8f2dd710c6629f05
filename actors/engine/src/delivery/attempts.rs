//! One attempt: its request, its end and the rows of its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{
    Actor as Who, AttemptFailure, Delivery, DeliveryStatus, EventId, Failing, ResourceId, WebhookEndpoint,
};
use net::Outcome;
use store::{Batch, StoreError, keys};
use tokio::time::timeout;

use super::EndpointKey;
use super::actor::{Ended, Message};
use super::dispatch::AttemptPermit;
use super::due::write_delivery;
use super::schedule::after_attempt;
use super::service::Deliveries;
use super::signature::signed;
use super::state::{Attempting, Reached, State};
use crate::business::Request;
use crate::business::commands::webhooks::{AlertOfFailing, TurnOff};
use crate::error::EngineError;
use crate::live::{LiveChange, LiveKind};
use crate::shared::Shared;

/// While the body of a response is read, the attempt keeps its permit for at most this time. If the body ends within
/// this time, the connection becomes free first, and then the permit. So the next attempt, which needs the permit, can
/// reuse the connection.
const BODY_GRACE: Duration = Duration::from_millis(10);
/// The pause of an endpoint after an attempt that failed because this machine lacked resources.
const SHORTAGE_PAUSE: Duration = Duration::from_secs(1);

/// Whether the team must still get an alert about the outage.
pub(super) fn is_unreported(endpoint: &WebhookEndpoint, failing: Failing) -> bool {
    endpoint.is_enabled() && endpoint.alerted_of != Some(failing.since)
}

impl State {
    /// Begins an attempt. The attempt returns its permit when the body of the response has been read, but not later
    /// than [`BODY_GRACE`] after the head. The rest of a slower body is read without a permit. If too many bodies are
    /// being read without a permit, the rest is not read.
    pub(super) fn attempt(
        &mut self,
        deliveries: &Deliveries,
        endpoint: &WebhookEndpoint,
        mut delivery: Delivery,
        mut permit: AttemptPermit,
    ) -> Result<(), StoreError> {
        let Deliveries { shared, dispatcher, .. } = deliveries;
        let (business, event) = (self.key.business, delivery.event_id);
        let payload = match shared.store.find_raw(&keys::event(business, event))? {
            Some(payload) if !payload.is_empty() => payload,
            none => {
                self.give_up(shared, delivery, none.is_some());
                return Ok(());
            }
        };
        delivery.reached_before.get_or_insert(self.reached());
        self.attempts += 1;
        let (number, epoch) = (self.attempts, delivery.epoch);
        let known = Arc::new(AtomicBool::new(false));
        let is_known = Arc::clone(&known);
        let (post, began) = signed(shared, endpoint, &event.to_string(), payload, false);
        let (client, bodies, under_way) =
            (deliveries.client.clone(), Arc::clone(&dispatcher.bodies), dispatcher.under_way());
        let (reached, myself) = (Arc::clone(&self.reached), self.myself.clone());
        let task = self.tasks.spawn(async move {
            let (attempt, rest) = client.post(post).await;
            is_known.store(true, Ordering::Release);
            let delivered = attempt.outcome == Outcome::Delivered;
            if delivered {
                reached.fetch_add(1, Ordering::AcqRel);
            }
            if attempt.outcome != Outcome::NotMade {
                permit.end(delivered, attempt.duration);
            }
            let mut body = None;
            if let Some(rest) = rest {
                let mut reading = Box::pin(client.body(rest));
                body = timeout(BODY_GRACE, &mut reading).await.ok();
                drop(permit);
                if body.is_none()
                    && let Some(_permit) = bodies.take_owned(business)
                {
                    let _ = myself.cast(Message::Head(event, number));
                    body = Some(reading.await);
                }
            } else {
                drop(permit);
            }
            let ended = Ended { number, delivery, attempt, body, began, under_way };
            let _ = myself.cast(Message::Ended(Box::new(ended)));
        });
        self.attempting.insert(event, Attempting { number, epoch, known, task });
        Ok(())
    }

    /// Aborts attempts whose outcome is not known yet, and releases their permits. If the endpoint is disabled or
    /// deleted, this function aborts all such attempts. If the endpoint is enabled, it aborts only those that began
    /// before the endpoint was last disabled.
    pub(super) fn abort_stale(&mut self, endpoint: Option<&WebhookEndpoint>) {
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
            self.resend_what_waited();
        }
    }

    pub(super) fn head(&mut self, event: EventId, number: u64) {
        if self.attempting.get(&event).is_some_and(|attempt| attempt.number == number) {
            self.attempting.remove(&event);
            self.recording.insert(event, number);
        }
    }

    pub(super) fn ended(&mut self, deliveries: &Arc<Deliveries>, ended: Ended) -> Result<(), StoreError> {
        let event = ended.delivery.event_id;
        match self.attempting.get(&event) {
            Some(attempt) if attempt.number == ended.number => _ = self.attempting.remove(&event),
            None if self.recording.get(&event) == Some(&ended.number) => {}
            _ => return Ok(()), // the attempt was aborted
        }
        if ended.attempt.outcome == Outcome::NotMade {
            // This machine lacked resources. The delivery stays due, and the attempt is not counted.
            self.pause(SHORTAGE_PAUSE);
            self.resend_what_waited();
            return Ok(());
        }
        self.record(deliveries, ended)
    }

    pub(super) fn recorded(&mut self, event: EventId) {
        self.recording.remove(&event);
        self.resend_what_waited();
    }

    fn resend_what_waited(&mut self) {
        for resending in self.resending.drain(..) {
            let _ = self.myself.cast(Message::Resend(Box::new(resending)));
        }
    }

    /// Writes the outcome of an attempt. If the outcome disables the endpoint, asks the actor of the business to write
    /// the outcome instead.
    pub(super) fn record(&mut self, deliveries: &Arc<Deliveries>, ended: Ended) -> Result<(), StoreError> {
        let (shared, event) = (&deliveries.shared, ended.delivery.event_id);
        // The outcome of an attempt is dropped if the endpoint is deleted, because no rows may be written for
        // a deleted endpoint.
        if !shared.store.contains(&self.row())? {
            self.recorded(event);
            return Ok(());
        }
        let times = (ended.began, shared.steady.now());
        self.failing = match ended.attempt.outcome {
            Outcome::Delivered => None,
            _ => self.failing.or(Some(Failing { since: ended.began, steady: times.1 })),
        };
        let (mut after, turns_off) = after_attempt(&ended.delivery, &ended.attempt, times, self.reached());
        after.last_response_body.clone_from(&ended.body);
        let is_wiped = after.next_attempt_at.is_none() && self.is_to_be_wiped(shared, event)?;
        if is_wiped {
            after = after.cleaned();
        }
        self.recording.insert(event, ended.number);
        if turns_off {
            self.turn_off(deliveries, after, ended);
            return Ok(());
        }
        let EndpointKey { business, endpoint } = self.key;
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &after, ended.delivery.next_attempt_at);
        // `reached_before` is the number of successful deliveries to the endpoint before the first attempt of this
        // delivery. It must never be greater than the stored current number of successful deliveries. Therefore this
        // batch also writes the current number, unless an earlier batch has written the same number.
        let reached = Reached { count: self.reached(), failing: self.failing };
        if self.reached_written != reached {
            self.reached_written = reached;
            batch.put(keys::delivery_reached(business, endpoint), reached.encode());
        }
        let (recorded, under_way) = (self.done(Message::Recorded(event)), ended.under_way);
        let deliveries = Arc::downgrade(deliveries);
        let done = move || {
            recorded();
            if let Some(deliveries) = deliveries.upgrade() {
                if is_wiped {
                    deliveries.maintain(business); // the business then wipes the event
                }
                let change = LiveChange { kind: LiveKind::Delivery, id: endpoint.uuid(), person: None };
                deliveries.shared.live.tell(business, [change]);
            }
            drop(under_way);
        };
        shared.store.submit_outcome(business, batch, Box::new(done));
        Ok(())
    }

    fn turn_off(&self, deliveries: &Deliveries, after: Delivery, ended: Ended) {
        let EndpointKey { business, endpoint } = self.key;
        let Some(handle) = deliveries.business(business) else { return };
        let (due, event) = (ended.delivery.next_attempt_at, after.event_id);
        let (reached, myself) = (Arc::clone(&self.reached), self.myself.clone());
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

    /// Starts to write the alert about the current outage if the alert is due. If it is not due yet, returns the time
    /// until it is due.
    pub(super) fn alert_of_failing(
        &mut self,
        deliveries: &Deliveries,
        endpoint: &WebhookEndpoint,
    ) -> Option<Duration> {
        let failing = self.failing.filter(|failing| is_unreported(endpoint, *failing) && !self.alerting)?;
        let left = failing.alert_at() - deliveries.shared.steady.now();
        if left > TimeDelta::zero() {
            return left.to_std().ok();
        }
        let EndpointKey { business, endpoint } = self.key;
        let handle = deliveries.business(business)?;
        self.alerting = true;
        let myself = self.myself.clone();
        tokio::spawn(async move {
            let change = AlertOfFailing { endpoint, since: failing.since };
            match handle.change(Request::by(Who::System), change).await {
                Ok(_) | Err(EngineError::Refused(_) | EngineError::NotFound) => {}
                Err(EngineError::Stopping) => return,
                Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
            let _ = myself.cast(Message::Alerted);
        });
        None
    }

    /// Ends a delivery whose event is missing, wiped or unreadable, so that it blocks no other delivery.
    fn give_up(&mut self, shared: &Shared, delivery: Delivery, was_wiped: bool) {
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
        shared.store.submit(business, batch, self.done(Message::Recorded(event)));
    }
}
