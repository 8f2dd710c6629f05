//! What can go wrong in the store.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use domain::BusinessId;

/// The cause of an error of the storage engine, without naming the engine.
pub(super) type Cause = Box<dyn Error + Send + Sync>;

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The path of the data directory leads to something else.
    #[error("the data directory {} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// The data directory, or the store within it, could not be made.
    #[error("the data directory {} could not be created: {source}", .path.display())]
    CreateDirectory {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The lock of the data directory could not be tried.
    #[error("the data directory cannot be used: {} could not be locked: {source}", .path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What is to be made needs a directory that is not there, or empty.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// Another process holds the lock of the data directory.
    #[error("the data directory {} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// Values too large to be stored durably lie in the store.
    #[error("the store holds files in {} that were never durable; it cannot be trusted", .0.display())]
    Blobs(PathBuf),
    /// A file of the store could not be prepared for opening.
    #[error("{action} {} failed: {source}", .path.display())]
    Prepare {
        /// What was being done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The storage engine could not open what lies in the directory.
    #[error("the store in {} could not be opened: {source}", .path.display())]
    Open {
        /// The engine's directory.
        path: PathBuf,
        /// Why not.
        source: Cause,
    },
    /// The store's files are not as they were left.
    #[error("{} is damaged and stays closed: {source}. {}", .path.display(), advice(.path.parent()))]
    DamagedFiles {
        /// The engine's directory or the file, directly below the data directory.
        path: PathBuf,
        /// What the engine met.
        source: Cause,
    },
    /// A file of the store is damaged at a known place.
    #[error("{} is damaged and stays closed: {what}, at byte {offset}. {}", .path.display(), advice(Some(.dir)))]
    DamagedAt {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        offset: u64,
        /// What is wrong.
        what: &'static str,
        /// The data directory.
        dir: PathBuf,
    },
    /// A page of the store is corrupt. It is isolated, and the businesses with rows in it are set aside.
    #[error("a page of the store is corrupt: the message at byte {offset}")]
    Corrupt {
        /// The offset in sled's file.
        offset: u64,
    },
    /// The store holds less than had been synced.
    #[error(
        "the store in {} is damaged and stays closed: it ends at batch {kept}, and all up to {synced} had been \
         synced. {}",
        .path.display(),
        advice(.path.parent())
    )]
    Lost {
        /// The engine's directory.
        path: PathBuf,
        /// The newest batch in it.
        kept: u64,
        /// The newest batch that had been synced.
        synced: u64,
    },
    /// The store could not be opened for want of room on its disk.
    #[error(
        "the disk of {} is full: {free} bytes are free, and the store needs {needed} to start ({source})",
        .path.display()
    )]
    Full {
        /// The data directory.
        path: PathBuf,
        /// How many bytes are free.
        free: u64,
        /// How many it needs.
        needed: u64,
        /// What failed.
        source: Box<StoreError>,
    },
    /// The file that says how far the store was synced does not.
    #[error("{} is damaged: it does not say how far the store was synced. {}", .0.display(), advice(.0.parent()))]
    Mark(PathBuf),
    /// Reading failed.
    #[error("reading the store failed: {0}")]
    Read(#[source] Cause),
    /// Writing a batch failed. Nobody knows what of it will be there after a restart.
    #[error("writing to the store failed: {0}")]
    Apply(#[source] Cause),
    /// Making the written batches durable failed. It is never tried again: the kernel may have dropped the pages.
    #[error("syncing the store failed: {0}")]
    Sync(#[source] Cause),
    /// The thread or task that writes ended in a panic.
    #[error("the writer of the store ended in a panic")]
    Panicked,
    /// The store stopped for good after an earlier error.
    #[error("the store has stopped after an error")]
    Stopped,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// Stamps were being repaired, and that has not come to its end.
    #[error("a repair of its stamps was begun and is not finished: run `receptionist repair-stamps` again")]
    RepairUnfinished,
    /// The store is being read as it was at a point by as many as may.
    #[error("the store is being copied and exported by as many as may at once")]
    SnapshotsTaken,
    /// More rows were overwritten, while the store was read as it was at a point, than could be kept of them.
    #[error("more was changed at once than could be kept aside")]
    Overwritten,
    /// A list of what must not come back holds something else.
    #[error("line {line} of {} is none that this version knows", .path.display())]
    Tombstone {
        /// The list.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// A copy of such a list does not belong to its digest.
    #[error(
        "{} is damaged: its lines do not have the SHA-256 in its first line. Name another copy of the list, or move the \
         file elsewhere", .0.display()
    )]
    TombstonesDamaged(PathBuf),
    /// A copy of such a list has lines that the list of the data directory does not begin with.
    #[error(
        "{} is the list of another service, or of this one before it was restored without the list; it stays as it is. Keep \
         the backups of this service in a directory of their own", .0.display()
    )]
    TombstonesOfAnother(PathBuf),
    /// The directory was being restored into, and that has not come to its end.
    #[error(
        "a restore into {} was begun and is not finished: remove what is in it, and restore again", .0.display()
    )]
    RestoreUnfinished(PathBuf),
    /// A record was written by a version of the service that this one does not know.
    #[error("a record of kind {record} has version {found}, which this version of the service does not know")]
    Version {
        /// The kind of record.
        record: &'static str,
        /// Its version byte.
        found: u8,
    },
    /// A record is not what its kind says.
    #[error("a record of kind {record} is damaged: {reason}")]
    Damaged {
        /// The kind of record.
        record: &'static str,
        /// What is wrong with it; names no content of it.
        reason: String,
    },
    /// The root of the actors has ended: nothing would be started or swept any more.
    #[error("the supervisor of the actors has failed")]
    Unsupervised,
    /// A row does not decode, for this reason. It was told and counted, and stays where it is.
    #[error("a row of the store is set aside: {0}")]
    SetAside(#[source] Box<StoreError>),
    /// The business is set aside: the store has lost or damaged some of its rows.
    #[error("the business {business} is set aside: the store has lost or damaged some of its rows")]
    BusinessSetAside {
        /// The business.
        business: BusinessId,
    },
    /// The list of the businesses that are set aside holds something else.
    #[error(
        "line {line} of {} does not name a business that is set aside: it needs an id, a space and a reason",
        .path.display()
    )]
    SetAsideFile {
        /// The list.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// The store has an earlier format, and it was ruled out that it be converted.
    #[error(
        "the store has format {found} and would have to be converted to format {known}, which --no-upgrade \
         (RECEPTIONIST_NO_UPGRADE) rules out: start without it, or use the version that wrote the store"
    )]
    UpgradeRefused {
        /// The format found.
        found: u16,
        /// The format known.
        known: u16,
    },
    /// The store has an earlier format, and this does not convert it.
    #[error(
        "the store has format {found}, and this is done with stores of format {known} only: start the service on \
         it, which converts it"
    )]
    NotUpgraded {
        /// The format found.
        found: u16,
        /// The format known.
        known: u16,
    },
    /// The file that says which versions may read and write the store does not.
    #[error("{} is damaged: it does not say which versions may use the store", .0.display())]
    FormatFile(PathBuf),
    /// The whole store is laid out in a way this version of the service does not know.
    #[error(
        "the store has format {found}, this version of the service knows only formats up to {known}: use the \
         version that wrote it, or an empty directory"
    )]
    Format {
        /// The format found.
        found: u16,
        /// The format known.
        known: u16,
    },
}

/// What to do about a damaged store in this data directory.
fn advice(dir: Option<&Path>) -> String {
    format!(
        "Restore a backup, or write the rows that can still be read into a new store: receptionist salvage --data-dir {} \
         --to NEW",
        dir.unwrap_or(Path::new("DIR")).display()
    )
}

impl StoreError {
    /// Whether it is an error of opening that a full disk can be the cause of.
    pub(super) fn may_be_of_a_full_disk(&self) -> bool {
        use StoreError::{CreateDirectory, DamagedFiles, Lock, Open, Prepare, Sync};
        matches!(
            self,
            CreateDirectory { .. }
                | Lock { .. }
                | Prepare { .. }
                | Open { .. }
                | DamagedFiles { .. }
                | Sync(_)
        )
    }

    /// A record of this kind that is damaged in this way.
    pub fn damaged(record: &'static str, reason: impl Into<String>) -> Self {
        Self::Damaged { record, reason: reason.into() }
    }
}
