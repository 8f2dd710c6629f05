//! Creates a new store from the readable rows of a damaged store.
//!
//! Rules:
//!
//! - The damaged store is not changed. If it has a lock file, the salvage holds the lock.
//! - A batch of the journal that is newer than the tree is always applied, even if other new batches are missing.
//! - A batch of the journal that is not newer than the tree is applied again, because this restores unreadable rows.
//!   Exception: if the journal lacks a later batch, the batch is not applied again, because its old values could
//!   replace newer values in the tree.
//! - Until the salvage is finished, the service does not open the new store ([`super::filling`]).
//! - The new store gets a copy of the list of tombstones and a copy of the format, each only if the new store does not
//!   have one yet. It gets no list of businesses that are set aside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::disk::{LOCK_FILE, locked};
use super::files::{found, sync_path};
use super::isolating::Files;
use super::journal::{self, Found};
use super::mark::{self, NEWEST_KEY};
use super::opening::SEGMENT_BYTES;
use super::sled_log;
use super::{Filling, Store, StoreError, TOMBSTONES_FILE, filling, format, keys, piece_of};

/// All batches up to the number `found` were found, but not the next batch. The newest batch of the store had
/// the number `stored`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    pub found: u64,
    pub stored: u64,
}

pub struct Salvaging {
    pub store: Store,
    /// The offsets of the unreadable parts of sled's file `db`.
    pub unreadable: Vec<u64>,
    /// True if the service could have opened the store, and every page of its tree is readable.
    pub is_sound: bool,
    /// The missing batches. It is `None` if every batch was found, or if the number of the newest batch is unknown.
    pub missing: Option<Missing>,
    from: PathBuf,
    to: PathBuf,
    _lock: Option<File>,
}

impl Salvaging {
    /// Writes the readable rows of the store in `from` to a new store in `to`, which must be a missing or empty
    /// directory.
    ///
    /// # Errors
    /// Returns an error if a service uses the store, `db` is missing, or the new store cannot be created.
    pub fn begin(from: &Path, to: &Path) -> Result<Self, StoreError> {
        let lock = lock(from)?;
        filling::check_finished(from)?;
        match format::check(from) {
            Ok(()) | Err(StoreError::FormatFile(_)) => {} // a row of the store also contains the format
            Err(error) => return Err(error),
        }
        let db = from.join("store").join("db");
        let read = StoreError::preparing("reading", &db);
        let log = sled_log::Salvage::open(&db, SEGMENT_BYTES as u64, is_key).map_err(&read)?;
        let newest = log.last(&NEWEST_KEY).map_err(&read)?;
        let newest = newest.and_then(|value| Some(u64::from_be_bytes(value.try_into().ok()?)));
        let journal = from.join("journal");
        let found = journal::salvage(&journal).map_err(StoreError::preparing("reading", &journal))?;
        let number = found.last().map_or(0, |found| found.number).max(newest.unwrap_or(0));
        let marked = mark::read(&from.join("committed")).unwrap_or_else(|error| {
            tracing::warn!(%error, "the number of the newest change cannot be read");
            None
        });
        let missing = marked.and_then(|marked| missing(&found, newest.unwrap_or(0), marked.number));
        let is_sound = marked.is_some_and(|marked| Files::of(from).is_sound(marked.ended, marked.number));
        let mut filling = Filling::begin(to, number)?;
        let mut changes = changes(found, newest).into_iter().peekable();
        for row in log.rows() {
            let row = row.map_err(&read)?;
            while let Some((key, value)) = changes.next_if(|(key, _)| *key < row.0) {
                value.map_or(Ok(()), |value| filling.put((key, value)))?;
            }
            let change = changes.next_if(|(key, _)| *key == row.0);
            let row = change.map_or(Some(row), |(key, value)| Some((key, value?)));
            row.filter(|(key, _)| *key != NEWEST_KEY).map_or(Ok(()), |row| filling.put(row))?;
        }
        for (key, value) in changes {
            value.map_or(Ok(()), |value| filling.put((key, value)))?;
        }
        let store = filling.into_store(Box::new(|_| ()))?;
        let (unreadable, from, to) = (log.unreadable, from.into(), to.into());
        Ok(Self { store, unreadable, is_sound, missing, from, to, _lock: lock })
    }

    pub async fn finish(self) -> Result<(), StoreError> {
        self.store.close().await?;
        self.copy(TOMBSTONES_FILE)?;
        if matches!(format::of(&self.from), Ok(Some(_))) {
            self.copy(format::NAME)?;
        }
        Filling::finish(&self.to)
    }

    fn copy(&self, name: &str) -> Result<(), StoreError> {
        let (from, to) = (self.from.join(name), self.to.join(name));
        if fs::metadata(&to).is_ok_and(|own| own.len() > 0) {
            return Ok(());
        }
        let copied = found(fs::copy(&from, &to)).map_err(StoreError::preparing("copying", from))?;
        copied.map_or(Ok(()), |_| sync_path(&to))
    }
}

fn lock(dir: &Path) -> Result<Option<File>, StoreError> {
    let path = dir.join(LOCK_FILE);
    let file = found(File::open(&path)).map_err(|source| StoreError::Lock { path, source })?;
    file.map(|file| locked(file, dir)).transpose()
}

fn is_key(key: &[u8]) -> bool {
    key == NEWEST_KEY
        || piece_of(key).map_or_else(|| keys::is_well_formed(key), |whole| keys::is_well_formed(&whole))
}

/// Returns `None` if every batch of the damaged store is in its tree or in its journal. `stored` is the recorded number
/// of the newest batch. The tree contains the batches up to the number `newest`. `found` contains the batches of the
/// journal.
fn missing(found: &[Found], newest: u64, stored: u64) -> Option<Missing> {
    let numbers: BTreeSet<u64> = found.iter().map(|found| found.number).collect();
    let first = (newest + 1..=stored).find(|number| !numbers.contains(number))?;
    Some(Missing { found: first - 1, stored })
}

/// Returns the changes in the journal that must be applied to a tree whose newest batch has the number `newest`.
fn changes(found: Vec<Found>, newest: Option<u64>) -> BTreeMap<Vec<u8>, Option<Vec<u8>>> {
    let after = |number: u64| newest.is_some_and(|newest| number > newest);
    let is_older = found.last().is_none_or(|last| newest.is_some_and(|newest| newest > last.number));
    let follows = |pair: &[Found]| pair[0].number + 1 == pair[1].number;
    let whole = found.windows(2).rposition(|pair| !follows(pair)).map_or(0, |before| before + 1);
    let applied = found.into_iter().enumerate();
    let applied = applied.filter(|(at, found)| !is_older && (*at >= whole || after(found.number)));
    applied.flat_map(|(_, found)| found.rows).collect()
}

#[cfg(test)]
mod tests;
