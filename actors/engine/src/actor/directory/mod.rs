//! The directory of the running actors of one kind. It starts an actor on demand and stops unused actors. A
//! *seat* is the directory's entry for one id. A *sweep* inspects all actors, once a minute.
//!
//! - At most one actor per id takes messages, because the lock of the seat is held while the seat changes.
//! - Each unanswered message holds a permit of its actor. The directory stops an actor only when all of its permits are
//!   free, or when the engine closes. When an actor is stopped, the semaphore of its permits is closed. A request that
//!   finds the semaphore closed looks up the seat again.
//! - If more than [`Bounds::running_max`] actors run, each start inspects the [`LOOKS_PER_START`] actors that have been
//!   unused for longest, and stops those that have no work. If all of them have work, the new actor runs too, because
//!   the request that needs it must not wait. Later starts and the sweep stop the surplus actors.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::RwLock;
use ports::BoxFuture;
use ractor::{ActorId, ActorRef, ActorStatus, Message};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, TryAcquireError, oneshot};
use tokio::time::Instant;

use super::back_off::BackOff;
use super::use_order::UseOrder;
use super::{Claim, Reply};
use crate::error::{EngineError, Result};

const IDLE_MAX: Duration = Duration::from_secs(600);
/// The maximum number of unanswered messages per actor. Further messages are refused with
/// [`EngineError::Overloaded`].
pub(crate) const QUEUE_PERMITS: usize = 1_024;
/// The number of parts into which a sweep is divided. One part runs per second.
const SWEEP_PARTS: usize = 50;
const SWEEP_PART_MIN: usize = 16;
/// While too many actors run, the start of an actor inspects at most this many actors, and stops those without work.
/// The maximum is greater than 1, so that more actors can be stopped than started.
const LOOKS_PER_START: usize = 4;

pub(crate) type Start<I, M> = Box<dyn Fn(I, Arc<Semaphore>) -> Starting<M> + Send + Sync>;
pub(crate) type Starting<M> = BoxFuture<'static, Result<ActorRef<M>>>;

pub(crate) trait Id: Copy + Ord + Hash + Send + Sync + 'static {}

impl<I: Copy + Ord + Hash + Send + Sync + 'static> Id for I {}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) patience: u32,
    /// The maximum number of running actors. If more actors run, the start of an actor inspects a few actors and stops
    /// those without work. If all inspected actors have work, the number stays above the maximum.
    pub(crate) running_max: usize,
}

pub(crate) struct Directory<I: Id, M: Message> {
    seats: Arc<Seats<I, M>>,
    start: Start<I, M>,
    minute: Option<fn() -> M>,
    noted: DashMap<ActorId, I>,
    sweep: parking_lot::Mutex<Sweep<I>>,
}

struct Sweep<I> {
    left: Vec<I>,
    part: usize,
}

struct Seats<I: Id, M: Message> {
    map: DashMap<I, Arc<Seat<M>>>,
    /// Lock order: this lock is never taken while an entry of `map` is locked.
    order: parking_lot::Mutex<UseOrder<I>>,
    uses: AtomicU64,
    running_max: usize,
    back_off: BackOff<I>,
}

struct Seat<M: Message> {
    running: RwLock<Option<Arc<Running<M>>>>,
    /// True if the seat has been removed from the directory. The lock is held while the actor starts or stops.
    gone: Arc<Mutex<bool>>,
}

pub(crate) struct Running<M: Message> {
    pub(crate) actor: ActorRef<M>,
    pub(crate) permits: Arc<Semaphore>,
    started: Instant,
    used: AtomicU64,
    newest_use: AtomicU64,
    /// True if the directory stopped the actor or has already counted its failure for the back-off.
    accounted: AtomicBool,
}

/// A running actor and the permit for one message. The directory does not stop the actor while the permit is held.
pub(crate) type Entered<M> = (Arc<Running<M>>, OwnedSemaphorePermit);

impl<M: Message> Default for Seat<M> {
    fn default() -> Self {
        Self { running: RwLock::new(None), gone: Arc::default() }
    }
}

impl<I: Id, M: Message> Directory<I, M> {
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

    /// Returns the actor of an id and a permit for one message. Starts the actor if it does not run. Fails with
    /// [`EngineError::Overloaded`] if the actor has no free permit, with [`EngineError::Resting`] during a back-off, or
    /// with the error of a failed start.
    pub(crate) async fn enter(&self, id: I) -> Result<Entered<M>> {
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
            // A request may notice the failure of an actor before the supervisor does. In this case the failure is
            // counted here.
            if seat.running.read().as_ref().is_some_and(|running| running.has_failed()) {
                back_off.failed(id);
            }
            if let Some(left) = back_off.remaining(id) {
                *seat.running.write() = None;
                self.seats.vacate(id, gone);
                return Err(EngineError::Resting(left));
            }
            let permits = Arc::new(Semaphore::new(QUEUE_PERMITS));
            let starting = (self.start)(id, Arc::clone(&permits));
            // The start runs in a separate task, so the actor is put into its seat even if the request is dropped.
            let filling = Arc::clone(&self.seats).fill((id, seat, gone), starting, permits);
            return tokio::spawn(filling).await.unwrap_or(Err(EngineError::Failed));
        }
    }

    /// Sends a message to the actor of an id and returns the actor's answer. `permit` is the engine's permit for the
    /// message. Fails with the errors of [`Self::enter`], or with [`EngineError::Failed`] if the outcome of the message
    /// is unknown.
    pub(crate) async fn call<T>(
        &self,
        (id, permit, claim): (I, OwnedSemaphorePermit, Option<Claim>),
        message: impl FnOnce(Reply<T>) -> M,
    ) -> Result<T> {
        let (running, actor_permit) = self.enter(id).await?;
        let (answer, answered) = oneshot::channel();
        let reply = Reply { answer, claim, _permits: [permit, actor_permit] };
        if running.actor.cast(message(reply)).is_err() {
            running.permits.close();
            return Err(EngineError::Overloaded);
        }
        answered.await.unwrap_or(Err(EngineError::Failed))
    }

    /// Records the failure of an actor. Returns the id to which the actor belongs and the remaining back-off of this
    /// id, or `None` if the actor is unknown.
    pub(crate) fn failed(&self, actor: ActorId) -> Option<(I, Duration)> {
        let id = self.ended(actor)?;
        let running = self.seats.running(id).filter(|running| running.actor.get_id() == actor);
        if running.is_none_or(|running| running.counts()) {
            self.seats.back_off.failed(id);
        }
        Some((id, self.back_off(id)))
    }

    pub(crate) fn back_off(&self, id: I) -> Duration {
        self.seats.back_off.remaining(id).unwrap_or_default()
    }

    /// True if the actor runs or is being started. This check does not count as a use of the actor.
    pub(crate) fn is_running(&self, id: I) -> bool {
        self.seats.map.contains_key(&id)
    }

    pub(crate) fn if_running(&self, id: I) -> Option<Arc<Running<M>>> {
        let running = self.seats.running(id).filter(|running| running.is_open())?;
        self.seats.touch(&running);
        Some(running)
    }

    pub(crate) fn note(&self, actor: ActorId, id: I) {
        self.noted.insert(actor, id);
    }

    pub(crate) fn ended(&self, actor: ActorId) -> Option<I> {
        self.noted.remove(&actor).map(|(_, id)| id)
    }

    pub(crate) fn len(&self) -> usize {
        self.seats.map.len()
    }

    /// Runs the next part of a sweep: stops unused actors and sends the `minute` message to the others. If `begins` is
    /// true and no sweep is in progress, starts a new sweep. Returns true if the sweep has more parts.
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
        // If the lock is held, the actor is starting or stopping, so the sweep skips it.
        let Ok(gone) = Arc::clone(&seat.gone).try_lock_owned() else { return };
        let Some(running) = seat.running.read().clone() else { return };
        if running.is_open() && (running.idle() < IDLE_MAX || !running.retire()) {
            self.minute.into_iter().for_each(|minute| _ = running.actor.cast(minute()));
            return;
        }
        self.seats.vacate(id, gone);
    }

    pub(crate) fn put_away(&self, id: I) {
        self.seats.put_away(id);
    }

    /// Makes an actor refuse new messages, and returns the actor. The caller can stop the actor after its last answer.
    pub(crate) fn dismiss(&self, id: I) -> Option<Arc<Running<M>>> {
        let running = self.seats.running(id)?;
        running.permits.close();
        running.accounted.store(true, Ordering::Release);
        Some(running)
    }

    /// Stops every actor. Requests whose messages are unanswered get [`EngineError::Failed`].
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

    fn seat(&self, id: I) -> Arc<Seat<M>> {
        self.get(id).unwrap_or_else(|| Arc::clone(&self.map.entry(id).or_default()))
    }

    fn running(&self, id: I) -> Option<Arc<Running<M>>> {
        self.map.get(&id)?.running.read().clone()
    }

    /// Returns the ids in descending order. The ids are sorted, because the order of a `DashMap` differs between runs,
    /// and simulations must be reproducible.
    fn ids_descending(&self) -> Vec<I> {
        let mut ids: Vec<_> = self.map.iter().map(|seat| *seat.key()).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids
    }

    fn touch(&self, running: &Running<M>) {
        running.touch(self.uses.fetch_add(1, Ordering::Relaxed) + 1);
    }

    fn enter(&self, seat: &Seat<M>) -> Result<Option<Entered<M>>> {
        let Some(running) = seat.running.read().clone().filter(|running| running.is_open()) else {
            return Ok(None);
        };
        self.touch(&running);
        match Arc::clone(&running.permits).try_acquire_owned() {
            Ok(permit) => Ok(Some((running, permit))),
            Err(TryAcquireError::NoPermits) => Err(EngineError::Overloaded),
            Err(TryAcquireError::Closed) => Ok(None),
        }
    }

    fn vacate(&self, id: I, mut gone: OwnedMutexGuard<bool>) {
        *gone = true;
        self.order.lock().remove(id);
        self.map.remove(&id);
    }

    fn put_away(&self, id: I) {
        let Some(seat) = self.get(id) else { return };
        let Ok(gone) = Arc::clone(&seat.gone).try_lock_owned() else { return };
        let running = seat.running.read().clone();
        if running.is_some_and(|running| !running.is_open() || running.retire()) {
            self.vacate(id, gone);
        }
    }

    /// While more than `running_max` actors run, inspects the actor that has been unused for longest, at most `looks`
    /// times. Stops each inspected actor that has no work. An inspected actor with work counts as used now.
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

    /// Waits for the start of an actor and puts the actor into its seat. Removes the seat if the start fails.
    async fn fill(
        self: Arc<Self>,
        (id, seat, gone): (I, Arc<Seat<M>>, OwnedMutexGuard<bool>),
        starting: Starting<M>,
        permits: Arc<Semaphore>,
    ) -> Result<Entered<M>> {
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

    /// True if the actor takes messages. It is also true while the actor is starting, so that no second actor is
    /// started.
    pub(crate) fn is_open(&self) -> bool {
        let alive = matches!(self.actor.get_status(), ActorStatus::Starting | ActorStatus::Running);
        alive && !self.permits.is_closed()
    }

    fn has_failed(&self) -> bool {
        matches!(self.actor.get_status(), ActorStatus::Stopping | ActorStatus::Stopped) && self.counts()
    }

    fn counts(&self) -> bool {
        !self.accounted.swap(true, Ordering::AcqRel)
    }

    fn touch(&self, number: u64) {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.fetch_max(millis, Ordering::Relaxed);
        self.newest_use.fetch_max(number, Ordering::Relaxed);
    }

    fn idle(&self) -> Duration {
        let used = Duration::from_millis(self.used.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(used)
    }

    pub(crate) async fn wait_idle(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "QUEUE_PERMITS fits in a u32")]
        let _ = self.permits.acquire_many(QUEUE_PERMITS as u32).await;
    }

    fn retire(&self) -> bool {
        #[allow(clippy::cast_possible_truncation, reason = "QUEUE_PERMITS fits in a u32")]
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
