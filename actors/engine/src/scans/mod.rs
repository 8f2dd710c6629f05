//! Reads of many rows for one request, without blocking other requests.
//!
//! A list request reads in steps. Invariants:
//!
//! - it reads at most [`SCAN_ROWS_MAX`] rows and the reads of its last item;
//! - the first step runs in the request's task and takes at most [`FIRST_STEP_TIME_MAX`]. Further steps run
//!   on a separate thread: one request per business at a time, and [`SCANS_MAX`] in total. Businesses take
//!   turns. Requests beyond the queue's bound are refused;
//! - a dropped request leaves the queue, or ends after its current step.
//!
//! A simulation has no threads. It runs all steps in the request's task and yields between them.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::BusinessId;
use parking_lot::Mutex;
use store::{Key, KeyRange, Order, Pair, Record, Store, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;

use crate::error::EngineError;

/// The maximum number of rows per request. A row of more than [`ROW_BYTES`] counts as several.
pub(crate) const SCAN_ROWS_MAX: usize = 2_048;
const ROW_BYTES: usize = 4 << 10;
/// The number of steps of a request. A step of 512 rows suffices for a page of 100 items with five rows each.
const STEPS: usize = 4;
const FIRST_STEP_TIME_MAX: Duration = Duration::from_millis(2);
const ROWS_PER_LOOK: usize = 32;
/// The number of reads by which a request may exceed its bound, to complete one list item and look for the
/// next: index rows, the record, and the records of displayed names.
const ITEM_READS_MAX: usize = 16;

const SCANS_MAX: usize = 2;
/// The maximum number of requests that read or wait, in total and per business.
const WAITING_MAX: usize = 1_024;
const WAITING_PER_BUSINESS_MAX: usize = 64;

pub(crate) struct Reader<'a> {
    store: &'a Store,
    /// Reads of the store, and the number of rows that they count as.
    reads: Cell<usize>,
    rows: Cell<usize>,
    step_max: usize,
    request_max: usize,
    until: Option<Instant>,
    next_look: Cell<usize>,
}

impl<'a> Reader<'a> {
    /// `request_max`: the number of rows that are left for the request.
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

    /// The record under the key, or nothing if it is set aside.
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

    /// Whether the row that was just read belongs to the next step. The caller already has the row. It can
    /// therefore detect the end of a list at the bound, and processes at least one row per step.
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

    /// Whether the request must end with this step.
    pub(crate) fn ends_request(&self) -> bool {
        self.rows.get() >= self.request_max
    }
}

/// A read in steps. The last step returns the result. A step with [`Reader::ends_request`] must be the last.
pub(crate) trait Step<T>:
    FnMut(&Reader<'_>) -> Result<Option<T>, StoreError> + Send + 'static
{
}

impl<T, S: FnMut(&Reader<'_>) -> Result<Option<T>, StoreError> + Send + 'static> Step<T> for S {}

pub(crate) struct Scans {
    rows_max: usize,
    waiting: Mutex<Waiting>,
    places: Arc<Semaphore>,
    rows_read: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    all: usize,
    each: HashMap<BusinessId, Turn>,
}

struct Turn {
    tickets: usize,
    one: Arc<Semaphore>,
}

impl Scans {
    pub(crate) fn new(rows_max: usize) -> Arc<Self> {
        Arc::new(Self {
            rows_max: rows_max.max(1),
            waiting: Mutex::default(),
            places: Arc::new(Semaphore::new(SCANS_MAX)),
            rows_read: AtomicU64::new(0),
        })
    }

    pub(crate) fn rows_read(&self) -> u64 {
        self.rows_read.load(Ordering::Relaxed)
    }

    pub(crate) fn under_way(&self) -> usize {
        self.waiting.lock().all
    }

    /// Runs the steps of a request. Errors: [`EngineError::Overloaded`] if too many requests wait.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        store: &Store,
        business: BusinessId,
        step: impl Step<T>,
    ) -> Result<T, EngineError> {
        let mut reading = Reading { of: Arc::clone(self), store: store.clone(), rows: 0, reads: 0, step };
        if let Some(found) = reading.next(Some(Instant::now() + FIRST_STEP_TIME_MAX))? {
            return Ok(found);
        }
        let permit = self.ticket(business)?.wait_turn().await?;
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

    fn ticket(self: &Arc<Self>, business: BusinessId) -> Result<Ticket, EngineError> {
        let mut waiting = self.waiting.lock();
        let own = waiting.each.get(&business).map_or(0, |turn| turn.tickets);
        if waiting.all >= WAITING_MAX || own >= WAITING_PER_BUSINESS_MAX {
            return Err(EngineError::Overloaded);
        }
        waiting.all += 1;
        let new = || Turn { tickets: 0, one: Arc::new(Semaphore::new(1)) };
        let turn = waiting.each.entry(business).or_insert_with(new);
        turn.tickets += 1;
        Ok(Ticket { of: Arc::clone(self), business, one: Arc::clone(&turn.one) })
    }
}

struct Ticket {
    of: Arc<Scans>,
    business: BusinessId,
    one: Arc<Semaphore>,
}

impl Ticket {
    /// Waits for the permit of the business, then for one of the permits of all businesses. At most one
    /// request of a business waits for the second permit, so businesses take turns.
    async fn wait_turn(self) -> Result<ReadPermit, EngineError> {
        let stopping = |_| EngineError::Stopping; // neither is ever closed
        let turn = Arc::clone(&self.one).acquire_owned().await.map_err(stopping)?;
        let permit = Arc::clone(&self.of.places).acquire_owned().await.map_err(stopping)?;
        Ok(ReadPermit { _permit: permit, _turn: turn, _ticket: self })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut waiting = self.of.waiting.lock();
        waiting.all -= 1;
        if let Some(turn) = waiting.each.get_mut(&self.business) {
            turn.tickets -= 1;
            if turn.tickets == 0 {
                waiting.each.remove(&self.business);
            }
        }
    }
}

/// The right to read. The fields are dropped in their order.
struct ReadPermit {
    _permit: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
    _ticket: Ticket,
}

struct Reading<S> {
    of: Arc<Scans>,
    store: Store,
    rows: usize,
    reads: usize,
    step: S,
}

impl<S> Reading<S> {
    /// Runs the next step, which ends early at `until`. Panics if the step reads more rows than its bound.
    fn next<T>(&mut self, until: Option<Instant>) -> Result<Option<T>, StoreError>
    where
        S: Step<T>,
    {
        let rows_max = self.of.rows_max;
        assert!(self.rows < rows_max, "a request continues after its bound");
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
