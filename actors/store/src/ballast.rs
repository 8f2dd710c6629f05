//! Room on the disk that is kept for starting: a file of nothing, given up when the store is opened.
//!
//! The storage engine fills up its newest segment and writes a snapshot when it starts. On a disk that others have
//! filled to the last byte it could do neither, and the service could not even show what it holds. What always holds:
//! while a store is open, the file is there as far as the disk had room for it; nothing in it is ever read.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::StoreError;

/// What the file is called, in the data directory.
const NAME: &str = "ballast";

/// How long it is: two of the storage engine's segments. Where there is no room for that, half of it, and so on.
pub(super) const BALLAST_BYTES: u64 = 16 << 20;
const BALLAST_BYTES_MIN: u64 = 1 << 20;

/// Gives the room up, for the store to be opened in.
pub(super) fn release(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(NAME);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::Prepare { action: "removing", path, source })
        }
        _ => Ok(()),
    }
}

/// Takes the room, or as much of it as there is.
pub(super) fn keep(dir: &Path) {
    let path = dir.join(NAME);
    let mut bytes = BALLAST_BYTES;
    while let Err(error) = File::create(&path).and_then(|file| fill(&file, bytes)) {
        bytes /= 2;
        if bytes < BALLAST_BYTES_MIN {
            tracing::warn!(%error, "no room could be kept for the next start");
            let _ = fs::remove_file(&path); // a part of it would be of no use
            return;
        }
    }
}

#[cfg(target_os = "linux")]
fn fill(file: &File, bytes: u64) -> io::Result<()> {
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes)?)
}

#[cfg(not(target_os = "linux"))]
fn fill(mut file: &File, bytes: u64) -> io::Result<()> {
    let zeros = vec![0; 1 << 16];
    (0..bytes / zeros.len() as u64).try_for_each(|_| io::Write::write_all(&mut file, &zeros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_taken_given_up_and_taken_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        for _ in 0..2 {
            release(dir.path()).unwrap();
            assert!(!path.exists());
            keep(dir.path());
            keep(dir.path()); // over one that a crash left
            assert_eq!(path.metadata().unwrap().len(), BALLAST_BYTES);
        }
        keep(&dir.path().join("missing")); // said, and no reason to stop
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(release(dir.path()).unwrap_err().to_string().contains("ballast"));
    }
}
