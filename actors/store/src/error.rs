use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use domain::BusinessId;

pub(super) type Cause = Box<dyn Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the data directory {} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("the data directory {} could not be created: {source}", .path.display())]
    CreateDirectory { path: PathBuf, source: io::Error },
    #[error("the data directory cannot be used: {} could not be locked: {source}", .path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    #[error("the data directory {} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The store contains blob files. sled writes them for large values and never syncs them.
    #[error("the store contains files in {} that were never synced, so it may have lost data", .0.display())]
    Blobs(PathBuf),
    #[error("{action} {} failed: {source}", .path.display())]
    Prepare { action: &'static str, path: PathBuf, source: io::Error },
    #[error("the store in {} could not be opened: {source}", .path.display())]
    Open { path: PathBuf, source: Cause },
    /// A file of the store is damaged. `path` must be directly in the data directory, because the advice in the message
    /// names its parent.
    #[error("{} is damaged and stays closed: {source}. {}", .path.display(), advice(.path.parent()))]
    DamagedFiles { path: PathBuf, source: Cause },
    #[error("{} is damaged and stays closed: {what}, at byte {offset}. {}", .path.display(), advice(Some(.dir)))]
    DamagedAt { path: PathBuf, offset: u64, what: &'static str, dir: PathBuf },
    /// A page is corrupt. The read that found the page has isolated it, and has set aside the businesses with
    /// rows in it.
    #[error("a page of the store is corrupt: the message at byte {offset}")]
    Corrupt { offset: u64 },
    /// Synced batches are missing. `kept` is the number of the newest batch in the store, `synced` the number of the
    /// newest batch that was synced.
    #[error(
        "the store in {} is damaged and stays closed: its newest batch is {kept}, but batch {synced} was \
         synced. {}",
        .path.display(),
        advice(.path.parent())
    )]
    Lost { path: PathBuf, kept: u64, synced: u64 },
    #[error(
        "the disk of {} is full: {free} bytes are free, and the store needs {needed} to start ({source})",
        .path.display()
    )]
    Full { path: PathBuf, free: u64, needed: u64, source: Box<StoreError> },
    #[error(
        "{} is damaged: it does not contain the number of the newest batch. {}", .0.display(), advice(.0.parent()))]
    Mark(PathBuf),
    #[error("reading the store failed: {0}")]
    Read(#[source] Cause),
    /// Writing a batch failed. After a restart, the store may or may not contain the batch.
    #[error("writing to the store failed: {0}")]
    Apply(#[source] Cause),
    /// Syncing failed. The store never retries a sync: the kernel may have dropped the unwritten pages.
    #[error("syncing the store failed: {0}")]
    Sync(#[source] Cause),
    #[error("the writer of the store panicked")]
    Panicked,
    #[error("the store has stopped after an error")]
    Stopped,
    #[error("the store is closed")]
    Closed,
    #[error(
        "the repair of the timestamps in this store is not finished: run `receptionist repair-stamps` again"
    )]
    RepairUnfinished,
    #[error("too many backups and exports are reading the store")]
    SnapshotsTaken,
    #[error("too many rows were overwritten during the read: the store could not save all their old values")]
    Overwritten,
    /// A line of the list of tombstones has an unknown format. Lines are numbered from 1.
    #[error("this version does not know the format of line {line} of {}", .path.display())]
    Tombstone { path: PathBuf, line: usize },
    #[error(
        "{} is damaged: the SHA-256 in its first line does not match its other lines. Name another copy of the list, or \
         move the file elsewhere", .0.display()
    )]
    TombstonesDamaged(PathBuf),
    /// The directory of backups contains a copy of another list of tombstones: the list in the data directory does not
    /// begin with the lines of the copy. The copy is therefore not replaced.
    #[error(
        "{} is the list of another service, or this service was restored without this list. The file was not changed. \
         Keep the backups of each service in a separate directory", .0.display()
    )]
    TombstonesOfAnother(PathBuf),
    #[error(
        "a restore into {} is not finished: empty the directory, and restore again", .0.display()
    )]
    RestoreUnfinished(PathBuf),
    #[error("a record of kind {record} has version {found}, which this version of the service does not know")]
    Version { record: &'static str, found: u8 },
    /// A record cannot be decoded. `reason` must contain no part of the record, because the record may be personal
    /// data.
    #[error("a record of kind {record} is damaged: {reason}")]
    Damaged { record: &'static str, reason: String },
    /// The root supervisor has ended, so no actor can be started.
    #[error("the supervisor of the actors has failed")]
    Unsupervised,
    /// A row cannot be decoded. The row was logged and counted, and stays in the store.
    #[error("a row of the store is set aside: {0}")]
    SetAside(#[source] Box<StoreError>),
    #[error("the business {business} is set aside: some of its rows are lost or damaged")]
    BusinessSetAside { business: BusinessId },
    #[error(
        "line {line} of {} does not name a business that is set aside: it needs an id, a space and a reason",
        .path.display()
    )]
    SetAsideFile { path: PathBuf, line: usize },
    #[error(
        "the store has format {found} and would have to be converted to format {known}, which --no-upgrade \
         (RECEPTIONIST_NO_UPGRADE) forbids: start without this option, or use the version that wrote the store"
    )]
    UpgradeRefused { found: u16, known: u16 },
    #[error(
        "the store has format {found}, but this command needs format {known}: start the service on it, which \
         converts the store"
    )]
    NotUpgraded { found: u16, known: u16 },
    #[error(
        "{} is damaged: it does not state the versions that may use the store. Rename the file and start again: the store \
         also contains its format, and the service writes the file again",
        .0.display()
    )]
    FormatFile(PathBuf),
    #[error(
        "the store has format {found}, this version of the service knows only formats up to {known}: use the \
         version that wrote the store, or an empty directory"
    )]
    Format { found: u16, known: u16 },
}

fn advice(dir: Option<&Path>) -> String {
    format!(
        "Restore a backup, or write the rows that can still be read into a new store: receptionist salvage --data-dir {} \
         --to NEW",
        dir.unwrap_or(Path::new("DIR")).display()
    )
}

impl StoreError {
    pub(super) fn may_be_of_a_full_disk(&self) -> bool {
        use StoreError as E;
        matches!(self, E::CreateDirectory { .. } | E::Lock { .. } | E::Prepare { .. } | E::Open { .. })
            || matches!(self, E::DamagedFiles { .. } | E::Sync(_))
    }

    pub(super) fn preparing(action: &'static str, path: impl Into<PathBuf>) -> impl Fn(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Prepare { action, path: path.clone(), source }
    }

    pub fn damaged(record: &'static str, reason: impl Into<String>) -> Self {
        Self::Damaged { record, reason: reason.into() }
    }
}
