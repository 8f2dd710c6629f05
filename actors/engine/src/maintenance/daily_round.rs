//! The daily round: a pass over all unused businesses that deletes their expired rows. The actor of a loaded
//! business deletes its expired rows itself. The round also counts the records of every business
//! ([`super::daily_count`]).
//!
//! Invariants: the round reads rows to decide whether work is due, and only then starts the business's actor,
//! one at a time. It pauses between steps. The position of the round is written once a minute, and a restart
//! continues at this position.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{BusinessId, SteadyTime};
use parking_lot::Mutex;
use store::keys::installation_kind;
use store::records::RoundRecord;
use store::{Batch, Order, Record, Store, StoreError, Weight, keys};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::daily_count::DailyCount;
use super::{Job, due, open};
use crate::business::{Businesses, Maintained, Message};
use crate::engine::Parts;
use crate::error::EngineError;
use crate::shared::Shared;

/// The interval between the starts of rounds, in steady time.
const ROUND_EVERY: TimeDelta = TimeDelta::hours(24);
const BUSINESSES_PER_STEP: usize = 16;
/// The pause between two steps: a multiple of the last step's duration, with a minimum and a maximum. A
/// million businesses take about three and a half hours if few have work.
const PAUSE_TIMES: u32 = 9;
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(10);

const LOOK_MAX: Duration = Duration::from_secs(600);

/// The current round, or the last round, and the results of the rounds of this process.
#[derive(Debug, Default)]
pub(crate) struct Round {
    progress: Mutex<Progress>,
    /// Checked businesses without work, and with work, so that the actor was started.
    pub(crate) checked: [AtomicU64; 2],
    /// The number of counts that equal the recorded usage, and the number of counts that differ.
    pub(crate) counted: [AtomicU64; 2],
}

#[derive(Debug, Default)]
struct Progress {
    /// The stored progress of the round. `None` until it is loaded.
    record: Option<RoundRecord>,
    written: Option<RoundRecord>,
    /// The position before the business that is being counted.
    counting: Option<Option<BusinessId>>,
}

impl Round {
    /// Called once a minute: begins a due round, and writes the position.
    pub(super) fn tick(&self, shared: &Shared) -> Result<(), StoreError> {
        let (mut progress, now) = (self.progress.lock(), shared.clocks.steady());
        if progress.record.is_none() {
            progress.written = shared.store.find(&keys::round())?;
            progress.record = progress.written;
        }
        let begun = RoundRecord { began: now, after: None, is_through: false };
        let round = progress.record.filter(|round| !is_over(round, now)).unwrap_or(begun);
        progress.record = Some(round);
        if progress.written != Some(round) && shared.store.check_room(Weight::Keeps).is_ok() {
            write(round, &shared.store);
            progress.written = Some(round);
        }
        Ok(())
    }

    /// Ends the round when the engine closes. The next engine begins with the business that is being counted.
    /// After a crash it skips that business until the next round, so that a count cannot crash the process
    /// repeatedly.
    pub(crate) fn end(&self, store: &Store) {
        let mut progress = self.progress.lock();
        if let (Some(after), Some(round)) = (progress.counting.take(), progress.record)
            && store.check_room(Weight::Keeps).is_ok()
        {
            write(RoundRecord { after, ..round }, store);
        }
    }

    /// The position of the round, if one runs.
    fn position(&self) -> Option<Option<BusinessId>> {
        self.progress.lock().record.filter(|round| !round.is_through).map(|round| round.after)
    }

    fn set(&self, change: impl FnOnce(&mut RoundRecord)) {
        if let Some(round) = &mut self.progress.lock().record {
            change(round);
        }
    }
}

fn write(round: RoundRecord, store: &Store) {
    let mut batch = Batch::default();
    batch.put(keys::round(), round.encode());
    store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
}

/// A crash can set the steady time back to an instant before the start of the round.
fn is_over(round: &RoundRecord, now: SteadyTime) -> bool {
    round.is_through && !(TimeDelta::zero()..ROUND_EVERY).contains(&(now - round.began))
}

#[derive(Default)]
pub(super) struct DailyRound {
    counter: DailyCount,
}

impl Job for DailyRound {
    const NAME: &'static str = "daily round";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let (round, began) = (Arc::clone(&engine.maintenance.round), Instant::now());
        let Some(mut before) = round.position() else { return Ok(None) };
        let next = next_businesses(&engine.shared.store, before)?;
        if next.is_empty() {
            round.set(|round| round.is_through = true);
            return Ok(None);
        }
        let weak = Arc::downgrade(&engine);
        drop(engine);
        // Counting has its own pace and needs no pause.
        let mut looked = began.elapsed();
        for id in next {
            let looks = Instant::now();
            // Recorded before the work, so that a failing business does not stop the round.
            round.set(|round| round.after = Some(id));
            match open(&weak) {
                Some(engine) => check_business(&engine, id).await,
                None => return Ok(None),
            }
            tokio::task::yield_now().await;
            looked += looks.elapsed();
            round.progress.lock().counting = Some(before);
            let counted = self.counter.count(&weak, id).await;
            if open(&weak).is_none() {
                return Ok(None);
            }
            round.progress.lock().counting = None;
            if let Err(error) = counted {
                tracing::warn!(%error, business.id = %id, "a business was not counted today");
            }
            before = Some(id);
        }
        let pause = (looked * PAUSE_TIMES).clamp(PAUSE_MIN, PAUSE_MAX);
        Ok(Some((looked + pause).saturating_sub(began.elapsed())))
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

async fn check_business(engine: &Parts, id: BusinessId) {
    let Businesses { shared, directory, .. } = &*engine.businesses;
    if directory.is_running(id) || shared.store.is_business_set_aside(id) {
        return;
    }
    let has_work = due::has_work(&shared.store, &shared.clocks, id);
    // A row that cannot be decoded is already logged; any other error has stopped the store.
    let has_work = shared.store.usable(&keys::business_index(id), has_work).ok().flatten().unwrap_or(false);
    engine.maintenance.round.checked[usize::from(has_work)].fetch_add(1, Ordering::Relaxed);
    if !has_work {
        return;
    }
    // A business that does not start is visited in the next round.
    let Ok((running, permit)) = directory.enter(id).await else { return };
    let (done, is_done) = oneshot::channel();
    let asked = Maintained { _done: done, _permit: permit };
    if running.actor.cast(Message::MaintainThrough(asked)).is_ok() {
        // After the timeout the business continues by itself and does not delay the others.
        let _ = timeout(LOOK_MAX, is_done).await;
        directory.put_away(id);
    }
}
