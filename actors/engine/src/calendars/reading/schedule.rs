//! The due times of the reads and writes of all calendars. They are only in memory. When the engine starts, they are
//! computed from the stored states of the calendars and from the stored due times of the writes.
//!
//! Invariants:
//!
//! - A calendar has one turn at a time. A turn makes the due writes, up to a maximum, and then the read if it is due. A
//!   request that arrives during a turn causes another turn after it.
//! - Due times are times of the [steady clock](crate::clock::SteadyClock), which also counts the time for which the
//!   machine is suspended. The schedule reads this clock at least once per [`LOOK_EVERY`]. So a turn that becomes due
//!   during a suspension starts at most [`LOOK_EVERY`] after the suspension ends.
//! - Due calendars get their turns in the order of their due times. A calendar waits if its host or business has no
//!   permit left, and the next calendar gets its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use dashmap::DashMap;
use domain::{
    Business, BusinessId, CalendarKind, CalendarState, CalendarStatus, ConnectedCalendar, IN_USE, ReadResult,
    Timestamp,
};
use parking_lot::{Mutex, RwLock};
use store::keys::installation_kind;
use store::{Order, StoreError, keys};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::sleep;

use super::CalendarKey;
use super::actor::{Message, is_idle};
use super::sizes::Sizes;
use super::web::{REQUESTS_MAX, REQUESTS_PER_HOST_MAX, Web};
use super::writing::{self, EventWriter};
use crate::actor::Directory;
use crate::business::{BusinessHandle, Businesses};
use crate::clock::LOOK_EVERY;
use crate::error::EngineError;
use crate::quota::{Quota, QuotaPermit};
use crate::shared::Shared;

/// The maximum number of simultaneous reads of a business, so that one business cannot use all permits.
const READS_PER_BUSINESS_MAX: usize = 32;
/// The number of due calendars for which permits are requested in one step. Other tasks can run between the steps.
const CHECKED_PER_STEP: usize = 1_024;
/// The maximum of the random delay that each read gets when the engine starts, so that overdue reads do not
/// begin together.
const SPREAD: Duration = Duration::from_secs(60);
const REGISTERED_PER_TURN: usize = 64;
/// The maximum number of pending writes that the metrics count.
const PENDING_COUNTED_MAX: usize = 10_000;
/// The pause after the actor of a calendar could not be started.
const START_PAUSE: Duration = Duration::from_secs(60);

/// The permits of a read.
pub(crate) struct Slots {
    _business: QuotaPermit<BusinessId, Arc<Quota<BusinessId>>>,
    _host: QuotaPermit<u64, Arc<Quota<u64>>>,
}

#[derive(Clone, Copy)]
pub(super) enum Next {
    /// No read was due.
    Unchanged,
    After(Duration),
    /// The calendar is not read until a change or a request makes it due.
    Stopped,
    /// The calendar no longer exists.
    Gone,
}

/// The result of a turn of a calendar: when its next read and its next write are due.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    pub(super) read: Next,
    /// The time until the next write, or `None` if no write is pending.
    pub(super) write: Option<Duration>,
}

pub(crate) struct Readings {
    pub(crate) shared: Arc<Shared>,
    pub(crate) directory: Directory<CalendarKey, Message>,
    pub(crate) web: Web,
    pub(super) sizes: Sizes,
    /// The limit on the checks and discoveries that people request.
    pub(crate) checks: Quota,
    businesses: Weak<Businesses>,
    queue: Mutex<Queue>,
    changed: Notify,
    pub(super) per_business: Arc<Quota<BusinessId>>,
    per_host: Arc<Quota<u64>>,
    /// The time of the last request to each business that has a [`CalendarKind::Caldav`] calendar.
    used: DashMap<BusinessId, Option<Duration>>,
    runtime: Handle,
    writer: RwLock<Option<Arc<dyn EventWriter>>>,
    /// The number of successful reads and the number of failed reads.
    pub(crate) read_counts: [AtomicU64; 2],
    /// The number of successful writes and the number of failed writes.
    pub(crate) write_counts: [AtomicU64; 2],
}

#[derive(Default)]
struct Queue {
    due: BTreeSet<(Duration, CalendarKey)>,
    entries: BTreeMap<CalendarKey, Entry>,
}

#[derive(Default)]
struct Entry {
    /// The due time of the next read.
    read: Option<Duration>,
    /// The due time of the next write.
    write: Option<Duration>,
    /// The earlier of `read` and `write`. It is `None` during a turn.
    due: Option<Duration>,
    is_running: bool,
    /// Whether another read was requested during the current turn.
    is_requested_again: bool,
    /// Whether a write became due during the current turn.
    is_write_requested: bool,
    seen: Option<Seen>,
    /// The hash of the host. It is `None` if the host may have changed since the last read.
    host: Option<u64>,
}

/// The state of a calendar at its last read.
#[derive(Clone, Copy)]
struct Seen {
    kind: CalendarKind,
    status: CalendarStatus,
    read_at: Option<Timestamp>,
    /// True if the calendar is not read now, for example because its business is suspended.
    is_idle: bool,
}

impl Queue {
    /// Changes the due times of a calendar.
    fn change(&mut self, key: CalendarKey, change: impl FnOnce(&mut Entry)) {
        let entry = self.entries.entry(key).or_default();
        change(entry);
        let due = entry.read.into_iter().chain(entry.write).min().filter(|_| !entry.is_running);
        if let Some(before) = std::mem::replace(&mut entry.due, due) {
            self.due.remove(&(before, key));
        }
        self.due.extend(due.map(|due| (due, key)));
    }
}

impl Readings {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        directory: Directory<CalendarKey, Message>,
        businesses: &Weak<Businesses>,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            directory,
            web: Web::new(&shared.ports, shared.store.is_simulated()),
            sizes: Sizes::default(),
            checks: Quota::outgoing(),
            businesses: Weak::clone(businesses),
            queue: Mutex::default(),
            changed: Notify::new(),
            per_business: Arc::new(Quota::new(REQUESTS_MAX, READS_PER_BUSINESS_MAX)),
            per_host: Arc::new(Quota::new(REQUESTS_MAX, REQUESTS_PER_HOST_MAX)),
            used: DashMap::new(),
            runtime: Handle::current(),
            writer: RwLock::new(None),
            read_counts: Default::default(),
            write_counts: Default::default(),
        }
    }

    /// The current time of the clock that measures due times and last uses.
    fn now(&self) -> Duration {
        self.shared.steady.passed()
    }

    pub(super) fn business(&self, id: BusinessId) -> Option<BusinessHandle> {
        Some(BusinessHandle::new(&self.businesses.upgrade()?, id))
    }

    /// Makes a calendar due now. If the calendar is disconnected, its next turn deletes its rows.
    pub(crate) fn wake(&self, key: CalendarKey) {
        let now = Some(self.now());
        self.queue.lock().change(key, |entry| {
            entry.host = None;
            (entry.is_requested_again, entry.is_write_requested) = (entry.is_running, entry.is_running);
            (entry.read, entry.write) = (now, now);
        });
        self.changed.notify_one();
    }

    /// Makes the writes of a calendar due now.
    pub(crate) fn wake_write(&self, key: CalendarKey) {
        let now = Some(self.now());
        self.queue.lock().change(key, |entry| {
            entry.is_write_requested |= entry.is_running;
            entry.write = now;
        });
        self.changed.notify_one();
    }

    /// Sets the format of the events that are written to calendars.
    pub(crate) fn write_with(&self, writer: Arc<dyn EventWriter>) {
        *self.writer.write() = Some(writer);
    }

    pub(super) fn writer(&self) -> Option<Arc<dyn EventWriter>> {
        self.writer.read().clone()
    }

    /// Makes a calendar due again after the failure of its actor.
    pub(crate) fn failed(&self, key: CalendarKey, rest: Duration) {
        let pause = rest.max(START_PAUSE);
        self.finished(key, Turned { read: Next::After(pause), write: Some(pause) });
    }

    pub(super) fn finished(&self, key: CalendarKey, turned: Turned) {
        let now = self.now();
        let mut queue = self.queue.lock();
        queue.change(key, |entry| {
            entry.is_running = false;
            let is_requested_again = std::mem::take(&mut entry.is_requested_again);
            let is_write_requested = std::mem::take(&mut entry.is_write_requested);
            entry.read = match turned.read {
                _ if is_requested_again => Some(now),
                Next::Unchanged => entry.read,
                Next::After(pause) => Some(now + self.varied(pause)),
                Next::Stopped | Next::Gone => None,
            };
            let write = turned.write.map(|pause| now + pause);
            entry.write = if is_write_requested { Some(write.map_or(now, |at| at.min(now))) } else { write };
        });
        if matches!(turned.read, Next::Gone) {
            let entry = queue.entries.get(&key);
            if entry.is_some_and(|entry| entry.due.is_none()) {
                queue.entries.remove(&key);
            }
        }
        self.changed.notify_one();
    }

    /// Returns the pause, randomly changed by at most 10 %.
    fn varied(&self, pause: Duration) -> Duration {
        let [random] = self.shared.ports.random_bytes::<1>();
        pause.mul_f64(0.9 + 0.2 * f64::from(random) / 255.0)
    }

    /// Records the state of a calendar, for the metrics and for [`Self::note_use`]. If `is_idle` is `None`, the
    /// recorded value of `is_idle` does not change. After the end of an idle time, a calendar stays recorded as idle
    /// until its next read. Until then, the time since its last read is long although no read is late, so the metrics
    /// ignore this time.
    pub(super) fn note(
        &self,
        key: CalendarKey,
        (calendar, state): (&ConnectedCalendar, &CalendarState),
        is_idle: Option<bool>,
    ) {
        if calendar.kind == CalendarKind::Caldav {
            self.used.entry(key.business).or_insert(None);
        }
        let mut queue = self.queue.lock();
        let entry = queue.entries.entry(key).or_default();
        let is_idle = is_idle.unwrap_or_else(|| entry.seen.is_some_and(|seen| seen.is_idle));
        let (kind, status, read_at) = (calendar.kind, state.status, state.last_read_at);
        entry.seen = Some(Seen { kind, status, read_at, is_idle });
    }

    pub(super) fn count(&self, result: &ReadResult) {
        let number = usize::from(matches!(result, ReadResult::Failed(_)));
        self.read_counts[number].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_in_use(&self, business: BusinessId) -> bool {
        let (now, in_use) = (self.now(), IN_USE.to_std().unwrap_or_default());
        self.used.get(&business).is_some_and(|used| used.is_some_and(|used| now < used + in_use))
    }

    /// Records a request to a business. If the business was not in use before, its CalDAV calendars become due now.
    pub(crate) fn note_use(&self, business: BusinessId) {
        let (was_in_use, now) = (self.is_in_use(business), self.now());
        let Some(mut used) = self.used.get_mut(&business) else { return };
        *used = Some(now);
        drop(used);
        if was_in_use {
            return;
        }
        let mut queue = self.queue.lock();
        let first = CalendarKey { business, calendar: uuid::Uuid::nil().into() };
        let of_business = queue.entries.range(first..).take_while(|(key, _)| key.business == business);
        let becomes_due = |entry: &Entry| {
            let is_read =
                |seen: Seen| seen.kind == CalendarKind::Caldav && seen.status == CalendarStatus::Connected;
            entry.read.is_some() && entry.seen.is_some_and(is_read)
        };
        let keys: Vec<_> = of_business.filter(|(_, entry)| becomes_due(entry)).map(|(key, _)| *key).collect();
        for key in keys {
            queue.change(key, |entry| entry.read = Some(now));
        }
        self.changed.notify_one();
    }

    /// Returns the number of calendars by kind and status, and the longest time since the last successful read of a
    /// calendar. The time ignores calendars that are idle, stopped or being disconnected.
    pub(crate) fn figures(
        &self,
        now: Timestamp,
    ) -> (BTreeMap<(CalendarKind, CalendarStatus), usize>, Option<chrono::TimeDelta>) {
        let queue = self.queue.lock();
        let (mut counts, mut oldest) = (BTreeMap::new(), None);
        for seen in queue.entries.values().filter_map(|entry| entry.seen) {
            *counts.entry((seen.kind, seen.status)).or_default() += 1;
            let is_read = !seen.is_idle
                && !matches!(seen.status, CalendarStatus::Stopped | CalendarStatus::Disconnecting);
            oldest = oldest.max(seen.read_at.filter(|_| is_read).map(|at| now - at));
        }
        (counts, oldest)
    }

    /// Returns the number of pending writes of all calendars, up to [`PENDING_COUNTED_MAX`].
    pub(crate) fn pending_writes(&self) -> usize {
        let waiting: Vec<_> = {
            let queue = self.queue.lock();
            let entries = queue.entries.iter();
            entries.filter(|(_, it)| it.write.is_some() || it.is_running).map(|(key, _)| *key).collect()
        };
        waiting.into_iter().fold(0, |count, key| {
            let due = keys::calendar_writes_due(key.business, key.calendar);
            count + self.shared.store.scan(&due, Order::Ascending).take(PENDING_COUNTED_MAX - count).count()
        })
    }

    pub(crate) fn begin(self: &Arc<Self>) {
        tokio::spawn(Arc::clone(self).register_all());
        tokio::spawn(run(Arc::downgrade(self)));
    }

    pub(crate) fn stop(&self) {
        self.changed.notify_one();
        self.directory.stop();
    }

    async fn register_all(self: Arc<Self>) {
        let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::CALENDAR_INDEX);
        loop {
            let store = &self.shared.store;
            let rows = store.walk(&range, Order::Ascending, |row, _| keys::business_and_calendar(row));
            let rows = rows.take(REGISTERED_PER_TURN).collect::<Result<Vec<_>, StoreError>>();
            let rows = match rows {
                Ok(rows) if self.shared.check_open().is_ok() => rows,
                Ok(_) => return,
                Err(error) => return tracing::error!(%error, "the list of calendars cannot be read"),
            };
            let Some((last, _)) = rows.last() else { return };
            range = range.after(*last);
            for (_, (business, calendar)) in rows {
                self.register(CalendarKey { business, calendar });
            }
            tokio::task::yield_now().await;
        }
    }

    fn register(&self, key: CalendarKey) {
        let store = &self.shared.store;
        let state = store.find::<CalendarState>(&keys::calendar_state(key.business, key.calendar));
        let calendar = store.find::<ConnectedCalendar>(&keys::calendar(key.business, key.calendar));
        let (Ok(state), Ok(calendar)) = (state, calendar) else { return };
        let mut pause = Some(Duration::ZERO);
        if let (Some(state), Some(calendar)) = (&state, &calendar) {
            let business = store.find::<Business>(&keys::profile(key.business)).ok().flatten();
            let is_idle = business.map(|it| is_idle(store, &it, calendar).unwrap_or_default());
            self.note(key, (calendar, state), is_idle);
            let left = state.left(calendar.kind, self.shared.clocks.now());
            pause = left.map(|left| left.to_std().unwrap_or_default());
        }
        let [random] = self.shared.ports.random_bytes::<1>();
        let spread = SPREAD.mul_f64(f64::from(random) / 255.0);
        let write = writing::next_write(store, &self.shared.clocks, key, calendar.as_ref());
        let now = self.now();
        self.queue.lock().change(key, |entry| {
            // A request may have already made the calendar due.
            if entry.read.is_none() && !entry.is_running {
                entry.read = pause.map(|pause| now + pause + spread);
            }
            if entry.write.is_none() && !entry.is_running {
                entry.write = write.map(|pause| now + pause);
            }
        });
        self.changed.notify_one();
    }

    /// Starts the turns of due calendars that get permits. Checks at most [`CHECKED_PER_STEP`] due calendars, beginning
    /// after the calendar `after`.
    fn start_due_reads(self: &Arc<Self>, after: Option<(Duration, CalendarKey)>) -> Step {
        let now = self.now();
        let mut queue = self.queue.lock();
        let from = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let mut next = Step::At(now + LOOK_EVERY);
        let mut due: Vec<(Duration, CalendarKey)> = Vec::new();
        for (at, key) in queue.due.range(from) {
            if *at > now {
                next = Step::At((*at).min(now + LOOK_EVERY));
                break;
            }
            if due.len() == CHECKED_PER_STEP {
                next = Step::After(due[due.len() - 1]);
                break;
            }
            due.push((*at, *key));
        }
        for (_, key) in due {
            if self.per_host.held() >= REQUESTS_MAX {
                return Step::At(now + LOOK_EVERY);
            }
            let entry = queue.entries.entry(key).or_default();
            let host = *entry.host.get_or_insert_with(|| self.host(key));
            let Some(slots) = self.slots(key.business, host) else { continue };
            let mut is_read_due = false;
            queue.change(key, |entry| {
                entry.is_running = true;
                is_read_due = entry.read.is_some_and(|at| at <= now);
                entry.read = entry.read.filter(|_| !is_read_due);
                entry.write = None;
            });
            self.runtime.spawn(Arc::clone(self).start_turn(key, slots, is_read_due));
        }
        next
    }

    fn host(&self, key: CalendarKey) -> u64 {
        let row = keys::calendar(key.business, key.calendar);
        let calendar = self.shared.store.find::<ConnectedCalendar>(&row).ok().flatten();
        calendar.map_or_else(|| hash_of(&key), |calendar| hash_of(calendar.url.host()))
    }

    fn slots(&self, business: BusinessId, host: u64) -> Option<Slots> {
        let business = self.per_business.take_owned(business)?;
        Some(Slots { _business: business, _host: self.per_host.take_owned(host)? })
    }

    async fn start_turn(self: Arc<Self>, key: CalendarKey, slots: Slots, is_read_due: bool) {
        let pause = match self.directory.enter(key).await {
            Ok((running, permit)) => match running.actor.cast(Message::Turn(slots, permit, is_read_due)) {
                Ok(()) => return,
                Err(_) => START_PAUSE,
            },
            Err(EngineError::Stopping) => return,
            Err(EngineError::Resting(left)) => left,
            Err(_) => START_PAUSE,
        };
        self.finished(key, Turned { read: Next::After(pause), write: Some(pause) });
    }
}

/// The next step of the schedule.
enum Step {
    At(Duration),
    /// More calendars are due. The next step begins after this calendar.
    After((Duration, CalendarKey)),
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

async fn run(readings: Weak<Readings>) {
    let mut after = None;
    loop {
        let Some(strong) = readings.upgrade() else { return };
        if strong.shared.check_open().is_err() {
            return;
        }
        let wait = match strong.start_due_reads(after.take()) {
            Step::At(next) => next.saturating_sub(strong.now()),
            Step::After(last) => {
                after = Some(last);
                tokio::task::yield_now().await;
                continue;
            }
        };
        tokio::select! {
            () = strong.changed.notified() => {}
            () = sleep(wait) => {}
        }
    }
}
