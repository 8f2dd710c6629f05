//! The clocks of the engine.
//!
//! - [`Clocks::now`], the believed time: for stamps and comparisons with stamps. It follows the wall clock, but it
//!   follows a jump of the wall clock only after ten minutes ([`belief`]);
//! - [`Clocks::raw`], the wall clock: for times that other systems compare with their clock, such as
//!   `webhook-timestamp`;
//! - [`Clocks::steady`], the steady time of the store ([`kept`]): for retention periods. It runs evenly and
//!   continues after restarts and crashes;
//! - [`SteadyClock`], the clock of schedules: for due times. It also counts the time for which the machine
//!   is suspended. A task that waits for a due time reads this clock at least once per [`LOOK_EVERY`].
//!
//! Invariants:
//!
//! - all businesses share the steady time. It never decreases, except by at most a minute after a crash;
//! - every new stamp is at or after the time [`Clocks::stamps_from`]. This time is at or after every stamp that clients
//!   have received in lists ordered by `updated_at`, so a later poll misses no change. There is one exception: after a
//!   restart of the machine, this time may be earlier than stamps that clients received before the restart.

mod belief;
mod kept;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{BusinessId, SteadyTime, Timestamp};
use parking_lot::Mutex;
use ports::Clock;
use store::records::{Boot, ClockRecord};
use store::{Batch, Noted, Record, Store, StoreError, Weight, keys};

use self::belief::{Belief, FOLLOWED_MAX_MILLIS};
use self::kept::Kept;

/// If a stamp is later than the newest stored stamp by more than this, the clocks are stored immediately.
const UNKEPT_MAX: TimeDelta = TimeDelta::hours(1);

#[derive(Clone)]
pub(crate) struct Clocks(Arc<Inner>);

struct Inner {
    port: Arc<dyn Clock>,
    belief: Mutex<Belief>,
    /// The store's steady time minus the machine's steady time, in milliseconds.
    ahead: i64,
    stamps_from: Timestamp,
    opened_at: Timestamp,
    listed: AtomicI64,
    /// The believed time minus the machine's steady time, in milliseconds, when the believed time was last stored.
    kept_offset: AtomicI64,
    /// The newest stamp of any record, in milliseconds after 1970.
    newest: AtomicI64,
    newest_kept: AtomicI64,
    reported: Mutex<Option<i64>>,
}

impl Clocks {
    /// Reads the stored clock state. Logs a warning if the wall clock is earlier than the stored time, much earlier
    /// than the newest stamp, or much later than the last use of the store.
    pub(crate) async fn open(store: &Store, port: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let kept = kept::read(store, port.now(), boot(&*port)).await?;
        if let Some(warning) = &kept.warning {
            tracing::warn!("{warning}");
        }
        let clocks = Self::new(port, &kept);
        // The steady time is stored before the first change, so a store with records also has a steady time.
        clocks.keep(store);
        Ok(clocks)
    }

    fn new(port: Arc<dyn Clock>, kept: &Kept) -> Self {
        let (wall, passed) = (port.now().millis(), millis(port.steady()));
        let newest = kept.newest.unwrap_or(Timestamp::MIN).millis();
        let mut belief = Belief::new(wall, passed, kept.believed);
        let opened_at = Timestamp::from_millis(belief.read(wall, passed));
        Self(Arc::new(Inner {
            ahead: kept.steady.millis() - passed,
            stamps_from: kept.believed.map_or(Timestamp::MIN, |kept| Timestamp::from_millis(kept.now)),
            opened_at,
            listed: AtomicI64::new(0),
            kept_offset: AtomicI64::new(i64::MIN),
            newest: AtomicI64::new(newest),
            newest_kept: AtomicI64::new(newest),
            reported: Mutex::new(belief.doubted()), // the start has logged a warning
            belief: Mutex::new(belief),
            port,
        }))
    }

    pub(crate) fn now(&self) -> Timestamp {
        let mut belief = self.0.belief.lock();
        // Both clocks are read under the lock, because a delay between the readings would look like a jump.
        let (wall, passed) = (self.0.port.now().millis(), millis(self.0.port.steady()));
        Timestamp::from_millis(belief.read(wall, passed))
    }

    pub(crate) fn opened_at(&self) -> Timestamp {
        self.0.opened_at
    }

    /// The earliest stamp that a business may use if the service loads the business now. It is the later of two times:
    /// the believed time at the start of the service, and the time at which a client last read a list ordered by
    /// `updated_at`. If the second time is more than a minute in the future, it is ignored, because a wrong clock has
    /// set it.
    pub(crate) fn stamps_from(&self) -> Timestamp {
        let listed = self.0.listed.load(Ordering::Relaxed);
        let is_near = listed <= self.now().millis() + FOLLOWED_MAX_MILLIS;
        if is_near { self.0.stamps_from.max(Timestamp::from_millis(listed)) } else { self.0.stamps_from }
    }

    pub(crate) fn record_list(&self, now: Timestamp) {
        self.0.listed.fetch_max(now.millis(), Ordering::Relaxed);
    }

    pub(crate) fn raw(&self) -> Timestamp {
        self.0.port.now()
    }

    pub(crate) fn steady(&self) -> SteadyTime {
        SteadyTime::from_millis(self.0.ahead + millis(self.0.port.steady()))
    }

    pub(crate) fn doubted(&self) -> bool {
        let _ = self.now();
        self.0.belief.lock().doubted().is_some()
    }

    /// `stamp` is the stamp of a change. If it is the newest stamp, keeps it in memory. If it is more than
    /// [`UNKEPT_MAX`] later than the newest stored stamp, also stores it.
    pub(crate) fn note(&self, stamp: Timestamp, store: &Store) {
        self.0.newest.fetch_max(stamp.millis(), Ordering::Relaxed);
        let kept = Timestamp::from_millis(self.0.newest_kept.load(Ordering::Relaxed));
        if stamp - kept > UNKEPT_MAX {
            self.keep(store);
        }
    }

    /// Called before a list is read. The list may show stamps up to the believed time. After a crash, a new change must
    /// not get an earlier stamp than the stamps in the list. The *offset* is the believed time minus
    /// the machine's steady time. If the offset has increased since the believed time was last stored, this function
    /// stores the believed time and returns true. The list must then wait until the believed time is durable.
    pub(crate) fn store_list_time(&self, store: &Store) -> bool {
        let _ = self.now();
        let is_ahead = self.0.belief.lock().offset() > self.0.kept_offset.load(Ordering::Relaxed);
        if is_ahead {
            self.keep(store);
        }
        is_ahead
    }

    /// Called once a minute. Reads the clocks, so that a jump of the wall clock is confirmed even if no request needs
    /// the time.
    pub(crate) fn check_wall_clock(&self) {
        let _ = self.now();
        let doubted = self.0.belief.lock().doubted();
        let mut reported = self.0.reported.lock();
        match (*reported, doubted) {
            (None, Some(ahead)) => tracing::warn!(
                clock.ahead_seconds = ahead / 1_000,
                "the wall clock has jumped; the service follows it only after it has been steady for ten minutes"
            ),
            (Some(_), None) => {
                tracing::warn!(clock.believed = %self.now(), "the service follows the wall clock again");
            }
            _ => {}
        }
        *reported = doubted;
    }

    /// Stores the steady and the believed time. Does not wait until they are durable.
    pub(crate) fn keep(&self, store: &Store) {
        if store.check_room(Weight::Keeps).is_err() {
            return; // no disk space; after a crash, idempotency keys expire later
        }
        let newest = self.0.newest.load(Ordering::Relaxed);
        self.0.newest_kept.store(newest, Ordering::Relaxed);
        // The field `wall` stores the believed time. If it stored a wrong time of the wall clock, idempotency keys
        // could expire too early at the next start.
        let wall = self.now();
        let boot = boot(&*self.0.port);
        let passed = boot.map_or_else(|| millis(self.0.port.steady()), |boot| boot.passed);
        let newest = Timestamp::from_millis(newest);
        let record = ClockRecord { steady: self.steady(), wall, newest, boot };
        let mut batch = Batch::default();
        batch.put(keys::clock(), record.encode());
        let (this, offset) = (self.clone(), wall.millis() - passed);
        let done = Box::new(move || this.0.kept_offset.store(offset, Ordering::Relaxed));
        store.submit(BusinessId::INSTALLATION, batch, done);
        store.note_instant(Noted::BelievedTime, wall);
    }
}

/// The longest sleep of a task that waits for a scheduled time. After each sleep, the task reads its [`SteadyClock`]
/// again, because the runtime's timers stop while the machine is suspended.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(30);

/// The clock of schedules. It starts at a given time and then counts elapsed time, also while the machine
/// is suspended. A jump of the wall clock does not change it.
#[derive(Clone)]
pub(crate) struct SteadyClock {
    set_to: Timestamp,
    set_at: Duration,
    port: Arc<dyn Clock>,
}

impl SteadyClock {
    pub(crate) fn set(to: Timestamp, port: &Arc<dyn Clock>) -> Self {
        Self { set_to: to, set_at: port.steady(), port: Arc::clone(port) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.set_to + TimeDelta::from_std(self.passed()).unwrap_or(TimeDelta::MAX)
    }

    pub(crate) fn passed(&self) -> Duration {
        self.port.steady().saturating_sub(self.set_at)
    }
}

fn boot(port: &dyn Clock) -> Option<Boot> {
    port.boot_id().map(|id| Boot { id, passed: millis(port.steady()) })
}

fn millis(passed: Duration) -> i64 {
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
}
