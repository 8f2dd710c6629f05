//! How a batch comes into the journal, then into the tree, and becomes durable there behind the back of whoever waits.
//!
//! The committer writes it into the journal, syncs that, and writes its rows into the tree; a thread of its own makes
//! checkpoints, which is syncing the tree and then giving up the records in the journal that it covers. What always holds:
//!
//! - a batch is durable in the journal before a row of it is in the tree, and its record is given up only when the tree is
//!   durable with it: so a crash may leave a beginning of its rows, and opening writes all of them again;
//! - batches come one after the other, in the order of their numbers;
//! - the first error ends it for good: nothing is written, synced or given up any more, and who was named in
//!   [`Home::on_failure`] is told.

use std::fs::File;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::backend::OnFailure;
use super::journal::{JOURNAL_BYTES, Journal};
use super::mark::Mark;
use super::tree::{LOG_BYTES_MAX, Tree};
use super::{Batch, Pair, StoreError};

/// How long what was written waits for a checkpoint, at most, where little is.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// By so much has the tree's log grown since the last one, as it is estimated, when a checkpoint is due,
const CHECKPOINT_LOG_BYTES: u64 = LOG_BYTES_MAX * 2 / 3;
/// and so much of the journal is needed.
const CHECKPOINT_JOURNAL_BYTES: u64 = JOURNAL_BYTES / 2;

/// The tree and the journal, and who works on them.
pub(super) struct Home {
    shared: Arc<Shared>,
    /// The one that makes checkpoints.
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    tree: Tree,
    journal: Journal<File>,
    mark: Mark,
    state: Mutex<State>,
    /// Told when a checkpoint is due, and when one is made.
    due: Condvar,
    saved: Condvar,
    on_failure: OnceLock<OnFailure>,
}

/// How far everything is, in numbers of batches.
struct State {
    /// The newest batch in the journal,
    written: u64,
    /// in the tree,
    applied: u64,
    /// and durable there.
    saved: u64,
    /// A checkpoint is wanted now.
    is_due: bool,
    /// The one who makes them waits for something to be applied.
    is_resting: bool,
    ends: bool,
    failed: bool,
}

impl Home {
    /// Takes a tree that is durable up to this batch, and an empty journal.
    pub(super) fn of(
        tree: Tree,
        journal: Journal<File>,
        mark: Mark,
        newest: u64,
    ) -> Result<Self, StoreError> {
        let state = State {
            written: newest,
            applied: newest,
            saved: newest,
            is_due: false,
            is_resting: false,
            ends: false,
            failed: false,
        };
        let shared = Arc::new(Shared {
            tree,
            journal,
            mark,
            state: Mutex::new(state),
            due: Condvar::new(),
            saved: Condvar::new(),
            on_failure: OnceLock::new(),
        });
        let name = "checkpoints";
        let saving = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            let _end = End(&saving);
            saving.save_all();
        });
        let prepare =
            |source| StoreError::Prepare { action: "starting the thread", path: name.into(), source };
        Ok(Self { shared, thread: Some(thread.map_err(prepare)?) })
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.shared.tree
    }

    /// Who is told of the first error, once.
    pub(super) fn on_failure(&self, told: OnFailure) {
        let _ = self.shared.on_failure.set(told);
    }

    /// The number of the newest batch.
    pub(super) fn newest(&self) -> u64 {
        self.shared.state.lock().written
    }

    /// Writes the batch into the journal, when there is room.
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
        shared.journal.append().map_err(|error| shared.ended_by(StoreError::Apply(error.into())))
    }

    /// What was written is durable in the journal once this has returned.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let synced = self.shared.journal.sync();
        synced.map_err(|error| self.shared.ended_by(StoreError::Sync(error.into())))
    }

    /// Writes the rows of the batch that was synced last into the tree, for all to see.
    pub(super) fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let number = shared.usable()?.written;
        shared.tree.apply(number, batch).map_err(|error| shared.ended_by(error))?;
        let mut state = shared.usable()?;
        state.applied = number;
        let is_much = shared.tree.log_bytes() >= CHECKPOINT_LOG_BYTES
            || shared.journal.needed_bytes() >= CHECKPOINT_JOURNAL_BYTES;
        if is_much {
            shared.ask(&mut state);
        } else if state.is_resting {
            shared.due.notify_one();
        }
        Ok(())
    }

    /// Notes beside the store that everything up to here was acknowledged.
    pub(super) fn note_settled(&self) -> Result<(), StoreError> {
        let noted = self.shared.mark.write(self.newest());
        noted.map_err(|error| self.shared.ended_by(StoreError::Sync(error.into())))
    }

    /// Puts rows into the tree past the journal, as a part of the batch of this number; durable with [`Home::save`].
    pub(super) fn fill(&self, number: u64, rows: &[Pair]) -> Result<(), StoreError> {
        self.shared.tree.fill(number, rows).map_err(|error| self.shared.ended_by(error))?;
        let mut state = self.shared.usable()?;
        (state.written, state.applied) = (number, number);
        Ok(())
    }

    /// Makes a checkpoint: what was applied is durable in the tree.
    pub(super) fn save(&self) -> Result<(), StoreError> {
        self.shared.save().map_err(|error| self.shared.ended_by(error))?;
        self.note_settled()
    }

    /// Ends the thread and lets go of the files.
    pub(super) fn close(mut self) {
        self.end();
        let shared = Arc::clone(&self.shared);
        drop(self);
        let Some(Shared { tree, mark, .. }) = Arc::into_inner(shared) else { return };
        if let Err(error) = mark.sync() {
            tracing::warn!(%error, "it could not be made durable how far the store was synced");
        }
        tree.close();
    }

    fn end(&mut self) {
        self.shared.state.lock().ends = true;
        self.shared.tell_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic was told when it happened
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
    /// How far everything is, unless it has failed.
    fn usable(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state.lock();
        state.check()?;
        Ok(state)
    }

    /// Asks for a checkpoint.
    fn ask(&self, state: &mut State) {
        state.is_due = true;
        self.due.notify_one();
    }

    fn tell_all(&self) {
        self.due.notify_all();
        self.saved.notify_all();
    }

    /// Nothing is done any more behind an error of the committer's, who tells of it.
    fn ended_by(&self, error: StoreError) -> StoreError {
        self.state.lock().failed = true;
        self.tell_all();
        error
    }

    /// The same behind one that no call waits for: told first, so that nobody tells of having been stopped by it before.
    fn fail(&self, error: StoreError) {
        match self.on_failure.get() {
            Some(told) => told(&error),
            None => tracing::error!(%error, "the store has failed"),
        }
        self.ended_by(error);
    }

    /// Makes checkpoints, until the end.
    fn save_all(&self) {
        let mut state = self.state.lock();
        while !state.failed && !state.ends {
            if state.applied == state.saved {
                state.is_due = false;
                state.is_resting = true;
                self.due.wait(&mut state);
                state.is_resting = false;
                continue;
            }
            // Asked for again meanwhile, it is another one: what is written from now on may not be in this one.
            if !std::mem::take(&mut state.is_due)
                && !self.due.wait_for(&mut state, CHECKPOINT_EVERY).timed_out()
            {
                continue;
            }
            drop(state);
            if let Err(error) = self.save() {
                return self.fail(error);
            }
            state = self.state.lock();
        }
    }

    /// Makes one.
    fn save(&self) -> Result<(), StoreError> {
        let upto = self.usable()?.applied;
        self.tree.sync()?;
        self.journal.retire(upto);
        let mut state = self.state.lock();
        state.saved = state.saved.max(upto);
        self.saved.notify_all();
        Ok(())
    }
}

/// A thread that ends in a panic is a failure like any other.
struct End<'a>(&'a Shared);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(StoreError::Panicked);
        }
    }
}
