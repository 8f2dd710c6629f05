//! What can be told of a data directory without opening it, for whoever looks whether a service could start on it.
//!
//! What always holds: nothing is written and nothing is held; what is told may have changed when it is read.

use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use domain::Timestamp;

use super::records::STORE_FORMAT;
use super::{DiskReserve, Noted, Space, StoreError, disk, files, format, restoring};

/// What a data directory says of itself.
#[derive(Debug)]
pub struct Outside {
    /// Whether a process has it open.
    pub in_use: bool,
    /// The format of its store, where it says so.
    pub format: Option<u16>,
    /// The format that this version writes.
    pub known: u16,
}

/// Looks at a data directory from outside.
///
/// # Errors
/// When it cannot be read, when a restore into it is not finished, or when its store is of a later format.
pub fn look_at(dir: &Path) -> Result<Outside, StoreError> {
    let path = dir.join(disk::LOCK_FILE);
    // The lock is let go with the file.
    let in_use = match OpenOptions::new().write(true).open(&path).map(|file| file.try_lock()) {
        Ok(Ok(())) => false,
        Ok(Err(TryLockError::WouldBlock)) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Ok(Err(TryLockError::Error(source))) | Err(source) => {
            return Err(StoreError::Lock { path, source });
        }
    };
    restoring::check_finished(dir)?;
    format::check(dir)?;
    Ok(Outside { in_use, format: format::of(dir)?, known: STORE_FORMAT })
}

/// The time that the service believed it was when it last wrote that down, about a minute before it ended at the latest.
pub fn believed_time(dir: &Path) -> Option<Timestamp> {
    Noted::BelievedTime.read(dir)
}

/// The disk that a directory lies on.
///
/// # Errors
/// When the system does not tell.
pub fn space_of(dir: &Path) -> io::Result<Space> {
    files::space_of(dir)
}

/// How many bytes of a disk this reserve leaves free.
pub fn reserve_of(reserve: DiskReserve, space: Space) -> u64 {
    reserve.bounds(space.total).reserve
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn a_directory_is_told_of_from_outside() {
        let dir = tempfile::tempdir().unwrap();
        let told = look_at(dir.path()).unwrap();
        assert_eq!((told.in_use, told.format, told.known), (false, None, STORE_FORMAT));
        let store = Store::open_disk(dir.path(), Box::new(|error| panic!("{error}"))).unwrap();
        store.keep_format().unwrap();
        let told = look_at(dir.path()).unwrap();
        assert_eq!((told.in_use, told.format), (true, Some(STORE_FORMAT)));
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
}
