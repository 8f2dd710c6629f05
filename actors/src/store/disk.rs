//! The backend on a disk: sled 0.34.7, with what it leaves to its user.
//!
//! ```text
//! DIR/lock                        held while a process has the directory open
//! DIR/committed                   how far the store was synced
//! DIR/format                      which versions may read and write it
//! DIR/tombstones                  what must not come back
//! DIR/restoring                   that a restore into it is not finished
//! DIR/ballast                     room that the next start may need
//! DIR/store/{db,conf,snap.*}      sled's files
//! DIR/store/end                   the end of sled's log while it opens
//! DIR/store/blobs/                sled's files for large messages, always empty
//! ```
//!
//! What always holds:
//!
//! - one process has the directory open, and one tree holds everything;
//! - a sync ends with `sync_data` on an own handle of `db`: sled's flush stops at `sync_file_range` on Linux, which
//!   survives the end of the process but not a power cut. The own handle also learns of write errors that the
//!   kernel met behind sled's back, since the kernel reports them once to each handle;
//! - a store that has lost batches which were synced is not opened;
//! - what sled goes by when it opens is on the disk: it clears parts of its file then, which must not outlive alone what
//!   made them free;
//! - a panic of sled is an error like any other;
//! - no message goes into a blob file, which sled never syncs: rows are bounded (`VALUE_BYTES_MAX`), and a
//!   store with blob files is not opened.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use sled::IVec;

use super::error::Cause;
use super::mark::{Mark, NEWEST_KEY};
use super::{
    Backend, Batch, KeyRange, Order, Pair, Pairs, Space, StoreError, Tombstone, ballast, format, restoring,
    tail, tombstones,
};

/// Held while a process has the directory open.
pub(super) const LOCK_FILE: &str = "lock";

/// sled's segments. With smaller ones, a power cut in the middle of much unsynced log damaged stores in simulations.
const SEGMENT_BYTES: usize = 8 << 20;

/// How often sled's own thread flushes; it also drives the collection of garbage, so it stays on.
const FLUSH_EVERY_MS: u64 = 500;

/// What sled keeps of the store in memory.
const CACHE_BYTES: u64 = 64 << 20;

/// How long closing waits for sled's threads and the scans in progress to let go of the file.
const RELEASE_TRIES_MAX: u32 = 5_000;
const RELEASE_PAUSE: Duration = Duration::from_millis(1);

/// A data directory, open.
pub(super) struct DiskBackend {
    /// `None` once closed.
    open: RwLock<Option<Open>>,
}

struct Open {
    db: sled::Db,
    file: File,
    mark: Mark,
    /// The number of the newest batch. Only the committer writes.
    newest: AtomicU64,
    /// Holds the lock of the directory.
    lock: File,
    dir: PathBuf,
    tombstones: Mutex<tombstones::List>,
}

/// With less free space than this, a failure to open the store is for want of it.
const START_BYTES: u64 = SEGMENT_BYTES as u64;

impl DiskBackend {
    /// Opens the data directory, which is created if it is not there.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        restoring::check_finished(dir)?;
        Self::open_unfinished(dir)
    }

    /// The same for one that is being restored into.
    pub(super) fn open_unfinished(dir: &Path) -> Result<Self, StoreError> {
        Self::open_files(dir).map_err(|error| match space_of(dir) {
            Ok(Space { free, .. }) if free < START_BYTES && error.may_be_of_a_full_disk() => {
                StoreError::Full { path: dir.to_owned(), free, needed: START_BYTES, source: Box::new(error) }
            }
            _ => error,
        })
    }

    fn open_files(dir: &Path) -> Result<Self, StoreError> {
        if dir.exists() && !dir.is_dir() {
            return Err(StoreError::NotADirectory(dir.to_owned()));
        }
        create_dir(dir)?;
        let lock = lock(dir)?;
        format::check(dir)?;
        let store = dir.join("store");
        create_dir(&store)?;
        refuse_blobs(&store.join("blobs"))?;
        remove_half_snapshots(&store)?;
        ballast::release(dir)?;

        let (mark, synced) = Mark::open(&dir.join("committed"))?;
        tail::secure(&store, SEGMENT_BYTES as u64, space_of(dir).map_or(u64::MAX, |space| space.free))?;
        let (db, newest) = open_sled(&store)?;
        if newest < synced {
            return Err(StoreError::Lost { path: store, kept: newest, synced });
        }
        let path = store.join("db");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|source| StoreError::Prepare { action: "opening", path, source })?;
        let backend = Self {
            open: RwLock::new(Some(Open {
                db,
                file,
                mark,
                newest: newest.into(),
                lock,
                dir: dir.to_owned(),
                tombstones: Mutex::new(tombstones::List::open(dir)?),
            })),
        };
        // What recovery wrote, then the names of the files: without them a power cut could leave no store at all.
        backend.sync()?;
        sync_path(&store.join("conf"))?;
        sync_path(&store)?;
        tail::let_go(&store)?;
        sync_path(dir)?;
        sync_parent(dir)?;
        ballast::keep(dir);
        Ok(backend)
    }

    /// Puts rows as they stand, past every rule, and says that the newest batch has this number.
    pub(super) fn fill(&self, rows: &[Pair], number: u64) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        for (key, value) in rows {
            writes.insert(&**key, &**value);
        }
        self.apply_as(number, writes)
    }

    fn apply_as(&self, number: u64, mut writes: sled::Batch) -> Result<(), StoreError> {
        let applied = self.with(|open| {
            writes.insert(&NEWEST_KEY[..], number.to_be_bytes().to_vec());
            tried(|| open.db.apply_batch(writes))?;
            open.newest.store(number, Ordering::Relaxed);
            Ok(())
        });
        applied?.map_err(StoreError::Apply)
    }

    /// What `act` gives of the open store, which it may keep.
    fn with<T>(&self, act: impl FnOnce(&Open) -> T) -> Result<T, StoreError> {
        self.open.read().as_ref().map(act).ok_or(StoreError::Closed)
    }
}

/// Waits until sled's threads and the scans in progress hold its file no more, and with it sled's own lock, which whoever
/// opens the directory next must not meet; false where they go on holding it.
#[allow(clippy::disallowed_methods, reason = "the committer has nothing left to do when it closes")]
fn is_let_go_of(file: &File) -> bool {
    (0..RELEASE_TRIES_MAX).any(|_| {
        let free = file.try_lock().is_ok();
        if !free {
            std::thread::sleep(RELEASE_PAUSE);
        }
        free
    })
}

/// Opens sled's files; gives the number of the newest batch in them as well.
fn open_sled(store: &Path) -> Result<(sled::Db, u64), StoreError> {
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

impl Backend for DiskBackend {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.with(|open| tried(|| open.db.get(key)))?.map_err(StoreError::Read)?;
        Ok(found.map(|value| value.to_vec()))
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        if range.is_empty() {
            return Box::new(std::iter::empty());
        }
        let mut pairs = match self.with(|open| open.db.range(&*range.from..&*range.to)) {
            Ok(pairs) => pairs,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
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

    fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        batch.rows(|key, value| match value {
            Some(value) => writes.insert(&**key, IVec::from(value)),
            None => writes.remove(&**key),
        });
        self.apply_as(self.sequence() + 1, writes)
    }

    fn sync(&self) -> Result<(), StoreError> {
        let synced = self.with(|open| {
            tried(|| open.db.flush())?;
            open.file.sync_data()?;
            open.mark.write(open.newest.load(Ordering::Relaxed))?;
            Ok(())
        });
        synced?.map_err(StoreError::Sync)
    }

    fn bury(&self, buried: &[Tombstone]) -> Result<(), StoreError> {
        let listed = self.with(|open| open.tombstones.lock().add(buried))?;
        listed.map_err(|error| StoreError::Apply(error.into()))
    }

    fn buried(&self) -> Result<Vec<Tombstone>, StoreError> {
        // What is being added meanwhile is read whole or not at all.
        self.with(|open| tombstones::read_tombstones(&open.dir))?
    }

    fn sequence(&self) -> u64 {
        self.with(|open| open.newest.load(Ordering::Relaxed)).unwrap_or_default()
    }

    fn keep_format(&self) -> Result<(), StoreError> {
        self.with(|open| format::keep(&open.dir))?
    }

    fn space(&self) -> io::Result<Space> {
        match self.with(|open| rustix::fs::fstatvfs(&open.file)) {
            Ok(seen) => Ok(space(&seen?)),
            Err(_) => Err(io::Error::other("the store is closed")),
        }
    }

    fn close(&self) {
        let Some(Open { db, file, mark, lock, .. }) = self.open.write().take() else { return };
        drop(db);
        if let Err(error) = mark.sync() {
            tracing::warn!(error = %error, "it could not be made durable how far the store was synced");
        }
        if !is_let_go_of(&file) {
            tracing::warn!("the store's file is still in use after closing: a scan has not ended");
        }
        drop(file);
        drop(lock); // last: from here on the directory may be opened again
    }
}

impl Drop for DiskBackend {
    fn drop(&mut self) {
        self.close();
    }
}

pub(super) fn space_of(dir: &Path) -> io::Result<Space> {
    Ok(space(&rustix::fs::statvfs(dir)?))
}

/// What an ordinary user may still take, and the whole.
fn space(seen: &rustix::fs::StatVfs) -> Space {
    let bytes = |blocks: u64| blocks.saturating_mul(seen.f_frsize);
    Space { free: bytes(seen.f_bavail), total: bytes(seen.f_blocks) }
}

/// Creates the directory and those above it, for the service's own user alone: they hold people's data.
pub(super) fn create_dir(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| StoreError::CreateDirectory { path: path.to_owned(), source })
}

/// Takes the lock of the data directory; it ends with the file handle, also when the process is killed.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(LOCK_FILE);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|source| StoreError::Lock { path: path.clone(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(dir.to_owned())),
        Err(TryLockError::Error(source)) => Err(StoreError::Lock { path, source }),
    }
}

/// The entries of a directory, none when it is not there.
fn entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let read = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    match read() {
        Ok(paths) => Ok(paths),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(StoreError::Prepare { action: "reading the directory", path: dir.into(), source }),
    }
}

fn refuse_blobs(blobs: &Path) -> Result<(), StoreError> {
    if entries(blobs)?.is_empty() { Ok(()) } else { Err(StoreError::Blobs(blobs.to_owned())) }
}

/// Removes the snapshots that a crash left half written; sled takes them for whole ones and fails.
fn remove_half_snapshots(store: &Path) -> Result<(), StoreError> {
    for path in entries(store)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(&path).map_err(|source| StoreError::Prepare {
                action: "removing the half-written snapshot",
                path: path.clone(),
                source,
            })?;
        }
    }
    Ok(())
}

/// Makes a file, or the names in a directory, durable.
fn sync_path(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|source| StoreError::Prepare {
        action: "syncing",
        path: path.to_owned(),
        source,
    })
}

/// Makes the name of the directory itself durable. A parent that the service may not read was set up by somebody
/// else, who made the directory in it as well.
fn sync_parent(dir: &Path) -> Result<(), StoreError> {
    let prepare = |source| StoreError::Prepare { action: "resolving", path: dir.to_owned(), source };
    let whole = dir.canonicalize().map_err(prepare)?;
    match whole.parent().map(sync_path) {
        None | Some(Ok(())) => Ok(()),
        Some(Err(StoreError::Prepare { source, .. })) if source.kind() == io::ErrorKind::PermissionDenied => {
            Ok(())
        }
        Some(Err(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests;
