//! Reads many rows for one request, without blocking other requests.
//!
//! A list request reads in steps. Invariants:
//!
//! - A request reads at most [`SCAN_ROWS_MAX`] rows, and then the remaining rows of its last item.
//! - The first step runs in the request's task and takes at most [`FIRST_STEP_TIME_MAX`]. Further steps run on separate
//!   threads. At most [`SCANS_MAX`] requests take further steps at the same time, and at most one request of each
//!   business. The businesses take turns. If too many requests wait, further requests are refused.
//! - A dropped request leaves the queue, or ends after its current step.
//!
//! A simulation has no threads. It runs all steps in the request's task and yields between them.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BusinessId;
use parking_lot::Mutex;
use store::{Key, KeyRange, Order, Pair, Record, Store, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;

use crate::error::{EngineError, Result};
use crate::quota::{Quota, QuotaPermit};

/// The maximum number of rows per request. A row of more than [`ROW_BYTES`] counts as several rows.
pub(crate) const SCAN_ROWS_MAX: usize = 2_048;
const ROW_BYTES: usize = 4 << 10;
/// A step reads at most `SCAN_ROWS_MAX / STEPS` rows. They are enough for a page of 100 items with five rows each.
const STEPS: usize = 4;
const FIRST_STEP_TIME_MAX: Duration = Duration::from_millis(2);
const ROWS_PER_LOOK: usize = 32;
/// The maximum number of further reads after a request has read its maximum number of rows. These reads
/// complete the last item and read the first row of the next item.
const ITEM_READS_MAX: usize = 24;

const SCANS_MAX: usize = 2;
/// The maximum number of requests that read or wait, in total and per business.
const WAITING_MAX: usize = 1_024;
const WAITING_PER_BUSINESS_MAX: usize = 64;

pub(crate) struct Reader<'a> {
    store: &'a Store,
    /// The number of reads of the store. In `rows`, a read of a long row counts as several rows.
    reads: Cell<usize>,
    rows: Cell<usize>,
    step_max: usize,
    request_max: usize,
    until: Option<Instant>,
    next_look: Cell<usize>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(store: &'a Store, step_max: usize, request_max: usize) -> Self {
        Self {
            store,
            reads: Cell::new(0),
            rows: Cell::new(0),
            step_max: step_max.min(request_max),
            request_max,
            until: None,
            next_look: Cell::new(ROWS_PER_LOOK),
        }
    }

    pub(crate) fn unbounded(store: &'a Store) -> Self {
        Self::new(store, usize::MAX, usize::MAX)
    }

    pub(crate) fn get<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.get_raw(key)?.map(|bytes| self.store.get_in(key, &bytes)).transpose()
    }

    pub(crate) fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        Ok(self.store.usable(key, self.get(key))?.flatten())
    }

    pub(crate) fn usable<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        self.store.usable(key, read)
    }

    pub(crate) fn get_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.store.get_raw(key)?;
        self.count(value.as_deref().unwrap_or_default());
        Ok(value)
    }

    pub(crate) fn scan(
        &self,
        range: &KeyRange,
        order: Order,
    ) -> impl Iterator<Item = Result<Pair, StoreError>> + use<'_, 'a> {
        self.store.scan(range, order).inspect(|pair| {
            if let Ok((_, value)) = pair {
                self.count(value);
            }
        })
    }

    fn count(&self, value: &[u8]) {
        self.reads.set(self.reads.get() + 1);
        self.rows.set(self.rows.get() + 1 + value.len() / ROW_BYTES);
    }

    /// Whether the step must end. A step calls this function only after it has read a row, so each step reads at least
    /// one row.
    pub(crate) fn is_used_up(&self) -> bool {
        self.rows.get() > self.step_max || self.is_overdue()
    }

    fn is_overdue(&self) -> bool {
        let (Some(until), rows) = (self.until, self.rows.get()) else { return false };
        if rows < self.next_look.get() {
            return false;
        }
        self.next_look.set(rows + ROWS_PER_LOOK);
        Instant::now() >= until
    }

    pub(crate) fn ends_request(&self) -> bool {
        self.rows.get() >= self.request_max
    }
}

/// A step of a read. It returns `None` if the read needs another step, and `Some` with the result if the read is
/// complete. If [`Reader::ends_request`] is true, it must return `Some`.
pub(crate) trait Step<T>:
    FnMut(&Reader<'_>) -> Result<Option<T>, StoreError> + Send + 'static
{
}

impl<T, S: FnMut(&Reader<'_>) -> Result<Option<T>, StoreError> + Send + 'static> Step<T> for S {}

pub(crate) struct Scans {
    rows_max: usize,
    /// Limits the number of requests that read or wait.
    waiting: Arc<Quota>,
    /// The permit of each business to read on a separate thread. One request at a time holds the permit.
    turns: Mutex<HashMap<BusinessId, Weak<Semaphore>>>,
    places: Arc<Semaphore>,
    rows_read: AtomicU64,
}

/// The permits of a request that reads on the separate thread. They are dropped in this order.
type ReadPermit = (OwnedSemaphorePermit, OwnedSemaphorePermit, QuotaPermit<BusinessId, Arc<Quota>>);

impl Scans {
    pub(crate) fn new(rows_max: usize) -> Arc<Self> {
        Arc::new(Self {
            rows_max: rows_max.max(1),
            waiting: Arc::new(Quota::new(WAITING_MAX, WAITING_PER_BUSINESS_MAX)),
            turns: Mutex::default(),
            places: Arc::new(Semaphore::new(SCANS_MAX)),
            rows_read: AtomicU64::new(0),
        })
    }

    pub(crate) fn rows_read(&self) -> u64 {
        self.rows_read.load(Ordering::Relaxed)
    }

    pub(crate) fn under_way(&self) -> usize {
        self.waiting.held()
    }

    /// Runs the steps of a request. Fails with [`EngineError::Overloaded`] if too many requests wait.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        store: &Store,
        business: BusinessId,
        step: impl Step<T>,
    ) -> Result<T> {
        let mut reading = Reading { of: Arc::clone(self), store: store.clone(), rows: 0, reads: 0, step };
        if let Some(found) = reading.next(Some(Instant::now() + FIRST_STEP_TIME_MAX))? {
            return Ok(found);
        }
        let permit = self.wait_turn(business).await?;
        if store.is_simulated() {
            let _permit = permit;
            loop {
                tokio::task::yield_now().await;
                if let Some(found) = reading.next(None)? {
                    return Ok(found);
                }
            }
        }
        let (reply, answer) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            while !reply.is_closed() {
                if let Some(found) = reading.next(None).transpose() {
                    let _ = reply.send(found);
                    return;
                }
            }
        });
        Ok(answer.await.map_err(|_| EngineError::Failed)??)
    }

    /// Waits until a request may read. A request takes the permit of its business before it waits for a
    /// permit of `places`. So at most one request of each business waits for `places`, and businesses take
    /// turns.
    async fn wait_turn(&self, business: BusinessId) -> Result<ReadPermit> {
        let stopping = |_| EngineError::Stopping; // neither semaphore is ever closed
        let ticket = self.waiting.take_owned(business).ok_or(EngineError::Overloaded)?;
        let turn = self.turn(business).acquire_owned().await.map_err(stopping)?;
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(stopping)?;
        Ok((place, turn, ticket))
    }

    fn turn(&self, business: BusinessId) -> Arc<Semaphore> {
        let mut turns = self.turns.lock();
        if let Some(turn) = turns.get(&business).and_then(Weak::upgrade) {
            return turn;
        }
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::new(Semaphore::new(1));
        turns.insert(business, Arc::downgrade(&turn));
        turn
    }
}

struct Reading<S> {
    of: Arc<Scans>,
    store: Store,
    rows: usize,
    reads: usize,
    step: S,
}

impl<S> Reading<S> {
    /// Runs the next step, which ends early at `until`. Panics if the request exceeds its bound.
    fn next<T>(&mut self, until: Option<Instant>) -> Result<Option<T>, StoreError>
    where
        S: Step<T>,
    {
        let rows_max = self.of.rows_max;
        assert!(self.rows < rows_max, "a request must end at its bound");
        let mut reader = Reader::new(&self.store, rows_max.div_ceil(STEPS), rows_max - self.rows);
        reader.until = until;
        let found = (self.step)(&reader);
        self.rows += reader.rows.get();
        self.reads += reader.reads.get();
        self.of.rows_read.fetch_add(reader.reads.get() as u64, Ordering::Relaxed);
        assert!(
            self.reads <= rows_max.saturating_add(ITEM_READS_MAX),
            "a request has read {} rows, more than its bound of {rows_max}",
            self.reads
        );
        found
    }
}

#[cfg(test)]
mod tests;
