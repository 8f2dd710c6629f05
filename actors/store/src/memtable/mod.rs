//! The memtable: the rows that are durable in the journal and not yet in the tree.
//!
//! Batches add rows to the active table. A checkpoint closes the active table, writes it to the tree and drops it. A
//! *gap* is a range of keys without a row. Invariants:
//!
//! - A table is dropped only when the tree contains its rows. Until then its rows take precedence over the
//!   tree and over older tables.
//! - Only whole batches are written to the tree.
//! - Readers see all rows of a batch or none.
//! - Each step of a scan returns the next row that exists at the time of this step.

mod gaps;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter::Peekable;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use self::gaps::{Gaps, Run};
use super::backend::Rest;
use super::{Batch, Key, KeyRange, Order, Pair, Pairs, StoreError};

#[derive(Default)]
pub(super) struct Memtable(RwLock<Tables>);

#[derive(Default)]
struct Tables {
    active: Table,
    /// The tables to be written to the tree, oldest first.
    closed: VecDeque<Arc<Table>>,
    /// The number of tables that were written to the tree. When it changes, scans read the tree again.
    flushed: u64,
    gaps: Mutex<Gaps>,
}

#[derive(Default)]
pub(super) struct Table {
    rows: BTreeMap<Key, Written>,
    newest: u64,
    bytes: usize,
}

const PASSED_MAX: usize = 256;

/// The new value of a key; `None` if the row is deleted.
type Written = Option<Box<[u8]>>;

impl Memtable {
    /// Adds the rows of a batch to the active table. If the batch deletes a row that only the active table contains,
    /// the row is removed from the table.
    pub(super) fn apply(
        &self,
        number: u64,
        batch: &Batch,
        is_in_tree: impl Fn(&[u8]) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let (deleted, newest) = self.0.read().only_in_active(batch);
        let mut passing = BTreeSet::new();
        for key in deleted {
            if !is_in_tree(&key)? {
                passing.insert(key);
            }
        }
        let mut rows = Vec::new();
        batch.rows(|key, value| rows.push((*key, value.map(Box::from))));
        let Tables { active, gaps, .. } = &mut *self.0.write();
        let gaps = gaps.get_mut();
        if active.newest != newest {
            passing.clear(); // the table was closed since these keys were read
        }
        for (key, value) in rows {
            if value.is_some() {
                gaps.fill(&key);
            }
            if value.is_none() && passing.contains(&key) {
                active.rows.remove(&key);
            } else {
                active.rows.insert(key, value);
            }
        }
        active.bytes += batch.bytes();
        active.newest = number;
        Ok(())
    }

    /// Returns `None` if the row must be read from the tree. Otherwise returns the value, or an inner `None` if the row
    /// is deleted.
    pub(super) fn get(&self, key: &[u8]) -> Option<Option<Vec<u8>>> {
        let tables = self.0.read();
        let row = tables.youngest_first().find_map(|table| table.rows.get(key))?;
        Some(row.as_deref().map(<[u8]>::to_vec))
    }

    /// Closes the active table if a batch was added to it, even if the table contains no rows.
    pub(super) fn close(&self) {
        let tables = &mut *self.0.write();
        if tables.active.newest > 0 {
            tables.closed.push_back(Arc::new(std::mem::take(&mut tables.active)));
        }
    }

    pub(super) fn oldest(&self) -> Option<Arc<Table>> {
        self.0.read().closed.front().cloned()
    }

    pub(super) fn forget(&self) {
        let forgotten = {
            let tables = &mut *self.0.write();
            tables.flushed += 1;
            tables.closed.pop_front()
        };
        drop(forgotten); // dropped after the lock is released
    }

    pub(super) fn bytes(&self) -> u64 {
        self.0.read().youngest_first().map(|table| table.bytes as u64).sum()
    }

    /// Makes scans read the tree again, and drops all gaps. It must be called after rows were written directly to the
    /// tree, because gaps must not contain rows.
    pub(super) fn filled(&self) {
        let tables = &mut *self.0.write();
        tables.flushed += 1;
        *tables.gaps.get_mut() = Gaps::default();
    }

    /// Reads a range, which must not be empty. The argument of `seek` is the part of the range that is not read yet.
    /// `seek` returns the rows of the tree in this part.
    pub(super) fn scan(
        self: &Arc<Self>,
        range: &KeyRange,
        order: Order,
        seek: impl Fn(&Rest) -> Pairs<'static> + Send + 'static,
    ) -> Pairs<'static> {
        let mut rest = Rest::of(range, order);
        let (flushed, run) = {
            let tables = self.0.read();
            let run = (order == Order::Ascending).then(|| tables.gaps.lock().begin(range.from));
            (tables.flushed, run)
        };
        let run = run.map(|(from, run)| {
            rest.from = from;
            run
        });
        if rest.is_empty() {
            return Box::new(std::iter::empty());
        }
        let below = seek(&rest).peekable();
        let mut scan = Scan { memtable: Arc::clone(self), seek, rest, run, flushed, below };
        Box::new(std::iter::from_fn(move || scan.step()))
    }
}

struct Scan<S> {
    memtable: Arc<Memtable>,
    seek: S,
    rest: Rest,
    /// The gap that an ascending scan extends. The field becomes `None` when the scan finds a row, or when the gap is
    /// dropped. In a descending scan, the field is always `None`.
    run: Option<Run>,
    flushed: u64,
    /// The rows of the tree that follow the last returned row.
    below: Peekable<Pairs<'static>>,
}

impl<S: Fn(&Rest) -> Pairs<'static>> Scan<S> {
    fn step(&mut self) -> Option<Result<Pair, StoreError>> {
        loop {
            let below = match self.below.peek() {
                Some(Err(_)) => return self.below.next(),
                Some(Ok((key, _))) => Some(&key[..]),
                None => None,
            };
            let tables = self.memtable.0.read();
            if tables.flushed != self.flushed {
                self.flushed = tables.flushed;
                drop(tables);
                self.below = (self.seek)(&self.rest).peekable();
                continue;
            }
            // The lock of the tables is released before the next row of the tree is read.
            let (found, passed) = tables.pass(&mut self.rest, below);
            if let (Some(run), Some(last)) = (self.run.take(), passed) {
                let run = tables.gaps.lock().extend(run, last);
                self.run = run.filter(|_| matches!(found, Next::Further | Next::Deleted));
            }
            drop(tables);
            let of_tree = match &found {
                Next::Further | Next::InTable { is_in_tree: false, .. } => None,
                _ => self.below.next(),
            };
            return Some(Ok(match (found, of_tree) {
                (Next::InTable { key, value, .. }, _) => (key, value),
                (Next::Further | Next::Deleted, _) => continue,
                (Next::InTree, Some(Ok((key, value)))) => {
                    self.rest.continue_after(Key::new(&key));
                    (key, value)
                }
                (Next::InTree, pair) => return pair,
            }));
        }
    }
}

enum Next {
    /// The scan continues with the next row of the tree. If the tree has no more rows, the scan ends.
    InTree,
    Deleted,
    Further,
    /// The next row of the scan is in a table. If `is_in_tree` is true, the tree contains an older value of this row.
    InTable {
        key: Vec<u8>,
        value: Vec<u8>,
        is_in_tree: bool,
    },
}

impl Tables {
    fn youngest_first(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.active).chain(self.closed.iter().rev().map(|table| &**table))
    }

    /// Returns the keys that the batch deletes and that only the active table contains. Also returns the number that
    /// identifies the newest batch in the active table.
    fn only_in_active(&self, batch: &Batch) -> (Vec<Key>, u64) {
        let has = |table: &Table, key: &Key| matches!(table.rows.get(key), Some(Some(_)));
        let deleted = batch.writes().filter(|(_, value)| value.is_none()).map(|(key, _)| key);
        let keys = deleted
            .filter(|key| has(&self.active, key) && !self.closed.iter().any(|table| has(table, key)))
            .copied()
            .collect();
        (keys, self.active.newest)
    }

    /// Finds the next row of a scan. Skips rows that are marked as deleted in the tables, at most `PASSED_MAX` rows in
    /// one call. If the tree still contains a skipped row, returns [`Next::Deleted`] at this row, so that the caller
    /// skips the row in the tree too. Also returns the last skipped key.
    fn pass(&self, rest: &mut Rest, below: Option<&[u8]>) -> (Next, Option<Key>) {
        let mut passed = None;
        for at in 0.. {
            let Some((key, value)) = self.next(rest) else { break };
            if at == PASSED_MAX {
                return (Next::Further, passed);
            }
            let order = below.map_or(Ordering::Less, |below| rest.order.of(key, below));
            if order.is_gt() {
                break;
            }
            rest.continue_after(*key);
            let is_in_tree = order.is_eq();
            if let Some(value) = value {
                let next = Next::InTable { key: key.to_vec(), value: value.to_vec(), is_in_tree };
                return (next, passed);
            }
            passed = Some(*key);
            if is_in_tree {
                return (Next::Deleted, passed);
            }
        }
        (Next::InTree, passed)
    }

    fn next(&self, rest: &Rest) -> Option<(&Key, &Written)> {
        let firsts = self.youngest_first().filter_map(|table| table.first_of(rest));
        firsts.reduce(|next, older| if rest.order.of(older.0, next.0).is_lt() { older } else { next })
    }
}

impl Table {
    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    fn first_of<'a>(&'a self, rest: &Rest) -> Option<(&'a Key, &'a Written)> {
        let mut rows = self.rows.range::<[u8], _>(rest.bounds());
        match rest.order {
            Order::Ascending => rows.next(),
            Order::Descending => rows.next_back(),
        }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.rows.iter().map(|(key, value)| (&key[..], value.as_deref()))
    }
}

#[cfg(test)]
mod tests;
