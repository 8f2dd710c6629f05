//! The round through the businesses that nobody uses: what has outlived its time goes there, too. One that is in memory
//! sees to that itself. The round also counts the records of every business, used or not ([`count`]).
//!
//! What always holds: whether a business has anything to do is read from its rows, and only where there is something is
//! its actor started, one at a time, and put away again. A round rests between its steps, so that it hurts nobody. How
//! far it has come is written once a minute: a start goes on there.

mod count;

use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::TimeDelta;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use self::count::{Counter, open};
use crate::business::{self, Message, SweptThrough};
use crate::domain::{BusinessId, SteadyTime};
use crate::shared::{Round, Shared};
use crate::store::keys::installation_kind;
use crate::store::records::RoundRecord;
use crate::store::{Order, Store, StoreError, Weight, keys};

/// How far apart rounds begin, in steady time.
const ROUND_EVERY: TimeDelta = TimeDelta::hours(24);
/// How many businesses are looked at in a step.
pub(crate) const BUSINESSES_PER_STEP: usize = 16;
/// How long a round rests between two steps: so many times as long as the last one took, and at least and at most so
/// long. So a million businesses take some three and a half hours where few have anything to do.
const REST_TIMES: u32 = 9;
const REST_MIN: Duration = Duration::from_millis(200);
const REST_MAX: Duration = Duration::from_secs(10);

/// How long a round waits for one business.
const LOOK_MAX: Duration = Duration::from_secs(600);

/// The round that is under way, or the last one.
#[derive(Default)]
pub(crate) struct Housekeeping {
    /// What of that is written.
    written: Option<RoundRecord>,
    under_way: Option<JoinHandle<()>>,
}

impl Housekeeping {
    /// Called once a minute: begins a round if it is time, goes on with one that was stopped, and writes how far it has
    /// come.
    pub(crate) fn go_on(&mut self, shared: &Arc<Shared>) -> Result<(), StoreError> {
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
            let going = go_round(Arc::downgrade(shared), Arc::clone(&shared.round));
            self.under_way = Some(tokio::spawn(going));
        }
        self.keep(shared);
        Ok(())
    }

    /// Writes how far it has come, where that is not written; nobody waits for it.
    fn keep(&mut self, shared: &Shared) {
        let Some(round) = *shared.round.record.lock() else { return };
        if self.written == Some(round) || shared.store.check_room(Weight::Keeps).is_err() {
            return;
        }
        shared.round.write(round, &shared.store);
        self.written = Some(round);
    }
}

/// A round that begins.
fn begun(now: SteadyTime) -> RoundRecord {
    RoundRecord { began: now, after: None, is_through: false }
}

/// Whether it is time for the next one. A count that a crash has set back may lie before the beginning of a round.
fn is_over(round: &RoundRecord, now: SteadyTime) -> bool {
    round.is_through && !(TimeDelta::zero()..ROUND_EVERY).contains(&(now - round.began))
}

/// Goes round to the end, or until the engine is gone or closes. A panic ends it; then the next minute goes on behind the
/// business that was looked at.
async fn go_round(shared: Weak<Shared>, round: Arc<Round>) {
    let place = || round.record.lock().as_ref().and_then(|round| round.after);
    let mut counter = Counter::default();
    loop {
        let began = Instant::now();
        let next = match open(&shared).map(|shared| next_businesses(&shared.store, place())) {
            None => return,
            Some(Ok(next)) => next,
            Some(Err(error)) => return tracing::warn!(%error, "the businesses cannot be gone through"),
        };
        if next.is_empty() {
            round.record.lock().iter_mut().for_each(|round| round.is_through = true);
            return;
        }
        // Counting has a pace of its own and needs no rest.
        let mut looked = began.elapsed();
        for id in next {
            let looks = Instant::now();
            let before = place();
            // Before it is looked at, so that one that cannot be looked at stops no round.
            round.record.lock().iter_mut().for_each(|round| round.after = Some(id));
            match open(&shared) {
                Some(shared) => look_at(&shared, id).await,
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
        sleep_until(began + looked + (looked * REST_TIMES).clamp(REST_MIN, REST_MAX)).await;
    }
}

/// The next businesses of the list behind this one.
fn next_businesses(store: &Store, after: Option<BusinessId>) -> Result<Vec<BusinessId>, StoreError> {
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    if let Some(after) = after {
        range = range.after(keys::business_index(after));
    }
    let ids = store.walk(&range, Order::Ascending, |key, _| keys::listed_business(key));
    ids.take(BUSINESSES_PER_STEP).map(|row| Ok(row?.1)).collect()
}

/// Has a business swept that nobody uses and that has anything to do.
async fn look_at(shared: &Arc<Shared>, id: BusinessId) {
    if shared.businesses.is_running(id) || shared.store.is_business_set_aside(id) {
        return;
    }
    let has_any = business::has_duties(&shared.store, &shared.clocks, id);
    // A row that does not decode was told of; any other error is the store's, which has failed.
    let has_any = shared.store.usable(&keys::business_index(id), has_any).ok().flatten().unwrap_or(false);
    shared.swept.note(has_any);
    if !has_any {
        return;
    }
    // One that does not start rests, and its turn comes with the next round.
    let Ok((running, permit)) = shared.businesses.enter(id).await else { return };
    let (through, is_through) = oneshot::channel();
    let asked = SweptThrough { _through: through, _permit: permit };
    if running.actor.cast(Message::SweepThrough(asked)).is_ok() {
        // One that does not come to its end goes on by itself, and holds nobody else up.
        let _ = timeout(LOOK_MAX, is_through).await;
        shared.businesses.put_away(id);
    }
}
