//! Restricts the data directory to the service's own user, because it contains personal data.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::Mode;

const OF_OTHERS: u32 = 0o077;

/// Removes the access of group and others to everything in the directory, as far as the system permits it. The umask of
/// the process covers files that are created later, including those of sled.
pub(super) fn keep_private(dir: &Path) {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let mut closed = 0;
    if let Err(error) = close(dir, &mut closed) {
        tracing::warn!(%error, path = %dir.display(), "other users may have access to the data directory, which cannot be removed");
    }
    if closed > 0 {
        tracing::warn!(closed, path = %dir.display(), "other users had access to files of the data directory; it was removed");
    }
}

fn close(path: &Path, closed: &mut usize) -> io::Result<()> {
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
        // A link points to a file elsewhere, whose permissions are not changed.
        if !entry.file_type()?.is_symlink() {
            close(&entry.path(), closed)?;
        }
    }
    Ok(())
}
