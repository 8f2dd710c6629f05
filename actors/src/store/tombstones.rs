//! What was taken back for good, listed beside the store by its id alone, so that what a backup brings back can be taken
//! back again (spec §5 rule 6).
//!
//! ```text
//! revoked-key 01a1fa8e-171f-7000-a08c-375224145f30
//! erased-contact 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c 01a1fa8e-17a2-7000-9a0e-5b7be7bb4a51
//! ended-business 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c
//! ```
//!
//! What always holds: a line is on the disk before the change that it tells of is, so before anybody is told of that. One
//! may stand here whose change a crash has prevented; what it names was to be taken back in any case. Lines are only ever
//! added.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use uuid::Uuid;

use super::StoreError;
use crate::domain::{BusinessId, ContactId, KeyId};

/// The name of the list in the data directory.
pub const TOMBSTONES_FILE: &str = "tombstones";

/// Something that must not come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tombstone {
    /// An API key that was revoked.
    RevokedKey(KeyId),
    /// A contact of a business that was erased.
    ErasedContact(BusinessId, ContactId),
    /// A business that was ended.
    EndedBusiness(BusinessId),
}

impl std::fmt::Display for Tombstone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RevokedKey(id) => write!(f, "revoked-key {id}"),
            Self::ErasedContact(of, id) => write!(f, "erased-contact {of} {id}"),
            Self::EndedBusiness(id) => write!(f, "ended-business {id}"),
        }
    }
}

/// Reads a line.
fn parse(line: &str) -> Option<Tombstone> {
    let (kind, ids) = line.split_once(' ')?;
    let ids: Vec<Uuid> = ids.split(' ').map(|id| id.parse().ok()).collect::<Option<_>>()?;
    match (kind, &ids[..]) {
        ("revoked-key", [id]) => Some(Tombstone::RevokedKey((*id).into())),
        ("erased-contact", [of, id]) => Some(Tombstone::ErasedContact((*of).into(), (*id).into())),
        ("ended-business", [id]) => Some(Tombstone::EndedBusiness((*id).into())),
        _ => None,
    }
}

/// The list of a data directory, open.
pub(super) struct List(File);

impl List {
    /// Opens the list, and creates it if need be. A line that a crash has cut off tells of nothing that was done.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(TOMBSTONES_FILE);
        let opened = || {
            let text = match fs::read(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                read => read?,
            };
            let file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.set_len(whole_lines(&text).len() as u64)?;
            Ok(Self(file))
        };
        opened().map_err(|source| StoreError::Prepare { action: "opening", path: path.clone(), source })
    }

    /// Adds lines, and has them on the disk.
    pub(super) fn add(&mut self, tombstones: &[Tombstone]) -> io::Result<()> {
        let lines: String = tombstones.iter().map(|tombstone| format!("{tombstone}\n")).collect();
        self.0.write_all(lines.as_bytes())?;
        self.0.sync_data()
    }
}

fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &text[..end]
}

/// Reads a list.
///
/// # Errors
/// When it cannot be read, or holds what this version does not know.
pub fn read_tombstones(path: &Path) -> Result<BTreeSet<Tombstone>, StoreError> {
    let prepare = |source| StoreError::Prepare { action: "reading", path: path.to_owned(), source };
    let text = fs::read(path).map_err(prepare)?;
    let text = std::str::from_utf8(whole_lines(&text)).map_err(|error| prepare(io::Error::other(error)))?;
    let unknown = |line| StoreError::Tombstone { path: path.to_owned(), line };
    (1..).zip(text.lines()).map(|(number, line)| parse(line).ok_or_else(|| unknown(number))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u128) -> Tombstone {
        Tombstone::RevokedKey(Uuid::from_u128(number).into())
    }

    #[test]
    fn what_was_added_is_read_and_what_was_cut_off_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOMBSTONES_FILE);
        List::open(dir.path()).unwrap().add(&[key(1), key(2)]).unwrap();
        let mut text = fs::read(&path).unwrap();
        text.extend_from_slice(b"revoked-key 0000");
        fs::write(&path, &text).unwrap();
        assert_eq!(read_tombstones(&path).unwrap(), BTreeSet::from([key(1), key(2)]));
        List::open(dir.path()).unwrap().add(&[key(3)]).unwrap();
        assert_eq!(read_tombstones(&path).unwrap(), BTreeSet::from([key(1), key(2), key(3)]));
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
    }

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let id = Uuid::from_u128;
        let all = [
            key(1),
            Tombstone::ErasedContact(id(2).into(), id(3).into()),
            Tombstone::EndedBusiness(id(2).into()),
        ];
        List::open(dir.path()).unwrap().add(&all).unwrap();
        assert_eq!(read_tombstones(&dir.path().join(TOMBSTONES_FILE)).unwrap(), BTreeSet::from(all));
    }

    #[test]
    fn a_line_that_is_not_known_is_told_by_its_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOMBSTONES_FILE);
        for (bad, at) in [
            ("x\n", 1),
            ("revoked-key 1\n", 1),
            ("burnt-bridge 00000000-0000-0000-0000-000000000001\n", 1),
            ("erased-contact 00000000-0000-0000-0000-000000000001\n", 1),
        ] {
            fs::write(&path, bad).unwrap();
            let read = read_tombstones(&path);
            assert!(matches!(&read, Err(StoreError::Tombstone { line, .. }) if *line == at), "{read:?}");
        }
        fs::write(&path, format!("{}\n\n", key(1))).unwrap();
        assert!(matches!(read_tombstones(&path), Err(StoreError::Tombstone { line: 2, .. })));
    }
}
