//! Which businesses are running: starts an actor on demand, and puts away those that nobody uses.
//!
//! What always holds: at most one actor of a business takes messages. A seat is filled, emptied and taken out of the
//! directory under its own lock; an actor is put away only when it has nothing in flight, and its permits are closed
//! first, so that a caller who still holds it learns that nothing was done and comes back here.

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::RwLock;
use ractor::{Actor, ActorCell, SpawnErr};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::business::{BusinessActor, Message, NoSuchBusiness, QUEUE_PERMITS, Running, Start};
use crate::domain::BusinessId;
use crate::engine::{EngineError, Inner};

/// How long a business may be unused before it is put away.
const IDLE_MAX: Duration = Duration::from_secs(600);

/// The running businesses.
#[derive(Default)]
pub(crate) struct Directory {
    seats: DashMap<BusinessId, Arc<Seat>>,
}

/// The place of one business.
#[derive(Default)]
struct Seat {
    /// The actor, for those who come while it runs.
    running: RwLock<Option<Arc<Running>>>,
    /// Held while the seat is filled or emptied; true once it is out of the directory.
    gone: Arc<Mutex<bool>>,
}

impl Directory {
    /// The running actor of a business, started if need be.
    pub(crate) async fn running(
        &self,
        inner: &Arc<Inner>,
        id: BusinessId,
    ) -> Result<Arc<Running>, EngineError> {
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
            // In a task of its own: a caller who goes away must not leave an actor behind that has no seat.
            let filling = tokio::spawn(fill(Arc::clone(inner), id, seat, gone));
            return filling.await.unwrap_or(Err(EngineError::Failed));
        }
    }

    fn seat(&self, id: BusinessId) -> Arc<Seat> {
        if let Some(seat) = self.seats.get(&id) {
            return Arc::clone(&seat);
        }
        Arc::clone(&self.seats.entry(id).or_default())
    }

    /// How many businesses have a place.
    pub(crate) fn len(&self) -> usize {
        self.seats.len()
    }

    /// Puts away what was idle for [`IDLE_MAX`], and has the rest delete what has outlived its time.
    pub(crate) fn sweep(&self) {
        let seats: Vec<_> = self.seats.iter().map(|seat| (*seat.key(), Arc::clone(seat.value()))).collect();
        for (id, seat) in seats {
            // A seat that is being filled is in use.
            let Ok(mut gone) = seat.gone.try_lock() else { continue };
            let Some(running) = seat.running.read().clone() else { continue };
            if running.is_open() && running.idle() < IDLE_MAX {
                let _ = running.actor.cast(Message::Sweep);
                continue;
            }
            if running.is_open() && !running.retire() {
                continue;
            }
            *gone = true;
            self.seats.remove(&id);
        }
    }

    /// Stops every actor. Nothing may be in flight any more.
    pub(crate) fn stop(&self) {
        for seat in &self.seats {
            if let Some(running) = seat.running.read().as_ref() {
                running.permits.close();
                running.actor.stop(Some("the engine closes".into()));
            }
        }
        self.seats.clear();
    }
}

impl Seat {
    fn open(&self) -> Option<Arc<Running>> {
        let running = self.running.read();
        let running = running.as_ref().filter(|running| running.is_open())?;
        running.touch();
        Some(Arc::clone(running))
    }
}

impl Running {
    /// Stops the actor if nothing is in flight; false if something is.
    fn retire(&self) -> bool {
        #[allow(clippy::cast_possible_truncation, reason = "the permits are a small constant")]
        let Ok(all) = self.permits.try_acquire_many(QUEUE_PERMITS as u32) else { return false };
        self.permits.close();
        drop(all);
        self.actor.stop(Some("idle".into()));
        true
    }
}

/// Seats a new actor; a seat that cannot be filled leaves the directory.
async fn fill(
    inner: Arc<Inner>,
    id: BusinessId,
    seat: Arc<Seat>,
    mut gone: OwnedMutexGuard<bool>,
) -> Result<Arc<Running>, EngineError> {
    let started = start(&inner, id).await;
    match &started {
        Ok(running) => *seat.running.write() = Some(Arc::clone(running)),
        Err(_) => {
            *gone = true;
            inner.directory.seats.remove(&id);
        }
    }
    started
}

async fn start(inner: &Arc<Inner>, id: BusinessId) -> Result<Arc<Running>, EngineError> {
    inner.check_open()?;
    let start = Start { id, store: inner.store.clone(), ports: inner.ports.clone() };
    let supervisor: ActorCell = inner.supervisor.get_cell();
    match Actor::spawn_linked(None, BusinessActor, start, supervisor).await {
        Ok((actor, _)) => Ok(Arc::new(Running::new(actor))),
        Err(SpawnErr::StartupFailed(error)) if error.is::<NoSuchBusiness>() => Err(EngineError::NotFound),
        Err(_) if inner.store.failed() => Err(EngineError::Stopping),
        Err(error) => {
            tracing::error!(business.id = %id, error = %error, "a business could not be loaded");
            Err(EngineError::Failed)
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::Engine;
    use crate::domain::{Actor as Who, BookingMode, Locale, Text, WeeklyHours};
    use crate::engine::NewBusiness;
    use crate::ports::Ports;
    use crate::store::{Batch, Key, MemoryBackend, Store};

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_goes_away_leaves_the_one_actor_to_the_next() {
        let disk = MemoryBackend::new();
        let store = Store::in_memory(&disk, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store.clone(), Ports::system()).await.unwrap();
        let new = NewBusiness {
            name: Text::new("Shop".into()).unwrap(),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::default(),
            phone_region: "US".into(),
        };
        let id = engine.create_business(new, Who::Operator).await.unwrap().id;
        disk.hold_syncs();
        let mut batch = Batch::new();
        batch.put(Key::new(Uuid::nil().as_bytes()), Vec::new());
        store.submit(id, batch, Box::new(|| ()));
        let inner = &engine.business(id).inner;
        for _ in 0..3 {
            // The actor loads only what is on the disk, so none of them gets it in time.
            let asked = inner.directory.running(inner, id);
            assert!(tokio::time::timeout(Duration::from_secs(1), asked).await.is_err());
        }
        disk.release_syncs();
        inner.directory.running(inner, id).await.unwrap();
        assert_eq!(inner.supervisor.get_children().len(), 1);
    }
}
