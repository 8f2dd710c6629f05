//! The mark of a directory that a restore is filling.
//!
//! Invariant: the mark is durable before any other file and is removed last. A directory with the mark is not opened as
//! a store.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::StoreError;

const NAME: &str = "restoring";

pub(super) fn check_finished(dir: &Path) -> Result<(), StoreError> {
    if dir.join(NAME).exists() { Err(StoreError::RestoreUnfinished(dir.to_owned())) } else { Ok(()) }
}

pub(super) fn begin(dir: &Path) -> io::Result<()> {
    File::create(dir.join(NAME))?.sync_all()?;
    File::open(dir)?.sync_all()
}

pub(super) fn end(dir: &Path) -> io::Result<()> {
    fs::remove_file(dir.join(NAME))?;
    File::open(dir)?.sync_all()
}
