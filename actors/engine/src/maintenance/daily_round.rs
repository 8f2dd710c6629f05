//! The *daily round* is a pass over all businesses. It starts the actors of unused businesses with expired
//! rows, so that the actors delete these rows. It also counts the records of every business and compares the
//! counts with the recorded usage.
//!
//! Invariants:
//!
//! - The round starts an actor only if the business's rows show that work is due. It starts one actor at a
//!   time.
//! - The round pauses between steps. Its position is written once a minute. After a restart, the round continues at the
//!   written position.
//! - A business is counted as of one point in time between two commits. Changes do not wait for the count.
//! - At most [`ROWS_PER_SECOND`] rows are counted, over the whole installation.
//! - A business is set aside only if two counts, as of two points in time, both differ from its recorded usage.
//! - Businesses that were deleted, are set aside, or have no recorded usage are not counted.

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
use tokio::time::{Instant, sleep, timeout};

use super::{Job, due, open};
use crate::business::{Businesses, Maintained, Message};
use crate::counting::{Counting, Difference, Differences, ROWS_TO_BEGIN};
use crate::engine::Parts;
use crate::error::EngineError;
use crate::shared::Shared;

const ROUND_EVERY: TimeDelta = TimeDelta::hours(24);
const BUSINESSES_PER_STEP: usize = 16;
/// The pause after a step is this multiple of the step's duration. A round over a million businesses takes
/// about 3.5 hours.
const PAUSE_TIMES: u32 = 9;
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(10);

const LOOK_MAX: Duration = Duration::from_secs(600);
const ROWS_PER_SECOND: u32 = 2_000;
/// While the records of a business are counted, a pause follows each read of this number of rows. The pauses limit the
/// speed to [`ROWS_PER_SECOND`].
const ROWS_PER_PAUSE: usize = 100;

/// The current or last round, and the results of all rounds since the process started.
#[derive(Debug, Default)]
pub(crate) struct Round {
    progress: Mutex<Progress>,
    /// The number of checks that found no work, and the number of checks that found work.
    pub(crate) checked: [AtomicU64; 2],
    /// The number of times that a count of the rows was equal to the recorded usage, and the number of times that it
    /// differed.
    pub(crate) counted: [AtomicU64; 2],
}

#[derive(Debug, Default)]
struct Progress {
    /// The progress of the round. It is `None` until it is loaded from the store.
    record: Option<RoundRecord>,
    written: Option<RoundRecord>,
    /// While a business is being counted: the id of the previous business, or `Some(None)` if the round has no previous
    /// business. If the engine closes during the count, [`Round::end`] stores this position, so that the next engine
    /// counts the business again. The value is `None` while no business is being counted.
    counting: Option<Option<BusinessId>>,
}

impl Round {
    /// Begins the next round if it is due, and writes the round's position. Called once a minute.
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

    /// Called when the engine closes. If a business is being counted, sets the stored position back, so that the next
    /// engine counts this business again. A crash does not set the position back. The next engine then skips the
    /// business, so that its count cannot crash the process repeatedly.
    pub(crate) fn end(&self, store: &Store) {
        let mut progress = self.progress.lock();
        if let (Some(after), Some(round)) = (progress.counting.take(), progress.record)
            && store.check_room(Weight::Keeps).is_ok()
        {
            write(RoundRecord { after, ..round }, store);
        }
    }

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

/// True if the next round is due: the last round is complete, and it began at least 24 hours ago or after `now`. A
/// beginning after `now` is possible because a crash can set the steady time back by up to a minute.
fn is_over(round: &RoundRecord, now: SteadyTime) -> bool {
    round.is_through && !(TimeDelta::zero()..ROUND_EVERY).contains(&(now - round.began))
}

#[derive(Default)]
pub(super) struct DailyRound {
    read: usize,
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
        // The time that the checks take. The pause after this step depends on it. The time of the counts is not
        // included, because a count makes its own pauses.
        let mut looked = began.elapsed();
        for id in next {
            let looks = Instant::now();
            // The position is recorded before the work, so that a business whose check panics does not stop the
            // round.
            round.set(|round| round.after = Some(id));
            match open(&weak) {
                Some(engine) => check_business(&engine, id).await,
                None => return Ok(None),
            }
            tokio::task::yield_now().await;
            looked += looks.elapsed();
            round.progress.lock().counting = Some(before);
            let counted = self.count(&weak, id).await;
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
    let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    let range = after.map_or(all, |after| all.after(keys::business_index(after)));
    let ids = store.walk(&range, Order::Ascending, |key, _| keys::listed_business(key));
    ids.take(BUSINESSES_PER_STEP).map(|row| Ok(row?.1)).collect()
}

async fn check_business(engine: &Parts, id: BusinessId) {
    let Businesses { shared, directory, .. } = &*engine.businesses;
    if directory.is_running(id) || shared.store.is_business_set_aside(id) {
        return;
    }
    let has_work = due::has_work(&shared.store, &shared.clocks, id);
    // Errors are ignored here. A row that cannot be decoded is already logged, and any other error has stopped the
    // store.
    let has_work = shared.store.usable(&keys::business_index(id), has_work).ok().flatten().unwrap_or(false);
    engine.maintenance.round.checked[usize::from(has_work)].fetch_add(1, Ordering::Relaxed);
    if !has_work {
        return;
    }
    // If the actor does not start, the next round tries again.
    let Ok((running, permit)) = directory.enter(id).await else { return };
    let (done, is_done) = oneshot::channel();
    let asked = Maintained { _done: done, _permit: permit };
    if running.actor.cast(Message::MaintainThrough(asked)).is_ok() {
        // After the timeout, the round continues with the next business while the actor finishes its work.
        let _ = timeout(LOOK_MAX, is_done).await;
        directory.put_away(id);
    }
}

impl DailyRound {
    /// Counts the records of a business. If the numbers differ from the recorded usage, counts again, and sets the
    /// business aside if the numbers still differ.
    async fn count(&mut self, engine: &Weak<Parts>, of: BusinessId) -> Result<(), StoreError> {
        let Some(differences) = self.differences(engine, of).await? else { return Ok(()) };
        // A business that is set aside is unavailable. So the business is set aside only if a second count also finds a
        // difference.
        let confirmed = match &differences[..] {
            [] => None,
            _ => self.differences(engine, of).await?.filter(|again| !again.is_empty()),
        };
        let open = open(engine).ok_or(StoreError::Stopped)?;
        open.maintenance.round.counted[usize::from(confirmed.is_some())].fetch_add(1, Ordering::Relaxed);
        let Some(confirmed) = confirmed else { return Ok(()) };
        let mut found = Differences::default();
        confirmed.into_iter().for_each(|difference| found.add(difference));
        tracing::error!(business.id = %of, differences = %found, "the daily count did not find the recorded rows");
        let store = open.shared.store.clone();
        let reason = format!("the daily count did not find the recorded rows: {found}");
        waiting(engine, move || store.set_business_aside(of, &reason)).await
    }

    /// Counts the rows of a business as they are at one point in time. Returns the differences between these counts and
    /// the recorded usage, or `None` if the rows cannot be counted.
    async fn differences(
        &mut self,
        engine: &Weak<Parts>,
        of: BusinessId,
    ) -> Result<Option<Vec<Difference>>, StoreError> {
        let store = open(engine).ok_or(StoreError::Stopped)?.shared.store.clone();
        if store.is_business_set_aside(of) {
            return Ok(None);
        }
        let frozen = Arc::new(store.freeze(&Counting::kinds(of)).await?);
        let begun = Arc::clone(&frozen);
        let begun = waiting(engine, move || Counting::begin(&begun, of)).await?;
        self.pause(ROWS_TO_BEGIN).await;
        let Some(mut counting) = begun else { return Ok(None) };
        loop {
            let rows = Arc::clone(&frozen);
            let (read, after) =
                waiting(engine, move || counting.step(&rows).map(|read| (read, counting))).await?;
            counting = after;
            match read {
                Some(read) => self.pause(read).await,
                None => return Ok(Some(counting.differences())),
            }
        }
    }

    async fn pause(&mut self, read: usize) {
        self.read += read;
        if self.read >= ROWS_PER_PAUSE {
            let rows = u32::try_from(std::mem::take(&mut self.read)).unwrap_or(u32::MAX);
            sleep(Duration::from_secs(1) * rows / ROWS_PER_SECOND).await;
        }
    }
}

/// Runs `act` on a thread that may block.
async fn waiting<T: Send + 'static>(
    engine: &Weak<Parts>,
    act: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let moving = Arc::clone(&open(engine).ok_or(StoreError::Stopped)?.moving);
    moving.read(act).await.map_err(|error| match error {
        EngineError::Failed => StoreError::Panicked,
        _ => StoreError::Stopped,
    })?
}
