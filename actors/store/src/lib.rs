//! The store: ordered keys on a disk, written by one committer and read by any thread.
//!
//! A change is one [`Batch`]. [`Store::submit`] queues the change and calls the closure `done` when the
//! change is durable. A row that cannot be decoded, or a business with lost rows, is *set aside*: it stays in
//! the store, but is not used. Invariants:
//!
//! - Reads see every acknowledged change, and no change that is not durable. A read does not wait for
//!   commits.
//! - A change is acknowledged only when it is durable. After a crash, all rows of a batch exist or none.
//! - A long value is stored in several rows (`pieces`). Reads return the whole value.
//! - Only this crate knows the storage engine, sled, and the encoding of records.
//! - Only [`keys`] defines the layout of keys, and only [`records`] the layout of records.

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
mod mark;
pub mod measure;
#[cfg(any(test, feature = "simulation"))]
mod memory;
mod memtable;
mod newest;
mod opening;
pub mod outside;
mod pieces;
pub mod records;
mod room;
mod salvaging;
mod set_aside;
mod sled_log;
mod snapshot;
mod syncs;
mod tail;
mod tap;
mod tombstone_copy;
mod tombstones;
mod tree;
mod waiting;

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
use committer::{ChangeKind, Committer};
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
pub use outside::Noted;
pub use pieces::{
    LONG_VALUE_BYTES_MAX, Rows, VALUE_BYTES_MAX, every_row, is_head, piece_of, record_at, value_at,
    whole as whole_value_by, whole_value,
};
use ports::Clock;
use room::Room;
pub use room::{DiskFull, DiskReserve, RESERVE_BYTES_DEFAULT, RESERVE_BYTES_MIN, RoomLevel, Weight};
pub use salvaging::{Missing, Salvaging};
pub use set_aside::unless_set_aside;
pub use snapshot::Snapshot;
pub use tombstone_copy::{copied_tombstones, copy_tombstones};
pub use tombstones::{OfBusiness, TOMBSTONES_FILE, TakenBack, Tombstone, read_tombstones};
pub use waiting::{Promised, Waiting};

/// A handle to an open store. The store closes when [`Store::close`] is called or the last handle is dropped.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    /// The field is declared before `backend`, so that the committer is dropped before the backend.
    committer: Committer,
    backend: Arc<dyn Backend>,
    damaged: Damaged,
    room: Room,
    simulated: bool,
    watched: waiting::Watched,
    set_aside: set_aside::SetAside,
}

impl Store {
    /// Opens the data directory, or creates it. `on_fatal` is called once when the store fails permanently.
    ///
    /// # Errors
    /// Returns a one-line error that names the path.
    pub fn open_disk(dir: &Path, on_fatal: OnFatal) -> Result<Self, StoreError> {
        Self::on_disk(Arc::new(disk::DiskBackend::open(dir)?), on_fatal)
    }

    fn on_disk(disk: Arc<disk::DiskBackend>, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let damaged = Damaged::of(disk.kept_aside()?);
        let backend: Arc<dyn Backend> = disk;
        let committer = Committer::on_thread(Arc::clone(&backend), on_fatal)?;
        let store = Self::of(backend, committer, damaged, false);
        let inner = Arc::downgrade(&store.0);
        store.0.backend.on_isolated(Box::new(move |business, reason| {
            let store = Self(inner.upgrade().ok_or(StoreError::Closed)?);
            store.set_business_aside(business, reason)
        }))?;
        Ok(store)
    }

    /// Opens a store on a simulated disk. Its committer runs as a task. Panics outside a tokio runtime.
    ///
    /// # Errors
    /// Returns [`StoreError::InUse`] while another store is open on the disk.
    #[cfg(any(test, feature = "simulation"))]
    pub fn in_memory(disk: &MemoryBackend, on_fatal: OnFatal) -> Result<Self, StoreError> {
        let session = Arc::new(disk.session()?);
        let damaged = Damaged::of(session.kept_aside()?);
        let committer = Committer::on_task(Arc::clone(&session), on_fatal);
        Ok(Self::of(session, committer, damaged, true))
    }

    fn of(backend: Arc<dyn Backend>, committer: Committer, damaged: Damaged, simulated: bool) -> Self {
        let (room, watched, set_aside) = Default::default();
        Self(Arc::new(Inner { committer, backend, damaged, room, simulated, watched, set_aside }))
    }

    /// Returns the record that is stored under the key. If the row cannot be decoded, it is set aside and the read
    /// fails.
    pub fn get<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.get_raw(key)?.map(|bytes| self.get_in(key, &bytes)).transpose()
    }

    /// Decodes a row that the caller has already read. If the row cannot be decoded, it is set aside and an error is
    /// returned.
    pub fn get_in<R: Record>(&self, key: &[u8], bytes: &[u8]) -> Result<R, StoreError> {
        self.checked(key, R::decode(bytes))
    }

    /// Decodes a row that the caller has already read. If the row cannot be decoded, it is set aside and `None` is
    /// returned.
    pub fn find_in<R: Record>(&self, key: &[u8], bytes: &[u8]) -> Result<Option<R>, StoreError> {
        self.usable(key, R::decode(bytes))
    }

    /// Like [`Store::get`], but the outer option is `None` if the row cannot be decoded.
    pub fn look<R: Record>(&self, key: &Key) -> Result<Option<Option<R>>, StoreError> {
        unless_set_aside(self.get(key))
    }

    /// Like [`Store::get`], but a row that cannot be decoded counts as missing.
    pub fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        Ok(self.look(key)?.flatten())
    }

    /// Passes the value of the key to the function `read`, and returns the result of `read`. Returns `None` if the row
    /// is missing or set aside.
    pub fn find_as<T>(
        &self,
        key: &Key,
        read: impl FnOnce(&[u8]) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let Some(bytes) = self.find_raw(key)? else { return Ok(None) };
        self.usable(key, read(&bytes))
    }

    /// Like [`Store::get_raw`], but returns `None` for a row that is set aside.
    pub fn find_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(unless_set_aside(self.get_raw(key))?.flatten())
    }

    /// Returns the value of the key. If the pieces of a long value do not belong together, the row is set aside.
    pub fn get_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        self.checked(key, value_at(self, key))
    }

    pub fn contains(&self, key: &Key) -> Result<bool, StoreError> {
        Ok(self.get_raw(key)?.is_some())
    }

    /// Returns the rows of the range. Each row is read only when the iterator reaches it, so the scan may include later
    /// changes. A long value is stored in pieces. If its pieces do not belong together, its row is set aside and
    /// skipped. The rows of businesses that are set aside are skipped too. But if the whole range belongs to one
    /// business that is set aside, the scan returns only [`StoreError::BusinessSetAside`].
    pub fn scan(&self, range: &KeyRange, order: Order) -> Pairs<'_> {
        Box::new(Rows::scan(self, range, order).filter_map(move |pair| {
            let pair = pair.and_then(|(key, row)| {
                let value = self.usable(&key, whole_value(self, &key, row))?;
                Ok(value.flatten().map(|value| (key, value)))
            });
            pair.transpose()
        }))
    }

    /// Returns the decoded records of the range. Rows that cannot be decoded are set aside and skipped.
    pub fn records<R: Record>(
        &self,
        range: &KeyRange,
        order: Order,
    ) -> impl Iterator<Item = Result<(Key, R), StoreError>> + use<'_, R> {
        self.walk(range, order, |_, value| R::decode(value))
    }

    /// Returns each key of the range with the result of `read` for its row. Rows that `read` cannot decode are set
    /// aside and skipped.
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

    /// If `read` is a decoding error, counts and logs the row and returns [`StoreError::SetAside`].
    fn checked<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<T, StoreError> {
        self.0.set_aside.note(key, read)
    }

    /// Like [`Store::checked`], but returns `None` for [`StoreError::SetAside`]. The error may concern this
    /// row or a row to which this row refers.
    pub fn usable<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        unless_set_aside(self.checked(key, read))
    }

    pub fn rows_set_aside(&self) -> usize {
        self.0.set_aside.count()
    }

    /// Stops the store after a read error, because data may be lost. Returns an error if the store has stopped.
    fn noted<T>(&self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error @ StoreError::Read(_)) = &read {
            self.0.committer.fail(error);
            return read;
        }
        self.check()?;
        read
    }

    pub fn fail(&self, error: &StoreError) {
        self.0.committer.fail(error);
    }

    /// Queues a change and returns its ticket. `done` runs once this change and all earlier changes to the business are
    /// durable. If the store fails or closes, or if the business is set aside, `done` is dropped without a call. A
    /// batch without writes is a barrier: it only waits for the earlier changes. The caller must limit the number of
    /// queued changes.
    ///
    /// # Panics
    /// Panics if the batch is longer than [`CHANGE_BYTES_MAX`].
    pub fn submit(&self, business: BusinessId, batch: Batch, done: Done) -> Option<u64> {
        // Delivery attempts wait for earlier changes of the kind `ToSend`. They need not wait for a batch without
        // writes, so such a batch has the kind `Any`.
        let what = if batch.is_empty() { ChangeKind::Any } else { ChangeKind::ToSend };
        self.submit_as(what, business, batch, done)
    }

    /// Queues the outcome of a delivery attempt. [`Store::wait_durable_to_send`] waits for all other changes to the
    /// business, but not for outcomes.
    pub fn submit_outcome(&self, business: BusinessId, batch: Batch, done: Done) -> Option<u64> {
        debug_assert!(
            batch.writes().all(|(key, _)| keys::is_of_outcome(key)),
            "an outcome must write only rows of deliveries and mails"
        );
        self.submit_as(ChangeKind::Any, business, batch, done)
    }

    fn submit_as(&self, what: ChangeKind, business: BusinessId, batch: Batch, done: Done) -> Option<u64> {
        let damaged = &self.0.damaged;
        if damaged.any()
            && (damaged.contains(business) || batch.writes().any(|(key, _)| damaged.holds(key).is_some()))
        {
            return None;
        }
        self.0.room.submitted(batch.bytes());
        // This lock is held until the batch is queued. If a watch ([`Store::watch`]) of the business exists now, it
        // counts the batch. A new watch waits for the lock, so it begins after the batch is queued.
        let watched = self.0.watched.read_recursive();
        if let Some(waiting) = watched.get(&business).and_then(Weak::upgrade) {
            // If the read fails, the store has stopped, so the length does not matter.
            waiting.note(&batch, |event| self.event_bytes(business, event).unwrap_or(0));
        }
        self.0.committer.submit(business, what, batch, done)
    }

    fn event_bytes(&self, business: BusinessId, event: EventId) -> Result<u32, StoreError> {
        let event = self.get_raw(&keys::event(business, event))?;
        Ok(event.map_or(0, |event| waiting::length_of(&event)))
    }

    /// Returns [`StoreError::Stopped`] if the store has failed.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.failed() { Err(StoreError::Stopped) } else { Ok(()) }
    }

    /// Waits until all queued changes to the business are durable and visible. Returns [`StoreError::Stopped`] if the
    /// store fails.
    pub fn wait_durable(
        &self,
        business: BusinessId,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        self.0.committer.wait_durable(business, ChangeKind::Any)
    }

    /// Queues a change and waits until it is durable. Returns [`StoreError::Stopped`] if the store fails.
    pub async fn write(&self, business: BusinessId, batch: Batch) -> Result<(), StoreError> {
        self.submit(business, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        self.wait_durable(business).await
    }

    /// Like [`Store::wait_durable`], but does not wait for outcomes of delivery attempts.
    pub fn wait_durable_to_send(
        &self,
        business: BusinessId,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        self.0.committer.wait_durable(business, ChangeKind::ToSend)
    }

    /// True if all changes that were queued for the business are durable. After a failure it is always false.
    pub fn is_settled(&self, business: BusinessId) -> bool {
        self.0.committer.is_settled(business)
    }

    /// Returns a counter. It increases before a change to API keys, people or profiles is acknowledged. So a
    /// cache can detect that its entries may be outdated.
    pub fn credentials_generation(&self) -> u64 {
        self.0.committer.credentials_generation()
    }

    pub fn synced_through(&self, business: BusinessId) -> u64 {
        self.0.committer.synced_through(business)
    }

    pub fn rows(&self) -> &dyn Rows {
        self
    }

    /// All stored rows, including those of businesses that are set aside.
    pub fn all_rows(&self) -> AllRows<'_> {
        AllRows(self)
    }

    fn scan_all<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        Box::new(self.0.backend.scan(range, order).map(|row| self.noted(row)))
    }

    /// Durably sets a business aside. Changes that were already queued are still written.
    ///
    /// # Errors
    /// Returns an error if `business` is the installation, which cannot be set aside. Also returns an error
    /// if the list cannot be written: the next call then tries to write the list again.
    pub fn set_business_aside(&self, business: BusinessId, reason: &str) -> Result<(), StoreError> {
        if business == BusinessId::INSTALLATION {
            return Err(StoreError::damaged("business", "the installation cannot be set aside"));
        }
        self.0.damaged.add(business, reason, |listed| self.0.backend.keep_aside(listed))
    }

    pub fn businesses_set_aside(&self) -> Vec<(BusinessId, String)> {
        self.0.damaged.all()
    }

    pub fn is_business_set_aside(&self, business: BusinessId) -> bool {
        self.0.damaged.contains(business)
    }

    pub fn check_business(&self, business: BusinessId) -> Result<(), StoreError> {
        if self.is_business_set_aside(business) {
            return Err(StoreError::BusinessSetAside { business });
        }
        Ok(())
    }

    pub fn record_tombstones(&self, tombstones: &[Tombstone]) -> Result<(), StoreError> {
        self.0.backend.record_tombstones(tombstones)
    }

    pub fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        self.0.backend.tombstones()
    }

    /// Durably records that the store has the newest format. The caller must do this before it writes rows that older
    /// versions cannot read.
    pub fn keep_format(&self) -> Result<(), StoreError> {
        let mut kept = Ok(());
        self.0.backend.with_dir(&mut |dir| kept = format::keep(dir))?;
        kept
    }

    pub fn note_instant(&self, noted: Noted, at: Timestamp) {
        let _ = self.0.backend.with_dir(&mut |dir| drop(noted.write(dir, at)));
    }

    /// Reads an instant from its own file in the store's directory. An earlier process may have written the file.
    pub fn noted_instant(&self, noted: Noted) -> Option<Timestamp> {
        let mut instant = None;
        self.0.backend.with_dir(&mut |dir| instant = noted.read(dir)).ok()?;
        instant
    }

    pub fn set_disk_reserve(&self, reserve: DiskReserve) {
        self.0.room.set_reserve(reserve);
    }

    /// Checks the free disk space. `submit` does not check it, so a caller must call this function before it decides on
    /// a change.
    pub fn check_room(&self, weight: Weight) -> Result<(), DiskFull> {
        if self.room().0 <= weight.down_to() { Ok(()) } else { Err(DiskFull) }
    }

    pub fn room(&self) -> (RoomLevel, Option<Space>) {
        self.0.room.level(&*self.0.backend, || self.0.committer.bytes_written())
    }

    pub fn queued(&self) -> usize {
        self.0.committer.queued()
    }

    pub fn stats(&self) -> CommitStats {
        self.0.committer.stats()
    }

    /// Starts to measure how long syncs take, and to log syncs that hang. Panics outside a tokio runtime.
    pub fn watch_syncs(&self, clock: Arc<dyn Clock>) {
        self.0.backend.syncs().watch(clock);
    }

    /// Returns the age of the oldest sync in progress. It is zero if no sync is in progress, or if
    /// [`Store::watch_syncs`] was not called.
    pub fn sync_age(&self) -> Duration {
        self.0.backend.syncs().age()
    }

    /// True if a sync has been in progress for more than 30 s.
    pub fn is_stuck(&self) -> bool {
        self.sync_age() > syncs::STUCK_AFTER
    }

    pub fn is_simulated(&self) -> bool {
        self.0.simulated
    }

    pub fn failed(&self) -> bool {
        self.0.committer.failed()
    }

    /// Writes the queued changes and releases the directory. The caller must end its scans first.
    ///
    /// # Errors
    /// Returns [`StoreError::Stopped`] if the store has failed.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.0.committer.close().await
    }
}

impl Rows for Store {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let open = || match self.0.damaged.holds(key) {
            Some(business) => Err(StoreError::BusinessSetAside { business }),
            None => Ok(()),
        };
        open()?;
        let value = self.all_rows().get(key)?;
        open()?;
        Ok(value)
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        self.0.damaged.scan(range, order, move |part| self.scan_all(part, order))
    }
}

/// Reads all stored rows, including those of businesses that are set aside. A read error stops the store
/// ([`Store::noted`]).
pub struct AllRows<'a>(&'a Store);

impl Rows for AllRows<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.noted(self.0.0.backend.get(key))
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        self.0.scan_all(range, order)
    }
}
