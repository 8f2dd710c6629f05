//! Reads damaged files.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The unit of reading after a failed read.
const BLOCK_BYTES: usize = 4096;

/// Reads a part of a file. Bytes after the end and unreadable blocks become zeros.
pub(super) fn read(file: &File, at: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
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
