//! Online backups: copies of the store as of one point in time between two commits.
//!
//! ```text
//! DIR/rows            all rows in the order of their keys, in chunks of about 1 MiB
//! DIR/manifest.json   counts, the digest of each chunk, and the manifest's own digest
//! ```
//!
//! A row is the length of its key (1 byte), the length of its value (4 bytes, big-endian), the key and the
//! value.
//!
//! Invariants:
//!
//! - the manifest is written and renamed after everything else is durable; a directory without a manifest
//!   is not a backup;
//! - a digest covers each byte, and a reader checks the digest before it uses the byte;
//! - rows are copied unchanged, so a backup has the format of the store;
//! - the newest audit entry of each business contains the business's numbers of rows. A backup compares these
//!   numbers with the rows ([`crate::counting`]), and the manifest lists the differences. A backup with
//!   differences is restored only if the operator accepts it;
//! - a restore repeats the revocations, erasures and deletions since the backup. They are in the list of
//!   tombstones. Without the list, the restore revokes every API key and feed.

mod read;
pub(crate) mod reapply;
mod restore;
mod running;
mod write;

pub use self::read::{Backup, BackupError};
pub use self::restore::{RestoreError, Restored, restore};
pub(crate) use self::running::{BACKUP_ROWS, BackupCounts, Backups};
pub use self::running::{BackupFailure, BackupState};
pub use self::write::{Chunk, MANIFEST_FILE, Manifest, ROWS_FILE};
