//! Proving a backup or a stopped store whole, and naming what is not.
//!
//! It reads every row once, in the order of the keys, and looks up what each has to agree with: a record its index rows,
//! an index row its record, a reference what it names. Memory is that of one row, of the findings, and of the last
//! appointment of each staff member of a business. What always holds:
//!
//! - nothing is changed; opening a data directory is all that is done to it;
//! - a row that cannot be read as what it is to be is a finding, and the rest is looked at all the same;
//! - what a crash, a kill or a deletion that is not finished may leave is no finding.

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

/// Why nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// There is nothing to verify.
    #[error("{} is neither a backup nor a data directory", .0.display())]
    Nothing(PathBuf),
    /// The backup cannot be used.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Verifies what is in a directory: a backup, or the store of a service that is stopped.
///
/// # Errors
/// When there is neither, it is in use, or it cannot be read.
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
    // Nothing is looked up in a backup whose bytes are not those that were written.
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
