//! The actor itself: takes messages one after the other, decides, hands the batch to the committer.

use std::sync::{Arc, Weak};

use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::commands::Change;
use super::desk::{Decision, Desk, audit_id};
use super::handle::{Answer, Reply, Request};
use super::load::load;
use super::names;
use super::remembered::{given, remember};
use super::state::State;
use super::sweep::sweep;
use super::write::Write;
use crate::clock::Clocks;
use crate::delivery::{EndpointKey, SteadyClock, write_delivery};
use crate::directory::{Directory, Seated};
use crate::domain::{AuditEntry, BusinessId, Delivery, EventId, EventType, Timestamp};
use crate::engine::{EngineError, Inner};
use crate::ports::Ports;
use crate::store::{Batch, Done, Record, Store, keys};
use crate::view;

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
    pub(crate) clocks: Clocks,
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
            clocks: inner.clocks.clone(),
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
        state.overlay.settle(state.store.synced_through());
        let now = state.clocks.now();
        match message {
            Message::Change { request, change, reply, permits } => {
                state.reach_back(now)?;
                match carry_out(state, &request, change, now) {
                    Ok(CarriedOut { batch, answer, deliveries, turned_off }) => {
                        let inner = state.inner.clone();
                        let done = move || {
                            let _ = reply.send(Ok(answer));
                            drop(permits);
                            if let Some(inner) = inner.upgrade() {
                                deliveries.into_iter().for_each(|key| inner.wake_delivery(key));
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
    if let Some(answer) = given(state, request)? {
        return Ok(CarriedOut { batch: Batch::default(), answer, deliveries: Vec::new(), turned_off: None });
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
        state.ages.newest = Some(id);
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
        remember(state, idempotency, status, &body, &mut batch);
    }
    if !batch.is_empty() {
        state.last = at;
        state.clocks.note(at);
    }
    for write in writes {
        if let Write::NoWebhook(endpoint) = &write {
            deliveries.push(EndpointKey { business: state.id, endpoint: *endpoint });
        }
        state.apply(write);
    }
    let turned_off = turned_off.map(|endpoint| EndpointKey { business: state.id, endpoint });
    let answer = Answer { status, body: body.into(), replayed: false };
    Ok(CarriedOut { batch, answer, deliveries, turned_off })
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
