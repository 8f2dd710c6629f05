//! Copies of the store at a point between two commits, made while commits go on, and what becomes of them.
//!
//! ```text
//! DIR/rows            every row in the order of the keys, one behind the other: chunks of about 1 MiB
//! DIR/manifest.json   what is in it, the digest of each chunk, and the manifest's own digest
//! ```
//!
//! A row is the length of its key (1 byte), that of its value (4 bytes, big-endian), the key and the value. What always
//! holds:
//!
//! - the manifest is written last and moved into its place when everything else is on the disk: without one there is no
//!   backup, whatever else is there;
//! - every byte of a backup is under a digest, and nothing of it is used before that is checked;
//! - rows are copied as they are kept, so a backup has the format that the store had;
//! - the recorded usage of each business is compared with the rows that pass ([`crate::counting`]). A backup with a
//!   difference names it in the manifest and is restored only if the operator accepts that;
//! - what was taken back since stays so: a restore is told of it by the lists beside the store, or revokes every key.

mod manifest;
mod read;
mod restore;
mod running;
#[cfg(test)]
mod tests;
mod write;

pub use self::manifest::{Chunk, MANIFEST_FILE, Manifest, ROWS_FILE};
pub use self::read::{Backup, BackupError};
pub use self::restore::{RestoreError, Restored, restore};
pub use self::running::BackupState;
pub(crate) use self::running::{BACKUP_ROWS, BackupCounts, Backups};
