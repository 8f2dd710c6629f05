//! How far changes were acknowledged, told beside the store: a small file that recognises one which has lost its end.
//!
//! sled takes an altered byte in the newest part of its log for the trace of a crash, and silently drops what comes
//! after it; the journal takes its last record for torn that way. So every batch carries a number in the store itself, and
//! the number of the newest acknowledged one is written to this file. It is not synced there, since it costs little that
//! way and a crash of the process keeps it all the same.
//!
//! What always holds: the number in the file is that of a batch which was durable, so a store that holds a smaller one
//! has lost what was acknowledged. The file may be behind after a power cut, and then recognises less.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::StoreError;

/// Where the store holds the number of its newest batch: behind every key there can be.
pub(super) const NEWEST_KEY: [u8; super::KEY_BYTES_MAX + 1] = [0xff; super::KEY_BYTES_MAX + 1];

/// The number, and the number with all its bits turned around.
const MARK_BYTES: usize = 16;

/// The file, open.
pub(super) struct Mark(File);

impl Mark {
    /// Opens the file, and creates it if need be; gives the number in it, 0 when there is none.
    pub(super) fn open(path: &Path) -> Result<(Self, u64), StoreError> {
        let prepare = |source| StoreError::Prepare { action: "opening", path: PathBuf::from(path), source };
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let file = file.map_err(prepare)?;
        let mut bytes = [0; MARK_BYTES];
        let known = match file.read_exact_at(&mut bytes, 0) {
            // A power cut may leave the file without its bytes.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(prepare(error)),
            Ok(()) if bytes == [0; MARK_BYTES] => 0,
            Ok(()) => decode(bytes).ok_or_else(|| StoreError::Mark(path.to_owned()))?,
        };
        Ok((Self(file), known))
    }

    /// Says that everything up to this batch is acknowledged.
    pub(super) fn write(&self, number: u64) -> io::Result<()> {
        self.0.write_all_at(&encode(number), 0)
    }

    /// Makes it durable what was written.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

fn encode(number: u64) -> [u8; MARK_BYTES] {
    let mut bytes = [0; MARK_BYTES];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes[8..].copy_from_slice(&(!number).to_be_bytes());
    bytes
}

fn decode(bytes: [u8; MARK_BYTES]) -> Option<u64> {
    let (number, turned) = bytes.split_first_chunk::<8>()?;
    let number = u64::from_be_bytes(*number);
    (turned == (!number).to_be_bytes()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_number_is_read_again_and_an_altered_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("committed");
        let (mark, known) = Mark::open(&path).unwrap();
        assert_eq!(known, 0);
        for number in [1, 2, u64::from(u32::MAX), 3] {
            mark.write(number).unwrap();
            assert_eq!(Mark::open(&path).unwrap().1, number);
        }
        for at in 0..MARK_BYTES {
            let mut bytes = encode(3);
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(Mark::open(&path), Err(StoreError::Mark(_))));
        }
        for nothing in [&[][..], &[0; MARK_BYTES], &[0; 3]] {
            std::fs::write(&path, nothing).unwrap();
            assert_eq!(Mark::open(&path).unwrap().1, 0);
        }
    }
}
