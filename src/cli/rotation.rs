//! A directory with one subdirectory per backup, named by time, of which the newest are kept.
//!
//! Invariant: only a directory with such a name, a valid manifest and no other content than a backup is
//! deleted. It is renamed first, so that the next run can finish an interrupted deletion.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime, Utc};
use engine::backup::{Backup, MANIFEST_FILE, ROWS_FILE};

/// The format of the names.
const NAME: &str = "backup-%Y-%m-%dT%H-%M-%S%.3fZ";
/// The prefix of a directory that is being deleted.
const DELETED: &str = "deleted-";

pub(super) fn new_in(dir: &Path, now: DateTime<Utc>) -> PathBuf {
    dir.join(now.format(NAME).to_string())
}

/// Deletes the older complete backups next to this one, so that at most `keep` remain. Returns the number of
/// deleted backups.
pub(super) fn keep_newest(made: &Path, keep: usize) -> io::Result<usize> {
    let Some(dir) = made.parent() else { return Ok(0) };
    let mut others = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.strip_prefix(DELETED).is_some_and(is_name) {
            delete(&entry.path())?;
        } else if entry.path() != made && entry.file_type()?.is_dir() && is_complete(&entry.path())? {
            others.push(entry.path());
        }
    }
    others.sort();
    others.truncate((others.len() + 1).saturating_sub(keep));
    for old in &others {
        let name = old.file_name().unwrap_or_default().to_string_lossy();
        let deleted = dir.join(format!("{DELETED}{name}"));
        fs::rename(old, &deleted)?;
        delete(&deleted)?;
    }
    Ok(others.len())
}

/// Deletes the files of a backup, even if some are missing, and the directory.
fn delete(dir: &Path) -> io::Result<()> {
    for file in [MANIFEST_FILE, ROWS_FILE] {
        match fs::remove_file(dir.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(dir)
}

fn is_name(name: &str) -> bool {
    NaiveDateTime::parse_from_str(name, NAME).is_ok()
}

/// Whether the directory is a complete backup without other files.
fn is_complete(dir: &Path) -> io::Result<bool> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    if !is_name(&name) {
        return Ok(false);
    }
    let there: BTreeSet<OsString> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    let is_alone = there == BTreeSet::from([MANIFEST_FILE.into(), ROWS_FILE.into()]);
    Ok(is_alone && Backup::open(dir).is_ok_and(|backup| backup.manifest().is_complete()))
}
