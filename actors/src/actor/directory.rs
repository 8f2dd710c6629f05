//! Which actors are running, of one kind: starts one on demand, and puts away those that nobody uses. How one is
//! started, whoever makes the directory says: it knows no kind of actor itself.
//!
//! What always holds: at most one actor of an id takes messages. A seat is filled, emptied and taken out of the
//! directory under its own lock; an actor is put away only when it has nothing in flight, and its permits are closed
//! first, so that a caller who still holds it learns that nothing was done and comes back here. One that fails again and
//! again rests in between, whoever asks for it.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::RwLock;
use ractor::{ActorId, ActorRef, ActorStatus, Message};
use tokio::sync::{Mutex, OwnedMutexGuard, Semaphore};
use tokio::time::Instant;

use super::back_off::BackOff;
use crate::error::EngineError;
use crate::ports::BoxFuture;

/// How long an actor may be unused before it is put away.
const IDLE_MAX: Duration = Duration::from_secs(600);
/// How many messages of one actor may wait for an answer; one more is refused as overload.
pub(crate) const QUEUE_PERMITS: usize = 1_024;

/// Starts the actor of an id; it may hold permits while it has work of its own.
pub(crate) type Start<I, M> = Box<dyn Fn(I, Arc<Semaphore>) -> Starting<M> + Send + Sync>;
/// An actor that is being started.
pub(crate) type Starting<M> = BoxFuture<'static, Result<ActorRef<M>, EngineError>>;

/// What actors are told apart by.
pub(crate) trait Id: Copy + Ord + Hash + Send + Sync + 'static {}

impl<I: Copy + Ord + Hash + Send + Sync + 'static> Id for I {}

/// The running actors of one kind, which are told messages `M`.
pub(crate) struct Directory<I: Id, M: Message> {
    seats: Seats<I, M>,
    start: Start<I, M>,
    /// What an actor in use is told once a minute, if anything.
    minute: Option<fn() -> M>,
    /// Which of them rest, since they failed.
    back_off: Arc<BackOff<I>>,
    /// Whose actors those are that were noted and have not ended.
    noted: DashMap<ActorId, I>,
}

type Seats<I, M> = Arc<DashMap<I, Arc<Seat<M>>>>;

/// The place of one actor.
struct Seat<M: Message> {
    /// The actor, for those who come while it runs.
    running: RwLock<Option<Arc<Running<M>>>>,
    /// Held while the seat is filled or emptied; true once it is out of the directory.
    gone: Arc<Mutex<bool>>,
}

/// A running actor.
pub(crate) struct Running<M: Message> {
    pub(crate) actor: ActorRef<M>,
    pub(crate) permits: Arc<Semaphore>,
    started: Instant,
    /// Milliseconds from `started` to the newest use.
    used: AtomicU64,
    /// Whether it was stopped on purpose, or its failure is counted.
    accounted: AtomicBool,
}

impl<M: Message> Default for Seat<M> {
    fn default() -> Self {
        Self { running: RwLock::new(None), gone: Arc::default() }
    }
}

impl<I: Id, M: Message> Directory<I, M> {
    /// No actor runs yet. One of them may fail so often before it rests.
    pub(crate) fn new(start: Start<I, M>, minute: Option<fn() -> M>, patience: u32) -> Self {
        let back_off = Arc::new(BackOff::new(patience));
        Self { seats: Arc::default(), start, minute, back_off, noted: DashMap::new() }
    }

    /// The running actor of an id, started if need be, unless it rests.
    pub(crate) async fn running(&self, id: I) -> Result<Arc<Running<M>>, EngineError> {
        loop {
            let seat = self.seat(id);
            if let Some(running) = seat.open() {
                return Ok(running);
            }
            let gone = Arc::clone(&seat.gone).lock_owned().await;
            if *gone {
                continue;
            }
            if let Some(running) = seat.open() {
                return Ok(running);
            }
            // Whoever comes may be faster than the news that it has failed.
            if seat.running.read().as_ref().is_some_and(|running| running.has_failed()) {
                self.back_off.failed(id);
            }
            if let Some(left) = self.back_off.rests(id) {
                self.vacate(id, &seat, gone);
                return Err(EngineError::Resting(left));
            }
            let permits = Arc::new(Semaphore::new(QUEUE_PERMITS));
            let starting = (self.start)(id, Arc::clone(&permits));
            // In a task of its own: a caller who goes away must not leave an actor behind that has no seat.
            let directory = (Arc::clone(&self.seats), Arc::clone(&self.back_off));
            let filling = tokio::spawn(fill(directory, (id, seat, gone), starting, permits));
            return filling.await.unwrap_or(Err(EngineError::Failed));
        }
    }

    /// Takes a seat without an actor out of the directory.
    fn vacate(&self, id: I, seat: &Seat<M>, mut gone: OwnedMutexGuard<bool>) {
        *seat.running.write() = None;
        *gone = true;
        self.seats.remove(&id);
    }

    /// Takes note that an actor has failed while it ran; gives whose it was, if it was noted, and how long that rests.
    pub(crate) fn failed(&self, actor: ActorId) -> Option<(I, Duration)> {
        let id = self.ended(actor)?;
        let seat = self.seats.get(&id).map(|seat| Arc::clone(&seat));
        let running = seat.and_then(|seat| seat.running.read().clone());
        let running = running.filter(|running| running.actor.get_id() == actor);
        if running.is_none_or(|running| running.counts()) {
            self.back_off.failed(id);
        }
        Some((id, self.rests(id)))
    }

    /// How long the actor of an id still rests.
    pub(crate) fn rests(&self, id: I) -> Duration {
        self.back_off.rests(id).unwrap_or_default()
    }

    /// Whether the actor of an id runs, or is being started. Asking is no use of it.
    pub(crate) fn is_running(&self, id: I) -> bool {
        self.seats.contains_key(&id)
    }

    /// The actor of an id if it runs.
    pub(crate) fn if_running(&self, id: I) -> Option<Arc<Running<M>>> {
        self.seats.get(&id)?.open()
    }

    /// Notes whose actor this is, until it has ended.
    pub(crate) fn note(&self, actor: ActorId, id: I) {
        self.noted.insert(actor, id);
    }

    /// Whose actor it was that has ended, if it was noted.
    pub(crate) fn ended(&self, actor: ActorId) -> Option<I> {
        self.noted.remove(&actor).map(|(_, id)| id)
    }

    fn seat(&self, id: I) -> Arc<Seat<M>> {
        if let Some(seat) = self.seats.get(&id) {
            return Arc::clone(&seat);
        }
        Arc::clone(&self.seats.entry(id).or_default())
    }

    /// How many actors have a place.
    pub(crate) fn len(&self) -> usize {
        self.seats.len()
    }

    /// The seats in the order of their ids: the map's own order differs from run to run, and a simulation must not.
    fn in_order(&self) -> Vec<(I, Arc<Seat<M>>)> {
        let mut seats: Vec<_> =
            self.seats.iter().map(|seat| (*seat.key(), Arc::clone(seat.value()))).collect();
        seats.sort_unstable_by_key(|(id, _)| *id);
        seats
    }

    /// Puts away what was idle for [`IDLE_MAX`], and tells the rest that a minute has passed, if they want to know.
    pub(crate) fn sweep(&self) {
        self.back_off.forget();
        for (id, seat) in self.in_order() {
            // A seat that is being filled is in use.
            let Ok(mut gone) = seat.gone.try_lock() else { continue };
            let Some(running) = seat.running.read().clone() else { continue };
            if running.is_open() && (running.idle() < IDLE_MAX || !running.retire()) {
                self.minute.into_iter().for_each(|minute| _ = running.actor.cast(minute()));
                continue;
            }
            *gone = true;
            self.seats.remove(&id);
        }
    }

    /// Puts an actor away if it has nothing in flight.
    pub(crate) fn put_away(&self, id: I) {
        let Some(seat) = self.seats.get(&id).map(|seat| Arc::clone(&seat)) else { return };
        // A seat that is being filled is in use.
        let Ok(mut gone) = seat.gone.try_lock() else { return };
        let running = seat.running.read().clone();
        if running.is_some_and(|running| running.is_open() && running.retire()) {
            *gone = true;
            self.seats.remove(&id);
        }
    }

    /// Has nobody ask an actor for anything more; it answers what it was asked, and whoever has it stopped does so behind
    /// that. Its seat is free for the next one, and goes with the minute.
    pub(crate) fn dismiss(&self, id: I) -> Option<Arc<Running<M>>> {
        let running = self.seats.get(&id)?.running.read().clone()?;
        running.permits.close();
        // It stops on purpose: one of its id that comes later has not failed before.
        running.accounted.store(true, Ordering::Release);
        Some(running)
    }

    /// Stops every actor. Nothing that anyone waits for may be in flight any more.
    pub(crate) fn stop(&self) {
        for (_, seat) in self.in_order() {
            if let Some(running) = seat.running.read().as_ref() {
                running.permits.close();
                running.accounted.store(true, Ordering::Release);
                running.actor.stop(Some("the engine closes".into()));
            }
        }
        self.seats.clear();
    }
}

impl<M: Message> Seat<M> {
    fn open(&self) -> Option<Arc<Running<M>>> {
        let running = self.running.read();
        let running = running.as_ref().filter(|running| running.is_open())?;
        running.touch();
        Some(Arc::clone(running))
    }
}

impl<M: Message> Running<M> {
    fn new(actor: ActorRef<M>, permits: Arc<Semaphore>) -> Self {
        Self {
            actor,
            permits,
            started: Instant::now(),
            used: AtomicU64::new(0),
            accounted: AtomicBool::new(false),
        }
    }

    /// Whether it takes messages. One that is loaded and has yet to begin takes them too: whoever took it for ended
    /// would start another beside it.
    pub(crate) fn is_open(&self) -> bool {
        let alive = matches!(self.actor.get_status(), ActorStatus::Starting | ActorStatus::Running);
        alive && !self.permits.is_closed()
    }

    /// Whether it has ended by itself, and that was not counted before.
    fn has_failed(&self) -> bool {
        matches!(self.actor.get_status(), ActorStatus::Stopping | ActorStatus::Stopped) && self.counts()
    }

    /// Whether it is for whoever asks to count its failure.
    fn counts(&self) -> bool {
        !self.accounted.swap(true, Ordering::AcqRel)
    }

    /// Notes a use.
    fn touch(&self) {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.fetch_max(millis, Ordering::Relaxed);
    }

    /// How long nobody used it.
    fn idle(&self) -> Duration {
        let used = Duration::from_millis(self.used.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(used)
    }

    /// Stops the actor if nothing is in flight; false if something is.
    fn retire(&self) -> bool {
        #[allow(clippy::cast_possible_truncation, reason = "the permits are a small constant")]
        let Ok(all) = self.permits.try_acquire_many(QUEUE_PERMITS as u32) else { return false };
        self.permits.close();
        self.accounted.store(true, Ordering::Release);
        drop(all);
        self.actor.stop(Some("idle".into()));
        true
    }
}

/// Seats a new actor; a seat that cannot be filled leaves the directory.
async fn fill<I: Id, M: Message>(
    (seats, back_off): (Seats<I, M>, Arc<BackOff<I>>),
    (id, seat, mut gone): (I, Arc<Seat<M>>, OwnedMutexGuard<bool>),
    starting: Starting<M>,
    permits: Arc<Semaphore>,
) -> Result<Arc<Running<M>>, EngineError> {
    match starting.await {
        Ok(actor) => {
            let running = Arc::new(Running::new(actor, permits));
            *seat.running.write() = Some(Arc::clone(&running));
            Ok(running)
        }
        Err(error) => {
            if error.is_of_the_actor() {
                back_off.failed(id);
            }
            *gone = true;
            seats.remove(&id);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::Engine;
    use crate::NewBusiness;
    use crate::business::Request;
    use crate::business::commands::webhooks::CreateWebhook;
    use crate::delivery::EndpointKey;
    use crate::domain::{Actor as Who, BookingMode, BusinessId, EventType, Locale, Text, WeeklyHours};
    use crate::net::WebhookUrl;
    use crate::ports::Ports;
    use crate::store::{Batch, Key, MemoryBackend, Store};

    async fn engine_with_a_business(disk: &MemoryBackend) -> (Engine, Store, BusinessId) {
        let store = Store::in_memory(disk, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store.clone(), Ports::system().unwrap()).await.unwrap();
        let new = NewBusiness {
            name: Text::new("Shop".into()).unwrap(),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::default(),
            breaks: crate::domain::WeeklyBreaks::default(),
            phone_region: "US".into(),
        };
        let id = engine.create_business(new, Who::Operator).await.unwrap().id;
        (engine, store, id)
    }

    #[tokio::test(start_paused = true)]
    async fn an_actor_that_was_woken_is_not_put_away_before_it_has_looked() {
        let (engine, _, id) = engine_with_a_business(&MemoryBackend::new()).await;
        let business = engine.business(id);
        let create = CreateWebhook {
            url: WebhookUrl::parse("https://a.example.com/").unwrap(),
            events: [EventType::ContactCreated].into_iter().collect(),
            description: Text::default(),
        };
        let created = business.change(Request::by(Who::Operator), create).await.unwrap();
        let created: serde_json::Value = serde_json::from_slice(&created.body).unwrap();
        let key = EndpointKey { business: id, endpoint: created["id"].as_str().unwrap().parse().unwrap() };
        let shared = &business.shared;
        let running = shared.deliveries.running(key).await.unwrap();
        let others_run = || tokio::time::sleep(Duration::from_millis(1));
        others_run().await;
        shared.wake_delivery(key);
        assert!(!running.retire(), "it has not looked yet");
        others_run().await;
        assert!(running.retire(), "it has looked, and found nothing");
        // Whoever is put away hears nothing any more, so the next one is told.
        shared.wake_delivery(key);
        others_run().await;
        let next = shared.deliveries.if_running(key).unwrap();
        assert_ne!(next.actor.get_id(), running.actor.get_id());
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_goes_away_leaves_the_one_actor_to_the_next() {
        let disk = MemoryBackend::new();
        let (engine, store, id) = engine_with_a_business(&disk).await;
        disk.hold_syncs();
        let mut batch = Batch::new();
        batch.put(Key::new(Uuid::nil().as_bytes()), Vec::new());
        store.submit(id, batch, Box::new(|| ()));
        let shared = &engine.business(id).shared;
        for _ in 0..3 {
            // The actor loads only what is on the disk, so none of them gets it in time.
            let asked = shared.businesses.running(id);
            assert!(tokio::time::timeout(Duration::from_secs(1), asked).await.is_err());
        }
        disk.release_syncs();
        shared.businesses.running(id).await.unwrap();
        assert_eq!(shared.supervisor.get_children().len(), 1);
    }
}
