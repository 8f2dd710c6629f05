//! Where everything is kept: ordered keys on a disk, written by one committer, read by anyone.
//!
//! A change is one [`Batch`], queued with [`Store::submit`] and answered when it is durable. What always holds:
//!
//! - what anybody reads is durable, and what was acknowledged before is read: a reader waits for nothing;
//! - nothing is acknowledged that is not durable, and a batch is there whole or not at all, after any crash;
//! - a value may be long; no module outside sees the pieces that it is kept in;
//! - no module outside names the storage engine or the encoding of records;
//! - the layout of the keys stands in [`keys`] alone, the layout of the records in [`records`] alone.

mod backend;
mod ballast;
mod batch;
mod bulk;
mod codec;
mod committer;
mod damaged;
mod disk;
mod error;
mod files;
mod filling;
mod format;
mod frozen;
mod home;
mod isolating;
mod journal;
pub mod kept;
mod key;
pub mod keys;
mod lenient;
mod long;
mod mark;
pub mod measure;
#[cfg(any(test, feature = "simulation"))]
mod memory;
mod memtable;
mod newest;
mod opening;
pub mod outside;
mod page_cache;
mod pieces;
mod private;
pub mod records;
mod rest;
mod restoring;
mod room;
mod rows;
mod salvaging;
mod set_aside;
mod sled_log;
mod snapshot;
mod spill;
mod syncs;
mod tail;
mod tap;
mod time_file;
mod tombstone_copy;
mod tombstones;
mod tree;
mod waiting;
mod watch;

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

pub use backend::{Backend, Order, Pair, Pairs, Space};
pub use batch::Batch;
pub use bulk::{BulkWriter, Pages};
pub use codec::Record;
pub use committer::SNAPSHOTS_MAX;
pub use committer::{
    CHANGE_BYTES_MAX, CommitStats, Done, GROUP_BYTES_MAX, GROUP_CHANGES_MAX, OnFatal, QUANTUM_BYTES,
};
use committer::{Committer, Of};
use damaged::Damaged;
pub use damaged::{SET_ASIDE_FILE, past_corrupt_pages, read_businesses_set_aside, unless_business_set_aside};
use domain::{BusinessId, EventId, Timestamp};
pub use error::StoreError;
pub use filling::Filling;
pub use frozen::Frozen;
pub use key::{KEY_BYTES_MAX, Key, KeyRange};
#[cfg(any(test, feature = "simulation"))]
pub use memory::MemoryBackend;
pub use newest::NewestEntry;
pub use pieces::{LONG_VALUE_BYTES_MAX, VALUE_BYTES_MAX};
use ports::Clock;
use room::Room;
pub use room::{DiskFull, DiskReserve, RESERVE_BYTES_DEFAULT, RESERVE_BYTES_MIN, RoomLevel, Weight};
pub use rows::{Rows, every_row, piece_of, record_at, value_at, whole_value};
pub use rows::{is_whole, whole_value_by};
pub use salvaging::Salvaging;
pub use set_aside::unless_set_aside;
pub use snapshot::Snapshot;
pub use time_file::Noted;
pub use tombstone_copy::{copied_tombstones, copy_tombstones};
pub use tombstones::{OfBusiness, TOMBSTONES_FILE, TakenBack, Tombstone, read_tombstones};
pub use waiting::{Promised, Waiting};

/// The store, open. A clone is a handle to the same store; it ends with [`Store::close`] or with the last handle.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    /// Before the backend, so that the writer knows first that nobody is left.
    committer: Committer,
    backend: Arc<dyn Backend>,
    /// The businesses that are set aside.
    damaged: Damaged,
    room: Room,
    simulated: bool,
    /// Whose waiting deliveries are counted.
    watched: waiting::Watched,
    /// The rows that do not decode.
    set_aside: set_aside::SetAside,
}

impl Store {
    /// Opens the data directory, which is created if it is not there. `on_fatal` is called once if the store fails
    /// for good.
    ///
    /// # Errors
    /// A one-line error that names the path: another process uses it, it cannot be written, what lies there is no
    /// store or cannot be trusted.
    pub fn open_disk(dir: &Path, on_fatal: OnFatal) -> Result<Self, StoreError> {
        Self::on_disk(Arc::new(disk::DiskBackend::open(dir)?), on_fatal)
    }

    fn on_disk(disk: Arc<disk::DiskBackend>, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let damaged = Damaged::of(disk.kept_aside()?);
        let backend: Arc<dyn Backend> = disk;
        let committer = Committer::on_thread(Arc::clone(&backend), on_fatal)?;
        let store = Self(Arc::new(Inner {
            committer,
            backend,
            damaged,
            room: Room::default(),
            simulated: false,
            watched: waiting::Watched::default(),
            set_aside: set_aside::SetAside::default(),
        }));
        let inner = Arc::downgrade(&store.0);
        store.0.backend.on_isolated(Box::new(move |business, reason| {
            let store = Self(inner.upgrade().ok_or(StoreError::Closed)?);
            store.set_business_aside(business, reason)
        }))?;
        Ok(store)
    }

    /// Opens a simulated disk; the committer runs as a task of the current tokio runtime.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while another store is open on it.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[cfg(any(test, feature = "simulation"))]
    pub fn in_memory(disk: &MemoryBackend, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let session = Arc::new(disk.session()?);
        let damaged = Damaged::of(session.kept_aside()?);
        let committer = Committer::on_task(Arc::clone(&session), on_fatal);
        Ok(Self(Arc::new(Inner {
            committer,
            damaged,
            backend: session,
            room: Room::default(),
            simulated: true,
            watched: waiting::Watched::default(),
            set_aside: set_aside::SetAside::default(),
        })))
    }

    /// The record under the key.
    ///
    /// # Errors
    /// When reading fails, or what is there is not such a record and is [set aside](StoreError::SetAside).
    pub fn get<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.get_raw(key)?.map(|bytes| self.checked(key, R::decode(&bytes))).transpose()
    }

    /// The record under the key, or nothing if it is set aside.
    ///
    /// # Errors
    /// When reading fails.
    pub fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.find_as(key, R::decode)
    }

    /// The value that a function reads from the bytes under the key, or nothing if they are set aside.
    ///
    /// # Errors
    /// When reading fails.
    pub fn find_as<T>(
        &self,
        key: &Key,
        read: impl FnOnce(&[u8]) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let Some(bytes) = unless_set_aside(self.get_raw(key))?.flatten() else { return Ok(None) };
        self.usable(key, read(&bytes))
    }

    /// The bytes under the key.
    ///
    /// # Errors
    /// When reading fails, or the pieces of a long value do not belong together and are [set
    /// aside](StoreError::SetAside).
    pub fn get_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        self.checked(key, value_at(self, key))
    }

    /// Whether there is anything under the key.
    ///
    /// # Errors
    /// When reading fails.
    pub fn contains(&self, key: &Key) -> Result<bool, StoreError> {
        Ok(self.get_raw(key)?.is_some())
    }

    /// The pairs of the range, read one by one: what is applied meanwhile may be seen from its middle on. Values whose
    /// pieces do not belong together are set aside. Rows of businesses that are set aside are skipped; a range within
    /// one of them gives [`StoreError::BusinessSetAside`] once.
    pub fn scan(&self, range: &KeyRange, order: Order) -> Pairs<'_> {
        Box::new(Rows::scan(self, range, order).filter_map(move |pair| {
            let pair = pair.and_then(|(key, row)| {
                let value = self.usable(&key, whole_value(self, &key, row))?;
                Ok(value.flatten().map(|value| (key, value)))
            });
            pair.transpose()
        }))
    }

    /// The records of the range with their keys, read one by one. Rows that do not decode are set aside.
    pub fn records<R: Record>(
        &self,
        range: &KeyRange,
        order: Order,
    ) -> impl Iterator<Item = Result<(Key, R), StoreError>> + use<'_, R> {
        self.walk(range, order, |_, value| R::decode(value))
    }

    /// The values that a function reads from the rows of the range, with the keys, one by one. Rows from which it cannot
    /// read a value are set aside and skipped.
    pub fn walk<T, F: Fn(&[u8], &[u8]) -> Result<T, StoreError>>(
        &self,
        range: &KeyRange,
        order: Order,
        read: F,
    ) -> impl Iterator<Item = Result<(Key, T), StoreError>> + use<'_, T, F> {
        self.scan(range, order).filter_map(move |row| {
            let found = row.and_then(|(key, value)| {
                let found = self.usable(&key, read(&key, &value))?;
                Ok(found.map(|found| (Key::new(&key), found)))
            });
            found.transpose()
        })
    }

    /// What a row was found to hold, for whoever needs it: one that does not decode is set aside.
    ///
    /// # Errors
    /// [`StoreError::SetAside`], or whatever else went wrong.
    pub fn checked<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<T, StoreError> {
        self.0.set_aside.note(key, read)
    }

    /// What a row was found to hold, for whoever walks over rows: nothing where it does not decode and is set aside, or
    /// where a row that it leads to was.
    ///
    /// # Errors
    /// Whatever else went wrong.
    pub fn usable<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        unless_set_aside(self.checked(key, read))
    }

    /// How many rows were met since the store was opened that do not decode.
    pub fn rows_set_aside(&self) -> usize {
        self.0.set_aside.count()
    }

    /// The rule for the result of every read. A read that fails is final: the store has lost data or its disk, so it
    /// fails for good, as it does when a write fails. A store that has failed refuses every read.
    fn noted<T>(&self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error @ StoreError::Read(_)) = &read {
            self.0.committer.fail(error);
            return read;
        }
        self.check()?;
        read
    }

    /// Ends it for good for a reason of others, as if it had failed.
    pub fn fail(&self, error: &StoreError) {
        self.0.committer.fail(error);
    }

    /// Queues a change of the business and gives its ticket. `done` runs once the change and everything of the business
    /// queued before it is durable; other businesses' changes may come before or after, as each gets its turns; it is
    /// dropped instead when the store fails, has stopped or is closing, or when the business is set aside. A change without writes is a barrier: it is
    /// answered behind what was queued before it. It is for the caller to bound the queue.
    ///
    /// # Panics
    /// When the batch is longer than [`CHANGE_BYTES_MAX`].
    pub fn submit(&self, business: BusinessId, batch: Batch, done: Done) -> Option<u64> {
        // A barrier writes nothing that an attempt could go by.
        let what = if batch.is_empty() { Of::Any } else { Of::ToSend };
        self.submit_as(what, business, batch, done)
    }

    /// The same for what came of an attempt: no other attempt goes by it before `done`, so
    /// [`Store::settled_to_send`] does not wait for it.
    ///
    /// # Panics
    /// When the batch is longer than [`CHANGE_BYTES_MAX`].
    pub fn submit_outcome(&self, business: BusinessId, batch: Batch, done: Done) -> Option<u64> {
        debug_assert!(
            batch.writes().all(|(key, _)| keys::is_of_outcome(key)),
            "an outcome writes something else"
        );
        self.submit_as(Of::Any, business, batch, done)
    }

    fn submit_as(&self, what: Of, business: BusinessId, batch: Batch, done: Done) -> Option<u64> {
        let damaged = &self.0.damaged;
        if damaged.any()
            && (damaged.contains(business) || batch.writes().any(|(key, _)| damaged.holds(key).is_some()))
        {
            return None;
        }
        self.0.room.submitted(batch.bytes());
        // Held until the batch is queued, so that whoever begins to watch has it counted or finds it in the store.
        let watched = self.0.watched.read_recursive();
        if let Some(waiting) = watched.get(&business).and_then(Weak::upgrade) {
            // A store that cannot read has failed, and takes nothing any more.
            waiting.note(&batch, |event| self.event_bytes(business, event).unwrap_or(0));
        }
        self.0.committer.submit(business, what, batch, done)
    }

    /// The length of an event; of one that is not there, nothing.
    fn event_bytes(&self, business: BusinessId, event: EventId) -> Result<u32, StoreError> {
        let event = self.get_raw(&keys::event(business, event))?;
        Ok(event.map_or(0, |event| waiting::length_of(&event)))
    }

    /// Whether it is in use, for whoever answers from memory; what reads it is refused by that anyway.
    ///
    /// # Errors
    /// [`StoreError::Stopped`] once it has failed.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.failed() { Err(StoreError::Stopped) } else { Ok(()) }
    }

    /// Waits until everything of the business that was queued before this call is durable, and there to be read; at once
    /// if it is. For whoever has to read what was handed over and not answered yet.
    ///
    /// # Errors
    /// [`StoreError::Stopped`] when the store fails, or has failed.
    pub fn settled(
        &self,
        business: BusinessId,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        self.0.committer.settled(business, Of::Any)
    }

    /// The same for what an attempt may go by, which is everything but the outcomes of attempts.
    ///
    /// # Errors
    /// [`StoreError::Stopped`] when the store fails, or has failed.
    pub fn settled_to_send(
        &self,
        business: BusinessId,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        self.0.committer.settled(business, Of::ToSend)
    }

    /// Whether everything of the business that was queued before this call is durable; never after a failure.
    pub fn is_settled(&self, business: BusinessId) -> bool {
        self.0.committer.is_settled(business)
    }

    /// The generation of the credentials: it grows whenever something is applied that says whom an API key lets in,
    /// keys and profiles, before anyone is told of it: while it stays, what was read of them behind it is all that was
    /// acknowledged.
    pub fn credentials_generation(&self) -> u64 {
        self.0.committer.credentials_generation()
    }

    /// Every change of the business up to this ticket is durable.
    pub fn synced_through(&self, business: BusinessId) -> u64 {
        self.0.committer.synced_through(business)
    }

    /// Its rows as they are kept, without those of businesses that are set aside.
    pub fn rows(&self) -> &dyn Rows {
        self
    }

    /// All rows as they are kept, for copying and verifying: those of businesses that are set aside too.
    pub fn all_rows(&self) -> AllRows<'_> {
        AllRows(self)
    }

    fn scan_all<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        Box::new(self.0.backend.scan(range, order).map(|row| self.noted(row)))
    }

    /// Sets a business aside, durably: from now on reads and changes of its rows fail with
    /// [`StoreError::BusinessSetAside`]. A change that was queued before is still written. Any thread may call it.
    /// Setting it aside again changes nothing.
    ///
    /// # Errors
    /// When the list cannot be written. The business is set aside in this process all the same, and the next call
    /// writes the list again. [`StoreError::Damaged`] for the installation, whose rows nothing can go on without.
    pub fn set_business_aside(&self, business: BusinessId, reason: &str) -> Result<(), StoreError> {
        if business == BusinessId::INSTALLATION {
            return Err(StoreError::damaged("business", "the installation cannot be set aside"));
        }
        self.0.damaged.add(business, reason, |listed| self.0.backend.keep_aside(listed))
    }

    /// The businesses that are set aside, with the reason of each.
    pub fn businesses_set_aside(&self) -> Vec<(BusinessId, String)> {
        self.0.damaged.all()
    }

    /// Whether a business is set aside.
    pub fn is_business_set_aside(&self, business: BusinessId) -> bool {
        self.0.damaged.contains(business)
    }

    /// Refuses a business that is set aside.
    ///
    /// # Errors
    /// [`StoreError::BusinessSetAside`].
    pub fn check_business(&self, business: BusinessId) -> Result<(), StoreError> {
        if self.is_business_set_aside(business) {
            return Err(StoreError::BusinessSetAside { business });
        }
        Ok(())
    }

    /// Lists what must not come back beside the store, durably.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn bury(&self, tombstones: &[Tombstone]) -> Result<(), StoreError> {
        self.0.backend.bury(tombstones)
    }

    /// The lines of that list, in their order.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn buried(&self) -> Result<Vec<Tombstone>, StoreError> {
        self.0.backend.buried()
    }

    /// Says beside the store, durably, that it has the present format.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn keep_format(&self) -> Result<(), StoreError> {
        self.0.backend.keep_format()
    }

    /// Notes an instant in a file beside the store.
    pub fn note_instant(&self, noted: Noted, at: Timestamp) {
        self.0.backend.note_instant(noted, at);
    }

    /// The instant that was noted last, in an earlier life too.
    pub fn noted_instant(&self, noted: Noted) -> Option<Timestamp> {
        self.0.backend.noted_instant(noted)
    }

    /// Sets how much of the disk is left free; [`DiskReserve::Usual`] until then.
    pub fn set_disk_reserve(&self, reserve: DiskReserve) {
        self.0.room.set_reserve(reserve);
    }

    /// Whether there is room for a change of this weight. To be asked before it is decided: what is submitted is
    /// written.
    ///
    /// # Errors
    /// [`DiskFull`] when there is not.
    pub fn check_room(&self, weight: Weight) -> Result<(), DiskFull> {
        if self.room().0 <= weight.down_to() { Ok(()) } else { Err(DiskFull) }
    }

    /// What the disk has room for, and how much of it is free, if that is known.
    pub fn room(&self) -> (RoomLevel, Option<Space>) {
        self.0.room.level(&*self.0.backend, || self.0.committer.bytes_written())
    }

    /// How many changes are queued and not yet taken.
    pub fn queued(&self) -> usize {
        self.0.committer.queued()
    }

    /// What the committer has done so far.
    pub fn stats(&self) -> CommitStats {
        self.0.committer.stats()
    }

    /// Measures the age of syncs by this clock from now on, and logs those that hang. Only the first call has an effect.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn watch_syncs(&self, clock: Arc<dyn Clock>) {
        self.0.backend.syncs().watch(clock);
    }

    /// The age of the oldest sync under way; zero when none is, or nobody watches them.
    pub fn sync_age(&self) -> Duration {
        self.0.backend.syncs().age()
    }

    /// Whether a sync has been under way for more than 30 s.
    pub fn is_stuck(&self) -> bool {
        self.sync_age() > syncs::STUCK_AFTER
    }

    /// Whether it is a simulated disk, which no thread waits for.
    pub fn is_simulated(&self) -> bool {
        self.0.simulated
    }

    /// Whether the store has failed for good.
    pub fn failed(&self) -> bool {
        self.0.committer.failed()
    }

    /// Takes no more changes, finishes those that are queued, syncs and lets go of the directory: it can be opened
    /// again at once. Scans have to be ended before; every call to a handle that is left gets
    /// [`StoreError::Closed`].
    ///
    /// # Errors
    /// [`StoreError::Stopped`] when the store has failed.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.0.committer.close().await
    }
}

/// The rows without those of businesses that are set aside.
impl Rows for Store {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let open = || match self.0.damaged.holds(key) {
            Some(business) => Err(StoreError::BusinessSetAside { business }),
            None => Ok(()),
        };
        open()?;
        let value = self.all_rows().get(key)?;
        open()?; // the business may have been set aside meanwhile, and its page been made empty
        Ok(value)
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        self.0.damaged.scan(range, order, move |part| self.scan_all(part, order))
    }
}

/// All rows of a store, those of businesses that are set aside too.
///
/// Every read of the store comes through here and passes [`Store::noted`]. Only the committer reads the backend itself, and
/// every error that it meets is final.
pub struct AllRows<'a>(&'a Store);

impl Rows for AllRows<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.noted(self.0.0.backend.get(key))
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        self.0.scan_all(range, order)
    }
}
