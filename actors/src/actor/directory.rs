//! Which actors are running, of one kind: starts one on demand, and puts away those that nobody uses. How one is
//! started, whoever makes the directory says: it knows no kind of actor itself.
//!
//! What always holds: at most one actor of an id takes messages. A seat is filled, emptied and taken out of the
//! directory under its own lock; an actor is put away only when it has nothing in flight, and its permits are closed
//! first, so that a caller who still holds it learns that nothing was done and comes back here. One that fails again and
//! again rests in between, whoever asks for it.
//!
//! At most [`Bounds::running_max`] actors run. A start over this bound stops the longest unused actor that has no work
//! under way, which means that all of its permits are free. If the actors that are looked at all have work, the start
//! exceeds the bound: a request never waits for the end of another request. The next starts and the sweep stop the
//! surplus. A caller that starts an actor holds a permit of it from the beginning, so callers cannot stop each other's
//! actors before they are used.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::RwLock;
use ractor::{ActorId, ActorRef, ActorStatus, Message};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::Instant;

use super::back_off::BackOff;
use super::use_order::UseOrder;
use crate::error::EngineError;
use crate::ports::BoxFuture;

/// How long an actor may be unused before it is put away.
const IDLE_MAX: Duration = Duration::from_secs(600);
/// How many messages of one actor may wait for an answer; one more is refused as overload.
pub(crate) const QUEUE_PERMITS: usize = 1_024;
/// The parts of a sweep. One part follows a second after the other, so a sweep ends before the next minute.
const SWEEP_PARTS: usize = 50;
/// The least number of actors in one part.
const SWEEP_PART_MIN: usize = 16;
/// The number of actors that a start over the bound looks at. It is more than one so that the surplus becomes smaller.
const LOOKS_PER_START: usize = 4;

/// Starts the actor of an id; it may hold permits while it has work of its own.
pub(crate) type Start<I, M> = Box<dyn Fn(I, Arc<Semaphore>) -> Starting<M> + Send + Sync>;
/// An actor that is being started.
pub(crate) type Starting<M> = BoxFuture<'static, Result<ActorRef<M>, EngineError>>;

/// What actors are told apart by.
pub(crate) trait Id: Copy + Ord + Hash + Send + Sync + 'static {}

impl<I: Copy + Ord + Hash + Send + Sync + 'static> Id for I {}

/// The bounds of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The number of failures in a minute after which an actor rests.
    pub(crate) patience: u32,
    /// The number of actors that run, as long as one of them has no work under way.
    pub(crate) running_max: usize,
}

/// The running actors of one kind, which are told messages `M`.
pub(crate) struct Directory<I: Id, M: Message> {
    seats: Arc<Seats<I, M>>,
    start: Start<I, M>,
    /// What an actor in use is told once a minute, if anything.
    minute: Option<fn() -> M>,
    /// Whose actors those are that were noted and have not ended.
    noted: DashMap<ActorId, I>,
    /// The actors that the sweep has yet to look at.
    sweep: parking_lot::Mutex<Sweep<I>>,
}

/// The rest of a sweep.
struct Sweep<I> {
    left: Vec<I>,
    part: usize,
}

/// The places of the actors of one kind.
struct Seats<I: Id, M: Message> {
    map: DashMap<I, Arc<Seat<M>>>,
    /// The actors that run. Its lock is never taken while an entry of `map` is locked.
    order: parking_lot::Mutex<UseOrder<I>>,
    /// The number of uses of all actors.
    uses: AtomicU64,
    running_max: usize,
    /// Which of them rest, since they failed.
    back_off: BackOff<I>,
}

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
    /// The number of the newest use, among the uses of all actors.
    newest_use: AtomicU64,
    /// Whether it was stopped on purpose, or its failure is counted.
    accounted: AtomicBool,
}

/// A running actor and the permit for one message. The actor is not stopped while the permit is held.
pub(crate) type Entered<M> = (Arc<Running<M>>, OwnedSemaphorePermit);

impl<M: Message> Default for Seat<M> {
    fn default() -> Self {
        Self { running: RwLock::new(None), gone: Arc::default() }
    }
}

impl<I: Id, M: Message> Directory<I, M> {
    /// No actor runs yet.
    pub(crate) fn new(start: Start<I, M>, minute: Option<fn() -> M>, bounds: Bounds) -> Self {
        let seats = Seats {
            map: DashMap::new(),
            order: parking_lot::Mutex::default(),
            uses: AtomicU64::new(0),
            running_max: bounds.running_max,
            back_off: BackOff::new(bounds.patience),
        };
        let sweep = parking_lot::Mutex::new(Sweep { left: Vec::new(), part: SWEEP_PART_MIN });
        Self { seats: Arc::new(seats), start, minute, noted: DashMap::new(), sweep }
    }

    /// The running actor of an id, started if need be, with a permit for one message.
    ///
    /// # Errors
    /// [`EngineError::Overloaded`] without a free permit, [`EngineError::Resting`] after failures, and what the start
    /// gives.
    pub(crate) async fn enter(&self, id: I) -> Result<Entered<M>, EngineError> {
        loop {
            let seat = self.seats.seat(id);
            if let Some(entered) = self.seats.enter(&seat)? {
                return Ok(entered);
            }
            let gone = Arc::clone(&seat.gone).lock_owned().await;
            if *gone {
                continue;
            }
            if let Some(entered) = self.seats.enter(&seat)? {
                return Ok(entered);
            }
            let back_off = &self.seats.back_off;
            // Whoever comes may be faster than the news that it has failed.
            if seat.running.read().as_ref().is_some_and(|running| running.has_failed()) {
                back_off.failed(id);
            }
            if let Some(left) = back_off.rests(id) {
                *seat.running.write() = None;
                self.seats.vacate(id, gone);
                return Err(EngineError::Resting(left));
            }
            let permits = Arc::new(Semaphore::new(QUEUE_PERMITS));
            let starting = (self.start)(id, Arc::clone(&permits));
            // In a task of its own: a caller who goes away must not leave an actor behind that has no seat.
            let filling = Arc::clone(&self.seats).fill((id, seat, gone), starting, permits);
            return tokio::spawn(filling).await.unwrap_or(Err(EngineError::Failed));
        }
    }

    /// Takes note that an actor has failed while it ran; gives whose it was, if it was noted, and how long that rests.
    pub(crate) fn failed(&self, actor: ActorId) -> Option<(I, Duration)> {
        let id = self.ended(actor)?;
        let running = self.seats.running(id).filter(|running| running.actor.get_id() == actor);
        if running.is_none_or(|running| running.counts()) {
            self.seats.back_off.failed(id);
        }
        Some((id, self.rests(id)))
    }

    /// How long the actor of an id still rests.
    pub(crate) fn rests(&self, id: I) -> Duration {
        self.seats.back_off.rests(id).unwrap_or_default()
    }

    /// Whether the actor of an id runs, or is being started. Asking is no use of it.
    pub(crate) fn is_running(&self, id: I) -> bool {
        self.seats.map.contains_key(&id)
    }

    /// The actor of an id if it runs.
    pub(crate) fn if_running(&self, id: I) -> Option<Arc<Running<M>>> {
        let running = self.seats.running(id).filter(|running| running.is_open())?;
        self.seats.touch(&running);
        Some(running)
    }

    /// Notes whose actor this is, until it has ended.
    pub(crate) fn note(&self, actor: ActorId, id: I) {
        self.noted.insert(actor, id);
    }

    /// Whose actor it was that has ended, if it was noted.
    pub(crate) fn ended(&self, actor: ActorId) -> Option<I> {
        self.noted.remove(&actor).map(|(_, id)| id)
    }

    /// How many actors have a place.
    pub(crate) fn len(&self) -> usize {
        self.seats.map.len()
    }

    /// Looks at the next part of the actors: stops those that were unused for [`IDLE_MAX`], and tells the others that a
    /// minute has passed, if they want to know. With `begins` a sweep begins, unless one is under way. Gives whether
    /// another part is left.
    pub(crate) fn sweep(&self, begins: bool) -> bool {
        let part: Vec<I> = {
            let mut sweep = self.sweep.lock();
            if begins && sweep.left.is_empty() {
                self.seats.back_off.forget();
                sweep.left = self.seats.ids_descending();
                sweep.part = sweep.left.len().div_ceil(SWEEP_PARTS).max(SWEEP_PART_MIN);
            }
            let kept = sweep.left.len().saturating_sub(sweep.part);
            sweep.left.split_off(kept)
        };
        for id in part.iter().rev() {
            self.look_at(*id);
        }
        self.seats.stop_surplus(part.len());
        !self.sweep.lock().left.is_empty()
    }

    fn look_at(&self, id: I) {
        let Some(seat) = self.seats.get(id) else { return };
        // A seat that is being filled is in use.
        let Ok(gone) = Arc::clone(&seat.gone).try_lock_owned() else { return };
        let Some(running) = seat.running.read().clone() else { return };
        if running.is_open() && (running.idle() < IDLE_MAX || !running.retire()) {
            self.minute.into_iter().for_each(|minute| _ = running.actor.cast(minute()));
            return;
        }
        self.seats.vacate(id, gone);
    }

    /// Puts an actor away if it has nothing in flight.
    pub(crate) fn put_away(&self, id: I) {
        self.seats.put_away(id);
    }

    /// Has nobody ask an actor for anything more; it answers what it was asked, and whoever has it stopped does so behind
    /// that. Its seat is free for the next one, and goes with the minute.
    pub(crate) fn dismiss(&self, id: I) -> Option<Arc<Running<M>>> {
        let running = self.seats.running(id)?;
        running.permits.close();
        // It stops on purpose: one of its id that comes later has not failed before.
        running.accounted.store(true, Ordering::Release);
        Some(running)
    }

    /// Stops every actor. Nothing that anyone waits for may be in flight any more.
    pub(crate) fn stop(&self) {
        for id in self.seats.ids_descending().into_iter().rev() {
            if let Some(running) = self.seats.running(id) {
                running.permits.close();
                running.accounted.store(true, Ordering::Release);
                running.actor.stop(Some("the engine closes".into()));
            }
        }
        self.seats.map.clear();
        self.seats.order.lock().clear();
    }
}

impl<I: Id, M: Message> Seats<I, M> {
    fn get(&self, id: I) -> Option<Arc<Seat<M>>> {
        self.map.get(&id).map(|seat| Arc::clone(&seat))
    }

    /// The seat of an id, added if need be.
    fn seat(&self, id: I) -> Arc<Seat<M>> {
        self.get(id).unwrap_or_else(|| Arc::clone(&self.map.entry(id).or_default()))
    }

    /// The actor in the seat of an id.
    fn running(&self, id: I) -> Option<Arc<Running<M>>> {
        self.map.get(&id)?.running.read().clone()
    }

    /// The ids in descending order: the map's own order differs from run to run, and a simulation must not.
    fn ids_descending(&self) -> Vec<I> {
        let mut ids: Vec<_> = self.map.iter().map(|seat| *seat.key()).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids
    }

    /// Notes a use.
    fn touch(&self, running: &Running<M>) {
        running.touch(self.uses.fetch_add(1, Ordering::Relaxed) + 1);
    }

    /// The actor in a seat with a permit, if one is there that takes messages.
    fn enter(&self, seat: &Seat<M>) -> Result<Option<Entered<M>>, EngineError> {
        let Some(running) = seat.running.read().clone().filter(|running| running.is_open()) else {
            return Ok(None);
        };
        self.touch(&running);
        match Arc::clone(&running.permits).try_acquire_owned() {
            Ok(permit) => Ok(Some((running, permit))),
            Err(TryAcquireError::NoPermits) => Err(EngineError::Overloaded),
            // It was stopped just now.
            Err(TryAcquireError::Closed) => Ok(None),
        }
    }

    /// Takes a seat out of the directory.
    fn vacate(&self, id: I, mut gone: OwnedMutexGuard<bool>) {
        *gone = true;
        // Before the next actor of the id can have a seat.
        self.order.lock().remove(id);
        self.map.remove(&id);
    }

    /// Takes the actor of an id out of the directory unless it has work under way.
    fn put_away(&self, id: I) {
        let Some(seat) = self.get(id) else { return };
        // A seat that is being filled is in use.
        let Ok(gone) = Arc::clone(&seat.gone).try_lock_owned() else { return };
        let running = seat.running.read().clone();
        if running.is_some_and(|running| !running.is_open() || running.retire()) {
            self.vacate(id, gone);
        }
    }

    /// Stops the longest unused actors while more run than may. Looks at so many actors at most. An actor with work
    /// under way goes on, and counts as used now.
    fn stop_surplus(&self, looks: usize) {
        for _ in 0..looks {
            let id = {
                let mut order = self.order.lock();
                if order.len() <= self.running_max {
                    return;
                }
                let newest = |id| Some(self.running(id)?.newest_use.load(Ordering::Relaxed));
                let Some(id) = order.longest_unused(newest) else { return };
                order.set(id, self.uses.fetch_add(1, Ordering::Relaxed) + 1);
                id
            };
            self.put_away(id);
        }
    }

    /// Seats a new actor, with a permit for the caller that starts it; a seat that cannot be filled leaves the
    /// directory.
    async fn fill(
        self: Arc<Self>,
        (id, seat, gone): (I, Arc<Seat<M>>, OwnedMutexGuard<bool>),
        starting: Starting<M>,
        permits: Arc<Semaphore>,
    ) -> Result<Entered<M>, EngineError> {
        let permit = Arc::clone(&permits).try_acquire_owned().map_err(|_| EngineError::Failed);
        match starting.await.and_then(|actor| Ok((actor, permit?))) {
            Ok((actor, permit)) => {
                let running = Arc::new(Running::new(actor, permits));
                self.touch(&running);
                *seat.running.write() = Some(Arc::clone(&running));
                self.order.lock().set(id, running.newest_use.load(Ordering::Relaxed));
                drop(gone);
                self.stop_surplus(LOOKS_PER_START);
                Ok((running, permit))
            }
            Err(error) => {
                if error.is_of_the_actor() {
                    self.back_off.failed(id);
                }
                self.vacate(id, gone);
                Err(error)
            }
        }
    }
}

impl<M: Message> Running<M> {
    fn new(actor: ActorRef<M>, permits: Arc<Semaphore>) -> Self {
        Self {
            actor,
            permits,
            started: Instant::now(),
            used: AtomicU64::new(0),
            newest_use: AtomicU64::new(0),
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

    /// Notes the use with a number.
    fn touch(&self, number: u64) {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.fetch_max(millis, Ordering::Relaxed);
        self.newest_use.fetch_max(number, Ordering::Relaxed);
    }

    /// How long nobody used it.
    fn idle(&self) -> Duration {
        let used = Duration::from_millis(self.used.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(used)
    }

    /// Waits until it has nothing under way.
    pub(crate) async fn settled(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "the permits are a small constant")]
        let _ = self.permits.acquire_many(QUEUE_PERMITS as u32).await;
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

#[cfg(test)]
mod tests;
