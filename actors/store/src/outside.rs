//! Inspects a data directory without opening it, for checks before a start.
//!
//! Invariant: this module writes nothing and holds no lock. The result may be outdated when the caller reads it.

use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use domain::Timestamp;

use super::records::STORE_FORMAT;
use super::{DiskReserve, Noted, Space, StoreError, disk, files, format, restoring};

#[derive(Debug)]
pub struct Outside {
    pub in_use: bool,
    pub format: Option<u16>,
    pub known: u16,
}

/// # Errors
/// Returns an error if the directory cannot be read, a restore into it is not finished, or its store has a
/// later format.
pub fn look_at(dir: &Path) -> Result<Outside, StoreError> {
    let path = dir.join(disk::LOCK_FILE);
    // Dropping the file releases the lock.
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

/// The believed time that the service recorded last, at most about a minute before its end.
pub fn believed_time(dir: &Path) -> Option<Timestamp> {
    Noted::BelievedTime.read(dir)
}

pub fn space_of(dir: &Path) -> io::Result<Space> {
    files::space_of(dir)
}

/// The number of bytes that this reserve leaves free.
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
