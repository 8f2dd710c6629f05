//! The actor itself: takes messages one after the other, decides, hands the batch to the committer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ractor::{Actor, ActorProcessingErr, ActorRef, ActorStatus};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::commands::Change;
use super::desk::{Decision, Desk, audit_id};
use super::handle::{Answer, AnswerStatus, Idempotency, Reply, Request};
use super::load::load;
use super::names;
use super::state::State;
use super::write::Write;
use crate::domain::{Actor as Who, ApiKey, AuditEntry, BusinessId, Refusal, Timestamp};
use crate::engine::EngineError;
use crate::ports::Ports;
use crate::store::records::IdempotencyRecord;
use crate::store::{Batch, Done, Key, Order, Record, Store, StoreError, keys};

/// How many messages of one business may wait for an answer; one more is refused as overload.
pub(crate) const QUEUE_PERMITS: usize = 1_024;
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

/// A running actor, as the directory keeps it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) actor: ActorRef<Message>,
    pub(crate) permits: Arc<Semaphore>,
    started: Instant,
    /// Milliseconds from `started` to the newest use.
    used: AtomicU64,
}

impl Running {
    pub(crate) fn new(actor: ActorRef<Message>) -> Self {
        let permits = Arc::new(Semaphore::new(QUEUE_PERMITS));
        Self { actor, permits, started: Instant::now(), used: AtomicU64::new(0) }
    }

    /// Whether it takes messages. One that is loaded and has yet to begin takes them too: whoever took it for ended
    /// would start another beside it.
    pub(crate) fn is_open(&self) -> bool {
        let alive = matches!(self.actor.get_status(), ActorStatus::Starting | ActorStatus::Running);
        alive && !self.permits.is_closed()
    }

    /// Notes a use.
    pub(crate) fn touch(&self) {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.fetch_max(millis, Ordering::Relaxed);
    }

    /// How long nobody used it.
    pub(crate) fn idle(&self) -> std::time::Duration {
        let used = std::time::Duration::from_millis(self.used.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(used)
    }
}

/// What a business actor starts from.
pub(crate) struct Start {
    pub(crate) id: BusinessId,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
}

/// There is no business with this id.
#[derive(Debug, thiserror::Error)]
#[error("there is no such business")]
pub(crate) struct NoSuchBusiness;

/// The actor of one business.
pub(crate) struct BusinessActor;

impl Actor for BusinessActor {
    type Msg = Message;
    type State = State;
    type Arguments = Start;

    async fn pre_start(&self, _: ActorRef<Message>, start: Start) -> Result<State, ActorProcessingErr> {
        load(start.id, &start.store, &start.ports).await?.ok_or_else(|| NoSuchBusiness.into())
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
        let now = state.ports.clock.now();
        match message {
            Message::Change { request, change, reply, permits } => {
                state.reach_back(now)?;
                match carry_out(state, &request, change, now) {
                    Ok((batch, answer)) => {
                        let done = move || {
                            let _ = reply.send(Ok(answer));
                            drop(permits);
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
            Message::Sweep => {
                if sweep(state, now)? {
                    // There may be more; others in the mailbox come first.
                    let _ = myself.cast(Message::Sweep);
                }
            }
        }
        Ok(())
    }
}

/// Decides a change and gives back its batch and answer. The memory is moved on only once the batch is whole.
fn carry_out(
    state: &mut State,
    request: &Request,
    change: Box<dyn Change>,
    now: Timestamp,
) -> Result<(Batch, Answer), EngineError> {
    check_key(state, request.actor)?;
    if let Some(idempotency) = request.idempotency
        && let Some(answer) = remembered(state, idempotency, now)?
    {
        return Ok((Batch::default(), answer));
    }
    let mut desk = Desk::new(state, request, now);
    let decision = change.decide(&mut desk)?;
    let at = desk.at();
    let mint = desk.into_mint();
    state.mint = mint;
    let Decision { writes, audit, events: _, status, body } = decision;
    let mut batch = Batch::default();
    for write in &writes {
        write.encode(state.id, &mut batch);
        if let Write::Contact { before, after } = write {
            names::index(state, before.as_ref(), after, &mut batch)?;
        }
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
    for write in writes {
        state.apply(write);
    }
    Ok((batch, Answer { status, body: body.into(), replayed: false }))
}

/// Refuses what a key asks for that was revoked, or whose business was suspended, while the request was on its way:
/// both are decided here, so one of them comes first.
fn check_key(state: &State, who: Who) -> Result<(), EngineError> {
    let Who::ApiKey(id) = who else { return Ok(()) };
    if state.business.suspended {
        return Err(EngineError::Suspended);
    }
    // A row is never deleted, so an id without one is of no key that could have been revoked.
    let Some(prefix) = state.read_raw(&keys::key(state.id, id))? else { return Ok(()) };
    let key = state.read::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
    if key.is_some_and(|key| key.revoked_at.is_some()) { Err(EngineError::KeyRevoked) } else { Ok(()) }
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

/// Deletes idempotency records of days that no lookup reaches any more, a bounded number at a time; true when there
/// may be more.
fn sweep(state: &mut State, now: Timestamp) -> Result<bool, StoreError> {
    let now = now.max(state.last);
    let range = keys::idempotency_before(state.id, keys::day(now - chrono::TimeDelta::days(1)));
    let mut batch = Batch::default();
    for row in state.store.scan(&range, Order::Ascending).take(SWEEP_ROWS_MAX) {
        let (key, value) = row?;
        batch.delete_whole(Key::new(&key), value.len());
    }
    let more = batch.len() >= SWEEP_ROWS_MAX;
    if !batch.is_empty() {
        state.submit(batch, Box::new(|| ()));
    }
    Ok(more)
}
