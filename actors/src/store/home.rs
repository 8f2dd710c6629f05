//! How a batch comes into the journal, then into the tree, and becomes durable there behind the back of whoever waits.
//!
//! The committer writes it into the journal, syncs that, and writes its rows into the tree; a thread of its own makes
//! checkpoints, which is syncing the tree and then giving up the records in the journal that it covers. What always holds:
//!
//! - a batch is durable in the journal before a row of it is in the tree, and its record is given up only when the tree is
//!   durable with it: so a crash may leave a beginning of its rows, and opening writes all of them again;
//! - batches come one after the other, in the order of their numbers;
//! - between two syncs of the tree no more is written than [`UNSYNCED_BYTES_MAX`]: sled writes over the segments that were
//!   freed two segments before, so what freed them has to be durable by then. The committer waits where the disk does not
//!   keep up;
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
use super::tree::Tree;
use super::{Batch, Pair, StoreError};

/// How long what was written waits for a checkpoint, at most, where little is.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// So many bytes of keys and values written since the last one make a checkpoint due,
const CHECKPOINT_BYTES: u64 = 1 << 20;
/// and so much of the journal.
const CHECKPOINT_JOURNAL_BYTES: u64 = JOURNAL_BYTES / 2;
/// No more bytes of keys and values are written between two syncs of the tree, a batch beyond [`CHECKPOINT_BYTES`]
/// included. sled's log takes about twice as much: pages are written anew as a whole.
const UNSYNCED_BYTES_MAX: u64 = 3 << 20;

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

/// The number of a batch, and the bytes up to it.
type Upto = (u64, u64);

/// How far everything is: numbers of batches with the bytes of keys and values up to them, of all that there ever were.
struct State {
    /// The newest batch in the journal,
    written: Upto,
    /// in the tree,
    applied: Upto,
    /// and durable there.
    saved: Upto,
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
        let at = (newest, 0);
        let state = State {
            written: at,
            applied: at,
            saved: at,
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
        self.shared.state.lock().written.0
    }

    /// Writes the batch into the journal, when there is room.
    pub(super) fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let mut state = shared.usable()?;
        let upto = (state.written.0 + 1, state.written.1 + batch.bytes() as u64);
        loop {
            // A batch that is longer than what may be unsynced comes alone.
            let fits = state.written.1 == state.saved.1 || upto.1 - state.saved.1 <= UNSYNCED_BYTES_MAX;
            if fits && shared.journal.has_room(batch) {
                break;
            }
            shared.ask(&mut state);
            shared.saved.wait(&mut state);
            state.check()?;
        }
        state.written = upto;
        drop(state);
        let appended = shared.journal.append(upto.0, batch);
        appended.map_err(|error| shared.ended_by(StoreError::Apply(error.into())))
    }

    /// What was written is durable in the journal once this has returned.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let synced = self.shared.journal.sync();
        synced.map_err(|error| self.shared.ended_by(StoreError::Sync(error.into())))
    }

    /// Writes the rows of the batch that was synced last into the tree, for all to see.
    pub(super) fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let upto = shared.usable()?.written;
        shared.tree.apply(upto.0, batch).map_err(|error| shared.ended_by(error))?;
        let mut state = shared.usable()?;
        state.applied = upto;
        let is_much = upto.1 - state.saved.1 >= CHECKPOINT_BYTES
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
        state.written = (number, state.written.1 + rows.len() as u64);
        state.applied = state.written;
        Ok(())
    }

    /// Makes a checkpoint: what was applied is durable in the tree.
    pub(super) fn save(&self) -> Result<(), StoreError> {
        let shared = &*self.shared;
        let mut state = shared.usable()?;
        let all = state.applied;
        shared.ask(&mut state);
        while state.saved < all {
            shared.saved.wait(&mut state);
            state.check()?;
        }
        drop(state);
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
        if let Some(told) = self.on_failure.get() {
            told(&error);
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
            let upto = state.applied;
            drop(state);
            if let Err(error) = self.tree.sync() {
                return self.fail(error);
            }
            self.journal.retire(upto.0);
            state = self.state.lock();
            state.saved = upto;
            self.saved.notify_all();
        }
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
