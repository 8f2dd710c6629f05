//! The notes of the shim, the library that is preloaded into the process. Each note records one call that changed a
//! file.

use std::path::Path;

/// A recorded call. It identifies a file by its inode.
#[derive(Debug)]
pub(crate) enum Note {
    Created {
        inode: u64,
        name: String,
    },
    Directory {
        inode: u64,
        name: String,
    },
    Written {
        inode: u64,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncated {
        inode: u64,
        bytes: usize,
    },
    Syncing {
        sync: u64,
    },
    Synced {
        inode: u64,
        sync: u64,
    },
    /// A sync failed. The unsynced blocks stay in memory, and later syncs do not write them.
    SyncFailed {
        inode: u64,
    },
    /// The kernel dropped the blocks of a failed sync from memory, so reads return the content of the disk again.
    Dropped {
        inode: u64,
    },
    Renamed {
        from: String,
        to: String,
    },
    Removed {
        name: String,
    },
    Acknowledged(Vec<u8>),
}

impl Note {
    /// True if this note records a write, a rename or the start of a sync. The shim can simulate a failure of each of
    /// these calls.
    pub(crate) fn can_fail(&self) -> bool {
        matches!(self, Self::Written { .. } | Self::Syncing { .. } | Self::Renamed { .. })
    }
}

pub(crate) fn read(log: &Path) -> Vec<Note> {
    let bytes = std::fs::read(log).unwrap();
    let mut rest = &bytes[..];
    let mut notes = Vec::new();
    // If the process was killed, its last note may be incomplete.
    while let Some((head, after)) = rest.split_at_checked(25) {
        let number = |at: usize| u64::from_le_bytes(*head[at..].first_chunk().unwrap());
        let (inode, position) = (number(1), number(9));
        let Some((payload, after)) = after.split_at_checked(usize::try_from(number(17)).unwrap()) else {
            break;
        };
        rest = after;
        let text = || String::from_utf8(payload.to_vec()).unwrap();
        notes.push(match head[0] {
            b'O' => Note::Created { inode, name: text() },
            b'M' => Note::Directory { inode, name: text() },
            b'W' => Note::Written { inode, at: usize::try_from(position).unwrap(), bytes: payload.to_vec() },
            b'T' => Note::Truncated { inode, bytes: usize::try_from(position).unwrap() },
            b'B' => Note::Syncing { sync: position },
            b'S' => Note::Synced { inode, sync: position },
            b'F' => Note::SyncFailed { inode },
            b'D' => Note::Dropped { inode },
            b'R' => {
                let both = text();
                let (from, to) = both.split_once('\0').unwrap();
                Note::Renamed { from: from.into(), to: to.into() }
            }
            b'U' => Note::Removed { name: text() },
            b'A' => Note::Acknowledged(payload.to_vec()),
            kind => panic!("unknown kind of note: {kind}"),
        });
    }
    notes
}
