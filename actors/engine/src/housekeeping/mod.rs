//! The daily round through unused businesses, which deletes their expired rows. A loaded business does this
//! itself. The round also counts the records of every business ([`count`]).
//!
//! Invariants: the round reads rows to decide whether work is due, and only then starts the business's actor,
//! one at a time. It pauses between steps. Its position is written once a minute, and a restart continues
//! there.

mod count;

use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{BusinessId, SteadyTime};
use store::keys::installation_kind;
use store::records::RoundRecord;
use store::{Order, Store, StoreError, Weight, keys};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use self::count::{Counter, open};
use crate::business::{self, Message, SweptThrough};
use crate::shared::{Round, Shared};

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
    pub(crate) fn tick(&mut self, shared: &Arc<Shared>) -> Result<(), StoreError> {
        let now = shared.clocks.steady();
        let round = {
            let mut round = shared.round.record.lock();
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
            let going = run_round(Arc::downgrade(shared), Arc::clone(&shared.round));
            self.under_way = Some(tokio::spawn(going));
        }
        self.keep(shared);
        Ok(())
    }

    fn keep(&mut self, shared: &Shared) {
        let Some(round) = *shared.round.record.lock() else { return };
        if self.written == Some(round) || shared.store.check_room(Weight::Keeps).is_err() {
            return;
        }
        shared.round.write(round, &shared.store);
        self.written = Some(round);
    }
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
async fn run_round(shared: Weak<Shared>, round: Arc<Round>) {
    let place = || round.record.lock().as_ref().and_then(|round| round.after);
    let mut counter = Counter::default();
    loop {
        let began = Instant::now();
        let next = match open(&shared).map(|shared| next_businesses(&shared.store, place())) {
            None => return,
            Some(Ok(next)) => next,
            Some(Err(error)) => return tracing::warn!(%error, "the list of businesses cannot be read"),
        };
        if next.is_empty() {
            round.record.lock().iter_mut().for_each(|round| round.is_through = true);
            return;
        }
        // Counting has its own pace and needs no pause.
        let mut looked = began.elapsed();
        for id in next {
            let looks = Instant::now();
            let before = place();
            // Recorded before the work, so that a failing business does not stop the round.
            round.record.lock().iter_mut().for_each(|round| round.after = Some(id));
            match open(&shared) {
                Some(shared) => sweep_business(&shared, id).await,
                None => return,
            }
            tokio::task::yield_now().await;
            looked += looks.elapsed();
            *round.counting.lock() = Some(before);
            let counted = counter.count(&shared, id).await;
            if open(&shared).is_none() {
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

async fn sweep_business(shared: &Arc<Shared>, id: BusinessId) {
    if shared.businesses.is_running(id) || shared.store.is_business_set_aside(id) {
        return;
    }
    let has_any = business::has_duties(&shared.store, &shared.clocks, id);
    // A row that does not decode is already logged; any other error has stopped the store.
    let has_any = shared.store.usable(&keys::business_index(id), has_any).ok().flatten().unwrap_or(false);
    shared.swept.note(has_any);
    if !has_any {
        return;
    }
    // A business that does not start is visited in the next round.
    let Ok((running, permit)) = shared.businesses.enter(id).await else { return };
    let (through, is_through) = oneshot::channel();
    let asked = SweptThrough { _through: through, _permit: permit };
    if running.actor.cast(Message::SweepThrough(asked)).is_ok() {
        // After the timeout the business continues by itself and does not delay the others.
        let _ = timeout(LOOK_MAX, is_through).await;
        shared.businesses.put_away(id);
    }
}
