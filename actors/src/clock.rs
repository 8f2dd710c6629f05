//! What time it is: every part of the engine asks here, and nobody else reads the machine's clocks but who has to show
//! what they show.
//!
//! There are three times, and each question has one that answers it:
//!
//! - [`Clocks::now`], the believed wall clock: stamps, what lies in the past, what is old. It follows the wall clock as
//!   far as the steady clock bears it out ([`belief`]), so a glitch leaves no trace;
//! - [`Clocks::raw`], the wall clock as it is: what others hold against their own clock, as `webhook-timestamp`;
//! - [`Clocks::steady`], the steady time of the store ([`kept`]): how long something is kept. It goes evenly while the
//!   service runs, and is kept over restarts and crashes.
//!
//! Schedules have a clock of their own, [`SteadyClock`], and what waits for one looks at it every [`LOOK_EVERY`].
//!
//! What always holds: steady time never goes back while an engine runs, and after a crash by no more than what passed
//! since it was kept last, a minute; within an engine it is one count for all businesses. No change bears a stamp before
//! [`Clocks::stamps_from`]: in the same boot of the machine, that is at or after every instant that was shown as the end
//! of a list by change.

mod belief;
mod kept;
mod schedule;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use parking_lot::Mutex;

use self::belief::{Belief, FOLLOWED_MAX_MILLIS};
use self::kept::Kept;
pub(crate) use self::schedule::{LOOK_EVERY, SteadyClock};
use crate::domain::{BusinessId, SteadyTime, Timestamp};
use crate::ports::Clock;
use crate::store::records::{Boot, ClockRecord};
use crate::store::{Batch, Noted, Record, Store, StoreError, Weight, keys};

/// How far the newest stamp may be ahead of what is kept of it between two minutes.
const UNKEPT_MAX: TimeDelta = TimeDelta::hours(1);

/// The clock of an engine. A clone is a handle to the same one.
#[derive(Clone)]
pub(crate) struct Clocks(Arc<Inner>);

struct Inner {
    port: Arc<dyn Clock>,
    belief: Mutex<Belief>,
    /// What is to be added to the port's steady milliseconds to get the store's steady time.
    ahead: i64,
    /// The earliest stamp of a change in this life.
    stamps_from: Timestamp,
    /// The latest time, in milliseconds after 1970, at which a list by change was answered.
    listed: AtomicI64,
    /// By how much the believed time was ahead of the port's steady milliseconds when it was kept last.
    kept_offset: AtomicI64,
    /// The newest stamp that any record of the store bears, in milliseconds after 1970.
    newest: AtomicI64,
    /// The newest that was handed to the store, in the same milliseconds.
    newest_kept: AtomicI64,
    /// By how much the wall clock was ahead when the log was told of it, while it is doubted.
    told: Mutex<Option<i64>>,
}

impl Clocks {
    /// The clock of an engine on this store, set by what was kept in it. Says so in the log when the wall clock and the
    /// store's stamps do not fit.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn open(store: &Store, port: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let kept = kept::read(store, port.now(), boot(&*port)).await?;
        if let Some(warning) = &kept.warning {
            tracing::warn!("{warning}");
        }
        let clocks = Self::new(port, &kept);
        // Before anything that is stamped by it, so that no crash leaves a later record and no count.
        clocks.keep(store);
        Ok(clocks)
    }

    /// A clock that goes on from what was kept.
    fn new(port: Arc<dyn Clock>, kept: &Kept) -> Self {
        let (wall, passed) = (port.now().millis(), millis(port.steady()));
        let newest = kept.newest.unwrap_or(Timestamp::MIN).millis();
        let belief = Belief::new(wall, passed, kept.believed);
        Self(Arc::new(Inner {
            ahead: kept.steady.millis() - passed,
            stamps_from: kept.believed.map_or(Timestamp::MIN, |kept| Timestamp::from_millis(kept.now)),
            listed: AtomicI64::new(0),
            kept_offset: AtomicI64::new(i64::MIN),
            newest: AtomicI64::new(newest),
            newest_kept: AtomicI64::new(newest),
            told: Mutex::new(belief.doubted()), // the warning at the start says so
            belief: Mutex::new(belief),
            port,
        }))
    }

    /// The present instant, as far as the wall clock is believed.
    pub(crate) fn now(&self) -> Timestamp {
        let mut belief = self.0.belief.lock();
        // Both are read under the lock, or one who was held up between them would take the other for a jump.
        let (wall, passed) = (self.0.port.now().millis(), millis(self.0.port.steady()));
        Timestamp::from_millis(belief.read(wall, passed))
    }

    /// The earliest stamp of a change of a business that is loaded now: where the believed time of the life before has come
    /// to, or where it was when a list by change was answered. Which business was listed is forgotten with its actor. A list
    /// that is further ahead than the clock steps back at once is not heeded: the clock was wrong then.
    pub(crate) fn stamps_from(&self) -> Timestamp {
        let listed = self.0.listed.load(Ordering::Relaxed);
        let is_near = listed <= self.now().millis() + FOLLOWED_MAX_MILLIS;
        if is_near { self.0.stamps_from.max(Timestamp::from_millis(listed)) } else { self.0.stamps_from }
    }

    /// A list by change is answered at this instant.
    pub(crate) fn lists(&self, now: Timestamp) {
        self.0.listed.fetch_max(now.millis(), Ordering::Relaxed);
    }

    /// What the wall clock shows.
    pub(crate) fn raw(&self) -> Timestamp {
        self.0.port.now()
    }

    /// The store's steady time.
    pub(crate) fn steady(&self) -> SteadyTime {
        SteadyTime::from_millis(self.0.ahead + millis(self.0.port.steady()))
    }

    /// Whether the wall clock has jumped and is not followed yet.
    pub(crate) fn doubted(&self) -> bool {
        let _ = self.now();
        self.0.belief.lock().doubted().is_some()
    }

    /// Takes note of the stamp of a change. One far ahead of what is kept is kept soon, not within a minute only: a
    /// wrong clock mostly shows at the next start though a crash comes. Where nothing is kept for want of room, it does
    /// not.
    pub(crate) fn note(&self, stamp: Timestamp, store: &Store) {
        self.0.newest.fetch_max(stamp.millis(), Ordering::Relaxed);
        let kept = Timestamp::from_millis(self.0.newest_kept.load(Ordering::Relaxed));
        if stamp - kept > UNKEPT_MAX {
            self.keep(store);
        }
    }

    /// Called when a list by change was asked for, which shows everything up to the present. Keeps the time if a start
    /// after a crash would begin at an earlier one; gives whether it does, and the list waits for that.
    pub(crate) fn note_list(&self, store: &Store) -> bool {
        let _ = self.now();
        let is_ahead = self.0.belief.lock().offset() > self.0.kept_offset.load(Ordering::Relaxed);
        if is_ahead {
            self.keep(store);
        }
        is_ahead
    }

    /// Asked once a minute: bears a jump out though nobody else may ask what time it is, and tells the log when the
    /// wall clock begins or ceases to be doubted.
    pub(crate) fn tell(&self) {
        let _ = self.now();
        let doubted = self.0.belief.lock().doubted();
        let mut told = self.0.told.lock();
        match (*told, doubted) {
            (None, Some(ahead)) => tracing::warn!(
                clock.ahead_seconds = ahead / 1_000,
                "the wall clock has jumped; stamps go on evenly until it has held for ten minutes"
            ),
            (Some(_), None) => {
                tracing::warn!(clock.believed = %self.now(), "the wall clock is believed again");
            }
            _ => {}
        }
        *told = doubted;
    }

    /// Writes how far steady time has come; nobody waits for it. What the store does not take, its failure tells.
    pub(crate) fn keep(&self, store: &Store) {
        if store.check_room(Weight::Keeps).is_err() {
            return; // nothing like this is written now; a key is remembered for longer
        }
        let newest = self.0.newest.load(Ordering::Relaxed);
        self.0.newest_kept.store(newest, Ordering::Relaxed);
        // What is doubted must not age the keys of idempotency once it is right again.
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

/// The present moment of the machine's boot.
fn boot(port: &dyn Clock) -> Option<Boot> {
    port.boot_id().map(|id| Boot { id, passed: millis(port.steady()) })
}

/// Milliseconds, cut off.
fn millis(passed: Duration) -> i64 {
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
}
