//! Creates a store from the rows of a backup.
//!
//! Invariant: a directory that is being filled contains an empty file, the mark. The mark is durable before
//! the first row and is deleted last. A directory with the mark is not opened as a store.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::disk::{DiskBackend, create_dir};
use super::{Backend, OnFatal, Pair, Store, StoreError};

const BATCH_BYTES: usize = 64 << 10;
const SYNC_BYTES: usize = 8 << 20;

pub struct Filling {
    disk: Arc<DiskBackend>,
    sequence: u64,
    waiting: Vec<Pair>,
    bytes: usize,
    unsynced: usize,
}

impl Filling {
    /// Begins to fill a directory, which must be missing or empty. `sequence` is the number of the newest commit in the
    /// backup.
    ///
    /// # Errors
    /// Returns [`StoreError::NotEmpty`], [`StoreError::RestoreUnfinished`], or an error of the file system.
    pub fn begin(dir: &Path, sequence: u64) -> Result<Self, StoreError> {
        check_finished(dir)?;
        let prepare = |action| StoreError::preparing(action, dir);
        match fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
            Ok(false) => {}
            Ok(true) => return Err(StoreError::NotEmpty(dir.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => create_dir(dir)?,
            Err(source) => return Err(prepare("reading the directory")(source)),
        }
        mark(dir).map_err(prepare("beginning to restore into"))?;
        let disk = Arc::new(DiskBackend::open_unfinished(dir)?);
        let sequence = sequence.max(1);
        Ok(Self { disk, sequence, waiting: Vec::new(), bytes: 0, unsynced: 0 })
    }

    pub fn put(&mut self, row: Pair) -> Result<(), StoreError> {
        self.bytes += row.0.len() + row.1.len();
        self.waiting.push(row);
        if self.bytes >= BATCH_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), StoreError> {
        self.disk.fill(&self.waiting, self.sequence - 1)?;
        self.waiting.clear();
        self.unsynced += std::mem::take(&mut self.bytes);
        if self.unsynced >= SYNC_BYTES {
            self.unsynced = 0;
            self.disk.save()?;
        }
        Ok(())
    }

    /// Writes the remaining rows and opens the store. The directory keeps the mark of an unfinished store until
    /// `finish`.
    pub fn into_store(mut self, on_fatal: OnFatal) -> Result<Store, StoreError> {
        self.write()?;
        self.disk.save()?;
        // The store gets the batch number of the backup only after all rows are durable.
        self.disk.fill(&[], self.sequence)?;
        self.disk.save()?;
        Store::on_disk(self.disk, on_fatal)
    }

    pub fn finish(dir: &Path) -> Result<(), StoreError> {
        let ended = fs::remove_file(dir.join(MARK)).and_then(|()| File::open(dir)?.sync_all());
        ended.map_err(StoreError::preparing("finishing", dir))
    }
}

const MARK: &str = "restoring";

pub(super) fn check_finished(dir: &Path) -> Result<(), StoreError> {
    if dir.join(MARK).exists() { Err(StoreError::RestoreUnfinished(dir.to_owned())) } else { Ok(()) }
}

fn mark(dir: &Path) -> io::Result<()> {
    File::create(dir.join(MARK))?.sync_all()?;
    File::open(dir)?.sync_all()
}
