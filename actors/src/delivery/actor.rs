//! The actor of one endpoint: its queue is the index of what is due. Whose turn it is to send, and when something is due
//! again, the [dispatcher](super::dispatch) knows.
//!
//! Whatever happens asks for one more turn; a turn looks at what is due and begins what there are places for. The turns
//! that are asked for while messages wait are one turn. While it only waits, for a place or for its time, the actor
//! holds no permit and may be put away.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::EndpointKey;
use super::attempts::{Attempting, Ended};
use super::dispatch::Place;
use super::resend::Resending;
use super::target::{Suspended, Target, settled};
use crate::directory::{Directory, Seated};
use crate::domain::{EventId, WebhookEndpoint};
use crate::engine::{EngineError, Inner};
use crate::net::WebhookUrl;
use crate::store::{StoreError, Weight, keys};

/// How many attempts of one endpoint may be under way at once.
pub(crate) const ATTEMPTS_MAX: usize = 8;
/// How many outcomes of one endpoint may be on their way to the disk at once, those included of which only the body of
/// the response is still read.
const RECORDING_MAX: usize = 64;
/// How many rows are looked at in one turn; the next turn goes on.
pub(super) const ROWS_PER_TURN: usize = 256;

/// What a delivery actor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something is due. The permit keeps the actor from being put away before it has looked.
    Wake(OwnedSemaphorePermit),
    /// A place for what is due. The permit is as that of waking.
    Place(Place, OwnedSemaphorePermit),
    /// Due times may lie further ahead than they should.
    Straighten(OwnedSemaphorePermit),
    /// Look at what is due.
    Turn,
    /// An attempt's outcome is known; the body of the response is still read. The number tells attempts of an event apart.
    Head(EventId, u64),
    /// An attempt has ended.
    Ended(Box<Ended>),
    /// What came of an attempt is on the disk.
    Recorded(EventId),
    /// What came of an attempt could not be written just now.
    NotRecorded(Box<Ended>),
    /// Some rows of an endpoint that is no more are deleted.
    Purged,
    /// Send again.
    Resend(Box<Resending>),
}

/// What one endpoint's actor keeps in memory.
pub(crate) struct State {
    pub(super) key: EndpointKey,
    inner: Weak<Inner>,
    /// The attempts under way, up to the heads of the responses.
    pub(super) attempting: BTreeMap<EventId, Attempting>,
    /// Those whose outcome is known, and not on the disk, by their numbers.
    pub(super) recording: BTreeMap<EventId, u64>,
    /// How many attempts this actor has begun.
    pub(super) attempts: u64,
    /// Places for attempts that are about to begin.
    places: Vec<Place>,
    /// What is to be sent again once an outcome that is on its way is on the disk.
    pub(super) resending: Vec<Resending>,
    /// How often anything has reached the endpoint. Attempts add to it as soon as they know.
    pub(super) reached: Arc<AtomicU64>,
    /// How much of that is written, or on its way to the disk.
    pub(super) reached_written: u64,
    /// The attempts, which end with the actor.
    pub(super) tasks: JoinSet<()>,
    /// Whether rows of an endpoint that is no more are being deleted.
    pub(super) purging: bool,
    /// Whether a turn is asked for already.
    turn_asked: bool,
    /// Whether its business is suspended.
    suspended: Suspended,
    /// Nothing begins before this instant.
    paused_until: Option<Instant>,
    permits: Arc<Semaphore>,
    /// Held while anything is under way, so that the actor is not put away.
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
        // What an actor before this one has handed to the committer is read, too, and its outcomes above all: attempts
        // wait for those of nobody.
        inner.store.settled(key.business).await?;
        let reached = read_reached(inner, key)?;
        let state = State {
            key,
            inner: Arc::downgrade(inner),
            attempting: BTreeMap::new(),
            recording: BTreeMap::new(),
            attempts: 0,
            places: Vec::new(),
            resending: Vec::new(),
            reached: Arc::new(AtomicU64::new(reached)),
            reached_written: reached,
            tasks: JoinSet::new(),
            purging: false,
            turn_asked: false,
            suspended: Suspended::default(),
            paused_until: None,
            permits,
            work: None,
        };
        let spawned = Self::spawn_linked(None, Self, state, inner.supervisor.get_cell()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        inner.deliveries.note(actor.get_id(), key); // before it can fail
        Ok(actor)
    }

    /// Whatever there is to do the dispatcher tells, in its time.
    fn minute() -> Option<Message> {
        None
    }
}

impl Actor for DeliveryActor {
    type Msg = Message;
    type State = State;
    type Arguments = State;

    async fn pre_start(&self, _: ActorRef<Message>, state: State) -> Result<State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // The engine is closing; what waits is in the store.
        let Some(inner) = state.inner.upgrade() else { return Ok(()) };
        let waking = match message {
            Message::Turn => {
                state.turn_asked = false;
                return Ok(state.turn(&inner, &myself).await?);
            }
            Message::Wake(permit) => Some(permit),
            Message::Place(place, permit) => {
                state.places.push(place);
                Some(permit)
            }
            Message::Straighten(permit) => {
                state.straighten(&inner).await?;
                Some(permit)
            }
            Message::Head(event, number) => {
                state.head(event, number);
                None
            }
            Message::Ended(ended) => {
                state.ended(&inner, &myself, *ended)?;
                None
            }
            Message::Recorded(event) => {
                state.recorded(&myself, event);
                None
            }
            Message::NotRecorded(ended) => {
                state.record(&inner, &myself, *ended)?;
                None
            }
            Message::Purged => {
                state.purging = false;
                None
            }
            Message::Resend(resending) => {
                state.resend(&inner, &myself, resending).await?;
                None
            }
        };
        if waking.is_some() {
            // Until the turn has looked, there may be work.
            state.work = waking;
        }
        state.ask_turn(&myself);
        Ok(())
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

impl State {
    /// Begins what is due, as far as there are places, and tells the dispatcher what waits beside that.
    async fn turn(&mut self, inner: &Arc<Inner>, myself: &ActorRef<Message>) -> Result<(), StoreError> {
        if inner.check_open().is_err() {
            self.places.clear();
            return Ok(());
        }
        // A turn tells the dispatcher what waits. Whoever puts the actor away would not let it tell that of a moment ago:
        // what it is woken for meanwhile is the next one's.
        self.hold();
        if self.work.is_none() {
            if !self.places.is_empty() {
                self.places.clear();
                inner.dispatcher.wake(self.key);
            }
            return Ok(());
        }
        let target = Target::read(&inner.store, self.key, &self.suspended)?;
        self.abort_stale(myself, target.as_ref().map(|target| &target.endpoint));
        if inner.store.check_room(Weight::Keeps).is_err() {
            // Nothing could be written of what is done, so nobody gets a place until there is room again.
            self.places.clear();
            inner.dispatcher.wake(self.key);
            self.rest(inner, false);
            return Ok(());
        }
        let Some(Target { endpoint, suspended }) = &target else {
            self.wait(inner, None);
            self.purge(inner, myself)?;
            self.rest(inner, self.purging);
            return Ok(());
        };
        while self.tasks.try_join_next().is_some() {}
        let room = ATTEMPTS_MAX.saturating_sub(self.attempting.len());
        let room = room.min(RECORDING_MAX.saturating_sub(self.recording.len()));
        if room == 0 {
            self.wait(inner, None); // what ends asks for a turn
            return Ok(());
        }
        if *suspended {
            // What is due waits for whoever lets the business in again, who has all its endpoints woken.
            self.wait(inner, None);
            self.rest(inner, false);
            return Ok(());
        }
        if let Some(until) = self.paused_until.filter(|until| Instant::now() < *until) {
            self.wait(inner, Some(until - Instant::now()));
            self.rest(inner, false);
            return Ok(());
        }
        let now = inner.steady.now();
        let mut due = self.due(inner, endpoint, now, room).await?;
        if due.more {
            self.ask_turn(myself);
        }
        if due.now.is_empty() {
            self.wait(inner, due.next.map(|next| (next - now).to_std().unwrap_or_default()));
            self.rest(inner, due.more);
            return Ok(());
        }
        // Only whoever has something to send may take the one attempt that an outage of ours lets through.
        due.now.truncate(most_now(inner, endpoint));
        if due.now.is_empty() {
            inner.dispatcher.cut_off(self.key);
            self.places.clear();
            self.rest(inner, due.more);
            return Ok(());
        }
        // What was read may not be on the disk yet, and only what is there is sent. The endpoint may have changed
        // meanwhile: what begins now begins with what it is now, as far as that is on the disk itself.
        let epoch = endpoint.epoch;
        let read = |store: &_| Target::read(store, self.key, &self.suspended);
        let target = settled(&inner.store, self.key.business, target, read).await?;
        let target = target.flatten().filter(|now| now.endpoint.epoch == epoch && !now.suspended);
        let Some(Target { endpoint, .. }) = target else {
            self.ask_turn(myself);
            return Ok(());
        };
        let missing = due.now.len().saturating_sub(self.places.len());
        if missing > 0 {
            self.places.extend(inner.dispatcher.want(self.key, missing));
        } else {
            let next = due.next.map(|next| (next - now).to_std().unwrap_or_default());
            inner.dispatcher.rest(self.key, next);
        }
        for delivery in due.now {
            let Some(place) = self.places.pop() else { break };
            self.attempt(inner, myself, &endpoint, delivery, place)?;
        }
        self.places.clear();
        self.rest(inner, due.more);
        Ok(())
    }

    /// No place is needed for so long, or until the actor is told of something.
    fn wait(&mut self, inner: &Inner, wait: Option<Duration>) {
        inner.dispatcher.rest(self.key, wait);
        self.places.clear();
    }

    /// The endpoint as it is now, unless it was deleted.
    pub(super) fn endpoint(&self, inner: &Inner) -> Result<Option<WebhookEndpoint>, StoreError> {
        inner.store.get(&keys::webhook(self.key.business, self.key.endpoint))
    }

    /// Asks for a turn behind the messages that wait already.
    pub(super) fn ask_turn(&mut self, myself: &ActorRef<Message>) {
        if !std::mem::replace(&mut self.turn_asked, true) {
            let _ = myself.cast(Message::Turn);
        }
    }

    /// Keeps the actor from being put away, unless that is going on.
    pub(super) fn hold(&mut self) {
        if self.work.is_none() {
            self.work = Arc::clone(&self.permits).try_acquire_owned().ok();
        }
    }

    /// Notes whether there is work beside what is under way; without any the actor may be put away.
    fn rest(&mut self, inner: &Arc<Inner>, work: bool) {
        if work || !self.attempting.is_empty() || !self.recording.is_empty() {
            return;
        }
        self.work = None;
        let are_many = |inner: &Inner| inner.deliveries.len() > inner.limits.actors_at_rest;
        if are_many(inner) {
            let (inner, key) = (Arc::clone(inner), self.key);
            tokio::spawn(async move {
                if are_many(&inner) {
                    inner.deliveries.put_away(key);
                }
            });
        }
    }

    /// How often anything has reached the endpoint.
    pub(super) fn reached(&self) -> u64 {
        self.reached.load(Ordering::Acquire)
    }

    /// Whether an attempt of the event is under way or being written.
    pub(super) fn is_under_way(&self, event: EventId) -> bool {
        self.attempting.contains_key(&event) || self.recording.contains_key(&event)
    }

    /// Begins nothing for so long.
    pub(super) fn pause(&mut self, myself: &ActorRef<Message>, time: Duration) {
        self.paused_until = Some(Instant::now() + time);
        self.ask_turn(myself);
    }
}

/// How much may begin as far as the network goes: nothing during an outage of ours that concerns the endpoint.
fn most_now(inner: &Inner, endpoint: &WebhookEndpoint) -> usize {
    let network = inner.webhooks.network();
    // A URL that cannot be used fails without any network.
    let is_cut_off = network.is_out()
        && WebhookUrl::parse(&endpoint.url).is_ok_and(|url| inner.webhooks.is_cut_off_from(&url));
    if is_cut_off { usize::from(network.take_trial()) } else { usize::MAX }
}
