//! Reading many rows for one request, so that nobody else waits for it.
//!
//! A request for part of a list reads in steps. What always holds:
//!
//! - it reads [`SCAN_ROWS_MAX`] rows and what its last item takes, and no more, whatever it asks for;
//! - the first step is made where the request runs, and ends after [`FIRST_STEP_TIME_MAX`] as well. Whoever needs more
//!   reads on a thread of its own: one request of a business at a time, [`SCANS_MAX`] in all, in turn, so that a
//!   business waits for one request of each other business at most. Too many that wait are refused;
//! - a request that is dropped while it waits has left, and one that is dropped while it reads ends with its step.
//!
//! A simulation has no threads. There the same steps are made where the request runs, and everybody else gets a turn
//! between two of them.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;

use crate::domain::BusinessId;
use crate::error::EngineError;
use crate::store::{Key, KeyRange, Order, Pair, Record, Store, StoreError, unless_set_aside};

/// How many rows one request reads. A row of more than [`ROW_BYTES`] counts as several.
pub(crate) const SCAN_ROWS_MAX: usize = 2_048;
/// So many bytes more of a row count as another one.
const ROW_BYTES: usize = 4 << 10;
/// A step reads this part of what the request may: 512 rows, enough for a page of 100 items that take five rows each.
const STEPS: usize = 4;
/// How long the first step takes, whose rows may have to come from the disk.
const FIRST_STEP_TIME_MAX: Duration = Duration::from_millis(2);
/// After how many rows it looks at the clock.
const ROWS_PER_LOOK: usize = 32;
/// How often the store is asked for one item of a list, and for the one behind it, beyond the bound: the rows that lead
/// to it, its record, and the records that it shows the names of.
const ITEM_READS_MAX: usize = 16;

/// How many requests read on threads of their own at once.
const SCANS_MAX: usize = 2;
/// How many requests read there or wait to, in all and of one business.
const WAITING_MAX: usize = 1_024;
const WAITING_PER_BUSINESS_MAX: usize = 64;

/// Reads of the store that count what they read, for one step.
pub(crate) struct Reader<'a> {
    store: &'a Store,
    /// How often the store was asked, and how many rows that counts as.
    reads: Cell<usize>,
    rows: Cell<usize>,
    step_max: usize,
    request_max: usize,
    until: Option<Instant>,
    next_look: Cell<usize>,
}

impl<'a> Reader<'a> {
    /// A reader for a step of so many rows of the rest that the request may read.
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

    /// A reader for what reads a few rows, whatever is asked for.
    pub(crate) fn unbounded(store: &'a Store) -> Self {
        Self::new(store, usize::MAX, usize::MAX)
    }

    /// The record under the key.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub(crate) fn get<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.get_raw(key)?.map(|bytes| self.store.checked(key, R::decode(&bytes))).transpose()
    }

    /// The record under the key, or nothing if it is set aside.
    ///
    /// # Errors
    /// As [`Store::find`].
    pub(crate) fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        Ok(unless_set_aside(self.get(key))?.flatten())
    }

    /// What a row was found to hold, as [`Store::usable`] has it.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn usable<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        self.store.usable(key, read)
    }

    /// The bytes under the key.
    ///
    /// # Errors
    /// As [`Store::get_raw`].
    pub(crate) fn get_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.store.get_raw(key)?;
        self.count(value.as_deref().unwrap_or_default());
        Ok(value)
    }

    /// The pairs of the range, as [`Store::scan`] gives them.
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

    /// Whether the row that was just read is to be left to the next step. Whoever asks has the row, so that the end of
    /// a list is seen where the bound is, and takes one row in any case, so that each step goes on.
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

    /// Whether the request may read nothing more behind this step.
    pub(crate) fn ends_request(&self) -> bool {
        self.rows.get() >= self.request_max
    }
}

/// What reads in steps, of which the last gives what is asked for; the one behind which the request may read nothing
/// more has to be the last.
pub(crate) trait Step<T>:
    FnMut(&Reader<'_>) -> Result<Option<T>, StoreError> + Send + 'static
{
}

impl<T, S: FnMut(&Reader<'_>) -> Result<Option<T>, StoreError> + Send + 'static> Step<T> for S {}

/// The requests that read, and those that wait to.
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

/// How many requests of a business have a ticket, and whose turn it is.
struct Turn {
    tickets: usize,
    one: Arc<Semaphore>,
}

impl Scans {
    /// Each request may read so many rows, at least 1.
    pub(crate) fn new(rows_max: usize) -> Arc<Self> {
        Arc::new(Self {
            rows_max: rows_max.max(1),
            waiting: Mutex::default(),
            places: Arc::new(Semaphore::new(SCANS_MAX)),
            rows_read: AtomicU64::new(0),
        })
    }

    /// How many rows were read since the engine started.
    pub(crate) fn rows_read(&self) -> u64 {
        self.rows_read.load(Ordering::Relaxed)
    }

    /// How many requests read on threads of their own, or wait to.
    pub(crate) fn under_way(&self) -> usize {
        self.waiting.lock().all
    }

    /// Makes the steps of a request.
    ///
    /// # Errors
    /// [`EngineError::Overloaded`] when too many wait, or the store's failure.
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
        let place = self.ticket(business)?.place().await?;
        if store.is_simulated() {
            let _place = place;
            loop {
                tokio::task::yield_now().await;
                if let Some(found) = reading.next(None)? {
                    return Ok(found);
                }
            }
        }
        let (reply, answer) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let _place = place;
            // Nobody waits for the answer any more once the request is dropped.
            while !reply.is_closed() {
                if let Some(found) = reading.next(None).transpose() {
                    let _ = reply.send(found);
                    return;
                }
            }
        });
        // Nothing comes from a thread that has panicked.
        Ok(answer.await.map_err(|_| EngineError::Failed)??)
    }

    /// The right to wait for a place.
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

/// A request that waits or reads.
struct Ticket {
    of: Arc<Scans>,
    business: BusinessId,
    one: Arc<Semaphore>,
}

impl Ticket {
    /// Waits for the business's turn, then for a place of all: there a business waits once at most, so that they come
    /// in turn.
    async fn place(self) -> Result<Place, EngineError> {
        let stopping = |_| EngineError::Stopping; // neither is ever closed
        let turn = Arc::clone(&self.one).acquire_owned().await.map_err(stopping)?;
        let place = Arc::clone(&self.of.places).acquire_owned().await.map_err(stopping)?;
        Ok(Place { _place: place, _turn: turn, _ticket: self })
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

/// The right to read. What is dropped first is first.
struct Place {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
    _ticket: Ticket,
}

/// A request that reads.
struct Reading<S> {
    of: Arc<Scans>,
    store: Store,
    rows: usize,
    reads: usize,
    step: S,
}

impl<S> Reading<S> {
    /// Makes the next step, which ends early at an instant.
    ///
    /// # Panics
    /// When it reads more than it may.
    fn next<T>(&mut self, until: Option<Instant>) -> Result<Option<T>, StoreError>
    where
        S: Step<T>,
    {
        let rows_max = self.of.rows_max;
        assert!(self.rows < rows_max, "a request goes on behind its bound");
        let mut reader = Reader::new(&self.store, rows_max.div_ceil(STEPS), rows_max - self.rows);
        reader.until = until;
        let found = (self.step)(&reader);
        self.rows += reader.rows.get();
        self.reads += reader.reads.get();
        self.of.rows_read.fetch_add(reader.reads.get() as u64, Ordering::Relaxed);
        assert!(
            self.reads <= rows_max.saturating_add(ITEM_READS_MAX),
            "a request has read {} rows and may read {rows_max}",
            self.reads
        );
        found
    }
}

#[cfg(test)]
mod tests;
