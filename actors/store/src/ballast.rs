//! A file that reserves disk space for the next start of the service. When the service opens the store, it deletes the
//! file.
//!
//! At its start, the storage engine fills its newest segment and writes a snapshot. Without the reserved space, the
//! service could not start on a full disk. The content of the file is never read.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::StoreError;
use super::files::found;

const NAME: &str = "ballast";

/// The length of the file: two segments of sled. If the disk has too little space, the length is halved until the file
/// fits.
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
            let _ = fs::remove_file(&path); // a file below the minimum length is useless
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
    fn the_file_is_created_deleted_and_created_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        for _ in 0..2 {
            release(dir.path()).unwrap();
            assert!(!path.exists());
            keep(dir.path());
            keep(dir.path()); // as after a crash, which leaves a file
            assert_eq!(path.metadata().unwrap().len(), BALLAST_BYTES);
        }
        keep(&dir.path().join("missing")); // the failure is only logged
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(release(dir.path()).unwrap_err().to_string().contains("ballast"));
    }
}
