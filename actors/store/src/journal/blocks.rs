//! What the journal lies on: a file, or what a simulation has instead.
//!
//! What always holds of both: what was written and not synced may be lost when the power goes, each block for itself.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What is written at once: no less than what disks and file systems write whole.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// Somewhere to write blocks to.
pub(crate) trait Blocks: Send + Sync + 'static {
    /// Writes these bytes, from there on.
    ///
    /// # Errors
    /// When that fails.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Reads as many bytes as fit, from there on.
    ///
    /// # Errors
    /// When that fails; [`io::ErrorKind::UnexpectedEof`] where it ends before.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// What was written is durable once this has returned.
    ///
    /// # Errors
    /// When that fails: nobody knows what is there then.
    fn sync(&self) -> io::Result<()>;
}

impl Blocks for File {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
