//! The daily round through unused businesses, which deletes their expired rows. A loaded business does this
//! itself. The round also counts the records of every business ([`super::daily_count`]).
//!
//! Invariants: the round reads rows to decide whether work is due, and only then starts the business's actor,
//! one at a time. It pauses between steps. Its position is written once a minute, and a restart continues
//! there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{BusinessId, SteadyTime};
use parking_lot::Mutex;
use store::keys::installation_kind;
use store::records::RoundRecord;
use store::{Batch, Order, Record, Store, StoreError, Weight, keys};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::daily_count::Counter;
use super::{Maintenance, due, open};
use crate::business::{Businesses, Message, SweptThrough};

/// The interval between the starts of rounds, in steady time.
const ROUND_EVERY: TimeDelta = TimeDelta::hours(24);
pub(crate) const BUSINESSES_PER_STEP: usize = 16;
/// The pause between two steps: a multiple of the last step's duration, with a minimum and a maximum. A
/// million businesses take about three and a half hours if few have work.
const PAUSE_TIMES: u32 = 9;
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(10);

const LOOK_MAX: Duration = Duration::from_secs(600);

#[derive(Default)]
pub(crate) struct Housekeeping {
    written: Option<RoundRecord>,
    under_way: Option<JoinHandle<()>>,
}

impl Housekeeping {
    /// Called once a minute: starts a due round, continues a stopped one, and writes the position.
    pub(crate) fn tick(&mut self, maintenance: &Arc<Maintenance>) -> Result<(), StoreError> {
        let Maintenance { shared, round: progress, .. } = &**maintenance;
        let now = shared.clocks.steady();
        let round = {
            let mut round = progress.record.lock();
            let known = match *round {
                Some(known) => Some(known),
                None => {
                    self.written = shared.store.find::<RoundRecord>(&keys::round())?;
                    self.written
                }
            };
            *round.insert(known.filter(|round| !is_over(round, now)).unwrap_or(begun(now)))
        };
        if !round.is_through && self.under_way.as_ref().is_none_or(JoinHandle::is_finished) {
            self.under_way = Some(tokio::spawn(run_round(Arc::downgrade(maintenance), Arc::clone(progress))));
        }
        let Some(round) = *progress.record.lock() else { return Ok(()) };
        if self.written != Some(round) && shared.store.check_room(Weight::Keeps).is_ok() {
            write(round, &shared.store);
            self.written = Some(round);
        }
        Ok(())
    }
}

/// The current round through the businesses, or the last one, and what the rounds of this process found.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// The progress. `None` until it is loaded.
    record: Mutex<Option<RoundRecord>>,
    /// The position before the business that is being counted.
    counting: Mutex<Option<Option<BusinessId>>>,
    /// Checked businesses without work, and with work, so that the actor was started.
    pub(crate) checked: [AtomicU64; 2],
    /// Counts that equal the recorded number, and that differ.
    pub(crate) counted: [AtomicU64; 2],
}

impl Round {
    /// Ends the round when the engine closes. The next engine begins with the business that is being counted.
    /// After a crash it skips that business until the next round, so that a count cannot crash the process
    /// repeatedly.
    pub(crate) fn end(&self, store: &Store) {
        let (counting, record) = (self.counting.lock().take(), *self.record.lock());
        if let (Some(after), Some(round)) = (counting, record)
            && store.check_room(Weight::Keeps).is_ok()
        {
            write(RoundRecord { after, ..round }, store);
        }
    }

    fn place(&self) -> Option<BusinessId> {
        self.record.lock().as_ref().and_then(|round| round.after)
    }

    fn set(&self, change: impl FnOnce(&mut RoundRecord)) {
        if let Some(round) = &mut *self.record.lock() {
            change(round);
        }
    }
}

fn write(round: RoundRecord, store: &Store) {
    let mut batch = Batch::default();
    batch.put(keys::round(), round.encode());
    store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
}

fn begun(now: SteadyTime) -> RoundRecord {
    RoundRecord { began: now, after: None, is_through: false }
}

/// A count that a crash set back can be before the start of the round.
fn is_over(round: &RoundRecord, now: SteadyTime) -> bool {
    round.is_through && !(TimeDelta::zero()..ROUND_EVERY).contains(&(now - round.began))
}

/// Runs the round until its end or until the engine closes. After a panic the next minute continues with the
/// next business.
async fn run_round(maintenance: Weak<Maintenance>, round: Arc<Round>) {
    let mut counter = Counter::default();
    loop {
        let began = Instant::now();
        let next = match open(&maintenance).map(|this| next_businesses(&this.shared.store, round.place())) {
            None => return,
            Some(Ok(next)) => next,
            Some(Err(error)) => return tracing::warn!(%error, "the list of businesses cannot be read"),
        };
        if next.is_empty() {
            return round.set(|round| round.is_through = true);
        }
        // Counting has its own pace and needs no pause.
        let mut looked = began.elapsed();
        for id in next {
            let looks = Instant::now();
            let before = round.place();
            // Recorded before the work, so that a failing business does not stop the round.
            round.set(|round| round.after = Some(id));
            match open(&maintenance) {
                Some(this) => sweep_business(&this, id).await,
                None => return,
            }
            tokio::task::yield_now().await;
            looked += looks.elapsed();
            *round.counting.lock() = Some(before);
            let counted = counter.count(&maintenance, id).await;
            if open(&maintenance).is_none() {
                return;
            }
            *round.counting.lock() = None;
            if let Err(error) = counted {
                tracing::warn!(%error, business.id = %id, "a business was not counted today");
            }
        }
        sleep_until(began + looked + (looked * PAUSE_TIMES).clamp(PAUSE_MIN, PAUSE_MAX)).await;
    }
}

fn next_businesses(store: &Store, after: Option<BusinessId>) -> Result<Vec<BusinessId>, StoreError> {
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    if let Some(after) = after {
        range = range.after(keys::business_index(after));
    }
    let ids = store.walk(&range, Order::Ascending, |key, _| keys::listed_business(key));
    ids.take(BUSINESSES_PER_STEP).map(|row| Ok(row?.1)).collect()
}

async fn sweep_business(maintenance: &Maintenance, id: BusinessId) {
    let Businesses { shared, directory, .. } = &*maintenance.businesses;
    if directory.is_running(id) || shared.store.is_business_set_aside(id) {
        return;
    }
    let has_any = due::has_any(&shared.store, &shared.clocks, id);
    // A row that does not decode is already logged; any other error has stopped the store.
    let has_any = shared.store.usable(&keys::business_index(id), has_any).ok().flatten().unwrap_or(false);
    maintenance.round.checked[usize::from(has_any)].fetch_add(1, Ordering::Relaxed);
    if !has_any {
        return;
    }
    // A business that does not start is visited in the next round.
    let Ok((running, permit)) = directory.enter(id).await else { return };
    let (through, is_through) = oneshot::channel();
    let asked = SweptThrough { _through: through, _permit: permit };
    if running.actor.cast(Message::SweepThrough(asked)).is_ok() {
        // After the timeout the business continues by itself and does not delay the others.
        let _ = timeout(LOOK_MAX, is_through).await;
        directory.put_away(id);
    }
}
