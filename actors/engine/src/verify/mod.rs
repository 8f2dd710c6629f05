//! Checks that a backup or a stopped store is complete and consistent.
//!
//! The check reads every row once in key order and looks up related rows: a record's index rows, an index
//! row's record, a reference's target. Memory holds one row, the findings and the last appointment of each
//! staff member.
//!
//! Invariants:
//!
//! - The check changes nothing. It opens the store and reads.
//! - An unreadable row is a finding, and the check continues.
//! - The state after a crash, or during a deletion, is not a finding.

mod alerts;
mod appointments;
mod business;
mod contacts;
mod conversations;
mod findings;
mod installation;
mod mails;
mod people;
#[cfg(test)]
mod tests;
mod walk;
mod webhooks;

use std::path::{Path, PathBuf};

use store::{Store, StoreError};

pub use self::findings::Report;
pub use self::walk::check;
use crate::backup::{Backup, BackupError};

#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("{} is neither a backup nor a data directory", .0.display())]
    Nothing(PathBuf),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Verifies a directory with a backup or a stopped store.
///
/// # Errors
/// Returns an error if the directory contains neither a backup nor a store, is in use, or cannot be read.
pub async fn verify(dir: &Path) -> Result<Report, VerifyError> {
    if dir.join("store").is_dir() {
        let store = Store::open_disk(dir, Box::new(|_| ()))?;
        let report = check(&store.all_rows());
        let set_aside = store.businesses_set_aside();
        store.close().await?;
        let mut report = report?;
        for (business, reason) in set_aside {
            report.add(format!("business {business} is set aside: {reason}"));
        }
        return Ok(report);
    }
    if !dir.is_dir() || !["manifest.json", "rows"].iter().any(|name| dir.join(name).exists()) {
        return Err(VerifyError::Nothing(dir.to_owned()));
    }
    let backup = Backup::open(dir)?;
    // A backup with wrong checksums is not searched further.
    let mut damaged = Report::default();
    for at in 0..backup.chunks() {
        match backup.read_chunk(at) {
            Ok(_) => {}
            Err(error @ BackupError::Damaged { .. }) => damaged.add(error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    if damaged.is_whole() { Ok(check(&backup)?) } else { Ok(damaged) }
}
