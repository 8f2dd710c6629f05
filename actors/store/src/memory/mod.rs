//! The backend of a simulation: a map of all rows in memory, and a simulated disk that can crash.
//!
//! As on a real disk, a batch is written to the journal, synced and then applied to the map. The journal uses the same
//! code as on a disk, but its blocks are in memory. The simulation saves the map from time to time. A crash keeps all
//! batches up to the last save. Of the later batches, it keeps a random number of the oldest ones completely. Of the
//! other batches, it keeps some rows or none. Unsynced blocks of the journal may be lost or torn. Opening the store
//! restores the missing rows from the journal.
//!
//! Invariants: reads see the map. After a crash and the next opening, either all rows of a batch exist or none. A
//! handle that was opened before a crash cannot read or write.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use domain::BusinessId;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::journal::{self, BLOCK_BYTES, Journal, MemoryBlocks};
use super::syncs::{By, Syncs};
use super::{Backend, Batch, Key, KeyRange, Order, Pairs, Space, StoreError, Tombstone};

/// A simulated disk. It keeps its content after a store is closed. Clones share the same disk.
#[derive(Clone, Default)]
pub struct MemoryBackend(Arc<Disk>);

#[derive(Default)]
struct Disk {
    state: Mutex<State>,
    gate: Notify,
}

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;
type Writes = Vec<(Key, Option<Vec<u8>>)>;

#[derive(Default)]
struct State {
    pairs: Rows,
    blocks: MemoryBlocks,
    /// The number of the newest batch in the journal.
    newest: u64,
    /// The number of the newest durable batch in the journal.
    synced: u64,
    /// The number of the newest batch in the map.
    applied: u64,
    /// For each batch since the map was saved, the writes that revert the batch. The last entry belongs to the newest
    /// batch.
    unsaved: Vec<Writes>,
    under_way: Vec<(u64, Writes)>,
    /// The number of blocks of each unsynced batch in the journal.
    unsynced: Vec<usize>,
    /// The number of the newest batch that survived the last crash. All earlier batches survived too.
    came_through: Option<u64>,
    /// The tombstones and, in `aside`, the businesses that are set aside. Both survive every crash.
    tombstones: Vec<Tombstone>,
    aside: Vec<(BusinessId, String)>,
    /// The number of crashes and closes so far. If it has increased since a session was opened, the session is closed.
    life: u64,
    open: bool,
    fail_apply: bool,
    fail_sync: bool,
    fail_read: bool,
    /// A copy of the rows, which `note_history` makes, and the batches that are not in this copy. Each batch is stored
    /// as its number and its writes.
    history: Option<(Rows, Vec<(u64, Writes)>)>,
    syncs: u64,
    reads: u64,
    sync_delay: Duration,
    syncs_held: bool,
    /// The number of free bytes on the disk. `None` means [`DISK_BYTES`].
    free: Option<u64>,
}

const DISK_BYTES: u64 = 1 << 40;

const JOURNAL_BYTES: u64 = 2 << 20;
const JOURNAL_ID: [u8; 16] = *b"simulated  disks";
const BATCHES_PER_SAVE: usize = 16;

impl MemoryBackend {
    pub fn new() -> Self {
        Self::default()
    }

    /// Simulates a power cut. The first `keep` unsynced batches survive completely. Stores that are open fail at every
    /// read and write. A new store can be opened immediately.
    pub fn crash(&self, keep: usize) {
        let mut state = self.0.state.lock();
        state.crash(keep);
        state.life += 1;
        state.open = false;
        state.syncs_held = false;
        (state.fail_apply, state.fail_sync, state.fail_read) = (false, false, false);
        drop(state);
        self.0.gate.notify_waiters();
    }

    /// Returns a disk with the same content. Panics if the disk has unsynced batches.
    pub fn copied(&self) -> Self {
        let state = self.0.state.lock();
        assert!(state.unsynced.is_empty(), "a disk with unsynced batches cannot be copied");
        let (pairs, blocks) = (state.pairs.clone(), state.blocks.copied());
        let (applied, came_through) = (state.applied, state.came_through);
        let copy = State {
            pairs,
            blocks,
            newest: applied,
            synced: applied,
            applied,
            came_through,
            ..State::default()
        };
        Self(Arc::new(Disk { state: Mutex::new(copy), gate: Notify::new() }))
    }

    /// Makes the next write fail without writing any part of its batch.
    pub fn fail_next_write(&self) {
        self.0.state.lock().fail_apply = true;
    }

    /// Makes the next sync fail. The batches that were written stay unsynced.
    pub fn fail_next_sync(&self) {
        self.0.state.lock().fail_sync = true;
    }

    /// Makes the next read fail: a read of a single key, or of the next row in a scan.
    pub fn fail_next_read(&self) {
        self.0.state.lock().fail_read = true;
    }

    pub fn set_sync_delay(&self, delay: Duration) {
        self.0.state.lock().sync_delay = delay;
    }

    pub fn hold_syncs(&self) {
        self.0.state.lock().syncs_held = true;
    }

    pub fn release_syncs(&self) {
        self.0.state.lock().syncs_held = false;
        self.0.gate.notify_waiters();
    }

    /// Sets the free bytes of the disk, whose size is 1 TiB. Writes do not change the free bytes.
    pub fn set_free(&self, bytes: u64) {
        self.0.state.lock().free = Some(bytes);
    }

    #[cfg(test)]
    pub(super) fn write_row(&self, key: &[u8], value: &[u8]) {
        self.0.state.lock().write(key, Some(value.to_vec()));
    }

    pub fn tombstones(&self) -> Vec<Tombstone> {
        self.0.state.lock().tombstones.clone()
    }

    /// Empties the list of businesses that are set aside. In production, an operator can do the same while the store is
    /// closed.
    pub fn lift_aside(&self) {
        self.0.state.lock().aside.clear();
    }

    pub fn note_history(&self) {
        let mut state = self.0.state.lock();
        state.history = Some((state.pairs.clone(), state.under_way.clone()));
    }

    /// Returns the rows as they were after the batch with this number. Panics if [`MemoryBackend::note_history`] was
    /// not called before.
    pub fn rows_as_of(&self, sequence: u64) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let state = self.0.state.lock();
        let (mut rows, batches) = state.history.clone().expect("`note_history` must be called before");
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

    /// The number of batches that were written and not lost in a crash.
    pub fn applies(&self) -> u64 {
        self.0.state.lock().newest
    }

    pub fn syncs(&self) -> u64 {
        self.0.state.lock().syncs
    }

    /// The number of reads so far. Each lookup of a key and each row of a scan counts as one read.
    pub fn reads(&self) -> u64 {
        self.0.state.lock().reads
    }

    pub fn unsynced(&self) -> usize {
        self.0.state.lock().unsynced.len()
    }

    /// Starts a session on the disk. Returns [`StoreError::InUse`] while another session is open.
    pub(super) fn session(&self) -> Result<Session, StoreError> {
        let mut state = self.0.state.lock();
        if std::mem::replace(&mut state.open, true) {
            return Err(StoreError::InUse("memory".into()));
        }
        let journal = state
            .recover()
            .map_err(|source| StoreError::DamagedFiles { path: "memory".into(), source: source.into() })?;
        Ok(Session { disk: Arc::clone(&self.0), life: state.life, journal, syncs: Arc::default() })
    }
}

impl State {
    fn crash(&mut self, keep: usize) {
        if self.came_through.is_some() {
            return; // no store was opened since the last crash
        }
        let mut rng = Rng(self.newest << 20 ^ self.life << 8 ^ keep as u64);
        let kept = self.synced + self.unsynced.len().min(keep) as u64;
        // The map of rows (`pairs`) keeps all batches that were applied before its last save. Two random points divide
        // the later batches into three groups. The oldest group survives completely, the middle group survives in part,
        // and the newest group is lost.
        let saved = self.applied - self.unsaved.len() as u64;
        let home = saved + rng.below(self.applied - saved + 1);
        let mut passing = self.unsaved.split_off((home - saved) as usize);
        let lost = passing.split_off(rng.below(passing.len() as u64 + 1) as usize);
        let keys: BTreeSet<Key> = passing.iter().flatten().map(|(key, _)| *key).collect();
        let first_lost = keys.iter().nth(rng.below(keys.len() as u64 + 1) as usize);
        let is_lost = |key: &Key| first_lost.is_some_and(|first| key >= first);
        let passing = passing.into_iter().flatten().filter(|(key, _)| is_lost(key));
        for (key, before) in passing.chain(lost.into_iter().flatten()).collect::<Vec<_>>().into_iter().rev() {
            self.write(&key, before);
        }
        // The blocks of the batches that survive are kept completely. Each block of a lost batch is kept completely, in
        // part or not at all. At least one block of each lost batch is not kept at all.
        let (mut kept_bytes, mut differs) = (Vec::new(), &self.blocks.unsynced()[..]);
        for (number, blocks) in (self.synced + 1..).zip(&self.unsynced) {
            let (of_batch, rest) = differs.split_at(*blocks);
            differs = rest;
            let whole = number <= kept;
            let missing = (number > kept).then(|| {
                let those: Vec<_> = (0..*blocks).filter(|block| of_batch[*block]).collect();
                those[rng.below(those.len() as u64) as usize]
            });
            for block in 0..*blocks {
                kept_bytes.push(match rng.below(3) {
                    _ if missing == Some(block) => 0,
                    _ if whole => BLOCK_BYTES as usize,
                    0 => 0,
                    1 => BLOCK_BYTES as usize,
                    _ => 512 * rng.below(8) as usize,
                });
            }
        }
        self.blocks.crash(|block| kept_bytes[block]);
        if let Some((_, batches)) = &mut self.history {
            batches.retain(|(number, _)| *number <= kept);
        }
        self.unsaved.clear();
        self.unsynced.clear();
        self.under_way.clear();
        (self.applied, self.came_through) = (home, Some(kept));
    }

    fn recover(&mut self) -> io::Result<Journal<MemoryBlocks>> {
        if self.applied == 0 && self.came_through.is_none() {
            journal::format(&self.blocks, JOURNAL_BYTES, JOURNAL_ID)?;
        }
        let (journal, found) = Journal::read(self.blocks.clone(), self.applied).map_err(io::Error::other)?;
        for batch in found {
            for (key, value) in batch.rows {
                self.write(&key, value);
            }
            self.applied = batch.number;
        }
        if let Some(kept) = self.came_through.take() {
            assert_eq!(
                self.applied, kept,
                "opening must restore exactly the batches that survived the crash"
            );
        }
        (self.newest, self.synced) = (self.applied, self.applied);
        self.unsaved.clear();
        self.unsynced.clear();
        self.under_way.clear();
        Ok(journal)
    }

    fn read(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.fail_read) {
            return Err(StoreError::Read("a fault was injected".into()));
        }
        self.reads += 1;
        Ok(())
    }

    fn write(&mut self, key: &[u8], value: Option<Vec<u8>>) -> Option<Vec<u8>> {
        match value {
            Some(value) => self.pairs.insert(key.to_vec(), value),
            None => self.pairs.remove(key),
        }
    }
}

/// A random number generator (SplitMix64) for the decisions of a crash. Its seed includes the number of the newest
/// batch.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

pub(super) struct Session {
    disk: Arc<Disk>,
    life: u64,
    journal: Journal<MemoryBlocks>,
    syncs: Arc<Syncs>,
}

impl Session {
    /// Waits for the configured delay between a write and its sync, or yields once if there is no delay. Then waits for
    /// as long as the test holds back all syncs (`syncs_held`).
    pub(super) async fn before_sync(&self) {
        let _syncing = self.syncs.begin(By::Committer);
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

    fn alive(&self) -> Result<parking_lot::MutexGuard<'_, State>, StoreError> {
        let state = self.disk.state.lock();
        if state.open && state.life == self.life { Ok(state) } else { Err(StoreError::Closed) }
    }
}

impl Backend for Session {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut state = self.alive()?;
        state.read()?;
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
            let alive = self.alive().and_then(|mut state| state.read().map(|()| state));
            let state = match alive {
                Ok(state) => state,
                Err(error) => {
                    done = true;
                    return Some(Err(error));
                }
            };
            let mut pairs = state.pairs.range((from.clone(), to.clone()));
            let found = match order {
                Order::Ascending => pairs.next(),
                Order::Descending => pairs.next_back(),
            };
            let Some((key, value)) = found else {
                done = true;
                return None;
            };
            // `BTreeMap::range` panics if the start is after the end. The next call cannot panic, because `key` is
            // between `from` and `to`.
            match order {
                Order::Ascending => from = Bound::Excluded(key.clone()),
                Order::Descending => to = Bound::Excluded(key.clone()),
            }
            Some(Ok((key.clone(), value.clone())))
        }))
    }

    fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.alive()?;
        if std::mem::take(&mut state.fail_apply) {
            return Err(StoreError::Apply("a fault was injected".into()));
        }
        self.journal.encode(state.newest + 1, batch);
        if state.unsaved.len() >= BATCHES_PER_SAVE || !self.journal.has_room() {
            state.unsaved.clear();
            self.journal.retire(state.applied);
        }
        let before = state.blocks.unsynced().len();
        self.journal.append().map_err(|error| StoreError::Apply(error.into()))?;
        let blocks = state.blocks.unsynced().len() - before;
        state.unsynced.push(blocks);
        state.newest += 1;
        let number = state.newest;
        let mut writes = Vec::new();
        batch.rows(|key, value| writes.push((*key, value.map(<[u8]>::to_vec))));
        if let Some((_, batches)) = &mut state.history {
            batches.push((number, writes.clone()));
        }
        state.under_way.push((number, writes));
        Ok(())
    }

    fn sync(&self) -> Result<(), StoreError> {
        let mut state = self.alive()?;
        if std::mem::take(&mut state.fail_sync) {
            return Err(StoreError::Sync("a fault was injected".into()));
        }
        self.journal.sync().map_err(|error| StoreError::Sync(error.into()))?;
        state.unsynced.clear();
        state.synced = state.newest;
        state.syncs += 1;
        Ok(())
    }

    fn apply(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.alive()?;
        let mut undo = Vec::new();
        batch.rows(|key, value| undo.push((*key, state.write(key, value.map(<[u8]>::to_vec)))));
        state.unsaved.push(undo);
        state.applied += 1;
        let applied = state.applied;
        state.under_way.retain(|(number, _)| *number > applied);
        Ok(())
    }

    fn record_tombstones(&self, tombstones: &[Tombstone]) -> Result<(), StoreError> {
        self.alive()?.tombstones.extend_from_slice(tombstones);
        Ok(())
    }

    fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        Ok(self.alive()?.tombstones.clone())
    }

    fn keep_aside(&self, businesses: &[(BusinessId, String)]) -> Result<(), StoreError> {
        self.alive()?.aside = businesses.to_vec();
        Ok(())
    }

    fn kept_aside(&self) -> Result<Vec<(BusinessId, String)>, StoreError> {
        Ok(self.alive()?.aside.clone())
    }

    fn sequence(&self) -> u64 {
        self.disk.state.lock().newest
    }

    fn syncs(&self) -> &Arc<Syncs> {
        &self.syncs
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
