//! The backend on a disk: sled 0.34.7, with what it leaves to its user.
//!
//! ```text
//! DIR/lock                        held while a process has the directory open
//! DIR/store/{db,conf,snap.*}      sled's files
//! DIR/store/blobs/                sled's files for large messages, always empty
//! ```
//!
//! What always holds:
//!
//! - one process has the directory open, and one tree holds everything;
//! - a sync ends with `sync_data` on an own handle of `db`: sled's flush stops at `sync_file_range` on Linux, which
//!   survives the end of the process but not a power cut. The own handle also learns of write errors that the
//!   kernel met behind sled's back, since the kernel reports them once to each handle;
//! - no message goes into a blob file, which sled never syncs: rows are bounded (`VALUE_BYTES_MAX`), and a
//!   store with blob files is not opened.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::RwLock;
use sled::IVec;

use super::{Backend, Batch, KeyRange, Order, Pairs, StoreError};

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
    /// Holds the lock of the directory.
    lock: File,
}

impl DiskBackend {
    /// Opens the data directory, which is created if it is not there.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        if dir.exists() && !dir.is_dir() {
            return Err(StoreError::NotADirectory(dir.to_owned()));
        }
        create_dir(dir)?;
        let lock = lock(dir)?;
        let store = dir.join("store");
        create_dir(&store)?;
        refuse_blobs(&store.join("blobs"))?;
        remove_half_snapshots(&store)?;

        let db = sled::Config::new()
            .path(&store)
            .segment_size(SEGMENT_BYTES)
            .flush_every_ms(Some(FLUSH_EVERY_MS))
            .cache_capacity(CACHE_BYTES)
            .open()
            .map_err(|error| StoreError::Open { path: store.clone(), source: error.into() })?;
        let path = store.join("db");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|source| StoreError::Prepare { action: "opening", path, source })?;
        let backend = Self { open: RwLock::new(Some(Open { db, file, lock })) };
        // What recovery wrote, then the names of the files: without them a power cut could leave no store at all.
        backend.sync()?;
        sync_path(&store.join("conf"))?;
        sync_path(&store)?;
        sync_path(dir)?;
        sync_parent(dir)?;
        Ok(backend)
    }

    /// What `read` gives of the tree, which it may keep.
    fn with_db<T>(&self, read: impl FnOnce(&sled::Tree) -> T) -> Result<T, StoreError> {
        self.open.read().as_ref().map(|open| read(&open.db)).ok_or(StoreError::Closed)
    }
}

impl Backend for DiskBackend {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.with_db(|db| db.get(key))?.map_err(|error| StoreError::Read(error.into()))?;
        Ok(found.map(|value| value.to_vec()))
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        if range.is_empty() {
            return Box::new(std::iter::empty());
        }
        let mut pairs = match self.with_db(|db| db.range(&*range.from..&*range.to)) {
            Ok(pairs) => pairs,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        Box::new(std::iter::from_fn(move || {
            let next = match order {
                Order::Ascending => pairs.next(),
                Order::Descending => pairs.next_back(),
            };
            next.map(|pair| match pair {
                Ok((key, value)) => Ok((key.to_vec(), value.to_vec())),
                Err(error) => Err(StoreError::Read(error.into())),
            })
        }))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        batch.rows(|key, value| match value {
            Some(value) => writes.insert(&**key, IVec::from(value)),
            None => writes.remove(&**key),
        });
        self.with_db(|db| db.apply_batch(writes))?.map_err(|error| StoreError::Apply(error.into()))
    }

    fn sync(&self) -> Result<(), StoreError> {
        let open = self.open.read();
        let open = open.as_ref().ok_or(StoreError::Closed)?;
        open.db.flush().map_err(|error| StoreError::Sync(error.into()))?;
        open.file.sync_data().map_err(|error| StoreError::Sync(error.into()))
    }

    #[allow(clippy::disallowed_methods, reason = "the committer has nothing left to do when it closes")]
    fn close(&self) {
        let Some(Open { db, file, lock }) = self.open.write().take() else { return };
        drop(db);
        // sled's threads and the scans in progress may still hold its file, and with it sled's own lock. Whoever
        // opens the directory next must not meet that lock.
        let released = (0..RELEASE_TRIES_MAX).any(|_| {
            let free = file.try_lock().is_ok();
            if !free {
                std::thread::sleep(RELEASE_PAUSE);
            }
            free
        });
        if !released {
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

/// Creates the directory and those above it, for the service's own user alone: they hold people's data.
fn create_dir(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| StoreError::CreateDirectory { path: path.to_owned(), source })
}

/// Takes the lock of the data directory; it ends with the file handle, also when the process is killed.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join("lock");
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
