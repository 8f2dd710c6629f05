//! The memory of an endpoint's actor. It contains the attempts in progress, and the due times and event ids of the next
//! waiting deliveries. Each delivery is read again before its attempt.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{Business, EventId, Failing, Timestamp, WebhookEndpoint};
use ractor::ActorRef;
use store::{Done, Key, Store, StoreError, keys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::EndpointKey;
use super::actor::{Message, Resending};
use super::dispatch::AttemptPermit;
use super::service::Deliveries;

/// The maximum number of rows per turn of the actor. The next turn continues.
pub(super) const ROWS_PER_TURN: usize = 256;

pub(crate) struct State {
    pub(super) myself: ActorRef<Message>,
    pub(super) key: EndpointKey,
    pub(super) deliveries: Weak<Deliveries>,
    /// The attempts whose outcome the actor does not know yet.
    pub(super) attempting: BTreeMap<EventId, Attempting>,
    /// The numbers of the attempts whose outcome is known but not durable yet, by event.
    pub(super) recording: BTreeMap<EventId, u64>,
    pub(super) attempts: u64,
    /// The due times and events of the next deliveries, as the last read of the due index found them.
    pub(super) ahead: VecDeque<(Timestamp, EventId)>,
    pub(super) target: LastTarget,
    pub(super) attempt_permits: Vec<AttemptPermit>,
    /// Requests to send deliveries again. They wait until the outcome of an attempt in progress is durable.
    pub(super) resending: Vec<Resending>,
    /// The number of deliveries that reached the endpoint. A successful attempt increases it.
    pub(super) reached: Arc<AtomicU64>,
    /// The current outage of the endpoint.
    pub(super) failing: Option<Failing>,
    /// The row that was last submitted to the store.
    pub(super) reached_written: Reached,
    /// Whether the alert about the outage is being written.
    pub(super) alerting: bool,
    pub(super) tasks: JoinSet<()>,
    pub(super) purging: bool,
    pub(super) turn_asked: bool,
    pub(super) paused_until: Option<Instant>,
    pub(super) permits: Arc<Semaphore>,
    /// A permit that is held while work is in progress, so that the actor is not stopped.
    pub(super) work: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
pub(super) struct Attempting {
    /// Identifies the attempt among all attempts that this actor has started.
    pub(super) number: u64,
    /// The endpoint's epoch at the start of the attempt.
    pub(super) epoch: u32,
    pub(super) known: Arc<AtomicBool>,
    pub(super) task: AbortHandle,
}

/// The row with the number of deliveries that reached the endpoint, and with the current outage of the endpoint. If
/// there is no outage, the row contains only the number (8 bytes), as in earlier formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) count: u64,
    pub(crate) failing: Option<Failing>,
}

impl Reached {
    pub(crate) fn read(store: &Store, key: EndpointKey) -> Result<Self, StoreError> {
        let at = keys::delivery_reached(key.business, key.endpoint);
        Ok(store.find_as(&at, Self::decode)?.unwrap_or_default())
    }

    pub(crate) fn decode(value: &[u8]) -> Result<Self, StoreError> {
        let numbers: Vec<_> =
            value.as_chunks::<8>().0.iter().map(|bytes| u64::from_be_bytes(*bytes)).collect();
        let at = |number: u64| Timestamp::from_millis(number.cast_signed());
        match (value.len(), &numbers[..]) {
            (8, [count]) => Ok(Self { count: *count, failing: None }),
            (24, [count, since, steady]) => {
                let failing = Failing { since: at(*since), steady: at(*steady) };
                Ok(Self { count: *count, failing: Some(failing) })
            }
            _ => Err(StoreError::damaged("delivery_reached", "it has neither 8 nor 24 bytes")),
        }
    }

    pub(super) fn encode(self) -> Vec<u8> {
        let mut bytes = self.count.to_be_bytes().to_vec();
        if let Some(Failing { since, steady }) = self.failing {
            bytes.extend([since, steady].map(|at| at.millis().to_be_bytes()).concat());
        }
        bytes
    }
}

/// The arguments of `pre_start`.
pub(crate) type Loaded = (Weak<Deliveries>, EndpointKey, Arc<Semaphore>, Reached);

impl State {
    pub(super) fn load(
        deliveries: &Arc<Deliveries>,
        key: EndpointKey,
        permits: Arc<Semaphore>,
    ) -> Result<Loaded, StoreError> {
        let reached = Reached::read(&deliveries.shared.store, key)?;
        Ok((Arc::downgrade(deliveries), key, permits, reached))
    }

    pub(super) fn new(myself: ActorRef<Message>, (deliveries, key, permits, reached): Loaded) -> Self {
        Self {
            myself,
            key,
            deliveries,
            attempting: BTreeMap::new(),
            recording: BTreeMap::new(),
            attempts: 0,
            ahead: VecDeque::new(),
            target: LastTarget::default(),
            attempt_permits: Vec::new(),
            resending: Vec::new(),
            reached: Arc::new(AtomicU64::new(reached.count)),
            failing: reached.failing,
            alerting: false,
            reached_written: reached,
            tasks: JoinSet::new(),
            purging: false,
            turn_asked: false,
            paused_until: None,
            permits,
            work: None,
        }
    }

    /// Returns the attempt permits to the dispatcher. The endpoint gets no new permit until `wait` has passed or the
    /// endpoint is woken.
    pub(super) fn wait(&mut self, deliveries: &Deliveries, wait: Option<Duration>) {
        deliveries.dispatcher.rest(self.key, wait);
        self.attempt_permits.clear();
    }

    pub(super) fn row(&self) -> Key {
        keys::webhook(self.key.business, self.key.endpoint)
    }

    /// Requests a turn, which the actor begins after the messages that are already in its mailbox.
    pub(super) fn ask_turn(&mut self) {
        if !std::mem::replace(&mut self.turn_asked, true) {
            let _ = self.myself.cast(Message::Turn);
        }
    }

    /// Keeps the actor running, unless it is already being stopped.
    pub(super) fn hold(&mut self) {
        if self.work.is_none() {
            self.work = Arc::clone(&self.permits).try_acquire_owned().ok();
        }
    }

    /// Like [`Self::wait`], but the directory may stop the actor if no attempts are in progress.
    pub(super) fn wait_without_work(&mut self, deliveries: &Arc<Deliveries>, wait: Option<Duration>) {
        self.wait(deliveries, wait);
        self.rest(deliveries, false);
    }

    /// Allows the directory to stop the actor. Has no effect if `work` is true, if an attempt or an alert is in
    /// progress, or if the outcome of an attempt is not durable yet.
    pub(super) fn rest(&mut self, deliveries: &Arc<Deliveries>, work: bool) {
        if work || self.alerting || !self.attempting.is_empty() || !self.recording.is_empty() {
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

    pub(super) fn pause(&mut self, time: Duration) {
        self.paused_until = Some(Instant::now() + time);
        self.ask_turn();
    }

    pub(super) fn done(&self, message: Message) -> Done {
        let myself = self.myself.clone();
        Box::new(move || _ = myself.cast(message))
    }
}

/// The durable state of an endpoint, and whether its business is suspended.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) endpoint: WebhookEndpoint,
    /// Whether the business is suspended. Also true if its profile cannot be decoded.
    pub(super) suspended: bool,
}

impl Target {
    pub(super) fn read(store: &Store, key: EndpointKey) -> Result<Option<Self>, StoreError> {
        let endpoint = store.get::<WebhookEndpoint>(&keys::webhook(key.business, key.endpoint))?;
        let Some(endpoint) = endpoint else { return Ok(None) };
        let profile = store.look::<Business>(&keys::profile(key.business))?;
        let suspended = profile.is_none_or(|profile| profile.is_some_and(|profile| profile.suspended));
        Ok(Some(Self { endpoint, suspended }))
    }
}

/// The target that was last read. The target is decoded again only if the endpoint's row or the store's
/// `credentials_generation` has changed. Each change to the profile of a business, for example a suspension, increases
/// this generation.
#[derive(Default)]
pub(super) struct LastTarget {
    row: Vec<u8>,
    generation: u64,
    target: Option<Arc<Target>>,
}

impl LastTarget {
    pub(super) fn read(
        &mut self,
        store: &Store,
        key: EndpointKey,
    ) -> Result<Option<Arc<Target>>, StoreError> {
        let generation = store.credentials_generation();
        let row = store.get_raw(&keys::webhook(key.business, key.endpoint))?.unwrap_or_default();
        if self.target.is_none() || self.generation != generation || self.row != row {
            self.target = None; // it stays empty if the endpoint cannot be decoded
            self.target = Target::read(store, key)?.map(Arc::new);
            (self.generation, self.row) = (generation, row);
        }
        Ok(self.target.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_an_outage_has_the_bytes_of_earlier_formats() {
        let failing = Failing { since: Timestamp::from_millis(5), steady: Timestamp::from_millis(-7) };
        for reached in
            [Reached { count: 3, failing: None }, Reached { count: u64::MAX, failing: Some(failing) }]
        {
            assert_eq!(Reached::decode(&reached.encode()).unwrap(), reached);
        }
        assert_eq!(Reached { count: 3, failing: None }.encode(), 3_u64.to_be_bytes());
        for length in [0, 7, 9, 16, 23, 25] {
            assert!(Reached::decode(&vec![0; length]).is_err(), "{length}");
        }
    }
}
