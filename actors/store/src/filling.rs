//! Making a store of rows as they were kept elsewhere: restoring.
//!
//! What always holds: a restore that was cut short leaves nothing that could be taken for a store ([`super::restoring`]).

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::disk::{DiskBackend, create_dir};
use super::{Backend, OnFatal, Pair, Store, StoreError, restoring};

/// How many bytes of rows are put at once, and how many before they are synced.
const BATCH_BYTES: usize = 64 << 10;
const SYNC_BYTES: usize = 8 << 20;

/// A store that is being filled.
pub struct Filling {
    disk: Arc<DiskBackend>,
    sequence: u64,
    waiting: Vec<Pair>,
    bytes: usize,
    unsynced: usize,
}

impl Filling {
    /// Begins in a directory that is not there or empty. What is put is the state of the commit of this number.
    ///
    /// # Errors
    /// [`StoreError::NotEmpty`], [`StoreError::RestoreUnfinished`], or when the directory cannot be used.
    pub fn begin(dir: &Path, sequence: u64) -> Result<Self, StoreError> {
        restoring::check_finished(dir)?;
        let prepare = |action| move |source| StoreError::Prepare { action, path: dir.to_owned(), source };
        match fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
            Ok(false) => {}
            Ok(true) => return Err(StoreError::NotEmpty(dir.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => create_dir(dir)?,
            Err(source) => return Err(prepare("reading the directory")(source)),
        }
        restoring::begin(dir).map_err(prepare("beginning to restore into"))?;
        let disk = Arc::new(DiskBackend::open_unfinished(dir)?);
        Ok(Self { disk, sequence, waiting: Vec::new(), bytes: 0, unsynced: 0 })
    }

    /// Puts a row as it stands.
    ///
    /// # Errors
    /// When writing fails.
    pub fn put(&mut self, row: Pair) -> Result<(), StoreError> {
        self.bytes += row.0.len() + row.1.len();
        self.waiting.push(row);
        if self.bytes >= BATCH_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), StoreError> {
        self.disk.fill(&self.waiting, self.sequence)?;
        self.waiting.clear();
        self.unsynced += std::mem::take(&mut self.bytes);
        if self.unsynced >= SYNC_BYTES {
            self.unsynced = 0;
            self.disk.save()?;
        }
        Ok(())
    }

    /// Everything is put: gives the store, open and still marked.
    ///
    /// # Errors
    /// When writing fails.
    pub fn into_store(mut self, on_fatal: OnFatal) -> Result<Store, StoreError> {
        self.write()?;
        self.disk.save()?;
        Store::on_disk(self.disk, on_fatal)
    }

    /// Takes the mark away once the store is closed.
    ///
    /// # Errors
    /// When that cannot be made durable.
    pub fn finish(dir: &Path) -> Result<(), StoreError> {
        let finish = |source| StoreError::Prepare { action: "finishing", path: dir.to_owned(), source };
        restoring::end(dir).map_err(finish)
    }
}
