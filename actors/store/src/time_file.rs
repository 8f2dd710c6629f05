//! Instants that small files beside the store hold: the believed time, which `doctor` reads without opening the store,
//! and the point of the newest backup.
//!
//! A file is written in place and not synced; after a power cut it may be older, and one that does not hold an instant
//! says nothing. Of the believed time, the record in the store counts.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use domain::Timestamp;

/// An instant that is kept in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// The believed time.
    BelievedTime,
    /// The point of the newest complete backup.
    NewestBackup,
}

impl Noted {
    /// The name of the file in the data directory.
    fn file_name(self) -> &'static str {
        match self {
            Self::BelievedTime => "clock",
            Self::NewestBackup => "newest-backup",
        }
    }

    /// Writes the instant. Each has the same number of bytes, so none is left of the one before.
    pub(super) fn write(self, dir: &Path, at: Timestamp) -> io::Result<()> {
        let path = dir.join(self.file_name());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.write_all_at(format!("{at}\n").as_bytes(), 0)
    }

    /// The instant that was written last.
    pub(super) fn read(self, dir: &Path) -> Option<Timestamp> {
        Timestamp::parse(fs::read_to_string(dir.join(self.file_name())).ok()?.trim_end()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_time_is_read_and_other_bytes_say_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let noted = Noted::BelievedTime;
        assert_eq!(noted.read(dir.path()), None);
        for at in [Timestamp::MAX, Timestamp::MIN, Timestamp::from_millis(1_772_442_000_000)] {
            noted.write(dir.path(), at).unwrap();
            assert_eq!(noted.read(dir.path()), Some(at));
        }
        assert_eq!(Noted::NewestBackup.read(dir.path()), None);
        for damaged in [&b""[..], b"2026-03-02T12:00", &[0xff; 25]] {
            fs::write(dir.path().join(noted.file_name()), damaged).unwrap();
            assert_eq!(noted.read(dir.path()), None);
        }
    }
}
