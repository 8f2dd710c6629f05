//! Drops the kernel's page cache of the store's files, so that they are read from the disk.
//!
//! After a failed write-back, Linux marks the pages as clean: reads return what was written, later syncs
//! succeed, and the disk holds something else. The next start would treat the read content as durable. So
//! after an unclean stop, every file is synced and its pages are dropped before the first read.
//!
//! Other systems have no such call, so a failed sync is not covered on these systems.

use std::fs::File;
use std::io;
use std::path::Path;

use super::files::found;

/// Syncs a file and drops its pages. A missing file is skipped.
pub(super) fn drop_pages(path: &Path) -> io::Result<()> {
    let Some(file) = found(File::open(path))? else { return Ok(()) };
    file.sync_all()?;
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}
