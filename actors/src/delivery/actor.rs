//! The actor of one endpoint: its queue is the index of what is due, its timer waits for the first that is not.
//!
//! Whatever happens asks for one more turn; a turn looks at what is due and begins what there is room for. The turns
//! that are asked for while messages wait are one turn.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use super::EndpointKey;
use super::attempts::Ended;
use super::resend::Resending;
use super::target::{Target, settled};
use crate::directory::{Directory, Seated};
use crate::domain::{EventId, Timestamp, WebhookEndpoint};
use crate::engine::{EngineError, Inner};
use crate::net::WebhookUrl;
use crate::store::{StoreError, keys};

/// How many attempts of one endpoint may be under way at once.
pub(crate) const ATTEMPTS_MAX: usize = 8;
/// How many outcomes of one endpoint may be on their way to the disk at once.
const RECORDING_MAX: usize = 64;
/// How many rows are looked at in one turn; the next turn goes on.
pub(super) const ROWS_PER_TURN: usize = 256;
/// How long an endpoint waits when the disk is full.
const DISK_FULL_PAUSE: Duration = Duration::from_secs(2);
/// How long an endpoint waits when there is no room for an attempt in all.
const NO_ROOM_PAUSE: Duration = Duration::from_millis(250);

/// What a delivery actor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something is due. The permit keeps the actor from being put away before it has looked.
    Wake(OwnedSemaphorePermit),
    /// Look at what is due.
    Turn,
    /// A minute has passed.
    Minute,
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
    /// The attempts under way.
    pub(super) attempting: HashSet<EventId>,
    /// Those whose outcome is on its way to the disk.
    pub(super) recording: HashSet<EventId>,
    /// Those under way that stand in the store as to be sent again, with the instant at which they are due: nothing but
    /// success of the attempt changes that.
    pub(super) again: HashMap<EventId, Timestamp>,
    /// How often anything has reached the endpoint. Attempts add to it as soon as they know.
    pub(super) reached: Arc<AtomicU64>,
    /// How much of that is written, or on its way to the disk.
    pub(super) reached_written: u64,
    /// The attempts, which end with the actor.
    pub(super) tasks: JoinSet<()>,
    /// Whether the attempt that ended last did not reach the endpoint.
    pub(super) doubtful: bool,
    /// Whether what waited was looked through since the actor started.
    pub(super) straightened: bool,
    /// Whether what waited had failed before, and nothing has ended since the actor started: one attempt shall show.
    pub(super) unproven: bool,
    /// Whether rows of an endpoint that is no more are being deleted.
    pub(super) purging: bool,
    /// Whether a turn is asked for already.
    turn_asked: bool,
    /// Nothing begins before this instant.
    paused_until: Option<Instant>,
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
        // What an actor before this one has handed to the committer is read, too.
        inner.store.settled(key.business).await?;
        let reached = read_reached(inner, key)?;
        let state = State {
            key,
            inner: Arc::downgrade(inner),
            attempting: HashSet::new(),
            recording: HashSet::new(),
            again: HashMap::new(),
            reached: Arc::new(AtomicU64::new(reached)),
            reached_written: reached,
            tasks: JoinSet::new(),
            doubtful: false,
            straightened: false,
            unproven: false,
            purging: false,
            turn_asked: true,
            paused_until: None,
            timer: None,
            permits,
            work: None,
        };
        let spawned = Self::spawn_linked(None, Self, state, inner.supervisor.get_cell()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        inner.deliveries.note(actor.get_id(), key); // before it can fail
        let _ = actor.cast(Message::Turn);
        Ok(actor)
    }

    fn minute() -> Message {
        Message::Minute
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
        let waking = match message {
            Message::Turn => {
                state.turn_asked = false;
                return Ok(state.turn(&inner, &myself).await?);
            }
            Message::Wake(permit) => Some(permit),
            Message::Minute => None,
            Message::Ended(ended) => {
                state.ended(&inner, &myself, *ended)?;
                None
            }
            Message::Recorded(event) => {
                state.recording.remove(&event);
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
                state.resend(&inner, &myself, *resending).await;
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
    /// Begins what is due, as far as there is room, and sets the timer for what is due next.
    async fn turn(&mut self, inner: &Arc<Inner>, myself: &ActorRef<Message>) -> Result<(), StoreError> {
        if inner.check_open().is_err() {
            return Ok(());
        }
        if inner.store.check_room(false).is_err() {
            self.pause(myself, DISK_FULL_PAUSE); // no outcome could be written
            return Ok(());
        }
        let Some(endpoint) = self.endpoint(inner)? else {
            self.purge(inner, myself)?;
            self.rest(self.purging);
            return Ok(());
        };
        self.straighten(inner, &endpoint).await?;
        while self.tasks.try_join_next().is_some() {}
        let most = if self.unproven { 1 } else { ATTEMPTS_MAX };
        let room = most.saturating_sub(self.attempting.len());
        if room == 0 || self.recording.len() >= RECORDING_MAX {
            return Ok(()); // what ends asks for a turn
        }
        if let Some(until) = self.paused_until.take_if(|until| Instant::now() < *until) {
            self.pause(myself, until - Instant::now());
            return Ok(());
        }
        let now = inner.steady.now();
        let mut due = self.due(inner, &endpoint, now, room).await?;
        self.rest(due.waits() || !self.attempting.is_empty() || !self.recording.is_empty());
        if due.more {
            self.ask_turn(myself);
        }
        self.set_timer(myself, due.next.map(|next| (next - now).to_std().unwrap_or_default()));
        due.now.truncate(self.most_now(inner, myself, &endpoint));
        if due.now.is_empty() {
            return Ok(());
        }
        // What was read may not be on the disk yet, and only what is there is sent. The endpoint may have changed
        // meanwhile: what begins now begins with what it is now, as far as that is on the disk itself.
        let before = endpoint;
        let target = settled(&inner.store, self.key.business, |store| Target::read(store, self.key)).await?;
        let Some(Target { endpoint, .. }) =
            target.flatten().filter(|target| target.endpoint.epoch == before.epoch)
        else {
            self.ask_turn(myself);
            return Ok(());
        };
        // Whoever puts the actor away has found nothing waiting; the next one looks again.
        if self.work.is_none() {
            return Ok(());
        }
        for delivery in due.now {
            let Some(slot) = inner.slots.take(self.doubtful, self.attempting.len()) else {
                self.pause(myself, NO_ROOM_PAUSE);
                break;
            };
            self.attempt(inner, myself, &endpoint, delivery, slot)?;
        }
        Ok(())
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

    /// Notes whether there is work; without any the actor may be put away.
    fn rest(&mut self, work: bool) {
        if !work {
            self.work = None;
        } else if self.work.is_none() {
            self.work = Arc::clone(&self.permits).try_acquire_owned().ok();
        }
    }

    /// How often anything has reached the endpoint.
    pub(super) fn reached(&self) -> u64 {
        self.reached.load(Ordering::Acquire)
    }

    /// Whether an attempt of the event is under way or being written.
    pub(super) fn is_under_way(&self, event: EventId) -> bool {
        self.attempting.contains(&event) || self.recording.contains(&event)
    }

    /// Begins nothing for so long.
    pub(super) fn pause(&mut self, myself: &ActorRef<Message>, time: Duration) {
        self.paused_until = Some(Instant::now() + time);
        self.set_timer(myself, Some(time));
    }

    /// How much may begin as far as the network goes. During an outage of ours that concerns the endpoint it is nothing,
    /// and the actor looks again when it is over, or may be.
    fn most_now(&mut self, inner: &Inner, myself: &ActorRef<Message>, endpoint: &WebhookEndpoint) -> usize {
        let network = inner.webhooks.network();
        // A URL that cannot be used fails without any network.
        let is_cut_off = network.is_out()
            && WebhookUrl::parse(&endpoint.url).is_ok_and(|url| inner.webhooks.is_cut_off_from(&url));
        if !is_cut_off {
            return usize::MAX;
        }
        self.wake_after(myself, network.worth_trying());
        usize::from(network.take_trial())
    }

    fn set_timer(&mut self, myself: &ActorRef<Message>, wait: Option<Duration>) {
        match wait {
            // A millisecond more, so that what is due then is not a fraction of one away.
            Some(wait) => self.wake_after(myself, tokio::time::sleep(wait + Duration::from_millis(1))),
            None => _ = self.timer.take().map(|timer| timer.abort()),
        }
    }

    /// Looks again after this, instead of after what was set before.
    fn wake_after(&mut self, myself: &ActorRef<Message>, after: impl Future<Output = ()> + Send + 'static) {
        let myself = myself.clone();
        let timer = tokio::spawn(async move {
            after.await;
            let _ = myself.cast(Message::Minute);
        });
        if let Some(before) = self.timer.replace(timer) {
            before.abort();
        }
    }
}
