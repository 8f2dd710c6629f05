//! The medium of the journal: a file, or blocks in memory for simulations.
//!
//! Invariant: a power cut may lose each written and unsynced block independently of the others.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The unit of writes: at most the size that disks and file systems write atomically.
pub(crate) const BLOCK_BYTES: u64 = 4096;

pub(crate) trait Blocks: Send + Sync + 'static {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Fills `bytes` from this offset.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the medium ends earlier.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Makes everything written durable. After an error the content is unknown.
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
