//! The backend on a disk: a data directory with the journal and the tree ([`super::tree`]).
//!
//! ```text
//! DIR/lock                        locked while a process has the directory open
//! DIR/journal                     batches that may not be in sled's files yet
//! DIR/committed                   the number of the newest durable batch
//! DIR/segments                    the pages in each complete segment of sled's log
//! DIR/isolating                   present while a corrupt page is being isolated
//! DIR/*.damaged                   damaged files and pages, after their replacement
//! DIR/format                      the versions that may read and write the store
//! DIR/tombstones                  revocations and erasures
//! DIR/businesses-set-aside        the businesses with lost rows
//! DIR/restoring                   present while a restore is not finished
//! DIR/ballast                     disk space for the next start
//! DIR/store/{db,conf,snap.*}      sled's files
//! DIR/store/end                   a copy of the end of sled's log, which exists only while sled opens
//! DIR/store/blobs/                sled's files for large messages, always empty
//! ```
//!
//! Invariants:
//!
//! - At most one process has the directory open.
//! - A synced batch is in the journal or durable in sled's files. Opening the store moves all batches to
//!   sled's files.
//! - A store that has lost acknowledged batches or contains blob files does not open.
//! - The files that sled reads at its start are durable before sled starts, because the start clears parts of
//!   the log.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::BusinessId;
use parking_lot::{Mutex, RwLock};

use super::backend::{OnFailure, OnIsolated};
use super::files::{SEGMENTS_FILE, drop_pages, entries, keep_private, space, space_of, sync_path};
use super::home::Home;
use super::isolating::Files;
use super::mark::{Mark, Marked};
use super::opening::SEGMENT_BYTES;
use super::syncs::{By, Syncs};
use super::tree::Tree;
use super::{
    Backend, Batch, KeyRange, Order, Pair, Pairs, Space, StoreError, Tombstone, ballast, damaged, filling,
    format, journal, tombstones,
};

pub(super) const LOCK_FILE: &str = "lock";

pub(super) struct DiskBackend {
    open: RwLock<Option<Open>>,
    syncs: Arc<Syncs>,
    /// The data directory, or `None` after the store was closed. The list of the businesses that are set aside is
    /// written to this directory. The write may happen while the field `open` is locked, so the directory has its own
    /// lock.
    list_dir: Mutex<Option<PathBuf>>,
}

struct Open {
    home: Home,
    lock: File,
    dir: PathBuf,
    tombstones: Mutex<tombstones::List>,
}

/// If the store does not open and the disk has less free space than this, the error is reported as a full disk.
const START_BYTES: u64 = SEGMENT_BYTES as u64 + journal::JOURNAL_BYTES;

impl DiskBackend {
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        filling::check_finished(dir)?;
        Self::open_unfinished(dir)
    }

    /// Opens the store in a directory, even if the restore into this directory is not finished.
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
        keep_private(dir);
        format::check(dir)?;
        let store = dir.join("store");
        create_dir(&store)?;
        refuse_blobs(&store.join("blobs"))?;
        remove_half_snapshots(&store)?;
        ballast::release(dir)?;

        let (mark, Marked { number: synced, ended }) = Mark::open(&dir.join("committed"))?;
        if ended.is_none() {
            drop_page_cache(dir, &store)?;
        }
        let files = Files::of(dir);
        files.check(ended, Some(synced))?;
        mark.begin(synced).map_err(StoreError::preparing("writing", dir.join("committed")))?;
        let (tree, kept) = Tree::open(&files)?;
        let lost = |kept| StoreError::Lost { path: store.clone(), kept, synced };
        let (journal, found) = match journal::open(&dir.join("journal"), kept) {
            Err(StoreError::DamagedFiles { .. }) if kept < synced => return Err(lost(kept)),
            opened => opened?,
        };
        let mut newest = kept;
        for batch in found {
            newest = batch.number;
            let rows = || batch.rows.iter().map(|(key, value)| (&key[..], value.as_deref()));
            while let Err(error) = tree.write(newest, rows()) {
                let StoreError::Corrupt { offset } = error else { return Err(error) };
                tree.reopen(&files, || files.isolate(Some(offset)), |_, _| Ok(()))?;
            }
        }
        if newest < synced {
            return Err(lost(newest));
        }
        if newest > kept {
            tracing::info!(batches = newest - kept, "the batches of the journal were written to the store");
        }
        // The directories contain the names of the files. If a power cut lost these names, the whole store would be
        // lost. So the directories are synced too.
        tree.opened(&files)?;
        let noted = mark.write(newest);
        noted.map_err(|error| StoreError::Sync(error.into()))?;
        sync_path(dir)?;
        sync_parent(dir)?;
        ballast::keep(dir);
        let home = Home::of(files, tree, journal, mark, newest)?;
        Ok(Self {
            syncs: Arc::clone(home.syncs()),
            list_dir: Mutex::new(Some(dir.to_owned())),
            open: RwLock::new(Some(Open {
                home,
                lock,
                dir: dir.to_owned(),
                tombstones: Mutex::new(tombstones::List::open(dir)?),
            })),
        })
    }

    pub(super) fn fill(&self, rows: &[Pair], number: u64) -> Result<(), StoreError> {
        self.with(|open| open.home.fill(number, rows))?
    }

    fn with<T>(&self, act: impl FnOnce(&Open) -> T) -> Result<T, StoreError> {
        self.open.read().as_ref().map(act).ok_or(StoreError::Closed)
    }
}

impl Backend for DiskBackend {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|open| open.home.get(key))?
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        if range.is_empty() {
            return Box::new(std::iter::empty());
        }
        match self.with(|open| open.home.scan(range, order)) {
            Ok(pairs) => pairs,
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        self.with(|open| open.home.write(batch))?
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.with(|open| open.home.sync())?
    }

    fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        self.with(|open| open.home.apply(batch))?
    }

    fn note_durable(&self) -> Result<(), StoreError> {
        self.with(|open| open.home.note_durable())?
    }

    fn save(&self) -> Result<(), StoreError> {
        self.with(|open| open.home.save())?
    }

    fn unsaved_bytes(&self) -> u64 {
        self.with(|open| open.home.unsaved_bytes()).unwrap_or_default()
    }

    fn on_failure(&self, report: OnFailure) {
        let _ = self.with(|open| open.home.on_failure(report));
    }

    fn on_isolated(&self, set_aside: OnIsolated) -> Result<(), StoreError> {
        self.with(|open| open.home.on_isolated(set_aside))?
    }

    fn record_tombstones(&self, tombstones: &[Tombstone]) -> Result<(), StoreError> {
        let listed =
            self.syncs.during(By::Committer, || self.with(|open| open.tombstones.lock().add(tombstones)))?;
        listed.map_err(|error| StoreError::Apply(error.into()))
    }

    fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        // If the committer appends a line during this read, the read returns either the whole line or none of it.
        self.with(|open| tombstones::read_tombstones(&open.dir))?
    }

    fn keep_aside(&self, businesses: &[(BusinessId, String)]) -> Result<(), StoreError> {
        damaged::write(self.list_dir.lock().as_deref().ok_or(StoreError::Closed)?, businesses)
    }

    fn kept_aside(&self) -> Result<Vec<(BusinessId, String)>, StoreError> {
        damaged::read_businesses_set_aside(self.list_dir.lock().as_deref().ok_or(StoreError::Closed)?)
    }

    fn sequence(&self) -> u64 {
        self.with(|open| open.home.newest()).unwrap_or_default()
    }

    fn with_dir(&self, act: &mut dyn FnMut(&Path)) -> Result<(), StoreError> {
        self.with(|open| act(&open.dir))
    }

    fn syncs(&self) -> &Arc<Syncs> {
        &self.syncs
    }

    fn space(&self) -> io::Result<Space> {
        match self.with(|open| rustix::fs::fstatvfs(open.home.file())) {
            Ok(seen) => Ok(space(&seen?)),
            Err(_) => Err(io::Error::other("the store is closed")),
        }
    }

    fn close(&self) {
        let Some(Open { home, lock, .. }) = self.open.write().take() else { return };
        home.close();
        *self.list_dir.lock() = None;
        drop(lock); // last, because another process may then open the directory
    }
}

impl Drop for DiskBackend {
    fn drop(&mut self) {
        self.close();
    }
}

/// Creates the directory and its missing parents. Only the user account of the service has access to
/// the new directories.
pub(super) fn create_dir(path: &Path) -> Result<(), StoreError> {
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    created.map_err(|source| StoreError::CreateDirectory { path: path.to_owned(), source })
}

/// Locks the directory until the returned file handle is closed or the process ends.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(LOCK_FILE);
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).mode(0o600).open(&path);
    locked(file.map_err(|source| StoreError::Lock { path, source })?, dir)
}

pub(super) fn locked(file: File, dir: &Path) -> Result<File, StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(dir.to_owned())),
        Err(TryLockError::Error(source)) => Err(StoreError::Lock { path: dir.join(LOCK_FILE), source }),
    }
}

fn refuse_blobs(blobs: &Path) -> Result<(), StoreError> {
    if entries(blobs)?.is_empty() { Ok(()) } else { Err(StoreError::Blobs(blobs.to_owned())) }
}

/// Removes incomplete snapshots. Otherwise sled would read them like complete snapshots.
fn remove_half_snapshots(store: &Path) -> Result<(), StoreError> {
    for path in entries(store)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            let removed = fs::remove_file(&path);
            removed.map_err(StoreError::preparing("removing the half-written snapshot", &path))?;
        }
    }
    Ok(())
}

/// Drops the page cache of the store's files. This is necessary after an unclean stop, because a failed sync may have
/// caused the stop. After a failed sync, the page cache may contain data that is not on the disk.
fn drop_page_cache(dir: &Path, store: &Path) -> Result<(), StoreError> {
    let beside = ["journal", "committed", tombstones::TOMBSTONES_FILE, SEGMENTS_FILE];
    for path in entries(store)?.into_iter().chain(beside.map(|name| dir.join(name))) {
        if !path.is_dir() {
            let dropped = drop_pages(&path);
            dropped.map_err(StoreError::preparing("reading from the disk", path))?;
        }
    }
    Ok(())
}

/// Makes the name of the directory `dir` durable by syncing its parent. If the service is not permitted to read the
/// parent, the sync is skipped. In this case, `dir` usually existed already before the service used it.
fn sync_parent(dir: &Path) -> Result<(), StoreError> {
    let whole = dir.canonicalize().map_err(StoreError::preparing("resolving", dir))?;
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
