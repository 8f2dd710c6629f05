//! A directory in which backups have directories of their own, named by the time, of which the newest are kept.
//!
//! What always holds: only a directory that has such a name, a manifest that belongs to its digest, and nothing in it that
//! is not of a backup is deleted. Its manifest goes first, so that what a crash leaves of it is no backup.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use actors::backup::{Backup, MANIFEST_FILE, ROWS_FILE};
use chrono::{DateTime, NaiveDateTime, Utc};

/// How the directories are named.
const NAME: &str = "backup-%Y-%m-%dT%H-%M-%SZ";

/// The directory of a backup that is made now.
pub(super) fn new_in(dir: &Path, now: DateTime<Utc>) -> PathBuf {
    dir.join(now.format(NAME).to_string())
}

/// Deletes the complete backups in the directory of this one but for the newest, so many with this one; gives how many
/// were deleted.
pub(super) fn keep_newest(made: &Path, keep: usize) -> io::Result<usize> {
    let Some(dir) = made.parent() else { return Ok(0) };
    let mut others = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.path() != made && entry.file_type()?.is_dir() && is_complete(&entry.path())? {
            others.push(entry.path());
        }
    }
    others.sort();
    others.truncate((others.len() + 1).saturating_sub(keep));
    for old in &others {
        fs::remove_file(old.join(MANIFEST_FILE))?;
        fs::remove_file(old.join(ROWS_FILE))?;
        fs::remove_dir(old)?;
    }
    Ok(others.len())
}

/// Whether a directory is a complete backup that was made here, and nothing else.
fn is_complete(dir: &Path) -> io::Result<bool> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    if NaiveDateTime::parse_from_str(&name, NAME).is_err() {
        return Ok(false);
    }
    let there: BTreeSet<OsString> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    let is_alone = there == BTreeSet::from([MANIFEST_FILE.into(), ROWS_FILE.into()]);
    Ok(is_alone && Backup::open(dir).is_ok_and(|backup| backup.manifest().is_complete()))
}
