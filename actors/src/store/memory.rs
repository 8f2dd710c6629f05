//! The backend of a simulation: a map in memory that forgets in a crash what was not synced.
//!
//! What always holds: what readers see is the synced map with the unsynced batches on top; a batch is there whole or
//! not at all, before and after a crash; a handle that was opened before a crash can no longer change anything.

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::{Backend, Batch, Key, KeyRange, Order, Pairs, Space, StoreError, Tombstone};

/// A simulated disk, which outlives the stores opened on it. A clone is a handle to the same disk.
#[derive(Clone, Default)]
pub struct MemoryBackend(Arc<Disk>);

#[derive(Default)]
struct Disk {
    state: Mutex<State>,
    gate: Notify,
}

/// Rows by their keys.
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;
/// What a batch writes.
type Writes = Vec<(Key, Option<Vec<u8>>)>;

#[derive(Default)]
struct State {
    pairs: Rows,
    /// For each batch that is not synced: what to write to take it back, newest write last.
    unsynced: Vec<Writes>,
    /// What must not come back, which no crash forgets.
    tombstones: Vec<Tombstone>,
    /// Grows with every crash; a session of an earlier life is dead.
    life: u64,
    /// Whether a session is open on this life.
    open: bool,
    fail_apply: bool,
    fail_sync: bool,
    fail_read: bool,
    applies: u64,
    /// What was on the disk when somebody began to ask for it, and what each batch has written since, by its number.
    history: Option<(Rows, Vec<(u64, Writes)>)>,
    syncs: u64,
    reads: u64,
    sync_delay: Duration,
    syncs_held: bool,
    /// What is left of [`DISK_BYTES`]; all of it unless a test says otherwise.
    free: Option<u64>,
}

/// How large the disk is.
const DISK_BYTES: u64 = 1 << 40;

impl MemoryBackend {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts the power: of the batches that were not synced, the first `keep` survive, each whole. Stores that are
    /// open can neither read nor write any more, and fail when they try; a new one can be opened at once.
    pub fn crash(&self, keep: usize) {
        let mut state = self.0.state.lock();
        let kept = state.unsynced.len().min(keep);
        for undo in state.unsynced.split_off(kept).into_iter().rev() {
            for (key, before) in undo.into_iter().rev() {
                state.write(&key, before);
            }
        }
        state.unsynced.clear();
        state.life += 1;
        state.open = false;
        state.syncs_held = false;
        (state.fail_apply, state.fail_sync, state.fail_read) = (false, false, false);
        drop(state);
        self.0.gate.notify_waiters();
    }

    /// A disk of its own with what is on this one.
    ///
    /// # Panics
    /// When something on it is not synced.
    pub fn copied(&self) -> Self {
        let state = self.0.state.lock();
        assert!(state.unsynced.is_empty(), "what is not synced cannot be copied");
        let copy = State { pairs: state.pairs.clone(), ..State::default() };
        Self(Arc::new(Disk { state: Mutex::new(copy), gate: Notify::new() }))
    }

    /// Makes the next apply fail; nothing of its batch is written.
    pub fn fail_next_apply(&self) {
        self.0.state.lock().fail_apply = true;
    }

    /// Makes the next sync fail; what was applied stays unsynced.
    pub fn fail_next_sync(&self) {
        self.0.state.lock().fail_sync = true;
    }

    /// Makes the next read of a single key fail.
    pub fn fail_next_read(&self) {
        self.0.state.lock().fail_read = true;
    }

    /// Lets every sync of the committer task wait this long in simulated time before it starts.
    pub fn set_sync_delay(&self, delay: Duration) {
        self.0.state.lock().sync_delay = delay;
    }

    /// Holds the syncs of the committer task back until [`MemoryBackend::release_syncs`].
    pub fn hold_syncs(&self) {
        self.0.state.lock().syncs_held = true;
    }

    /// Lets the syncs go on that [`MemoryBackend::hold_syncs`] held back.
    pub fn release_syncs(&self) {
        self.0.state.lock().syncs_held = false;
        self.0.gate.notify_waiters();
    }

    /// Makes so many bytes of the disk free, of 1 TiB. What is written takes none of them.
    pub fn set_free(&self, bytes: u64) {
        self.0.state.lock().free = Some(bytes);
    }

    /// Writes a row as it stands, past every rule, as an earlier version may have.
    #[cfg(test)]
    pub(super) fn write_row(&self, key: &[u8], value: &[u8]) {
        self.0.state.lock().write(key, Some(value.to_vec()));
    }

    /// What must not come back, in the order in which it was listed.
    pub fn tombstones(&self) -> Vec<Tombstone> {
        self.0.state.lock().tombstones.clone()
    }

    /// Notes from now on what every batch writes, so that [`MemoryBackend::rows_as_of`] can tell.
    pub fn note_history(&self) {
        let mut state = self.0.state.lock();
        state.history = Some((state.pairs.clone(), Vec::new()));
    }

    /// The rows as they were behind the batch of this number, which came since history was noted.
    ///
    /// # Panics
    /// When it is not noted.
    pub fn rows_as_of(&self, sequence: u64) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let state = self.0.state.lock();
        let (mut rows, batches) = state.history.clone().expect("history was noted");
        for (_, writes) in batches.into_iter().take_while(|(number, _)| *number <= sequence) {
            for (key, value) in writes {
                match value {
                    Some(value) => rows.insert(key.to_vec(), value),
                    None => rows.remove(&*key),
                };
            }
        }
        rows
    }

    /// How many batches were applied.
    pub fn applies(&self) -> u64 {
        self.0.state.lock().applies
    }

    /// How many syncs succeeded.
    pub fn syncs(&self) -> u64 {
        self.0.state.lock().syncs
    }

    /// How many rows were read or looked for, those of a scan each by itself.
    pub fn reads(&self) -> u64 {
        self.0.state.lock().reads
    }

    /// How many batches a crash would find unsynced.
    pub fn unsynced(&self) -> usize {
        self.0.state.lock().unsynced.len()
    }

    /// Opens the disk, like a process that takes the lock of a data directory.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while another session is open.
    pub(super) fn session(&self) -> Result<Session, StoreError> {
        let mut state = self.0.state.lock();
        if std::mem::replace(&mut state.open, true) {
            return Err(StoreError::InUse("memory".into()));
        }
        Ok(Session { disk: Arc::clone(&self.0), life: state.life })
    }
}

impl State {
    fn write(&mut self, key: &[u8], value: Option<Vec<u8>>) -> Option<Vec<u8>> {
        match value {
            Some(value) => self.pairs.insert(key.to_vec(), value),
            None => self.pairs.remove(key),
        }
    }
}

/// A simulated disk as one opened store has it, from opening to closing or to the next crash.
pub(super) struct Session {
    disk: Arc<Disk>,
    life: u64,
}

impl Session {
    /// Waits, between an apply and its sync, as long as the simulation wants: at least once for everyone else.
    pub(super) async fn before_sync(&self) {
        let delay = self.disk.state.lock().sync_delay;
        if delay.is_zero() {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(delay).await;
        }
        loop {
            let released = self.disk.gate.notified();
            tokio::pin!(released);
            released.as_mut().enable();
            if !self.disk.state.lock().syncs_held {
                return;
            }
            released.await;
        }
    }

    /// The state, if neither a crash nor a close came in between.
    fn alive(&self) -> Result<parking_lot::MutexGuard<'_, State>, StoreError> {
        let state = self.disk.state.lock();
        if state.open && state.life == self.life { Ok(state) } else { Err(StoreError::Closed) }
    }
}

impl Backend for Session {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut state = self.alive()?;
        if std::mem::take(&mut state.fail_read) {
            return Err(StoreError::Read("a fault was injected".into()));
        }
        state.reads += 1;
        Ok(state.pairs.get(key).cloned())
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        let mut from = Bound::Included(range.from.to_vec());
        let mut to = Bound::Excluded(range.to.to_vec());
        let mut done = range.is_empty();
        Box::new(std::iter::from_fn(move || {
            if done {
                return None;
            }
            let mut state = match self.alive() {
                Ok(state) => state,
                Err(error) => {
                    done = true;
                    return Some(Err(error));
                }
            };
            state.reads += 1;
            let mut pairs = state.pairs.range((from.clone(), to.clone()));
            let found = match order {
                Order::Ascending => pairs.next(),
                Order::Descending => pairs.next_back(),
            };
            let Some((key, value)) = found else {
                done = true;
                return None;
            };
            // The map refuses a range that ends before it starts, which these cannot: the key lies between the two.
            match order {
                Order::Ascending => from = Bound::Excluded(key.clone()),
                Order::Descending => to = Bound::Excluded(key.clone()),
            }
            Some(Ok((key.clone(), value.clone())))
        }))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.alive()?;
        if std::mem::take(&mut state.fail_apply) {
            return Err(StoreError::Apply("a fault was injected".into()));
        }
        let mut undo = Vec::new();
        batch.rows(|key, value| undo.push((*key, state.write(key, value.map(<[u8]>::to_vec)))));
        state.unsynced.push(undo);
        state.applies += 1;
        let number = state.applies;
        if let Some((_, batches)) = &mut state.history {
            let mut writes = Vec::new();
            batch.rows(|key, value| writes.push((*key, value.map(<[u8]>::to_vec))));
            batches.push((number, writes));
        }
        Ok(())
    }

    fn bury(&self, tombstones: &[Tombstone]) -> Result<(), StoreError> {
        self.alive()?.tombstones.extend_from_slice(tombstones);
        Ok(())
    }

    fn buried(&self) -> Result<Vec<Tombstone>, StoreError> {
        Ok(self.alive()?.tombstones.clone())
    }

    fn sequence(&self) -> u64 {
        self.disk.state.lock().applies
    }

    fn sync(&self) -> Result<(), StoreError> {
        let mut state = self.alive()?;
        if std::mem::take(&mut state.fail_sync) {
            return Err(StoreError::Sync("a fault was injected".into()));
        }
        state.unsynced.clear();
        state.syncs += 1;
        Ok(())
    }

    fn space(&self) -> io::Result<Space> {
        let free = self.disk.state.lock().free.unwrap_or(DISK_BYTES);
        Ok(Space { free, total: DISK_BYTES })
    }

    fn close(&self) {
        let mut state = self.disk.state.lock();
        if state.life == self.life {
            state.open = false;
            state.life += 1;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
