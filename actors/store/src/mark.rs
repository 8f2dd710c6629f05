//! The *mark*: a file with the number of the newest durable batch. It is written before the batch is acknowledged.
//!
//! sled treats a damaged byte near the end of its log like the trace of a crash, and silently drops the rest of the
//! log. The journal treats a damaged last record like a torn write. A start detects these losses by comparing the mark
//! with the number of the newest batch in the store. The mark survives a crash of the process even without a sync.
//!
//! After a clean stop the mark also contains the end of sled's log. The next start then refuses to open a store whose
//! log has a torn message before this end.
//!
//! The file contains four fields of 8 bytes:
//!
//! ```text
//! DIR/committed    number | its complement | end of the log | check
//! ```
//!
//! Invariants: if the number of a store's newest batch is smaller than the number in the mark, the store has lost
//! acknowledged batches. After a power cut the mark may be older than the store. If an earlier version of the service
//! uses the store, it overwrites only the first 16 bytes of the mark. The check value then no longer matches, and the
//! end of the log is ignored.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::StoreError;
use super::files::found;

/// The key of the row that contains the number of the store's newest batch. It is greater than all other keys.
pub(super) const NEWEST_KEY: [u8; super::KEY_BYTES_MAX + 1] = [0xff; super::KEY_BYTES_MAX + 1];

const NUMBER_BYTES: usize = 16;
const MARK_BYTES: usize = 32;

pub(super) struct Mark(File);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) number: u64,
    /// The end of sled's log if the store was closed cleanly.
    pub(super) ended: Option<u64>,
}

impl Mark {
    pub(super) fn open(path: &Path) -> Result<(Self, Marked), StoreError> {
        let prepare = StoreError::preparing("opening", path);
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let file = file.map_err(&prepare)?;
        let mut bytes = [0; MARK_BYTES];
        // A power cut may leave an empty file. It counts as a mark with the number 0.
        let length = file.read_at(&mut bytes, 0).map_err(prepare)?;
        if length < NUMBER_BYTES {
            bytes = [0; MARK_BYTES];
        }
        let marked = decode(&bytes).ok_or_else(|| StoreError::Mark(path.to_owned()))?;
        Ok((Self(file), marked))
    }

    /// Records that all batches up to this number are durable. Does not sync the mark.
    pub(super) fn write(&self, number: u64) -> io::Result<()> {
        self.0.write_all_at(&encode(number, None)[..NUMBER_BYTES], 0)
    }

    /// Durably records that the store is open. If the process ends without [`Mark::close`], the stop counts as unclean.
    pub(super) fn begin(&self, number: u64) -> io::Result<()> {
        self.0.write_all_at(&encode(number, None), 0)?;
        self.0.sync_data()
    }

    /// Durably records a clean stop and the end of sled's log. If this fails, the stop counts as unclean.
    pub(super) fn close(&self, number: u64, ended: u64) -> io::Result<()> {
        let closed = self.0.write_all_at(&encode(number, Some(ended)), 0).and_then(|()| self.0.sync_data());
        closed.or_else(|error| {
            self.0.write_all_at(&encode(number, None), 0)?;
            Err(error)
        })
    }
}

/// Returns the mark, or `None` if it is missing or damaged.
pub(super) fn read(path: &Path) -> io::Result<Option<Marked>> {
    let Some(read) = found(std::fs::read(path))? else { return Ok(None) };
    let mut bytes = [0; MARK_BYTES];
    let length = read.len().min(MARK_BYTES);
    bytes[..length].copy_from_slice(&read[..length]);
    Ok(decode(&bytes))
}

fn encode(number: u64, ended: Option<u64>) -> [u8; MARK_BYTES] {
    let mut bytes = [0; MARK_BYTES];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes[8..16].copy_from_slice(&(!number).to_be_bytes());
    if let Some(ended) = ended {
        bytes[16..24].copy_from_slice(&ended.to_be_bytes());
        bytes[24..].copy_from_slice(&check(number, ended));
    }
    bytes
}

fn check(number: u64, ended: u64) -> [u8; 8] {
    let bytes = [number.to_be_bytes(), ended.to_be_bytes()].concat();
    (!u64::from(crc32fast::hash(&bytes))).to_be_bytes()
}

fn decode(bytes: &[u8; MARK_BYTES]) -> Option<Marked> {
    if bytes[..NUMBER_BYTES] == [0; NUMBER_BYTES] {
        return Some(Marked::default());
    }
    let number = |at: usize| Some(u64::from_be_bytes(*bytes[at..].first_chunk()?));
    let (newest, ended) = (number(0)?, number(16)?);
    if number(8)? != !newest {
        return None;
    }
    let ended = (bytes[24..] == check(newest, ended)).then_some(ended);
    Some(Marked { number: newest, ended })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> (u64, Option<u64>) {
        let marked = Mark::open(path).unwrap().1;
        (marked.number, marked.ended)
    }

    #[test]
    fn the_newest_number_is_read_again_and_an_altered_number_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("committed");
        let (mark, marked) = Mark::open(&path).unwrap();
        assert_eq!(marked, Marked::default());
        for number in [1, 2, u64::from(u32::MAX), 3] {
            mark.write(number).unwrap();
            assert_eq!(read(&path), (number, None));
        }
        for at in 0..NUMBER_BYTES {
            let mut bytes = encode(3, None);
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(Mark::open(&path), Err(StoreError::Mark(_))));
        }
        for nothing in [&[][..], &[0; NUMBER_BYTES], &[0; 3], &[0; MARK_BYTES]] {
            std::fs::write(&path, nothing).unwrap();
            assert_eq!(read(&path), (0, None));
        }
    }

    #[test]
    fn a_clean_stop_is_known_until_the_next_start_or_the_next_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("committed");
        let mark = Mark::open(&path).unwrap().0;
        mark.close(7, 900).unwrap();
        assert_eq!(read(&path), (7, Some(900)));
        for at in NUMBER_BYTES..MARK_BYTES {
            let mut bytes = encode(7, Some(900));
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(read(&path), (7, None));
        }
        let mark = Mark::open(&path).unwrap().0;
        mark.close(7, 900).unwrap();
        mark.write(8).unwrap(); // as an earlier version writes it
        assert_eq!(read(&path), (8, None));
        mark.close(8, 900).unwrap();
        mark.begin(8).unwrap();
        assert_eq!(read(&path), (8, None));
    }
}
