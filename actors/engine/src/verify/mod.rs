//! Checks that a backup or a stopped store is complete and consistent.
//!
//! The check reads every row once in key order and looks up related rows: the index rows of a record, the record of an
//! index row, and referenced records. The check keeps in memory only the current row, the findings, the ids of all API
//! keys, and the last appointment of each staff member of the current business.
//!
//! Invariants:
//!
//! - The check changes nothing. It opens the store and reads.
//! - An unreadable row is a finding, and the check continues.
//! - Rows that are incomplete because of a crash or a deletion in progress are not findings.

mod business;
mod findings;
mod installation;
mod records;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use domain::BusinessId;
use store::{Key, Order, Rows, Store, StoreError, every_row, keys, piece_of, whole_value};

use self::business::InBusiness;
use self::findings::Checker;
pub use self::findings::Report;
use self::installation::Installation;
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

/// Verifies a directory that contains a backup or a stopped store.
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
    // If a checksum is wrong, the rows of the backup are not checked.
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

/// Checks every row. Fails if a row cannot be read for a reason other than damage.
pub fn check(rows: &dyn Rows) -> Result<Report, StoreError> {
    let mut checker = Checker::of(rows);
    let (mut installation, mut business) = (Installation::default(), InBusiness::default());
    for row in rows.scan(&every_row(), Order::Ascending) {
        let (key, row) = match row {
            Err(StoreError::Damaged { record, reason }) => {
                checker.report.add(format!("a record of kind {record} is damaged: {reason}"));
                break;
            }
            row => row?,
        };
        checker.report.rows += 1;
        let (Ok(of), Ok(kind)) = (keys::business_of(&key), keys::kind_of(&key)) else {
            checker.key = Key::new(&key);
            checker.wrong("its key has no kind");
            continue;
        };
        if of != checker.of {
            business.end(&mut checker);
            (checker.of, checker.key) = (of, Key::new(&key));
            business = InBusiness::begin(&mut checker);
        }
        checker.key = Key::new(&key);
        if business.is_skipped {
            continue;
        }
        if let Some(whole) = piece_of(&key) {
            if rows.get(&whole)?.is_none() {
                checker.wrong("it is a piece of a missing value");
            }
            continue;
        }
        let whole = whole_value(rows, &key, row);
        let Some(Some(value)) = checker.read(whole) else { continue };
        if of == BusinessId::INSTALLATION {
            installation.look(&mut checker, kind, &value);
        } else {
            business.look(&mut checker, kind, &value);
        }
        if let Some(error) = checker.failed.take() {
            return Err(error);
        }
    }
    business.end(&mut checker);
    installation.end(&mut checker);
    Ok(checker.report)
}
