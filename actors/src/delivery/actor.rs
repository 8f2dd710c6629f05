//! The actor of one endpoint: its queue is the index of what is due, its timer waits for the first that is not.

use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::TimeDelta;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::EndpointKey;
use super::handle::LOG_DAYS;
use super::schedule::{AttemptResult, Next, RETRY_AFTER, after_attempt};
use super::signature::sign;
use crate::business::Request;
use crate::business::commands::webhooks::TurnOff;
use crate::directory::{Directory, Seated};
use crate::domain::{Actor as Who, Delivery, DeliveryStatus, EventId, Refusal, Timestamp, WebhookEndpoint};
use crate::engine::{EngineError, Inner};
use crate::net::{Post, WebhookUrl};
use crate::store::{Batch, Key, Order, Record, StoreError, keys};

/// How many attempts of one endpoint may be under way at once.
pub(crate) const ATTEMPTS_MAX: usize = 8;
/// How many outcomes of one endpoint may be on their way to the disk at once.
const RECORDING_MAX: usize = 64;
/// How many rows are looked at in one turn; the next turn goes on.
const ROWS_PER_TURN: usize = 256;

/// What a delivery actor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something is due, or may be.
    Wake,
    /// An attempt has ended.
    Ended(Box<Ended>),
    /// What came of an attempt is on the disk.
    Recorded(EventId),
    /// What came of an attempt could not be written just now.
    NotRecorded(Box<Ended>),
    /// Send again.
    Resend {
        /// What.
        what: Resend,
        /// Where the number goes.
        reply: ResendReply,
        /// Held until it is answered.
        permits: (OwnedSemaphorePermit, OwnedSemaphorePermit),
    },
}

/// What is sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resend {
    /// One event.
    One(EventId),
    /// Every missed and failed one.
    Missed,
}

/// Where the number of deliveries that are sent again goes.
pub(crate) type ResendReply = oneshot::Sender<Result<u64, EngineError>>;

/// An attempt that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    delivery: Delivery,
    result: AttemptResult,
    began: Timestamp,
}

/// What one endpoint's actor keeps in memory.
pub(crate) struct State {
    key: EndpointKey,
    inner: Weak<Inner>,
    /// The attempts under way.
    attempting: HashSet<EventId>,
    /// Those whose outcome is on its way to the disk.
    recording: HashSet<EventId>,
    /// How often anything has reached the endpoint.
    reached: u64,
    /// Waits for the next delivery that is due.
    timer: Option<JoinHandle<()>>,
    permits: Arc<Semaphore>,
    /// Held while anything waits or is under way, so that the actor is not put away.
    work: Option<OwnedSemaphorePermit>,
}

/// The actor of one endpoint's deliveries.
pub(crate) struct DeliveryActor;

impl Seated for DeliveryActor {
    type Id = EndpointKey;
    type Message = Message;

    fn directory(inner: &Inner) -> &Directory<Self> {
        &inner.deliveries
    }

    async fn start(
        inner: &Arc<Inner>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        let reached = read_reached(inner, key)?;
        let state = State {
            key,
            inner: Arc::downgrade(inner),
            attempting: HashSet::new(),
            recording: HashSet::new(),
            reached,
            timer: None,
            permits,
            work: None,
        };
        let spawned = Self::spawn_linked(None, Self, state, inner.supervisor.get_cell()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        let _ = actor.cast(Message::Wake);
        Ok(actor)
    }

    fn minute() -> Message {
        Message::Wake
    }
}

impl Actor for DeliveryActor {
    type Msg = Message;
    type State = State;
    type Arguments = State;

    async fn pre_start(&self, _: ActorRef<Message>, state: State) -> Result<State, ActorProcessingErr> {
        Ok(state)
    }

    async fn post_stop(&self, _: ActorRef<Message>, state: &mut State) -> Result<(), ActorProcessingErr> {
        if let Some(timer) = state.timer.take() {
            timer.abort();
        }
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // The engine is closing; what waits is in the store.
        let Some(inner) = state.inner.upgrade() else { return Ok(()) };
        match message {
            Message::Wake => {}
            Message::Ended(ended) => {
                state.attempting.remove(&ended.delivery.event_id);
                state.record(&inner, &myself, *ended);
            }
            Message::Recorded(event) => {
                state.recording.remove(&event);
            }
            Message::NotRecorded(ended) => state.record(&inner, &myself, *ended),
            Message::Resend { what, reply, permits } => {
                let count = match what {
                    Resend::One(event) => state.resend(&inner, event).await,
                    Resend::Missed => state.resend_missed(&inner).await,
                };
                let _ = reply.send(count);
                drop(permits);
            }
        }
        Ok(state.pump(&inner, &myself).await?)
    }
}

/// How often anything has reached the endpoint, as far as it is known.
fn read_reached(inner: &Inner, key: EndpointKey) -> Result<u64, StoreError> {
    let value = inner.store.get_raw(&keys::delivery_reached(key.business, key.endpoint))?;
    let Some(value) = value else { return Ok(0) };
    let bytes =
        value.try_into().map_err(|_| StoreError::damaged("delivery_reached", "it has not 8 bytes"))?;
    Ok(u64::from_be_bytes(bytes))
}

/// What is due now, and when something is due next.
struct Due {
    now: Vec<Delivery>,
    next: Option<Timestamp>,
    /// Whether more rows have to be looked at at once.
    more: bool,
}

impl State {
    /// Starts what is due, as far as there is room, and sets the timer for what is due next.
    async fn pump(&mut self, inner: &Arc<Inner>, myself: &ActorRef<Message>) -> Result<(), StoreError> {
        let endpoint =
            inner.store.get::<WebhookEndpoint>(&keys::webhook(self.key.business, self.key.endpoint))?;
        let Some(endpoint) = endpoint else {
            let more = self.purge(inner, myself)?;
            self.rest(more);
            return Ok(());
        };
        let room = ATTEMPTS_MAX.saturating_sub(self.attempting.len());
        if room == 0 || self.recording.len() >= RECORDING_MAX {
            return Ok(());
        }
        let now = inner.steady.now();
        let due = self.due(inner, &endpoint, now, room)?;
        // What was read may not be on the disk yet, and only what is there is sent.
        inner.store.settled(self.key.business).await?;
        for delivery in due.now {
            self.attempt(inner, myself, &endpoint, delivery)?;
        }
        self.rest(due.next.is_some() || !self.attempting.is_empty() || !self.recording.is_empty());
        if due.more {
            let _ = myself.cast(Message::Wake);
        } else {
            self.set_timer(myself, due.next.map(|next| next - now));
        }
        Ok(())
    }

    /// Notes whether there is work; without any the actor may be put away.
    fn rest(&mut self, work: bool) {
        if !work {
            self.work = None;
        } else if self.work.is_none() {
            self.work = Arc::clone(&self.permits).try_acquire_owned().ok();
        }
    }

    /// Looks through what waits, in the order in which it is due. Rows that wait no longer are dropped on the way.
    fn due(
        &self,
        inner: &Inner,
        endpoint: &WebhookEndpoint,
        now: Timestamp,
        room: usize,
    ) -> Result<Due, StoreError> {
        let mut due = Due { now: Vec::new(), next: None, more: false };
        let mut batch = Batch::default();
        let EndpointKey { business, endpoint: id } = self.key;
        // No schedule reaches further: the wall clock was ahead when these were written. They come first, or they would
        // wait behind all that is due before them.
        let furthest = now + RETRY_AFTER[RETRY_AFTER.len() - 1] + TimeDelta::minutes(1);
        let all = keys::deliveries_due(business, id);
        let beyond = all.after(keys::delivery_due(business, id, furthest, EventId::from(Uuid::max())));
        let rows =
            inner.store.scan(&beyond, Order::Ascending).chain(inner.store.scan(&all, Order::Ascending));
        for (looked_at, row) in rows.enumerate() {
            let key = row?.0;
            let (at, event) = keys::instant_and_id::<EventId>(&key)?;
            if self.is_under_way(event) {
                continue;
            }
            if due.now.len() == room || looked_at >= ROWS_PER_TURN {
                due.more = looked_at >= ROWS_PER_TURN && due.now.len() < room;
                due.next = Some(at.max(now));
                break;
            }
            let delivery = inner.store.get::<Delivery>(&keys::delivery(business, id, event))?;
            let waits = delivery.filter(|delivery| {
                delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending
                    && delivery.next_attempt_at == Some(at)
            });
            let Some(delivery) = waits else {
                batch.delete(Key::new(&key));
                continue;
            };
            if due.now.iter().any(|found| found.event_id == event) {
                break; // the first of those that came first
            }
            if at <= now || at > furthest {
                due.now.push(delivery);
            } else {
                due.next = Some(at);
                break;
            }
        }
        if !batch.is_empty() {
            inner.store.submit(business, batch, Box::new(|| ()));
        }
        if !endpoint.is_enabled() {
            due.now.clear();
            due.next = None;
        }
        Ok(due)
    }

    /// Begins an attempt in a task of its own.
    fn attempt(
        &mut self,
        inner: &Arc<Inner>,
        myself: &ActorRef<Message>,
        endpoint: &WebhookEndpoint,
        mut delivery: Delivery,
    ) -> Result<(), StoreError> {
        let EndpointKey { business, .. } = self.key;
        let event = delivery.event_id;
        let body = inner.store.get_raw(&keys::event(business, event))?;
        let body = body.ok_or_else(|| StoreError::damaged("delivery", "its event is not there"))?;
        delivery.reached_before.get_or_insert(self.reached);
        self.attempting.insert(event);
        let (post, began) = match signed(inner, endpoint, &event.to_string(), body, false) {
            Ok(signed) => signed,
            Err(result) => {
                let began = inner.ports.clock.now();
                let _ = myself.cast(Message::Ended(Box::new(Ended { delivery, result, began })));
                return Ok(());
            }
        };
        let (client, myself) = (inner.webhooks.clone(), myself.clone());
        tokio::spawn(async move {
            let result = client.post(post).await.into();
            let _ = myself.cast(Message::Ended(Box::new(Ended { delivery, result, began })));
        });
        Ok(())
    }

    /// Writes what came of an attempt. Turning the endpoint off is the business's to write, in the same batch.
    fn record(&mut self, inner: &Arc<Inner>, myself: &ActorRef<Message>, ended: Ended) {
        let EndpointKey { business, endpoint } = self.key;
        if ended.result.delivered {
            self.reached += 1;
        }
        // An endpoint that was deleted meanwhile leaves nothing behind.
        if !matches!(inner.store.contains(&keys::webhook(business, endpoint)), Ok(true)) {
            return;
        }
        let times = (ended.began, inner.steady.now());
        let (after, next) = after_attempt(&ended.delivery, ended.result.clone(), times, self.reached);
        let event = after.event_id;
        self.recording.insert(event);
        let myself = myself.clone();
        if next == Next::TurnOff {
            let handle = crate::BusinessHandle { inner: Arc::clone(inner), id: business };
            let due = ended.delivery.next_attempt_at;
            tokio::spawn(async move {
                let change = TurnOff { endpoint, delivery: after, due };
                let message = match handle.change(Request::by(Who::System), change).await {
                    Ok(_) => Message::Recorded(event),
                    Err(EngineError::Refused(_) | EngineError::NotFound) => Message::Recorded(event),
                    Err(EngineError::Stopping) => return,
                    Err(_) => {
                        tokio::time::sleep(Duration::from_secs(1)).await;
                        Message::NotRecorded(Box::new(ended))
                    }
                };
                let _ = myself.cast(message);
            });
            return;
        }
        let mut batch = Batch::default();
        write_delivery(&mut batch, self.key, &after, ended.delivery.next_attempt_at);
        if ended.result.delivered {
            batch.put(keys::delivery_reached(business, endpoint), self.reached.to_be_bytes().to_vec());
        }
        inner.store.submit(business, batch, Box::new(move || _ = myself.cast(Message::Recorded(event))));
    }

    /// The endpoint, if events can be sent to it again.
    fn resendable(&self, inner: &Inner) -> Result<WebhookEndpoint, EngineError> {
        let endpoint =
            inner.store.get::<WebhookEndpoint>(&keys::webhook(self.key.business, self.key.endpoint))?;
        let endpoint = endpoint.ok_or(Refusal::NotFound("webhook endpoint"))?;
        if !endpoint.is_enabled() {
            return Err(Refusal::conflict("the endpoint is disabled", "status", "disabled").into());
        }
        Ok(endpoint)
    }

    /// Whether an attempt of the event is under way or being written.
    fn is_under_way(&self, event: EventId) -> bool {
        self.attempting.contains(&event) || self.recording.contains(&event)
    }

    async fn resend(&self, inner: &Inner, event: EventId) -> Result<u64, EngineError> {
        let endpoint = self.resendable(inner)?;
        let EndpointKey { business, endpoint: id } = self.key;
        let delivery = inner.store.get::<Delivery>(&keys::delivery(business, id, event))?;
        let delivery = delivery.filter(|delivery| delivery.created_at > inner.ports.clock.now() - LOG_DAYS);
        let delivery = delivery.ok_or(Refusal::NotFound("delivery"))?;
        let pending = delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending;
        if pending || self.is_under_way(event) {
            return Err(Refusal::conflict("the delivery is pending", "status", "pending").into());
        }
        let mut batch = Batch::default();
        self.write_again(&mut batch, &delivery, &endpoint, inner.steady.now());
        inner.store.submit(business, batch, Box::new(|| ()));
        inner.store.settled(business).await?;
        Ok(1)
    }

    /// In steps, so that other work of the runtime gets its turn.
    async fn resend_missed(&self, inner: &Inner) -> Result<u64, EngineError> {
        let endpoint = self.resendable(inner)?;
        let EndpointKey { business, endpoint: id } = self.key;
        let (oldest, mut range) = (inner.ports.clock.now() - LOG_DAYS, keys::deliveries(business, id));
        let mut resent = 0;
        loop {
            let (mut batch, mut last) = (Batch::default(), None);
            for row in inner.store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
                let (key, value) = row?;
                last = Some(Key::new(&key));
                let delivery = Delivery::decode(&value)?;
                let lost = matches!(
                    delivery.status_in(endpoint.epoch),
                    DeliveryStatus::Missed | DeliveryStatus::Failed
                );
                if lost && delivery.created_at > oldest && !self.is_under_way(delivery.event_id) {
                    self.write_again(&mut batch, &delivery, &endpoint, inner.steady.now());
                    resent += 1;
                }
            }
            inner.store.submit(business, batch, Box::new(|| ()));
            inner.store.settled(business).await?;
            match last {
                Some(last) => range = range.after(last),
                None => return Ok(resent),
            }
        }
    }

    fn write_again(
        &self,
        batch: &mut Batch,
        delivery: &Delivery,
        endpoint: &WebhookEndpoint,
        now: Timestamp,
    ) {
        let again = delivery.again(endpoint.epoch, now);
        write_delivery(batch, self.key, &again, delivery.next_attempt_at);
    }

    /// Deletes the deliveries of an endpoint that is no more, a bounded number at a time; true while there may be more,
    /// which it goes on with once these are deleted.
    fn purge(&self, inner: &Inner, myself: &ActorRef<Message>) -> Result<bool, StoreError> {
        let EndpointKey { business, endpoint } = self.key;
        let mut batch = Batch::default();
        for range in [keys::deliveries_due(business, endpoint), keys::deliveries(business, endpoint)] {
            for row in inner.store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
                batch.delete(Key::new(&row?.0));
            }
        }
        let more = !batch.is_empty();
        if !more {
            batch.delete(keys::delivery_reached(business, endpoint));
            batch.delete(keys::endpoint_index(business, endpoint));
        }
        let myself = myself.clone();
        // Not before these are gone: the store would show the same rows again.
        let goes_on = move || {
            if more {
                let _ = myself.cast(Message::Wake);
            }
        };
        inner.store.submit(business, batch, Box::new(goes_on));
        Ok(more)
    }

    fn set_timer(&mut self, myself: &ActorRef<Message>, wait: Option<TimeDelta>) {
        if let Some(timer) = self.timer.take() {
            timer.abort();
        }
        let Some(wait) = wait else { return };
        // A millisecond more, so that what is due then is not a fraction of one away.
        let wait = wait.to_std().unwrap_or_default() + Duration::from_millis(1);
        let myself = myself.clone();
        self.timer = Some(tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let _ = myself.cast(Message::Wake);
        }));
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
        delivered: false,
        response_status: None,
        response_body: None,
        error: Some("the URL is refused".into()),
    })?;
    let now = inner.ports.clock.now();
    let seconds = now.millis().div_euclid(1_000);
    let mut headers = vec![
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", sign(endpoint.secret.bytes(), id, seconds, &body)),
        ("content-type", "application/json".to_owned()),
    ];
    if test {
        headers.push(("webhook-test", "true".to_owned()));
    }
    Ok((Post { url, headers, body: body.into() }, now))
}
