//! Functions for the files of a data directory: listing, syncing, free space, access and damaged files.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use super::{Space, StoreError};

pub(super) const SEGMENTS_FILE: &str = "segments";

pub fn space_of(dir: &Path) -> io::Result<Space> {
    Ok(space(&rustix::fs::statvfs(dir)?))
}

/// Returns the space available to an unprivileged user, and the total space, in bytes.
pub(super) fn space(seen: &rustix::fs::StatVfs) -> Space {
    let bytes = |blocks: u64| blocks.saturating_mul(seen.f_frsize);
    Space { free: bytes(seen.f_bavail), total: bytes(seen.f_blocks) }
}

/// Lists a directory. A missing directory has no entries.
pub(super) fn entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let read = || fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let paths = found(read()).map_err(StoreError::preparing("reading the directory", dir))?;
    Ok(paths.unwrap_or_default())
}

/// Turns the error [`io::ErrorKind::NotFound`] into `None`.
pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Replaces the content of a file durably, by writing a new file and renaming it. After a crash, the file has either
/// the old or the new content.
pub(super) fn replace(path: &Path, mode: u32, content: impl AsRef<[u8]>) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&new)?;
    file.write_all(content.as_ref())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all())
}

pub(super) fn sync_path(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(StoreError::preparing("syncing", path))
}

const BLOCK_BYTES: usize = 4096;

/// Reads a part of a file. Bytes after the end and unreadable blocks become zeros.
pub(super) fn read_damaged(file: &File, at: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    bytes.resize(length, 0);
    let there = file.metadata()?.len().saturating_sub(at).min(length as u64) as usize;
    let there = &mut bytes[..there];
    if file.read_exact_at(there, at).is_err() {
        for (block, at) in there.chunks_mut(BLOCK_BYTES).zip((at..).step_by(BLOCK_BYTES)) {
            if file.read_exact_at(block, at).is_err() {
                block.fill(0);
            }
        }
    }
    Ok(())
}

/// Syncs a file and drops its pages from the kernel's page cache. A missing file is skipped.
///
/// After a failed write-back, Linux marks the pages as clean, and reads return data that is not on the disk. The store
/// therefore drops the pages after an unclean stop. On other systems, the function only syncs the file.
pub(super) fn drop_pages(path: &Path) -> io::Result<()> {
    let Some(file) = found(File::open(path))? else { return Ok(()) };
    file.sync_all()?;
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

const OF_OTHERS: u32 = 0o077;

/// Removes the access of the group and of other users to the directory and its files. The files contain personal data.
/// A failure is only logged. Also sets the process's umask, which protects files that are created later, including
/// sled's.
pub(super) fn keep_private(dir: &Path) {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let mut closed = 0;
    if let Err(error) = close_to_others(dir, &mut closed) {
        tracing::warn!(%error, path = %dir.display(), "other users may have access to the data directory, and the access could not be removed");
    }
    if closed > 0 {
        tracing::warn!(closed, path = %dir.display(), "other users had access to files of the data directory; the access was removed");
    }
}

fn close_to_others(path: &Path, closed: &mut usize) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    let mode = metadata.permissions().mode();
    if mode & OF_OTHERS != 0 {
        fs::set_permissions(path, Permissions::from_mode(mode & !OF_OTHERS))?;
        *closed += 1;
    }
    if !metadata.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        // A link may point outside the directory, so the permissions of its target are not changed.
        if !entry.file_type()?.is_symlink() {
            close_to_others(&entry.path(), closed)?;
        }
    }
    Ok(())
}
