//! The mark of a directory that is being restored into.
//!
//! What always holds: it is there, durably, before anything else is, and goes last; as long as it is there the directory is
//! no store to anybody.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::StoreError;

/// Its name.
const NAME: &str = "restoring";

/// Refuses a directory that a restore into has not finished.
pub(super) fn check_finished(dir: &Path) -> Result<(), StoreError> {
    if dir.join(NAME).exists() { Err(StoreError::RestoreUnfinished(dir.to_owned())) } else { Ok(()) }
}

/// Sets it.
pub(super) fn begin(dir: &Path) -> io::Result<()> {
    File::create(dir.join(NAME))?.sync_all()?;
    File::open(dir)?.sync_all()
}

/// Takes it away.
pub(super) fn end(dir: &Path) -> io::Result<()> {
    fs::remove_file(dir.join(NAME))?;
    File::open(dir)?.sync_all()
}
