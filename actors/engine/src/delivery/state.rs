//! What one endpoint's actor keeps in memory: what is under way, and nothing of what waits.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{EventId, WebhookEndpoint};
use ractor::ActorRef;
use store::{StoreError, keys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::dispatch::Place;
use super::key::EndpointKey;
use super::message::{Message, Resending};
use super::target::Suspended;
use crate::shared::Shared;

/// How many rows are looked at in one turn; the next turn goes on.
pub(super) const ROWS_PER_TURN: usize = 256;

/// What one endpoint's actor keeps in memory.
pub(crate) struct State {
    pub(super) key: EndpointKey,
    pub(super) shared: Weak<Shared>,
    /// The attempts under way, up to the heads of the responses.
    pub(super) attempting: BTreeMap<EventId, Attempting>,
    /// Those whose outcome is known, and not on the disk, by their numbers.
    pub(super) recording: BTreeMap<EventId, u64>,
    /// How many attempts this actor has begun.
    pub(super) attempts: u64,
    /// Places for attempts that are about to begin.
    pub(super) places: Vec<Place>,
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
    pub(super) turn_asked: bool,
    /// Whether its business is suspended.
    pub(super) suspended: Suspended,
    /// Nothing begins before this instant.
    pub(super) paused_until: Option<Instant>,
    pub(super) permits: Arc<Semaphore>,
    /// Held while anything is under way, so that the actor is not put away.
    pub(super) work: Option<OwnedSemaphorePermit>,
}

/// An attempt that is under way.
#[derive(Debug)]
pub(super) struct Attempting {
    /// The number of the attempt, and the epoch of the endpoint it belongs to.
    pub(super) number: u64,
    pub(super) epoch: u32,
    /// Whether it is known what came of it.
    pub(super) known: Arc<AtomicBool>,
    pub(super) task: AbortHandle,
}

/// How often anything has reached the endpoint, as far as it is known.
fn read_reached(shared: &Shared, key: EndpointKey) -> Result<u64, StoreError> {
    let at = keys::delivery_reached(key.business, key.endpoint);
    let reached = shared.store.find_as(&at, |value| {
        <[u8; 8]>::try_from(value).map_err(|_| StoreError::damaged("delivery_reached", "it has not 8 bytes"))
    });
    Ok(reached?.map_or(0, u64::from_be_bytes))
}

impl State {
    /// An actor that starts: nothing is under way.
    pub(super) fn load(
        shared: &Arc<Shared>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<Self, StoreError> {
        let reached = read_reached(shared, key)?;
        Ok(Self {
            key,
            shared: Arc::downgrade(shared),
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
        })
    }

    /// No place is needed for so long, or until the actor is told of something.
    pub(super) fn wait(&mut self, shared: &Shared, wait: Option<Duration>) {
        shared.dispatcher.rest(self.key, wait);
        self.places.clear();
    }

    /// The endpoint as it is now, unless it was deleted.
    pub(super) fn endpoint(&self, shared: &Shared) -> Result<Option<WebhookEndpoint>, StoreError> {
        shared.store.get(&keys::webhook(self.key.business, self.key.endpoint))
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
    pub(super) fn rest(&mut self, shared: &Arc<Shared>, work: bool) {
        if work || !self.attempting.is_empty() || !self.recording.is_empty() {
            return;
        }
        self.work = None;
        let are_many = |shared: &Shared| shared.deliveries.len() > shared.limits.actors_at_rest;
        if are_many(shared) {
            let (shared, key) = (Arc::clone(shared), self.key);
            tokio::spawn(async move {
                if are_many(&shared) {
                    shared.deliveries.put_away(key);
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
