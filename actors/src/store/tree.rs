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

use std::fs::{File, OpenOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::error::Cause;
use super::mark::NEWEST_KEY;
use super::rest::Rest;
use super::{Order, Pairs, StoreError};

/// sled's segments. With smaller ones, a power cut in the middle of much unsynced log damaged stores in simulations.
pub(super) const SEGMENT_BYTES: usize = 8 << 20;

/// How often sled's own thread flushes; it also drives the collection of garbage, so it stays on.
const FLUSH_EVERY_MS: u64 = 500;

/// What sled keeps of the store in memory.
const CACHE_BYTES: u64 = 64 << 20;

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

/// sled, open.
pub(super) struct Tree {
    db: sled::Db,
    file: File,
    /// By how much the log has grown since the last sync, estimated from above.
    log_bytes: AtomicU64,
}

impl Tree {
    /// Opens sled's files; gives the number of the newest batch in them as well.
    pub(super) fn open(store: &Path) -> Result<(Self, u64), StoreError> {
        let (db, newest) = open_sled(store)?;
        let path = store.join("db");
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|source| StoreError::Prepare { action: "opening", path, source })?;
        Ok((Self { db, file, log_bytes: AtomicU64::new(0) }, newest))
    }

    /// The value under the key.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let found = tried(|| self.db.get(key)).map_err(StoreError::Read)?;
        Ok(found.map(|value| value.to_vec()))
    }

    /// Whether there is a row under the key.
    pub(super) fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        tried(|| self.db.contains_key(key)).map_err(StoreError::Read)
    }

    /// Gives the pairs of what is left of a range.
    pub(super) fn seek(&self) -> impl Fn(&Rest) -> Pairs<'static> + Send + use<> {
        let rows = sled::Tree::clone(&self.db);
        move |rest| {
            let (mut pairs, order) = (rows.range::<&[u8], _>(rest.bounds()), rest.order);
            Box::new(std::iter::from_fn(move || {
                let next = tried(|| {
                    match order {
                        Order::Ascending => pairs.next(),
                        Order::Descending => pairs.next_back(),
                    }
                    .transpose()
                });
                match next {
                    Ok(pair) => pair.map(|(key, value)| Ok((key.to_vec(), value.to_vec()))),
                    Err(error) => Some(Err(StoreError::Read(error))),
                }
            }))
        }
    }

    /// By how much the log has grown since the last sync, estimated from above.
    #[cfg(test)]
    pub(super) fn log_bytes(&self) -> u64 {
        self.log_bytes.load(Ordering::Relaxed)
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
        let before = tried(|| match value {
            Some(value) => self.db.insert(key, value),
            // A row that came and went since the last checkpoint was never here, and sled notes what it deletes in any case.
            None if !self.db.contains_key(key)? => Ok(None),
            None => self.db.remove(key),
        });
        let before = before.map_err(StoreError::Apply)?;
        if before.is_none() && value.is_none() {
            return Ok(());
        }
        // Its page may be full of rows like it.
        let row = |bytes: usize| (key.len() + bytes) as u64 + LINK_BYTES;
        let (bytes, bytes_before) = (value.map_or(0, <[u8]>::len), before.map_or(0, |before| before.len()));
        let page = row(bytes.max(bytes_before)) * ROWS_PER_PAGE;
        let log_bytes = row(bytes) + 2 * page / CHANGES_PER_PAGE;
        let all = self.log_bytes.fetch_add(log_bytes, Ordering::Relaxed) + log_bytes;
        if all >= LOG_BYTES_MAX { self.sync() } else { Ok(()) }
    }

    /// What was written is durable once this has returned.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let flushed = tried(|| self.db.flush());
        // What sled puts off freeing waits with the thread that has put it off, until that has enough of it. Flushing is
        // one buffer of a segment, so a thread that does little else would keep the last 60 of them.
        crossbeam_epoch::pin().flush();
        flushed.and_then(|_| Ok(self.file.sync_data()?)).map_err(StoreError::Sync)?;
        self.log_bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// The file, to ask about the disk that it lies on.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Lets go of the files, once the scans in progress have ended.
    pub(super) fn close(self) {
        drop(self.db);
        if !is_let_go_of(&self.file) {
            tracing::warn!("the store's file is still in use after closing: a scan has not ended");
        }
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

/// Opens sled's files; gives the number of the newest batch in them as well.
pub(super) fn open_sled(store: &Path) -> Result<(sled::Db, u64), StoreError> {
    let damaged = |source| StoreError::DamagedFiles { path: store.to_owned(), source };
    let opened = caught(|| {
        let db = sled::Config::new()
            .path(store)
            .segment_size(SEGMENT_BYTES)
            .flush_every_ms(Some(FLUSH_EVERY_MS))
            .cache_capacity(CACHE_BYTES)
            .open()?;
        let newest = db.get(NEWEST_KEY)?;
        Ok((db, newest))
    });
    let (db, newest) = match opened.map_err(damaged)? {
        Ok(opened) => opened,
        Err(error @ sled::Error::Corruption { .. }) => return Err(damaged(error.into())),
        Err(error) => return Err(StoreError::Open { path: store.to_owned(), source: error.into() }),
    };
    let newest = match newest.as_deref().map(TryInto::try_into) {
        None => 0,
        Some(Ok(bytes)) => u64::from_be_bytes(bytes),
        Some(Err(_)) => return Err(damaged("the number of the newest batch has not 8 bytes".into())),
    };
    Ok((db, newest))
}

/// Runs something of sled's, which panics where it meets what it does not expect. The panic is logged where it happens.
fn caught<T>(act: impl FnOnce() -> T) -> Result<T, Cause> {
    catch_unwind(AssertUnwindSafe(act))
        .map_err(|_| "the storage engine met something it did not expect".into())
}

/// The same for what gives an error of sled's.
fn tried<T>(act: impl FnOnce() -> sled::Result<T>) -> Result<T, Cause> {
    caught(act)?.map_err(Into::into)
}
