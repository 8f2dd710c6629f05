//! Instants in small files next to the store: the believed time, which `doctor` reads without opening the store, and
//! the point of the newest backup.
//!
//! A file is written in place and not synced, so after a power cut it may be older. A file without a valid instant
//! counts as missing. For the believed time, the record in the store is authoritative.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use domain::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    BelievedTime,
    /// The point of the newest complete backup.
    NewestBackup,
}

impl Noted {
    fn file_name(self) -> &'static str {
        match self {
            Self::BelievedTime => "clock",
            Self::NewestBackup => "newest-backup",
        }
    }

    /// Writes the instant. All instants have the same length, so no byte of the previous instant is left.
    pub(super) fn write(self, dir: &Path, at: Timestamp) -> io::Result<()> {
        let path = dir.join(self.file_name());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.write_all_at(format!("{at}\n").as_bytes(), 0)
    }

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
