//! The tree of all rows. It wraps sled 0.34.7 and adds guarantees that sled does not give.
//!
//! Invariants:
//!
//! - One tree contains all rows. The number of a batch ([`NEWEST_KEY`]) is written after the batch's rows. A crash
//!   loses only the last writes, so a tree that contains the number also contains the rows.
//! - One thread writes row by row. It does not use the batches of sled's API, because sled writes its buffer twice for
//!   each such batch. Readers still see whole batches, because they read the memtable first.
//! - Between two syncs, sled's log grows by less than a segment. The writing thread estimates an upper bound of the
//!   growth for each row, and syncs when the sum reaches [`LOG_BYTES_MAX`]. The reason: the header of a segment
//!   contains a stable LSN, and sled's recovery trusts all segments before this LSN. But before sled writes the
//!   header, it only calls `sync_file_range` for these segments, which does not make them durable.
//! - A sync ends with `sync_data` on the tree's own handle of `db`. This call makes the data durable. It also returns
//!   each write error, even if sled has already received the same error on its own handle. The reason is that the
//!   kernel reports each error once to each handle.
//! - A panic of sled becomes an error.
//! - sled would write long values to blob files, and it never syncs these files. Rows are short (`VALUE_BYTES_MAX`), so
//!   sled writes no blob files.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use super::backend::Rest;
use super::error::Cause;
use super::isolating::Files;
use super::mark::NEWEST_KEY;
use super::opening::{Cleaner, SEGMENT_BYTES, Sled, caught, described};
use super::sled_log::SealedSegments;
use super::syncs::{By, Syncs};
use super::{Key, Order, Pair, Pairs, StoreError};

/// The maximum growth of the log between two syncs. It is 2 MiB less than the length of a segment. These 2 MiB are for
/// pages that sled's cleaner moves.
pub(super) const LOG_BYTES_MAX: u64 = 6 << 20;

/// The maximum number of bytes that the log needs for a changed row, in addition to the row itself.
const LINK_BYTES: u64 = 32;
/// The maximum number of rows of a page. sled splits a page with more rows.
const ROWS_PER_PAGE: u64 = 16;
/// After this many changes to a page, sled writes the whole page again. For each page that sled writes again,
/// it also moves one page from an old segment, to free this segment.
const CHANGES_PER_PAGE: u64 = 10;

const RELEASE_TRIES_MAX: u32 = 5_000;
const RELEASE_PAUSE: Duration = Duration::from_millis(1);

/// The numbers of rows that a scan reads from sled at a time: first this many, then twice as many, and so on up to the
/// maximum. The first two chunks have 51 rows, which are a page of 50 and the row that shows that there is a next page.
const CHUNK_ROWS_FIRST: usize = 17;
const CHUNK_ROWS_MAX: usize = 68;

#[derive(Clone)]
pub(super) struct Tree(Arc<Inner>);

struct Inner {
    /// The open sled, or `None` after the tree was closed. Callers must not keep a reference to sled between calls,
    /// because isolating a page closes sled.
    sled: RwLock<Option<Sled>>,
    file: File,
    /// An upper bound of the growth of the log since the last sync.
    log_bytes: AtomicU64,
    sealed: Mutex<Option<SealedSegments>>,
    syncs: Arc<Syncs>,
}

impl Tree {
    pub(super) fn open(files: &Files) -> Result<(Self, u64), StoreError> {
        let (sled, newest) = files.open()?;
        let path = files.store.join("db");
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(StoreError::preparing("opening", path))?;
        let sled = RwLock::new(Some(sled));
        let (log_bytes, sealed, syncs) = (AtomicU64::new(0), Mutex::default(), Arc::default());
        Ok((Self(Arc::new(Inner { sled, file, log_bytes, sealed, syncs })), newest))
    }

    /// Syncs the writes that sled made while it opened, and starts the list of sealed segments. It is called once after
    /// the start.
    pub(super) fn opened(&self, files: &Files) -> Result<(), StoreError> {
        self.sync()?;
        files.opened()?;
        let sealed = SealedSegments::start(&files.segments, &files.store, SEGMENT_BYTES as u64);
        let sealed = sealed.map_err(StoreError::preparing("writing", &files.segments))?;
        *self.0.sealed.lock() = Some(sealed);
        Ok(())
    }

    /// Closes sled, calls the function `between`, opens sled again and calls the function `then`. Other
    /// threads wait until sled is open again.
    pub(super) fn reopen<T>(
        &self,
        files: &Files,
        between: impl FnOnce() -> Result<T, StoreError>,
        then: impl FnOnce(&sled::Tree, &T) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut sled = self.0.sled.write();
        let Some(closed) = sled.take() else { return Err(StoreError::Closed) };
        let flushed = tried(StoreError::Sync, || closed.db.flush());
        let written = caught(|| closed.db.get(NEWEST_KEY)).ok().and_then(Result::ok).flatten();
        drop(closed);
        flushed?;
        let released = is_let_go_of(&self.0.file);
        let unlocked = self.0.file.unlock();
        if !released || unlocked.is_err() {
            return Err(StoreError::Read("the storage engine could not be closed to isolate a page".into()));
        }
        *self.0.sealed.lock() = None;
        let between = between()?;
        files.check(None, None)?;
        let (opened, kept) = files.open()?;
        let written =
            written.and_then(|number| number.as_ref().try_into().ok()).map_or(0, u64::from_be_bytes);
        if kept < written {
            return Err(StoreError::Lost { path: files.store.clone(), kept, synced: written });
        }
        then(&opened.db, &between)?;
        *sled = Some(opened);
        drop(sled);
        self.opened(files)
    }

    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.with(StoreError::Sync, |db| db.flush().map(drop))
    }

    /// Leaks sled without closing it, because closing could wait forever for a cleaner that has panicked.
    pub(super) fn abandon(&self) {
        std::mem::forget(self.0.sled.write().take());
    }

    fn with<T>(
        &self,
        failed: fn(Cause) -> StoreError,
        act: impl FnOnce(&sled::Db) -> sled::Result<T>,
    ) -> Result<T, StoreError> {
        match &*self.0.sled.read() {
            Some(sled) => tried(failed, || act(&sled.db)),
            None => Err(StoreError::Closed),
        }
    }

    /// True if sled's cleaner has ended. It ends at a page that it cannot read.
    pub(super) fn has_lost_cleaner(&self) -> bool {
        let sled = self.0.sled.read();
        sled.as_ref().is_some_and(|sled| sled.cleaner.as_ref().is_some_and(Cleaner::has_ended))
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(StoreError::Read, |db| Ok(db.get(key)?.map(|value| value.to_vec())))
    }

    pub(super) fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        self.with(StoreError::Read, |db| db.contains_key(key))
    }

    /// Returns a function that reads the rest of a range in chunks. sled can be closed between two chunks.
    pub(super) fn seek(&self) -> impl Fn(&Rest) -> Pairs<'static> + Send + use<> {
        let tree = self.clone();
        move |rest| {
            let (tree, mut rest) = (tree.clone(), *rest);
            let (mut chunk, mut rows, mut is_last) = (VecDeque::new(), CHUNK_ROWS_FIRST, false);
            Box::new(std::iter::from_fn(move || {
                if chunk.is_empty() && !is_last {
                    match tree.with(StoreError::Read, |db| chunk_of(db, &rest, rows)) {
                        Ok(read) => {
                            is_last = read.len() < rows;
                            chunk = read;
                        }
                        Err(error) => {
                            is_last = true;
                            return Some(Err(error));
                        }
                    }
                    rows = (2 * rows).min(CHUNK_ROWS_MAX);
                    if let Some((key, _)) = chunk.back() {
                        rest.continue_after(Key::new(key));
                        is_last |= rest.is_empty();
                    }
                }
                chunk.pop_front().map(Ok)
            }))
        }
    }

    #[cfg(test)]
    pub(super) fn log_bytes(&self) -> u64 {
        self.0.log_bytes.load(Ordering::Relaxed)
    }

    /// Writes rows and then the number of their newest batch. Does not sync.
    pub(super) fn write<'a>(
        &self,
        newest: u64,
        rows: impl IntoIterator<Item = (&'a [u8], Option<&'a [u8]>)>,
    ) -> Result<(), StoreError> {
        for (key, value) in rows {
            self.write_row(key, value)?;
        }
        self.write_row(&NEWEST_KEY, Some(&newest.to_be_bytes()))
    }

    fn write_row(&self, key: &[u8], value: Option<&[u8]>) -> Result<(), StoreError> {
        let before = self.with(StoreError::Apply, |db| match value {
            Some(value) => db.insert(key, value),
            // A row that was only in the memtable is not in sled. Deleting it would still enlarge sled's log, so the
            // deletion is skipped.
            None if !db.contains_key(key)? => Ok(None),
            None => db.remove(key),
        })?;
        if before.is_none() && value.is_none() {
            return Ok(());
        }
        // The estimate assumes that a page is full of rows of this length.
        let row = |bytes: usize| (key.len() + bytes) as u64 + LINK_BYTES;
        let (bytes, bytes_before) = (value.map_or(0, <[u8]>::len), before.map_or(0, |before| before.len()));
        let page = row(bytes.max(bytes_before)) * ROWS_PER_PAGE;
        let log_bytes = row(bytes) + 2 * page / CHANGES_PER_PAGE;
        let all = self.0.log_bytes.fetch_add(log_bytes, Ordering::Relaxed) + log_bytes;
        if all >= LOG_BYTES_MAX { self.sync() } else { Ok(()) }
    }

    /// Returns the LSN of the newest segment if older segments are missing from the list of complete segments, and
    /// `None` if no segment is missing. The next sync must add the missing segments to the list.
    pub(super) fn unlisted(&self) -> Result<Option<u64>, StoreError> {
        let sealed = self.0.sealed.lock();
        let unlisted = sealed.as_ref().map(|sealed| sealed.unlisted(&self.0.file, SEGMENT_BYTES as u64));
        unlisted.transpose().map(Option::flatten).map_err(|error| StoreError::Sync(error.into()))
    }

    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.0.syncs.during(By::Checkpoint, || self.sync_now())
    }

    fn sync_now(&self) -> Result<(), StoreError> {
        let unlisted = self.unlisted()?;
        let flushed = self.with(StoreError::Sync, |db| db.flush());
        // sled does not free unused memory immediately, but collects it per thread. Without this call, 60 unused
        // buffers would stay in memory.
        crossbeam_epoch::pin().flush();
        flushed?;
        self.sync_file(unlisted)?;
        self.0.log_bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn sync_file(&self, unlisted: Option<u64>) -> Result<(), StoreError> {
        let sync = || {
            self.0.file.sync_data()?;
            match (&mut *self.0.sealed.lock(), unlisted) {
                (Some(sealed), Some(newest)) => sealed.list(&self.0.file, SEGMENT_BYTES as u64, newest),
                _ => Ok(()),
            }
        };
        sync().map_err(|error| StoreError::Sync(error.into()))
    }

    pub(super) fn syncs(&self) -> &Arc<Syncs> {
        &self.0.syncs
    }

    pub(super) fn file(&self) -> &File {
        &self.0.file
    }

    /// Closes sled once running scans have ended, and syncs the last writes. Returns false after an error.
    pub(super) fn close(&self) -> bool {
        drop(self.0.sled.write().take());
        let is_closed = is_let_go_of(&self.0.file);
        let unlisted = self.unlisted();
        if !is_closed {
            tracing::warn!("the store's file is still in use after closing: a scan has not ended");
        }
        let newest = unlisted.as_ref().ok().copied().flatten();
        let synced = self.syncs().during(By::Checkpoint, || self.sync_file(newest)).and(unlisted);
        if let Err(error) = &synced {
            tracing::error!(%error, "the store could not be made durable when it closed");
        }
        is_closed && synced.is_ok()
    }
}

#[allow(clippy::disallowed_methods, reason = "the calling thread has no other work while the store closes")]
pub(super) fn is_let_go_of(file: &File) -> bool {
    (0..RELEASE_TRIES_MAX).any(|_| {
        let free = file.try_lock().is_ok();
        if !free {
            std::thread::sleep(RELEASE_PAUSE);
        }
        free
    })
}

fn chunk_of(tree: &sled::Tree, rest: &Rest, rows: usize) -> sled::Result<VecDeque<Pair>> {
    let mut pairs = tree.range::<&[u8], _>(rest.bounds());
    let mut next = || match rest.order {
        Order::Ascending => pairs.next(),
        Order::Descending => pairs.next_back(),
    };
    let mut chunk = VecDeque::new();
    while chunk.len() < rows
        && let Some(pair) = next()
    {
        let (key, value) = pair?;
        chunk.push_back((key.to_vec(), value.to_vec()));
    }
    Ok(chunk)
}

pub(super) fn all_rows(tree: &sled::Tree, rest: &Rest) -> Pairs<'static> {
    match tried(StoreError::Read, || chunk_of(tree, rest, usize::MAX)) {
        Ok(rows) => Box::new(rows.into_iter().map(Ok)),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// Calls sled. A corrupt page becomes [`StoreError::Corrupt`]. `failed` converts all other errors.
fn tried<T>(failed: fn(Cause) -> StoreError, act: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
    match caught(act) {
        Err(cause) => Err(failed(cause)),
        Ok(Err(sled::Error::Corruption { at: Some(at), .. })) => {
            Err(StoreError::Corrupt { offset: at.lid() })
        }
        Ok(done) => done.map_err(|error| failed(described(error))),
    }
}
