//! The memory of an endpoint's actor. It contains the attempts in progress and no waiting deliveries.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::EventId;
use ractor::ActorRef;
use store::{Key, StoreError, keys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::dispatch::AttemptPermit;
use super::key::EndpointKey;
use super::message::{Message, Resending};
use super::service::Deliveries;
use super::target::Suspended;
use crate::shared::Shared;

/// The maximum number of rows per turn. The next turn continues.
pub(super) const ROWS_PER_TURN: usize = 256;

pub(crate) struct State {
    pub(super) key: EndpointKey,
    pub(super) deliveries: Weak<Deliveries>,
    /// The attempts up to the heads of their responses.
    pub(super) attempting: BTreeMap<EventId, Attempting>,
    /// The numbers of the attempts whose outcome is known but not durable.
    pub(super) recording: BTreeMap<EventId, u64>,
    /// The number of attempts that this actor has begun.
    pub(super) attempts: u64,
    /// Permits for attempts that are about to begin.
    pub(super) attempt_permits: Vec<AttemptPermit>,
    /// Requests that wait for a durable outcome.
    pub(super) resending: Vec<Resending>,
    /// The number of deliveries that reached the endpoint. An attempt increases it as soon as it has
    /// succeeded.
    pub(super) reached: Arc<AtomicU64>,
    /// The part of `reached` that is submitted to the store.
    pub(super) reached_written: u64,
    /// The tasks of the attempts. They end with the actor.
    pub(super) tasks: JoinSet<()>,
    pub(super) purging: bool,
    pub(super) turn_asked: bool,
    pub(super) suspended: Suspended,
    /// No attempt begins before this instant.
    pub(super) paused_until: Option<Instant>,
    pub(super) permits: Arc<Semaphore>,
    /// A permit that is held while work is in progress, so that the actor is not stopped.
    pub(super) work: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
pub(super) struct Attempting {
    /// The number of the attempt, and the endpoint's epoch at its start.
    pub(super) number: u64,
    pub(super) epoch: u32,
    /// Whether the outcome is known.
    pub(super) known: Arc<AtomicBool>,
    pub(super) task: AbortHandle,
}

fn read_reached(shared: &Shared, key: EndpointKey) -> Result<u64, StoreError> {
    let at = keys::delivery_reached(key.business, key.endpoint);
    let reached = shared.store.find_as(&at, |value| {
        <[u8; 8]>::try_from(value)
            .map_err(|_| StoreError::damaged("delivery_reached", "it does not have 8 bytes"))
    });
    Ok(reached?.map_or(0, u64::from_be_bytes))
}

impl State {
    pub(super) fn load(
        deliveries: &Arc<Deliveries>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<Self, StoreError> {
        let reached = read_reached(&deliveries.shared, key)?;
        Ok(Self {
            key,
            deliveries: Arc::downgrade(deliveries),
            attempting: BTreeMap::new(),
            recording: BTreeMap::new(),
            attempts: 0,
            attempt_permits: Vec::new(),
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

    /// The actor needs no permit for `wait`. Without `wait`, it needs no permit before its next message.
    pub(super) fn wait(&mut self, deliveries: &Deliveries, wait: Option<Duration>) {
        deliveries.dispatcher.rest(self.key, wait);
        self.attempt_permits.clear();
    }

    /// The key of the endpoint's record.
    pub(super) fn row(&self) -> Key {
        keys::webhook(self.key.business, self.key.endpoint)
    }

    /// Requests a turn after the messages that already wait.
    pub(super) fn ask_turn(&mut self, myself: &ActorRef<Message>) {
        if !std::mem::replace(&mut self.turn_asked, true) {
            let _ = myself.cast(Message::Turn);
        }
    }

    /// Keeps the actor running, unless it is already being stopped.
    pub(super) fn hold(&mut self) {
        if self.work.is_none() {
            self.work = Arc::clone(&self.permits).try_acquire_owned().ok();
        }
    }

    /// Records whether there is work in addition to the attempts in progress. Without such work, the actor
    /// may be stopped.
    pub(super) fn rest(&mut self, deliveries: &Arc<Deliveries>, work: bool) {
        if work || !self.attempting.is_empty() || !self.recording.is_empty() {
            return;
        }
        self.work = None;
        if deliveries.are_too_many() {
            let (deliveries, key) = (Arc::clone(deliveries), self.key);
            tokio::spawn(async move {
                if deliveries.are_too_many() {
                    deliveries.directory.put_away(key);
                }
            });
        }
    }

    pub(super) fn reached(&self) -> u64 {
        self.reached.load(Ordering::Acquire)
    }

    pub(super) fn is_under_way(&self, event: EventId) -> bool {
        self.attempting.contains_key(&event) || self.recording.contains_key(&event)
    }

    pub(super) fn pause(&mut self, myself: &ActorRef<Message>, time: Duration) {
        self.paused_until = Some(Instant::now() + time);
        self.ask_turn(myself);
    }
}
