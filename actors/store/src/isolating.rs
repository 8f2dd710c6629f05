//! Opens sled on a data directory and isolates the unreadable pages of sled's tree.
//!
//! The neighbours of an unreadable page show which businesses may have rows in the page. These businesses are set
//! aside. An empty leaf replaces the page ([`sled_log`]), because a corrupt page stops sled's cleaner.
//!
//! ```text
//! DIR/isolating            the old and the new bytes of the page; a start after a crash writes the new bytes again
//! DIR/page-OFFSET.damaged  the file `isolating`, renamed after the isolation
//! ```
//!
//! Invariants: `isolating` is durable before a byte of the page is replaced. `isolating` is renamed only when the
//! businesses are durably set aside. So a read of a business that had rows in the page fails. It never returns a result
//! without these rows.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{SEGMENTS_FILE, found, replace, space_of, sync_path};
use super::mark::NEWEST_KEY;
use super::opening::{SEGMENT_BYTES, Sled, open_sled};
use super::sled_log::{self, Last, Log, Pages, Unusable, Write};
use super::{StoreError, journal, tail};

#[derive(Clone)]
pub(super) struct Files {
    pub(super) dir: PathBuf,
    pub(super) store: PathBuf,
    pub(super) segments: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Isolating {
    ranges: Vec<Range>,
    writes: Vec<Write>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) lo: Vec<u8>,
    pub(super) hi: Vec<u8>,
    pub(super) offset: u64,
}

const NAME: &str = "isolating";

const SUM_BYTES: usize = 4;

impl Files {
    pub(super) fn of(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), store: dir.join("store"), segments: dir.join(SEGMENTS_FILE) }
    }

    /// Checks the log before sled opens it. `ended` is the end of the log at a clean stop. `synced` is the number of
    /// the newest durable batch. If `synced` is given, the caller later writes the batches of the journal to the tree.
    /// In this case, batches may be missing at the end of the log if the journal contains them. If `synced` is `None`,
    /// no batch may be missing from the log.
    pub(super) fn check(&self, ended: Option<u64>, synced: Option<u64>) -> Result<(), StoreError> {
        tail::restore(&self.store, SEGMENT_BYTES as u64)?;
        // A killed process may have left unsynced writes in the page cache. sled would read these writes, but a power
        // cut could still undo them. The file is therefore synced first.
        let log = found(fs::File::open(self.db()).and_then(|file| file.sync_all()));
        log.map_err(StoreError::preparing("syncing", self.db()))?;
        set_damaged_aside(&self.dir, &self.store)?;
        self.write_again()?;
        check_log(self, ended, synced)
    }

    pub(super) fn open(&self) -> Result<(Sled, u64), StoreError> {
        let free = space_of(&self.dir).map_or(u64::MAX, |space| space.free);
        tail::secure(&self.store, SEGMENT_BYTES as u64, free)?;
        open_sled(&self.store).map_err(|error| self.located(error))
    }

    /// Adds the offset of the first corrupt message to the error, because sled does not always state the offset.
    fn located(&self, error: StoreError) -> StoreError {
        match (&error, self.corrupt_pages(None).as_deref()) {
            (StoreError::DamagedFiles { .. }, Ok([(_, offset), ..])) => {
                self.damaged(*offset, "the checksum of a message is wrong")
            }
            _ => error,
        }
    }

    pub(super) fn opened(&self) -> Result<(), StoreError> {
        sync_path(&self.store.join("conf"))?;
        sync_path(&self.store)?;
        tail::let_go(&self.store)
    }

    /// Isolates the page of the tree to which the corrupt message at this offset belongs. If `offset` is `None`,
    /// isolates all corrupt pages. sled must be closed.
    ///
    /// # Errors
    /// Returns [`StoreError::DamagedAt`] if the page contains rows of the installation, or if its range of keys is
    /// unknown.
    pub(super) fn isolate(&self, offset: Option<u64>) -> Result<Vec<Range>, StoreError> {
        let Some((log, pages)) = self.pages()? else { return Ok(Vec::new()) };
        let corrupt = sled_log::corrupt_pages(&log, &pages, offset).map_err(|error| self.unusable(error))?;
        if corrupt.is_empty()
            && let Some(offset) = offset
        {
            return Err(self.damaged(offset, "the range of the page is not known"));
        }
        let kept = self.kept().map_err(|source| self.noting(source))?;
        let mut isolating = kept.unwrap_or_default();
        for (page, at) in corrupt {
            let plan = sled_log::plan(&log, &pages, page, at).map_err(|error| self.unusable(error))?;
            // The first pages contain rows of the installation, and the last page contains the number of the newest
            // batch. The store cannot work without these pages.
            if plan.lo.iter().take(16).all(|byte| *byte == 0) || plan.hi.is_empty() {
                return Err(self.damaged(at, "the page contains rows of the installation"));
            }
            isolating.writes.extend(plan.writes);
            isolating.ranges.push(Range { lo: plan.lo, hi: plan.hi, offset: at });
        }
        if !isolating.ranges.is_empty() {
            self.keep(&isolating).map_err(|source| self.noting(source))?;
            self.write_again()?;
        }
        Ok(isolating.ranges)
    }

    pub(super) fn corrupt_pages(&self, offset: Option<u64>) -> Result<Vec<(u64, u64)>, StoreError> {
        let Some((log, pages)) = self.pages()? else { return Ok(Vec::new()) };
        sled_log::corrupt_pages(&log, &pages, offset).map_err(|error| self.unusable(error))
    }

    fn pages(&self) -> Result<Option<(Log, Pages)>, StoreError> {
        let Some(log) = self.log().map_err(|error| self.unusable(error))? else { return Ok(None) };
        let pages = log.pages_past_damage().map_err(|error| self.unusable(error))?;
        Ok(Some((log, pages)))
    }

    fn log(&self) -> io::Result<Option<Log>> {
        Log::open(&self.store, &self.segments, SEGMENT_BYTES as u64)
    }

    /// True if the service can open the store, and every page of its tree is readable. Changes no file.
    pub(super) fn is_sound(&self, ended: Option<u64>, synced: u64) -> bool {
        let is_whole = || -> io::Result<bool> {
            let Some(log) = self.log()? else { return Ok(false) };
            log.is_whole_up_to_its_end(&log.pages()?, set_aside_lsn(&self.dir)?)
        };
        !self.note().exists()
            && sled_log::damaged_derived_files(&self.store).is_ok_and(|files| files.is_empty())
            && check_log(self, ended, Some(synced)).is_ok()
            && is_whole().unwrap_or(false)
    }

    pub(super) fn is_whole(&self, offset: u64) -> bool {
        self.log().is_ok_and(|log| log.is_some_and(|log| log.is_whole_at(offset)))
    }

    fn db(&self) -> PathBuf {
        self.store.join("db")
    }

    fn note(&self) -> PathBuf {
        self.dir.join(NAME)
    }

    fn noting(&self, error: io::Error) -> StoreError {
        StoreError::preparing("isolating a page by", self.note())(error)
    }

    fn unusable(&self, error: impl Into<Unusable>) -> StoreError {
        match error.into() {
            Unusable::Unreadable(source) => StoreError::preparing("reading", self.db())(source),
            Unusable::Damaged { offset, what } => self.damaged(offset, what),
        }
    }

    fn damaged(&self, offset: u64, what: &'static str) -> StoreError {
        StoreError::DamagedAt { path: self.db(), offset, what, dir: self.dir.clone() }
    }

    fn keep(&self, isolating: &Isolating) -> io::Result<()> {
        let content = bincode::serialize(isolating).map_err(io::Error::other)?;
        replace(&self.note(), 0o666, [&crc32fast::hash(&content).to_le_bytes()[..], &content].concat())
    }

    fn kept(&self) -> io::Result<Option<Isolating>> {
        let Some(bytes) = found(fs::read(self.note()))? else { return Ok(None) };
        let (sum, content) = bytes.split_at_checked(SUM_BYTES).unwrap_or_default();
        if crc32fast::hash(content).to_le_bytes() != *sum {
            return Err(io::Error::other("its checksum is wrong"));
        }
        bincode::deserialize(content).map(Some).map_err(io::Error::other)
    }

    /// Writes the replacements of the isolated pages, except in segments that sled has reused since. Repeating the
    /// writes has no further effect.
    fn write_again(&self) -> Result<(), StoreError> {
        let write = || {
            let (Some(isolating), Some(log)) = (self.kept()?, self.log()?) else { return Ok(()) };
            let db = OpenOptions::new().write(true).open(self.db())?;
            for Write { segment, at, bytes, .. } in &isolating.writes {
                if log.is_in_place(*segment, *at)? {
                    db.write_all_at(bytes, *at)?;
                }
            }
            db.sync_data()
        };
        write().map_err(|source| self.noting(source))
    }

    pub(super) fn unfinished(&self) -> Result<Vec<Range>, StoreError> {
        let kept = self.kept().map_err(|source| self.noting(source))?;
        Ok(kept.map(|isolating| isolating.ranges).unwrap_or_default())
    }

    pub(super) fn finish(&self, ranges: &[Range]) -> Result<(), StoreError> {
        let Some(first) = ranges.first() else { return Ok(()) };
        let aside = self.dir.join(format!("page-{}.damaged", first.offset));
        let renamed = fs::rename(self.note(), &aside).and_then(|()| fs::File::open(&self.dir)?.sync_all());
        renamed.map_err(|source| self.noting(source))
    }
}

/// Moves damaged files out of sled's directory, if sled can create them again from its log.
fn set_damaged_aside(dir: &Path, store: &Path) -> Result<(), StoreError> {
    for path in sled_log::damaged_derived_files(store)? {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".damaged");
        // The file must leave sled's directory, because sled reads each file named `snap.*` there.
        let aside = dir.join(name);
        tracing::warn!(file = %path.display(), aside = %aside.display(), "a damaged file is moved aside; the storage engine creates it again");
        let renamed = fs::rename(&path, &aside);
        renamed.map_err(StoreError::preparing("renaming the damaged file", path))?;
        sync_path(store)?;
    }
    Ok(())
}

/// Checks that the log is complete. The check also accepts a log with lost messages if [`can_lose_end`] is true. It
/// must run before sled opens the log, because sled then erases everything after the last valid message.
fn check_log(files: &Files, ended: Option<u64>, synced: Option<u64>) -> Result<(), StoreError> {
    let Some(log) = files.log().map_err(|error| files.unusable(error))? else { return Ok(()) };
    let can_lose_end = || match synced {
        Some(synced) => can_lose_end(files, &log, synced),
        None => Ok(false),
    };
    let mut checked = log.check(ended);
    if matches!(checked, Err(Unusable::Damaged { .. })) && ended.is_some() && can_lose_end()? {
        checked = log.check(None);
    }
    checked.map_err(|error| files.unusable(error))?;
    match log.erased().map_err(|error| files.unusable(error))? {
        Some(torn) if !can_lose_end()? => Err(files.unusable(torn)),
        _ => Ok(()),
    }
}

/// If the last part of a log contains an invalid message, sled erases all later messages when it opens the log.
/// Returns true if the store does not need the erased messages: each page is readable without them, and the journal
/// contains every batch up to `synced` that the tree lacks.
fn can_lose_end(files: &Files, log: &Log, synced: u64) -> Result<bool, StoreError> {
    let unusable = |error: io::Error| files.unusable(error);
    let aside = set_aside_lsn(&files.dir).map_err(unusable)?;
    let pages = log.pages().map_err(unusable)?;
    if !log.is_whole_up_to_its_end(&pages, aside).map_err(unusable)? {
        return Ok(false);
    }
    let kept = match sled_log::last_value(log, &pages, &NEWEST_KEY).map_err(unusable)? {
        Last::Value(number) => number.try_into().ok().map(u64::from_be_bytes),
        Last::Absent => Some(0),
        Last::Unreadable => None,
    };
    let Some(kept) = kept else { return Ok(false) };
    match journal::newest(&files.dir.join("journal"), kept) {
        Ok(newest) => Ok(newest >= synced),
        Err(StoreError::DamagedFiles { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the highest LSN of the snapshots that were set aside, or 0.
fn set_aside_lsn(dir: &Path) -> io::Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let lsn = name.strip_prefix("snap.").and_then(|name| name.strip_suffix(".damaged"));
        newest = newest.max(lsn.and_then(|lsn| u64::from_str_radix(lsn, 16).ok()).unwrap_or(0));
    }
    Ok(newest)
}

impl Range {
    pub(super) fn concerns(&self, business: &[u8; 16]) -> bool {
        let last = [&business[..], &[u8::MAX; super::KEY_BYTES_MAX]].concat();
        self.lo <= last && business[..] < self.hi[..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_concerns_the_businesses_with_keys_between_its_neighbours() {
        let key = |business: u8, rest: &[u8]| [&[business; 16][..], rest].concat();
        let range = |lo, hi| Range { lo, hi, offset: 0 };
        let within = range(key(5, &[1]), key(5, &[9]));
        let over = range(vec![5, 5], vec![7]);
        let up_to = range(key(4, &[200]), key(5, &[]));
        let concerned = |range: &Range| (1..=9).filter(|at| range.concerns(&[*at; 16])).collect::<Vec<u8>>();
        assert_eq!(concerned(&within), [5]);
        assert_eq!(concerned(&over), [5, 6]);
        assert_eq!(concerned(&up_to), [4]);
    }
}
