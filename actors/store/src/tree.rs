//! The home of the rows: sled 0.34.7, with what it leaves to its user.
//!
//! What always holds:
//!
//! - one tree holds everything, and behind the rows that were written together the number of the newest batch of which
//!   they are ([`NEWEST_KEY`]): a crash leaves a beginning of the rows, so what bears the number has all of them;
//! - one writes, row by row, for sled's own batches have it write out its buffer twice for each: what readers must not
//!   see a part of, the memtable hides;
//! - between two syncs sled's log grows by less than a segment. Recovery takes for whole what lies before the segment to
//!   which sled said, in a later segment's head, that it was stable, and sled says so behind `sync_file_range`: so of each
//!   segment something has to be synced before the one behind the next begins. How much a row makes the log grow is
//!   estimated from above, and who writes syncs when it comes to [`LOG_BYTES_MAX`];
//! - a sync ends with `sync_data` on an own handle of `db`: sled's flush stops at `sync_file_range` on Linux, which
//!   survives the end of the process but not a power cut. The own handle also learns of write errors that the
//!   kernel met behind sled's back, since the kernel reports them once to each handle;
//! - a panic of sled is an error like any other;
//! - no message goes into a blob file, which sled never syncs: rows are bounded (`VALUE_BYTES_MAX`).

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};

use super::error::Cause;
use super::isolating::Files;
use super::mark::NEWEST_KEY;
use super::opening::{Cleaner, SEGMENT_BYTES, Sled, caught, described};
use super::rest::Rest;
use super::sled_log::SealedSegments;
use super::syncs::{By, Syncs};
use super::{Key, Order, Pair, Pairs, StoreError};

/// How much the log may grow between two syncs, as it is estimated: the rest of a segment is for what sled moves by itself.
pub(super) const LOG_BYTES_MAX: u64 = 6 << 20;

/// What a change of a row takes in the log beside its key and value, at most.
const LINK_BYTES: u64 = 32;
/// sled splits a page that has more rows.
const ROWS_PER_PAGE: u64 = 16;
/// Every so many changes of a page it is written as a whole, and to make room for that another one is moved.
const CHANGES_PER_PAGE: u64 = 10;

/// How long closing waits for sled's threads and the scans in progress to let go of the file.
const RELEASE_TRIES_MAX: u32 = 5_000;
const RELEASE_PAUSE: Duration = Duration::from_millis(1);

/// How many rows a scan reads at once, at first and later on.
const CHUNK_ROWS_FIRST: usize = 4;
const CHUNK_ROWS: usize = 64;

/// sled, open. A clone is a handle to the same.
#[derive(Clone)]
pub(super) struct Tree(Arc<Inner>);

struct Inner {
    /// `None` once closed. Nothing holds sled longer than one call: it is closed and opened again to isolate a page.
    sled: RwLock<Option<Sled>>,
    file: File,
    /// By how much the log has grown since the last sync, estimated from above.
    log_bytes: AtomicU64,
    /// The list of sealed segments, once the store is open.
    sealed: Mutex<Option<SealedSegments>>,
    syncs: Arc<Syncs>,
}

/// Why a call of sled's failed.
enum Failure {
    /// The message at this offset of `db` is corrupt.
    Corrupt(u64),
    /// It was closed before the call.
    Closed,
    Other(Cause),
}

impl Failure {
    fn or(self, other: impl FnOnce(Cause) -> StoreError) -> StoreError {
        match self {
            Self::Corrupt(offset) => StoreError::Corrupt { offset },
            Self::Closed => StoreError::Closed,
            Self::Other(cause) => other(cause),
        }
    }
}

impl Tree {
    /// Opens sled's files; gives the number of the newest batch in them as well.
    pub(super) fn open(files: &Files) -> Result<(Self, u64), StoreError> {
        let (sled, newest) = files.open()?;
        let path = files.store.join("db");
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|source| StoreError::Prepare { action: "opening", path, source })?;
        let sled = RwLock::new(Some(sled));
        let (log_bytes, sealed, syncs) = (AtomicU64::new(0), Mutex::default(), Arc::default());
        Ok((Self(Arc::new(Inner { sled, file, log_bytes, sealed, syncs })), newest))
    }

    /// What sled wrote when it opened is made durable, and the list of sealed segments starts.
    pub(super) fn opened(&self, files: &Files) -> Result<(), StoreError> {
        self.sync()?;
        files.opened()?;
        let sealed = SealedSegments::start(&files.segments, &files.store, SEGMENT_BYTES as u64);
        let prepare =
            |source| StoreError::Prepare { action: "writing", path: files.segments.clone(), source };
        *self.0.sealed.lock() = Some(sealed.map_err(prepare)?);
        Ok(())
    }

    /// Closes sled, runs `between`, opens sled again and runs `then`. Reads and writes of others wait until that has ended.
    pub(super) fn reopen<T>(
        &self,
        files: &Files,
        between: impl FnOnce() -> Result<T, StoreError>,
        then: impl FnOnce(&sled::Tree, &T) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut sled = self.0.sled.write();
        let Some(closed) = sled.take() else { return Err(StoreError::Closed) };
        let flushed = tried(|| closed.db.flush());
        drop(closed);
        flushed.map_err(|failure| failure.or(StoreError::Sync))?;
        let released = is_let_go_of(&self.0.file);
        let unlocked = self.0.file.unlock();
        if !released || unlocked.is_err() {
            return Err(StoreError::Read("the storage engine could not be closed to isolate a page".into()));
        }
        *self.0.sealed.lock() = None;
        let between = between()?;
        files.check(None, 0)?;
        let opened = files.open()?.0;
        then(&opened.db, &between)?;
        *sled = Some(opened);
        drop(sled);
        self.opened(files)
    }

    /// Makes what was written readable in sled's file.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.with(|db| db.flush().map(drop)).map_err(|failure| failure.or(StoreError::Sync))
    }

    /// Gives sled up without closing it: closing waits for a cleaner that may have ended in a panic.
    pub(super) fn abandon(&self) {
        std::mem::forget(self.0.sled.write().take());
    }

    fn with<T>(&self, act: impl FnOnce(&sled::Db) -> sled::Result<T>) -> Result<T, Failure> {
        match &*self.0.sled.read() {
            Some(sled) => tried(|| act(&sled.db)),
            None => Err(Failure::Closed),
        }
    }

    /// Whether sled's cleaner has ended, which it does when it meets a page that it cannot read.
    pub(super) fn has_lost_cleaner(&self) -> bool {
        let sled = self.0.sled.read();
        sled.as_ref().is_some_and(|sled| sled.cleaner.as_ref().is_some_and(Cleaner::has_ended))
    }

    /// The value under the key.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.with(|db| Ok(db.get(key)?.map(|value| value.to_vec())));
        found.map_err(|failure| failure.or(StoreError::Read))
    }

    /// Whether there is a row under the key.
    pub(super) fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        self.with(|db| db.contains_key(key)).map_err(|failure| failure.or(StoreError::Read))
    }

    /// Returns a function that reads the rest of a range. It reads in chunks, so that no scan keeps sled open.
    pub(super) fn seek(&self) -> impl Fn(&Rest) -> Pairs<'static> + Send + use<> {
        let tree = self.clone();
        move |rest| {
            let (tree, mut rest) = (tree.clone(), *rest);
            let (mut chunk, mut rows, mut is_last) = (VecDeque::new(), CHUNK_ROWS_FIRST, false);
            Box::new(std::iter::from_fn(move || {
                if chunk.is_empty() && !is_last {
                    match tree.chunk(&rest, rows) {
                        Ok(read) => {
                            is_last = read.len() < rows;
                            chunk = read;
                        }
                        Err(error) => {
                            is_last = true;
                            return Some(Err(error));
                        }
                    }
                    rows = CHUNK_ROWS;
                    if let Some((key, _)) = chunk.back() {
                        rest.go_on_behind(Key::new(key));
                        is_last |= rest.is_empty();
                    }
                }
                chunk.pop_front().map(Ok)
            }))
        }
    }

    fn chunk(&self, rest: &Rest, rows: usize) -> Result<VecDeque<Pair>, StoreError> {
        let read = self.with(|db| chunk(db, rest, rows));
        read.map_err(|failure| failure.or(StoreError::Read))
    }

    /// By how much the log has grown since the last sync, estimated from above.
    #[cfg(test)]
    pub(super) fn log_bytes(&self) -> u64 {
        self.0.log_bytes.load(Ordering::Relaxed)
    }

    /// Writes rows, and behind them that the batches up to this one are there; not durable yet.
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
        let before = self.with(|db| match value {
            Some(value) => db.insert(key, value),
            // A row that came and went since the last checkpoint was never here, and sled notes what it deletes in any case.
            None if !db.contains_key(key)? => Ok(None),
            None => db.remove(key),
        });
        let before = before.map_err(|failure| failure.or(StoreError::Apply))?;
        if before.is_none() && value.is_none() {
            return Ok(());
        }
        // Its page may be full of rows like it.
        let row = |bytes: usize| (key.len() + bytes) as u64 + LINK_BYTES;
        let (bytes, bytes_before) = (value.map_or(0, <[u8]>::len), before.map_or(0, |before| before.len()));
        let page = row(bytes.max(bytes_before)) * ROWS_PER_PAGE;
        let log_bytes = row(bytes) + 2 * page / CHANGES_PER_PAGE;
        let all = self.0.log_bytes.fetch_add(log_bytes, Ordering::Relaxed) + log_bytes;
        if all >= LOG_BYTES_MAX { self.sync() } else { Ok(()) }
    }

    /// The LSN of the log's newest segment, when segments before it are not listed: the next sync lists them. sled's cleaner
    /// completes segments while nothing else is written.
    pub(super) fn unlisted(&self) -> Result<Option<u64>, StoreError> {
        let sealed = self.0.sealed.lock();
        let unlisted = sealed.as_ref().map(|sealed| sealed.unlisted(&self.0.file, SEGMENT_BYTES as u64));
        unlisted.transpose().map(Option::flatten).map_err(|error| StoreError::Sync(error.into()))
    }

    /// What was written is durable once this has returned.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        self.0.syncs.during(By::Checkpoint, || self.sync_now())
    }

    fn sync_now(&self) -> Result<(), StoreError> {
        let unlisted = self.unlisted()?;
        let flushed = self.with(|db| db.flush());
        // What sled puts off freeing waits with the thread that has put it off, until that has enough of it. Flushing is
        // one buffer of a segment, so a thread that does little else would keep the last 60 of them.
        crossbeam_epoch::pin().flush();
        flushed.map_err(|failure| failure.or(StoreError::Sync))?;
        let sync = || {
            self.0.file.sync_data()?;
            match (&mut *self.0.sealed.lock(), unlisted) {
                (Some(sealed), Some(newest)) => sealed.list(&self.0.file, SEGMENT_BYTES as u64, newest),
                _ => Ok(()),
            }
        };
        sync().map_err(|error| StoreError::Sync(error.into()))?;
        self.0.log_bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// The syncs under way on its disk, those of the journal included.
    pub(super) fn syncs(&self) -> &Arc<Syncs> {
        &self.0.syncs
    }

    /// The file, to ask about the disk that it lies on.
    pub(super) fn file(&self) -> &File {
        &self.0.file
    }

    /// Lets go of the files, once the scans in progress have ended, and makes durable what sled wrote until then. False when
    /// something of that has failed.
    pub(super) fn close(&self) -> bool {
        let unlisted = self.unlisted();
        drop(self.0.sled.write().take());
        let is_closed = is_let_go_of(&self.0.file);
        if !is_closed {
            tracing::warn!("the store's file is still in use after closing: a scan has not ended");
        }
        let synced = self.syncs().during(By::Checkpoint, || self.0.file.sync_data());
        let synced = synced.map_err(|error| StoreError::Sync(error.into()));
        let listed = synced.and_then(|()| match (&mut *self.0.sealed.lock(), unlisted?) {
            (Some(sealed), Some(newest)) => {
                let listed = sealed.list(&self.0.file, SEGMENT_BYTES as u64, newest);
                listed.map_err(|error| StoreError::Sync(error.into()))
            }
            _ => Ok(()),
        });
        if let Err(error) = &listed {
            tracing::error!(%error, "the store could not be made durable when it closed");
        }
        is_closed && listed.is_ok()
    }
}

/// Waits until sled's threads and the scans in progress hold its file no more, and with it sled's own lock, which whoever
/// opens the directory next must not meet; false where they go on holding it.
#[allow(clippy::disallowed_methods, reason = "the committer has nothing left to do when it closes")]
pub(super) fn is_let_go_of(file: &File) -> bool {
    (0..RELEASE_TRIES_MAX).any(|_| {
        let free = file.try_lock().is_ok();
        if !free {
            std::thread::sleep(RELEASE_PAUSE);
        }
        free
    })
}

/// The next rows of a range, at most so many.
fn chunk(tree: &sled::Tree, rest: &Rest, rows: usize) -> sled::Result<VecDeque<Pair>> {
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

/// All rows of a range, for a caller that has locked sled.
pub(super) fn all_rows(tree: &sled::Tree, rest: &Rest) -> Pairs<'static> {
    match tried(|| chunk(tree, rest, usize::MAX)) {
        Ok(rows) => Box::new(rows.into_iter().map(Ok)),
        Err(failure) => Box::new(std::iter::once(Err(failure.or(StoreError::Read)))),
    }
}

/// Runs a call of sled's.
fn tried<T>(act: impl FnOnce() -> sled::Result<T>) -> Result<T, Failure> {
    match caught(act) {
        Err(cause) => Err(Failure::Other(cause)),
        Ok(Err(sled::Error::Corruption { at: Some(at), .. })) => Err(Failure::Corrupt(at.lid())),
        Ok(done) => done.map_err(|error| Failure::Other(described(error))),
    }
}
