//! The actor itself: takes messages one after the other, decides, hands the batch to the committer.

use std::sync::{Arc, Weak};

use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::commands::Change;
use super::desk::{Decision, Desk, audit_id};
use super::handle::{Answer, AnswerStatus, Idempotency, Reply, Request};
use super::load::load;
use super::names;
use super::state::State;
use super::write::Write;
use crate::delivery::{EndpointKey, LOG_DAYS, SteadyClock, write_delivery};
use crate::directory::{Directory, Seated};
use crate::domain::{
    Actor as Who, ApiKey, AuditEntry, BusinessId, Delivery, DeliveryStatus, EventId, EventType, Refusal,
    ResourceId, Timestamp,
};
use crate::engine::{EngineError, Inner};
use crate::ports::Ports;
use crate::store::keys::kind;
use crate::store::records::IdempotencyRecord;
use crate::store::{Batch, Done, Key, Order, Record, Store, StoreError, keys};
use crate::view;

/// How long an idempotency key is kept.
const IDEMPOTENCY_HOURS: i64 = 24;
/// How many outlived idempotency records one sweep deletes.
const SWEEP_ROWS_MAX: usize = 256;

/// The right to have a message in flight, held until it is answered.
pub(crate) struct Permits {
    pub(crate) _engine: OwnedSemaphorePermit,
    pub(crate) _business: OwnedSemaphorePermit,
}

/// Computes an answer from the state; the closure it gives back sends it once the state is on the disk.
pub(crate) type Question = Box<dyn FnOnce(&mut State, Timestamp) -> Done + Send>;

/// What a business actor is asked.
pub(crate) enum Message {
    /// Carry out a change.
    Change { request: Request, change: Box<dyn Change>, reply: Reply<Answer>, permits: Permits },
    /// Answer a question about what is in memory.
    Ask { question: Question },
    /// Delete some of what has outlived its time.
    Sweep,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Change { .. } => "Change",
            Self::Ask { .. } => "Ask",
            Self::Sweep => "Sweep",
        })
    }
}

/// What a business actor starts from.
pub(crate) struct Start {
    pub(crate) id: BusinessId,
    pub(crate) inner: Weak<Inner>,
    pub(crate) steady: SteadyClock,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
}

/// There is no business with this id.
#[derive(Debug, thiserror::Error)]
#[error("there is no such business")]
pub(crate) struct NoSuchBusiness;

/// The actor of one business.
pub(crate) struct BusinessActor;

impl Seated for BusinessActor {
    type Id = BusinessId;
    type Message = Message;

    fn directory(inner: &Inner) -> &Directory<Self> {
        &inner.businesses
    }

    async fn start(
        inner: &Arc<Inner>,
        id: BusinessId,
        _: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        let start = Start {
            id,
            inner: Arc::downgrade(inner),
            steady: inner.steady,
            store: inner.store.clone(),
            ports: inner.ports.clone(),
        };
        match Self::spawn_linked(None, Self, start, inner.supervisor.get_cell()).await {
            Ok((actor, _)) => Ok(actor),
            Err(SpawnErr::StartupFailed(error)) if error.is::<NoSuchBusiness>() => Err(EngineError::NotFound),
            Err(_) if inner.store.failed() => Err(EngineError::Stopping),
            Err(error) => {
                tracing::error!(business.id = %id, error = %error, "a business could not be loaded");
                Err(EngineError::Failed)
            }
        }
    }

    fn minute() -> Message {
        Message::Sweep
    }
}

impl Actor for BusinessActor {
    type Msg = Message;
    type State = State;
    type Arguments = Start;

    async fn pre_start(&self, _: ActorRef<Message>, start: Start) -> Result<State, ActorProcessingErr> {
        load(&start).await?.ok_or_else(|| NoSuchBusiness.into())
    }

    async fn post_start(&self, myself: ActorRef<Message>, _: &mut State) -> Result<(), ActorProcessingErr> {
        let _ = myself.cast(Message::Sweep);
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // What is decided now would never be written, and nothing may be decided on top of it.
        if state.store.failed() {
            if let Message::Change { reply, .. } = message {
                let _ = reply.send(Err(EngineError::Stopping));
            }
            return Ok(());
        }
        state.overlay.settle(state.store.synced_through());
        let now = state.ports.clock.now();
        match message {
            Message::Change { request, change, reply, permits } => {
                state.reach_back(now)?;
                match carry_out(state, &request, change, now) {
                    Ok(CarriedOut { batch, answer, deliveries, ended, turned_off }) => {
                        let inner = state.inner.clone();
                        let done = move || {
                            let _ = reply.send(Ok(answer));
                            drop(permits);
                            if let Some(inner) = inner.upgrade() {
                                deliveries.into_iter().for_each(|key| inner.wake_delivery(key));
                                ended.into_iter().for_each(|key| inner.look_after(key));
                                turned_off.into_iter().for_each(|key| inner.alert_team(key));
                            }
                        };
                        state.submit(batch, Box::new(done));
                    }
                    // A refusal shows state too, so it waits for what it shows.
                    Err(EngineError::Refused(refusal)) => {
                        let done = move || {
                            let _ = reply.send(Err(EngineError::Refused(refusal)));
                            drop(permits);
                        };
                        state.submit(Batch::default(), Box::new(done));
                    }
                    Err(error) => {
                        let _ = reply.send(Err(error));
                    }
                }
            }
            Message::Ask { question } => {
                state.reach_back(now)?;
                let done = question(state, now);
                state.submit(Batch::default(), done);
            }
            Message::Sweep => sweep(state, now, &myself)?,
        }
        Ok(())
    }
}

/// A change that was decided, and what follows once it is on the disk.
struct CarriedOut {
    batch: Batch,
    answer: Answer,
    /// The endpoints for which something waits now.
    deliveries: Vec<EndpointKey>,
    /// The endpoints to which nothing is sent any more: what is under way there ends.
    ended: Vec<EndpointKey>,
    /// The endpoint that the team is told of.
    turned_off: Option<EndpointKey>,
}

/// Decides a change and gives back its batch and answer. The memory is moved on only once the batch is whole.
fn carry_out(
    state: &mut State,
    request: &Request,
    change: Box<dyn Change>,
    now: Timestamp,
) -> Result<CarriedOut, EngineError> {
    if let Some(answer) = given(state, request, now)? {
        let (deliveries, ended) = (Vec::new(), Vec::new());
        return Ok(CarriedOut { batch: Batch::default(), answer, deliveries, ended, turned_off: None });
    }
    let mut desk = Desk::new(state, request, now);
    let decision = change.decide(&mut desk)?;
    let at = desk.at();
    let mint = desk.into_mint();
    state.mint = mint;
    let Decision { writes, audit, events, turned_off, status, body } = decision;
    let mut batch = Batch::default();
    for write in &writes {
        write.encode(state.id, &mut batch);
        if let Write::Contact { before, after } = write {
            names::index(state, before.as_ref(), after, &mut batch)?;
        }
    }
    let mut deliveries = Vec::new();
    for (event, resource) in events {
        write_event(state, event, &resource, at, &mut batch, &mut deliveries);
    }
    for draft in audit {
        let id = audit_id(&mut state.mint, at, state.ports.random_bytes());
        let entry = AuditEntry {
            id,
            at,
            actor: request.actor,
            action: draft.action.into(),
            resource_type: draft.resource_type.into(),
            resource_id: draft.resource_id,
            changes: draft.changes,
        };
        batch.put(keys::audit(state.id, id), entry.encode());
    }
    if let Some(idempotency) = request.idempotency {
        let record = IdempotencyRecord {
            fingerprint: idempotency.fingerprint,
            status: status_code(status),
            body: body.clone(),
            created_at: at,
        };
        batch.put(keys::idempotency(state.id, keys::day(at), &idempotency.key), record.encode());
    }
    if !batch.is_empty() {
        state.last = at;
    }
    let mut ended = Vec::new();
    for write in writes {
        match &write {
            Write::NoWebhook(endpoint) => {
                ended.push(EndpointKey { business: state.id, endpoint: *endpoint });
            }
            Write::Webhook(endpoint) if !endpoint.is_enabled() => {
                ended.push(EndpointKey { business: state.id, endpoint: endpoint.id });
            }
            // What waited meanwhile goes out now.
            Write::Business(after) if state.business.suspended && !after.suspended => {
                deliveries.extend(
                    state
                        .webhooks
                        .keys()
                        .map(|endpoint| EndpointKey { business: state.id, endpoint: *endpoint }),
                );
            }
            _ => {}
        }
        state.apply(write);
    }
    if state.business.suspended {
        deliveries.clear();
    }
    let turned_off = turned_off.map(|endpoint| EndpointKey { business: state.id, endpoint });
    let answer = Answer { status, body: body.into(), replayed: false };
    Ok(CarriedOut { batch, answer, deliveries, ended, turned_off })
}

/// Writes an event, and a delivery of it for each endpoint that subscribes to it; without one, nothing is written.
fn write_event(
    state: &mut State,
    event: EventType,
    resource: &[u8],
    at: Timestamp,
    batch: &mut Batch,
    deliveries: &mut Vec<EndpointKey>,
) {
    if !state.webhooks.values().any(|endpoint| endpoint.events.contains(event)) {
        return;
    }
    let id: EventId = state.mint.next(at, state.ports.random_bytes());
    batch.put(keys::event(state.id, id), view::event(id, event, at, state.id, resource));
    for endpoint in state.webhooks.values().filter(|endpoint| endpoint.events.contains(event)) {
        let key = EndpointKey { business: state.id, endpoint: endpoint.id };
        let delivery = Delivery::of_event(id, event, endpoint, (at, state.steady.now()));
        write_delivery(batch, key, &delivery, None);
        if endpoint.is_enabled() && !deliveries.contains(&key) {
            deliveries.push(key);
        }
    }
}

/// Refuses what a key asks for that was revoked, or whose business was suspended, while the request was on its way:
/// both are decided here, so one of them comes first.
fn check_key(state: &State, who: Who) -> Result<(), EngineError> {
    let Who::ApiKey(id) = who else { return Ok(()) };
    if state.business.suspended {
        return Err(EngineError::Suspended);
    }
    // Before the rows are read: while nothing is written that lets in, they say the same.
    let checked = (id, state.store.doors());
    if state.checked_key.get() == Some(checked) {
        return Ok(());
    }
    // A row is never deleted, so an id without one is of no key that could have been revoked.
    let Some(prefix) = state.read_raw(&keys::key(state.id, id))? else { return Ok(()) };
    let key = state.read::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
    if key.is_some_and(|key| key.revoked_at.is_some()) {
        return Err(EngineError::KeyRevoked);
    }
    state.checked_key.set(Some(checked));
    Ok(())
}

/// The answer that was given to a request, if it is to happen once and did. Whoever may not make the change does not
/// learn of it either.
pub(super) fn given(state: &State, request: &Request, now: Timestamp) -> Result<Option<Answer>, EngineError> {
    check_key(state, request.actor)?;
    request.idempotency.map_or(Ok(None), |idempotency| remembered(state, idempotency, now))
}

/// The answer that was given to the same request, if it was.
fn remembered(
    state: &State,
    idempotency: Idempotency,
    now: Timestamp,
) -> Result<Option<Answer>, EngineError> {
    let now = now.max(state.last);
    for days_ago in 0..=1 {
        let day = now - chrono::TimeDelta::days(days_ago);
        let key = keys::idempotency(state.id, keys::day(day), &idempotency.key);
        let Some(record) = state.read::<IdempotencyRecord>(&key)? else { continue };
        if now - record.created_at >= chrono::TimeDelta::hours(IDEMPOTENCY_HOURS) {
            continue;
        }
        if record.fingerprint != idempotency.fingerprint {
            return Err(Refusal::IdempotencyKeyReused.into());
        }
        if state.overlay.ticket(&key).is_some() {
            return Err(Refusal::IdempotencyInProgress.into());
        }
        let status = status_from_code(record.status)?;
        return Ok(Some(Answer { status, body: record.body.into(), replayed: true }));
    }
    Ok(None)
}

/// How a kind of answer is kept in the store.
fn status_code(status: AnswerStatus) -> u16 {
    match status {
        AnswerStatus::Done => 200,
        AnswerStatus::Created => 201,
        AnswerStatus::Gone => 204,
    }
}

/// The kind of answer that the store keeps as this number.
fn status_from_code(code: u16) -> Result<AnswerStatus, StoreError> {
    match code {
        200 => Ok(AnswerStatus::Done),
        201 => Ok(AnswerStatus::Created),
        204 => Ok(AnswerStatus::Gone),
        other => Err(StoreError::damaged("idempotency", format!("its status {other} is not known"))),
    }
}

/// Deletes what has outlived its time, a bounded number of rows at a time: idempotency records of days that no lookup
/// reaches any more, and what the delivery log shows no longer. When there may be more, it goes on once
/// these are deleted.
///
/// Here it is only as late as both clocks say: a wall clock that jumps forward must not make anything old.
fn sweep(state: &mut State, now: Timestamp, myself: &ActorRef<Message>) -> Result<(), StoreError> {
    let now = now.min(state.steady.now());
    let range = keys::idempotency_before(state.id, keys::day(now - chrono::TimeDelta::days(1)));
    let mut batch = Batch::default();
    for row in state.store.scan(&range, Order::Ascending).take(SWEEP_ROWS_MAX) {
        let (key, value) = row?;
        batch.delete_whole(Key::new(&key), value.len());
    }
    sweep_deliveries(state, now, &mut batch)?;
    let more = batch.len() >= SWEEP_ROWS_MAX;
    if !batch.is_empty() {
        let myself = myself.clone();
        // Not before these are gone: the store would show the same rows again.
        let goes_on = move || {
            if more {
                let _ = myself.cast(Message::Sweep);
            }
        };
        state.submit(batch, Box::new(goes_on));
    }
    Ok(())
}

/// Deletes deliveries that the log shows no longer, and events that no delivery needs: an event that was resent on
/// its last day in the log is sent for a day more. What waits is left alone.
fn sweep_deliveries(state: &State, now: Timestamp, batch: &mut Batch) -> Result<(), StoreError> {
    let (shown_from, needed_from) = (now - LOG_DAYS, now - LOG_DAYS - chrono::TimeDelta::days(2));
    for endpoint in state.webhooks.values() {
        let range = keys::deliveries(state.id, endpoint.id);
        for row in state.store.scan(&range, Order::Ascending).take(SWEEP_ROWS_MAX) {
            let (key, value) = row?;
            let delivery = Delivery::decode(&value)?;
            if delivery.created_at > shown_from {
                break;
            }
            if delivery.status_in(endpoint.epoch) != DeliveryStatus::Pending {
                batch.delete(Key::new(&key));
            }
        }
    }
    let range = keys::of_kind(state.id, kind::EVENT);
    for row in state.store.scan(&range, Order::Ascending).take(SWEEP_ROWS_MAX) {
        let (key, value) = row?;
        let event: EventId = keys::id_at_end(&key)?;
        if event.minted_at() > needed_from {
            break;
        }
        if !waits(state, event)? {
            batch.delete_whole(Key::new(&key), value.len());
        }
    }
    Ok(())
}

/// Whether a delivery of the event is still to be made.
fn waits(state: &State, event: EventId) -> Result<bool, StoreError> {
    for endpoint in state.webhooks.values() {
        let delivery = state.store.get::<Delivery>(&keys::delivery(state.id, endpoint.id, event))?;
        if delivery.is_some_and(|delivery| delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending) {
            return Ok(true);
        }
    }
    Ok(false)
}
