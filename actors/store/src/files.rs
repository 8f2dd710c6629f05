//! Files of a data directory: listing, syncing and free space.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
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

/// The entries of a directory. A missing directory has no entries.
pub(super) fn entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let read = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let paths = found(read()).map_err(StoreError::preparing("reading the directory", dir))?;
    Ok(paths.unwrap_or_default())
}

/// The result of an operation on a file; `None` if the file does not exist.
pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Writes a new file and renames it, so a crash leaves either the old or the new one.
pub(super) fn replace(path: &Path, mode: u32, content: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&new)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all())
}

pub(super) fn sync_path(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(StoreError::preparing("syncing", path))
}
