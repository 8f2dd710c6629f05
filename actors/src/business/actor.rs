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
use super::usage;
use super::write::Write;
use crate::clock::Clocks;
use crate::delivery::{EndpointKey, SteadyClock, write_delivery};
use crate::directory::{Directory, Seated};
use crate::domain::{Amount, AuditEntry, BudgetKind, BusinessId, Delivery, EventId, EventType, Timestamp};
use crate::engine::{EngineError, Inner};
use crate::ports::Ports;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Done, Record, Store, Weight, keys};
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
    /// Answer a question about how much there is, once that is counted.
    AskAccounts { question: Question },
    /// Count some more of what there is.
    Count,
    /// Delete some of what has outlived its time.
    Sweep,
    /// A step of that is done; there may be more.
    Swept { more: bool },
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Change { .. } => "Change",
            Self::Ask { .. } => "Ask",
            Self::AskAccounts { .. } => "AskAccounts",
            Self::Count => "Count",
            Self::Sweep => "Sweep",
            Self::Swept { .. } => "Swept",
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

    fn minute() -> Option<Message> {
        Some(Message::Sweep)
    }
}

impl Actor for BusinessActor {
    type Msg = Message;
    type State = State;
    type Arguments = Start;

    async fn pre_start(&self, _: ActorRef<Message>, start: Start) -> Result<State, ActorProcessingErr> {
        load(&start).await?.ok_or_else(|| NoSuchBusiness.into())
    }

    async fn post_start(
        &self,
        myself: ActorRef<Message>,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let _ = myself.cast(Message::Sweep);
        if !state.accounts.are_complete() {
            let _ = myself.cast(Message::Count);
        }
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
        state.overlay.settle(state.store.synced_through(state.id));
        let now = state.clocks.now();
        match message {
            Message::Change { request, change, reply, permits } => {
                state.reach_back(now).await?;
                match carry_out(state, &request, change, now) {
                    Ok(CarriedOut { batch, answer, deliveries, ended, turned_off, missed }) => {
                        let inner = state.inner.clone();
                        let done = move || {
                            let _ = reply.send(Ok(answer));
                            drop(permits);
                            if let Some(inner) = inner.upgrade() {
                                deliveries.into_iter().for_each(|key| inner.wake_delivery(key));
                                ended.into_iter().for_each(|key| inner.look_after(key));
                                turned_off.into_iter().for_each(|key| inner.alert_team(key));
                                inner.note_missed(missed);
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
                state.reach_back(now).await?;
                let done = question(state, now);
                state.submit(Batch::default(), done);
            }
            Message::AskAccounts { question } => state.ask_accounts(question, now),
            Message::Count => {
                if state.count_on()? {
                    let _ = myself.cast(Message::Count);
                } else {
                    state.answer_accounts(now);
                }
            }
            Message::Sweep => sweep(state, now, &myself)?,
            Message::Swept { more } => {
                state.sweeping = false;
                if more {
                    sweep(state, now, &myself)?;
                }
            }
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
    /// How many deliveries are missed for want of room among what waits.
    missed: u64,
}

/// Decides a change and gives back its batch and answer. The memory is moved on only once the batch is whole.
fn carry_out(
    state: &mut State,
    request: &Request,
    change: Box<dyn Change>,
    now: Timestamp,
) -> Result<CarriedOut, EngineError> {
    if let Some(answer) = given(state, request)? {
        let answer = change.replay(answer)?;
        let (deliveries, ended) = (Vec::new(), Vec::new());
        let (turned_off, missed) = (None, 0);
        return Ok(CarriedOut { batch: Batch::default(), answer, deliveries, ended, turned_off, missed });
    }
    let weight = change.weight();
    state.store.check_room(weight)?;
    let mut desk = Desk::new(state, request, now);
    let decision = change.decide(&mut desk)?;
    if decision.writes.is_empty() && request.idempotency.is_some() {
        // Nothing changes, and yet the answer would be remembered: that can be had again and again.
        state.store.check_room(weight.min(Weight::Keeps))?;
    }
    let at = desk.at();
    let mint = desk.into_mint();
    state.mint = mint;
    let Decision { writes, audit, events, turned_off, status, body, remembered } = decision;
    let (mut batch, mut usage) = (Batch::default(), state.accounts.usage);
    for write in &writes {
        let from = batch.len();
        write.encode(state.id, &mut batch);
        usage::count(state, write, (&batch, from), &mut usage)?;
        if let Write::Contact { before, after } = write {
            names::index(state, before.as_ref(), after, &mut batch)?;
        }
    }
    state.accounts.check(&usage)?;
    assert!(
        usage == state.accounts.usage || !audit.is_empty(),
        "what alters the usage writes an audit entry"
    );
    let mut announced =
        Announced { waits: state.accounts.waiting.claimed(), deliveries: Vec::new(), missed: 0 };
    for (event, resource) in events {
        write_event(state, event, &resource, at, &mut batch, &mut announced);
    }
    let Announced { mut deliveries, missed, .. } = announced;
    let bears_stamp = !audit.is_empty(); // an answer that is remembered alone bears none
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
        let record = AuditRecord { entry, usage: state.accounts.telling(usage) };
        batch.put(keys::audit(state.id, id), record.encode());
    }
    if let Some(idempotency) = request.idempotency {
        remember(state, idempotency, status, remembered.as_ref().unwrap_or(&body), &mut batch);
    }
    if bears_stamp {
        state.stamps.made(at);
        state.clocks.note(at, &state.store);
    }
    state.accounts.usage = usage;
    let mut ended = Vec::new();
    for write in writes {
        match &write {
            Write::NoWebhook(endpoint) => {
                ended.push(EndpointKey { business: state.id, endpoint: *endpoint });
            }
            // What waits no longer is dropped by the endpoint's actor.
            Write::Webhook(after)
                if !after.is_enabled()
                    || state.webhooks.get(&after.id).is_some_and(|before| before.epoch != after.epoch) =>
            {
                ended.push(EndpointKey { business: state.id, endpoint: after.id });
            }
            // What waited meanwhile goes out now.
            Write::Business(after) if state.business.suspended && !after.suspended => {
                let all = state.webhooks.keys();
                deliveries.extend(all.map(|id| EndpointKey { business: state.id, endpoint: *id }));
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
    Ok(CarriedOut { batch, answer, deliveries, ended, turned_off, missed })
}

/// What the events of a change have come to so far.
struct Announced {
    /// How much waits, or is promised room, with what the batch adds.
    waits: Amount,
    /// The endpoints for which something waits now.
    deliveries: Vec<EndpointKey>,
    /// How many deliveries found no room among what waits.
    missed: u64,
}

/// Writes an event, and a delivery of it for each endpoint that subscribes to it; without one, nothing is written.
/// What finds no room in the budget of what waits is missed at once, and the change goes on.
fn write_event(
    state: &mut State,
    event: EventType,
    resource: &[u8],
    at: Timestamp,
    batch: &mut Batch,
    announced: &mut Announced,
) {
    if !state.webhooks.values().any(|endpoint| endpoint.events.contains(event)) {
        return;
    }
    let id: EventId = state.mint.next(at, state.ports.random_bytes());
    let bytes = view::event(id, event, at, state.id, resource);
    let (kind, more) = (BudgetKind::WaitingDeliveries, Amount::row(bytes.len()));
    batch.put(keys::event(state.id, id), bytes);
    for endpoint in state.webhooks.values().filter(|endpoint| endpoint.events.contains(event)) {
        let key = EndpointKey { business: state.id, endpoint: endpoint.id };
        let mut delivery = Delivery::of_event(id, event, endpoint, (at, state.steady.now()));
        if endpoint.is_enabled() {
            if state.accounts.budget.has_room(kind, announced.waits, more) {
                announced.waits = announced.waits.plus(more);
                if !announced.deliveries.contains(&key) {
                    announced.deliveries.push(key);
                }
            } else {
                delivery = delivery.missed();
                announced.missed += 1;
            }
        }
        write_delivery(batch, key, &delivery, None);
    }
}
