//! Writes batches to the journal and the memtable and, in the background, to the tree.
//!
//! The committer writes a batch to the journal, syncs the journal and adds the rows to the memtable. A *checkpoint*
//! writes the rows of the memtable to the tree, syncs the tree and frees the journal records of these rows. A thread
//! makes the checkpoints.
//!
//! Invariants:
//!
//! - A batch is durable in the journal before its rows are visible. Its record is freed only after the tree has synced
//!   its rows. After a crash, opening writes the rows of the journal to the tree.
//! - Batches are written in the order of their numbers.
//! - After the first error no file is written or synced, and no record is freed.

use std::fs::File;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use domain::{BusinessId, ResourceId};
use parking_lot::{Condvar, Mutex, MutexGuard};

use super::backend::{OnFailure, OnIsolated, Rest};
use super::damaged::past_corrupt_pages;
use super::isolating::{Files, Range};
use super::journal::{JOURNAL_BYTES, Journal};
use super::mark::Mark;
use super::memtable::Memtable;
use super::opening::SEGMENT_BYTES;
use super::sled_log::Log;
use super::syncs::{By, Syncs};
use super::tree::{Tree, all_rows};
use super::{Batch, KeyRange, Order, Pair, Pairs, StoreError, keys};

/// The maximum time between a batch and its checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// A checkpoint is due when the batches of the active memtable take this many bytes in the journal.
const TABLE_BYTES: u64 = JOURNAL_BYTES / 4;

pub(super) struct Home {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    files: Files,
    tree: Tree,
    memtable: Arc<Memtable>,
    journal: Journal<File>,
    mark: Mark,
    saving: Mutex<()>,
    state: Mutex<State>,
    /// `due` is notified when a checkpoint is due, `saved` when a checkpoint is complete.
    due: Condvar,
    saved: Condvar,
    on_failure: OnceLock<OnFailure>,
    on_isolated: OnceLock<OnIsolated>,
    isolating: Mutex<()>,
}

/// The fields `written`, `applied` and `saved` are sequence numbers of batches. `written` is the number of the newest
/// batch in the journal.
#[derive(Default)]
struct State {
    written: u64,
    /// The newest batch that readers can see, in the memtable or the tree.
    applied: u64,
    /// The newest batch that is durable in the tree.
    saved: u64,
    /// The bytes that the batches of the active memtable take in the journal.
    table_bytes: u64,
    is_due: bool,
    is_resting: bool,
    ends: bool,
    failed: bool,
}

impl Home {
    pub(super) fn of(
        files: Files,
        tree: Tree,
        journal: Journal<File>,
        mark: Mark,
        newest: u64,
    ) -> Result<Self, StoreError> {
        let state = State { written: newest, applied: newest, saved: newest, ..State::default() };
        let shared = Arc::new(Shared {
            files,
            tree,
            memtable: Arc::default(),
            journal,
            mark,
            saving: Mutex::default(),
            state: Mutex::new(state),
            due: Condvar::new(),
            saved: Condvar::new(),
            on_failure: OnceLock::new(),
            on_isolated: OnceLock::new(),
            isolating: Mutex::default(),
        });
        let name = "checkpoints";
        let saving = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            let _end = End(&saving);
            if let Err(error) = saving.save_all() {
                let _ = saving.fail(error);
            }
        });
        let thread = thread.map_err(StoreError::preparing("starting the thread", name))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.shared.memtable.get(key) {
            Some(row) => Ok(row),
            None => {
                past_corrupt_pages(|| self.shared.tree.get(key).map_err(|error| self.shared.isolated(error)))
            }
        }
    }

    pub(super) fn scan(&self, range: &KeyRange, order: Order) -> Pairs<'static> {
        let shared = Arc::clone(&self.shared);
        let pairs = self.shared.memtable.scan(range, order, self.shared.tree.seek());
        Box::new(pairs.map(move |pair| pair.map_err(|error| shared.isolated(error))))
    }

    pub(super) fn on_isolated(&self, set_aside: OnIsolated) -> Result<(), StoreError> {
        let _ = self.shared.on_isolated.set(set_aside);
        let ranges = self.shared.files.unfinished()?;
        let tree = self.shared.tree.clone();
        self.shared.set_aside(&ranges, move |rest| tree.seek()(rest))
    }

    pub(super) fn syncs(&self) -> &Arc<Syncs> {
        self.shared.tree.syncs()
    }

    pub(super) fn file(&self) -> &File {
        self.shared.tree.file()
    }

    pub(super) fn on_failure(&self, report: OnFailure) {
        let _ = self.shared.on_failure.set(report);
    }

    pub(super) fn newest(&self) -> u64 {
        self.shared.state.lock().written
    }

    pub(super) fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let mut state = shared.usable()?;
        state.written += 1;
        shared.journal.encode(state.written, batch);
        while !shared.journal.has_room() {
            shared.ask(&mut state);
            shared.saved.wait(&mut state);
            state.check()?;
        }
        drop(state);
        let appended = shared.journal.append();
        let bytes = appended.map_err(|error| shared.ended_by(StoreError::Apply(error.into())))?;
        shared.usable()?.table_bytes += bytes;
        Ok(())
    }

    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let synced = self.syncs().during(By::Committer, || self.shared.journal.sync());
        synced.map_err(|error| self.shared.ended_by(StoreError::Sync(error.into())))
    }

    pub(super) fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let number = shared.usable()?.written;
        loop {
            let applied = shared.memtable.apply(number, batch, |key| shared.tree.contains(key));
            match applied.map_err(|error| shared.isolated(error)) {
                Err(StoreError::Corrupt { .. }) => {}
                applied => break applied.map_err(|error| shared.ended_by(error))?,
            }
        }
        let mut state = shared.usable()?;
        state.applied = number;
        if state.table_bytes >= TABLE_BYTES {
            shared.memtable.close();
            state.table_bytes = 0;
            shared.ask(&mut state);
        } else if state.is_resting {
            shared.due.notify_one();
        }
        Ok(())
    }

    pub(super) fn note_durable(&self) -> Result<(), StoreError> {
        let noted = self.shared.mark.write(self.newest());
        noted.map_err(|error| self.shared.ended_by(StoreError::Sync(error.into())))
    }

    /// Writes rows directly to the tree, as part of the batch with this number. [`Home::save`] makes them durable.
    pub(super) fn fill(&self, number: u64, rows: &[Pair]) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let _saving = shared.saving.lock();
        let pairs = rows.iter().map(|(key, value)| (&key[..], Some(&value[..])));
        let filled = shared.save_tables().and_then(|_| shared.tree.write(number, pairs));
        shared.memtable.filled();
        filled.map_err(|error| shared.ended_by(error))?;
        let mut state = shared.usable()?;
        // The next save must sync these rows. A save syncs the tree only if `saved` is less than `applied`. But `saved`
        // may equal `number`, after an earlier call with the same number and a save. So each call reduces `saved`.
        (state.written, state.applied, state.saved) = (number, number, number.saturating_sub(1));
        Ok(())
    }

    /// Makes every applied batch durable in the tree.
    pub(super) fn save(&self) -> Result<(), StoreError> {
        self.shared.save()?;
        self.note_durable()
    }

    pub(super) fn unsaved_bytes(&self) -> u64 {
        self.shared.memtable.bytes()
    }

    #[cfg(test)]
    pub(super) fn unsynced_log_bytes(&self) -> u64 {
        self.shared.tree.log_bytes()
    }

    /// Closes the files. After a failure the store is not marked as cleanly closed.
    pub(super) fn close(mut self) {
        self.end();
        let shared = Arc::clone(&self.shared);
        drop(self);
        let is_closed = shared.tree.close();
        let (is_saved, written) = {
            let state = shared.state.lock();
            (!state.failed && state.written == state.saved, state.written)
        };
        if !is_closed || !is_saved {
            return;
        }
        let files = &shared.files;
        let ended = Log::open(&files.store, &files.segments, SEGMENT_BYTES as u64);
        let ended = ended.and_then(|log| log.map_or(Ok(0), |log| log.end()));
        if let Err(error) = ended.and_then(|ended| shared.mark.close(written, ended)) {
            tracing::warn!(%error, "the store could not be marked as closed; the next start checks it as after a crash");
        }
    }

    fn end(&mut self) {
        self.shared.state.lock().ends = true;
        self.shared.tell_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic was already reported
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn check(&self) -> Result<(), StoreError> {
        if self.failed { Err(StoreError::Stopped) } else { Ok(()) }
    }
}

impl Shared {
    fn usable(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state.lock();
        state.check()?;
        Ok(state)
    }

    fn ask(&self, state: &mut State) {
        state.is_due = true;
        self.due.notify_one();
    }

    fn tell_all(&self) {
        self.due.notify_all();
        self.saved.notify_all();
    }

    /// Marks the store as failed and wakes all waiting threads. Returns the error, but does not report it.
    fn ended_by(&self, error: StoreError) -> StoreError {
        self.state.lock().failed = true;
        self.tell_all();
        error
    }

    /// Reports an error of background work and stops the store.
    fn fail(&self, error: StoreError) -> StoreError {
        match self.on_failure.get() {
            Some(report) => report(&error),
            None => tracing::error!(%error, "the store has failed"),
        }
        self.ended_by(error)
    }

    /// Isolates the corrupt page that an error [`StoreError::Corrupt`] names. If the isolation fails, stops the store.
    fn isolated(&self, error: StoreError) -> StoreError {
        let StoreError::Corrupt { offset } = error else { return error };
        match self.isolate(Some(offset)) {
            Ok(()) => error,
            Err(failed) => self.fail(failed),
        }
    }

    /// Isolates the page with the corrupt message at this offset, or all corrupt pages if the offset is `None`.
    fn isolate(&self, offset: Option<u64>) -> Result<(), StoreError> {
        let _isolating = self.isolating.lock();
        drop(self.usable()?);
        if offset.is_some_and(|offset| self.files.is_whole(offset)) {
            return Ok(()); // another thread has isolated the page
        }
        tracing::error!(store.offset = offset, "a page of the store is corrupt; it is being isolated");
        if offset.is_none() {
            self.tree.flush()?;
            if self.files.corrupt_pages(None)?.is_empty() {
                self.tree.abandon();
                return Err(StoreError::Read("the cleaner of the storage engine has ended".into()));
            }
        }
        self.tree.reopen(
            &self.files,
            || self.files.isolate(offset),
            |tree, ranges| {
                let tree = tree.clone();
                self.set_aside(ranges, move |rest| all_rows(&tree, rest))
            },
        )
    }

    fn set_aside(
        &self,
        ranges: &[Range],
        seek: impl Fn(&Rest) -> Pairs<'static> + Send + Clone + 'static,
    ) -> Result<(), StoreError> {
        let Some(set_aside) = self.on_isolated.get() else { return Ok(()) };
        for range in ranges {
            let reason = format!("a page of the store was corrupt at byte {} of store/db", range.offset);
            for kind in [keys::installation_kind::BUSINESS_INDEX, keys::installation_kind::MOVING] {
                let listed = keys::of_kind(BusinessId::INSTALLATION, kind);
                for pair in self.memtable.scan(&listed, Order::Ascending, seek.clone()) {
                    let business: BusinessId = keys::id_at_end(&pair?.0)?;
                    if business != BusinessId::INSTALLATION && range.concerns(business.uuid().as_bytes()) {
                        set_aside(business, &reason)?;
                    }
                }
            }
        }
        self.files.finish(ranges)
    }

    /// Makes checkpoints until the store closes or fails. The caller reports the returned error.
    fn save_all(&self) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        while !state.failed && !state.ends {
            if self.tree.has_lost_cleaner() {
                MutexGuard::unlocked(&mut state, || self.isolate(None))?;
            } else if state.applied == state.saved {
                MutexGuard::unlocked(&mut state, || self.list_segments())?;
                if state.applied == state.saved && !state.ends {
                    (state.is_due, state.is_resting) = (false, true);
                    let _ = self.due.wait_for(&mut state, CHECKPOINT_EVERY); // wakes up to check the cleaner
                    state.is_resting = false;
                }
            } else {
                // The flag is cleared before the checkpoint, so that a request that arrives during the checkpoint
                // causes another one.
                let is_due = std::mem::take(&mut state.is_due)
                    || self.due.wait_for(&mut state, CHECKPOINT_EVERY).timed_out();
                if is_due && MutexGuard::unlocked(&mut state, || self.save()).is_err() {
                    return Ok(()); // `save` has reported the error
                }
            }
        }
        Ok(())
    }

    /// Syncs the tree if sled's cleaner has completed segments since the last checkpoint. The sync adds them to the
    /// list of segments.
    fn list_segments(&self) -> Result<(), StoreError> {
        let _saving = self.saving.lock();
        if self.tree.unlisted()?.is_some() { self.tree.sync() } else { Ok(()) }
    }

    /// Makes every applied batch durable in the tree. Reports an error before it unlocks `saving`.
    fn save(&self) -> Result<(), StoreError> {
        let _saving = self.saving.lock();
        let saved = self.save_tables().and_then(|upto| {
            let is_filled = self.usable()?.saved < upto; // true after `fill`, which syncs nothing
            if is_filled { self.sync_tree(upto) } else { Ok(()) }
        });
        saved.map_err(|error| match error {
            StoreError::Stopped => error, // the thread that failed reports the error
            error => self.fail(error),
        })
    }

    /// Makes one checkpoint for each table of the memtable. Returns the number of the newest applied batch. The caller
    /// must hold the lock `saving`.
    fn save_tables(&self) -> Result<u64, StoreError> {
        let upto = {
            let mut state = self.usable()?;
            self.memtable.close();
            state.table_bytes = 0;
            state.applied
        };
        while let Some(table) = self.memtable.oldest() {
            match self.tree.write(table.newest(), table.rows()).map_err(|error| self.isolated(error)) {
                Err(StoreError::Corrupt { .. }) => continue, // write all rows of the table again
                written => written?,
            }
            self.memtable.forget();
            self.sync_tree(table.newest())?;
        }
        Ok(upto)
    }

    /// Syncs the tree, which contains all batches up to this number, and frees the journal records of these batches.
    fn sync_tree(&self, upto: u64) -> Result<(), StoreError> {
        self.tree.sync()?;
        self.journal.retire(upto);
        self.usable()?.saved = upto;
        self.saved.notify_all();
        Ok(())
    }
}

struct End<'a>(&'a Shared);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.fail(StoreError::Panicked);
        }
    }
}
