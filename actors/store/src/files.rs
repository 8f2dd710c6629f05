//! Files of a data directory: listing, syncing and free space.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{Space, StoreError};

pub(super) const SEGMENTS_FILE: &str = "segments";

pub(super) fn space_of(dir: &Path) -> io::Result<Space> {
    Ok(space(&rustix::fs::statvfs(dir)?))
}

/// The space available to an unprivileged user, and the total.
pub(super) fn space(seen: &rustix::fs::StatVfs) -> Space {
    let bytes = |blocks: u64| blocks.saturating_mul(seen.f_frsize);
    Space { free: bytes(seen.f_bavail), total: bytes(seen.f_blocks) }
}

/// The entries of a directory. A missing directory has none.
pub(super) fn entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let read = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    match read() {
        Ok(paths) => Ok(paths),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(StoreError::Prepare { action: "reading the directory", path: dir.into(), source }),
    }
}

pub(super) fn sync_path(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|source| StoreError::Prepare {
        action: "syncing",
        path: path.to_owned(),
        source,
    })
}
