//! A file of zeros that reserves disk space for the start of the service. Opening the store deletes it.
//!
//! The storage engine fills its newest segment at its start and writes a snapshot. On a full disk the service could not
//! start even for reading. The content of the file is never read.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::StoreError;
use super::files::found;

const NAME: &str = "ballast";

/// Two segments of the storage engine. On a smaller disk the file has half of that length, a quarter, and so on.
pub(super) const BALLAST_BYTES: u64 = 16 << 20;
const BALLAST_BYTES_MIN: u64 = 1 << 20;

pub(super) fn release(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(NAME);
    found(fs::remove_file(&path)).map(drop).map_err(StoreError::preparing("removing", path))
}

pub(super) fn keep(dir: &Path) {
    let path = dir.join(NAME);
    let mut bytes = BALLAST_BYTES;
    while let Err(error) = File::create(&path).and_then(|file| fill(&file, bytes)) {
        bytes /= 2;
        if bytes < BALLAST_BYTES_MIN {
            tracing::warn!(%error, "no disk space could be reserved for the next start");
            let _ = fs::remove_file(&path); // a part of the file is useless
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
            keep(dir.path()); // a crash has left a file
            assert_eq!(path.metadata().unwrap().len(), BALLAST_BYTES);
        }
        keep(&dir.path().join("missing")); // logged, not an error
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(release(dir.path()).unwrap_err().to_string().contains("ballast"));
    }
}
