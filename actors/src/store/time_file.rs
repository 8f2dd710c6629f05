//! The believed time, in a small file beside the store: `doctor` reads it without opening the store.
//!
//! The record in the store counts. The file is written in place and not synced; after a power cut it may be older, and a
//! file that does not hold an instant says nothing.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::domain::Timestamp;

/// The name of the file in the data directory.
const NAME: &str = "clock";

/// Writes the believed time. Each instant has the same number of bytes, so none is left of the one before.
pub(super) fn write(dir: &Path, believed: Timestamp) -> io::Result<()> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(dir.join(NAME))?;
    file.write_all_at(format!("{believed}\n").as_bytes(), 0)
}

/// The believed time when the service wrote it last.
pub(super) fn read(dir: &Path) -> Option<Timestamp> {
    Timestamp::parse(fs::read_to_string(dir.join(NAME)).ok()?.trim_end()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_time_is_read_and_other_bytes_say_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()), None);
        for at in [Timestamp::MAX, Timestamp::MIN, Timestamp::from_millis(1_772_442_000_000)] {
            write(dir.path(), at).unwrap();
            assert_eq!(read(dir.path()), Some(at));
        }
        for damaged in [&b""[..], b"2026-03-02T12:00", &[0xff; 25]] {
            fs::write(dir.path().join(NAME), damaged).unwrap();
            assert_eq!(read(dir.path()), None);
        }
    }
}
