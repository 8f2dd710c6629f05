//! Copies the list of tombstones to the directory of backups. A restore reads the copy.
//!
//! Invariants: a copy is replaced atomically, and contains a digest of its lines. A list replaces the copy only if the
//! list begins with the lines of the copy. So the list of another service cannot replace the copy.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

use super::StoreError;
use super::disk::LOCK_FILE;
use super::files::found;
use super::tombstones::{TOMBSTONES_FILE, Tombstone, copy_of, read_tombstones};

const NEW: &str = "tombstones.new";
const OWNER_ONLY: u32 = 0o600;

/// Copies the list of tombstones from a data directory to the directory `to`. The service may be running.
///
/// # Errors
/// Returns an error if reading or writing fails, or if `to` is a data directory or contains a copy of another list.
pub fn copy_tombstones(data_dir: &Path, to: &Path) -> Result<(), StoreError> {
    let path = to.join(TOMBSTONES_FILE);
    let prepare = StoreError::preparing("writing", path.clone());
    if to.join(LOCK_FILE).exists() {
        let reason = "the directory is a data directory; keep backups in another directory";
        return Err(prepare(io::Error::other(reason)));
    }
    // The lock makes concurrent commands wait for each other. It is released when `dir` is closed.
    let dir = File::open(to).map_err(&prepare)?;
    dir.lock().map_err(&prepare)?;
    let lines = read_tombstones(data_dir)?;
    if !lines.starts_with(&copied_tombstones(to)?.unwrap_or_default()) {
        return Err(StoreError::TombstonesOfAnother(path));
    }
    write(&dir, to, &copy_of(&lines)).map_err(prepare)
}

/// Reads the copy of the list in `dir`. Returns an error if the copy cannot be read or is damaged.
pub fn copied_tombstones(dir: &Path) -> Result<Option<Vec<Tombstone>>, StoreError> {
    let path = dir.join(TOMBSTONES_FILE);
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // A copy is never empty, because it contains a digest. So this file is not a copy, but the list of a data
        // directory that has no tombstones.
        Ok(text) if text.is_empty() => Ok(None),
        // A copy has at least one line, which contains the digest.
        Ok(text) if !text.contains(&b'\n') => Err(StoreError::TombstonesDamaged(path)),
        _ => read_tombstones(&path).map(Some),
    }
}

fn write(dir: &File, path: &Path, text: &str) -> io::Result<()> {
    let new = path.join(NEW);
    found(fs::remove_file(&new))?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&new)?;
    // If root runs the command, the file gets the owner of the directory, so that the service can replace the file
    // later.
    let (owner, own) = (dir.metadata()?, file.metadata()?);
    if own.uid() == 0 && owner.uid() != 0 {
        fchown(&file, Some(owner.uid()), Some(owner.gid()))?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path.join(TOMBSTONES_FILE))?;
    dir.sync_all()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn ended(number: u128) -> Tombstone {
        Tombstone::EndedBusiness(Uuid::from_u128(number).into())
    }

    fn imported(number: u128) -> Tombstone {
        Tombstone::ImportedBusiness(Uuid::from_u128(number).into(), Uuid::from_u128(9).into())
    }

    fn list(dir: &Path, lines: &[Tombstone]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(dir.join(TOMBSTONES_FILE), text).unwrap();
    }

    #[test]
    fn a_copy_follows_the_list_and_loses_no_line() {
        let (data, backups) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert_eq!(copied_tombstones(backups.path()).unwrap(), None);
        // The business was deleted, imported and deleted again, so the list contains equal lines, and their order
        // matters.
        let lines = vec![ended(1), imported(1), ended(1)];
        for many in 0..=lines.len() {
            list(data.path(), &lines[..many]);
            for _ in 0..2 {
                copy_tombstones(data.path(), backups.path()).unwrap();
                assert_eq!(copied_tombstones(backups.path()).unwrap().unwrap(), lines[..many]);
            }
        }
        // The copy must not be replaced by a list of another service, by lines in another order, or by an empty list.
        for other in [vec![ended(2)], vec![imported(1), ended(1), ended(1)], vec![]] {
            list(data.path(), &other);
            let error = copy_tombstones(data.path(), backups.path()).unwrap_err();
            assert!(matches!(error, StoreError::TombstonesOfAnother(_)), "{error}");
            assert_eq!(copied_tombstones(backups.path()).unwrap().unwrap(), lines);
        }
        assert_eq!(read_tombstones(&backups.path().join(TOMBSTONES_FILE)).unwrap(), lines);
    }

    #[test]
    fn a_damaged_copy_is_refused_and_not_replaced() {
        let (data, backups) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        list(data.path(), &[ended(1), ended(2)]);
        copy_tombstones(data.path(), backups.path()).unwrap();
        let path = backups.path().join(TOMBSTONES_FILE);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 1;
            for damaged in [&altered[..], &whole[..at]] {
                fs::write(&path, damaged).unwrap();
                if damaged.is_empty() {
                    continue;
                }
                assert!(copied_tombstones(backups.path()).is_err(), "{at}");
                assert!(copy_tombstones(data.path(), backups.path()).is_err(), "{at}");
                assert_eq!(fs::read(&path).unwrap(), damaged);
            }
        }
    }

    #[test]
    fn the_list_of_a_data_directory_is_not_replaced() {
        let data = tempfile::tempdir().unwrap();
        list(data.path(), &[]);
        fs::write(data.path().join(LOCK_FILE), "").unwrap();
        let error = copy_tombstones(data.path(), data.path()).unwrap_err().to_string();
        assert!(error.contains("is a data directory"), "{error}");
        assert!(fs::read(data.path().join(TOMBSTONES_FILE)).unwrap().is_empty());
    }

    #[test]
    fn a_copy_succeeds_after_a_crash_during_an_earlier_copy() {
        let (data, backups) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        list(data.path(), &[ended(1)]);
        fs::write(backups.path().join(NEW), "half").unwrap();
        copy_tombstones(data.path(), backups.path()).unwrap();
        assert_eq!(fs::read_dir(backups.path()).unwrap().count(), 1);
    }
}
