//! Reads the state of a data directory without opening its store. A running service may change the state at
//! any time.

use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use domain::Timestamp;

pub use super::files::space_of;
use super::records::STORE_FORMAT;
use super::{DiskReserve, Space, StoreError, disk, filling, format};

#[derive(Debug)]
pub struct Outside {
    pub in_use: bool,
    pub format: Option<u16>,
    pub known: u16,
}

/// Reads the state of the store in a data directory.
///
/// # Errors
/// Returns an error if a file is unreadable, a restore is unfinished, or the store needs a later version.
pub fn look_at(dir: &Path) -> Result<Outside, StoreError> {
    let path = dir.join(disk::LOCK_FILE);
    // Dropping the file handle releases the lock.
    let in_use = match OpenOptions::new().write(true).open(&path).map(|file| file.try_lock()) {
        Ok(Ok(())) => false,
        Ok(Err(TryLockError::WouldBlock)) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Ok(Err(TryLockError::Error(source))) | Err(source) => {
            return Err(StoreError::Lock { path, source });
        }
    };
    filling::check_finished(dir)?;
    format::check(dir)?;
    Ok(Outside { in_use, format: format::of(dir)?, known: STORE_FORMAT })
}

/// Returns the last recorded time of the service's clock. The service records the time about once a minute.
pub fn believed_time(dir: &Path) -> Option<Timestamp> {
    Noted::BelievedTime.read(dir)
}

pub fn reserve_of(reserve: DiskReserve, space: Space) -> u64 {
    reserve.bounds(space.total).reserve
}

/// An instant in a small file in the data directory: the last recorded time of the service's clock, or the
/// time of the newest backup.
///
/// The file is written in place and not synced, so after a power cut it may contain an older instant. An
/// invalid file counts as missing. The store also records the time of the service's clock, and this record
/// takes precedence over the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    BelievedTime,
    NewestBackup,
}

impl Noted {
    fn file_name(self) -> &'static str {
        match self {
            Self::BelievedTime => "clock",
            Self::NewestBackup => "newest-backup",
        }
    }

    /// Overwrites the file. All instants have the same length, so no byte of the previous instant remains.
    pub(super) fn write(self, dir: &Path, at: Timestamp) -> io::Result<()> {
        let path = dir.join(self.file_name());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.write_all_at(format!("{at}\n").as_bytes(), 0)
    }

    pub(super) fn read(self, dir: &Path) -> Option<Timestamp> {
        Timestamp::parse(fs::read_to_string(dir.join(self.file_name())).ok()?.trim_end()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn a_directory_is_described_without_opening_its_store() {
        let dir = tempfile::tempdir().unwrap();
        let found = look_at(dir.path()).unwrap();
        assert_eq!((found.in_use, found.format, found.known), (false, None, STORE_FORMAT));
        let store = Store::open_disk(dir.path(), Box::new(|error| panic!("{error}"))).unwrap();
        store.keep_format().unwrap();
        let found = look_at(dir.path()).unwrap();
        assert_eq!((found.in_use, found.format), (true, Some(STORE_FORMAT)));
        store.close().await.unwrap();
        assert!(!look_at(dir.path()).unwrap().in_use);
        let space = space_of(dir.path()).unwrap();
        assert!(space.free <= space.total && space.total > 0);
        assert_eq!(reserve_of(DiskReserve::Bytes(0), space), 0);
    }

    #[test]
    fn a_later_format_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let later = STORE_FORMAT + 1;
        std::fs::write(
            dir.path().join("format"),
            format!("format = {later}\nread-by = {later}\nwritten-by = {later}\n"),
        )
        .unwrap();
        assert!(matches!(look_at(dir.path()), Err(StoreError::Format { .. })));
    }

    #[test]
    fn the_newest_time_is_read_and_invalid_files_are_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let noted = Noted::BelievedTime;
        assert_eq!(noted.read(dir.path()), None);
        for at in [Timestamp::MAX, Timestamp::MIN, Timestamp::from_millis(1_772_442_000_000)] {
            noted.write(dir.path(), at).unwrap();
            assert_eq!(noted.read(dir.path()), Some(at));
        }
        assert_eq!(Noted::NewestBackup.read(dir.path()), None);
        for damaged in [&b""[..], b"2026-03-02T12:00", &[0xff; 25]] {
            fs::write(dir.path().join(noted.file_name()), damaged).unwrap();
            assert_eq!(noted.read(dir.path()), None);
        }
    }
}
