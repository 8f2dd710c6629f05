//! The memtable: rows that are durable in the journal and not in the tree yet, in the memory.
//!
//! Batches write into one table; when that is long it is closed and the next begun. Closed ones are written into the tree one
//! by one, and forgotten then. What always holds:
//!
//! - a row that was written is in a table, or in the tree: a table is forgotten only when the tree has all of it, and until
//!   then goes before the tree, and a younger one before an older;
//! - what is written into the tree is of whole batches;
//! - readers see a batch at once: each step of reading sees all tables as they are between two batches;
//! - a step of a scan gives the row that is next as things stand then, whatever was written or flushed since the last; of
//!   what is written before its first step a scan may miss what is before the first row that there was.

mod gaps;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter::Peekable;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use self::gaps::{Gaps, Run};
use super::rest::Rest;
use super::{Batch, Key, KeyRange, Order, Pair, Pairs, StoreError};

/// The tables.
#[derive(Default)]
pub(super) struct Memtable(RwLock<Tables>);

#[derive(Default)]
struct Tables {
    /// What batches write into,
    active: Table,
    /// and what is on its way into the tree, oldest first.
    closed: VecDeque<Arc<Table>>,
    /// How many tables the tree has: what was read from it before the last of them may be old.
    flushed: u64,
    /// Where there is no row, in tables and tree.
    gaps: Mutex<Gaps>,
}

/// The rows of some batches.
#[derive(Default)]
pub(super) struct Table {
    rows: BTreeMap<Key, Written>,
    /// The number of the newest of them; 0 while there is none.
    newest: u64,
    /// The length of their keys and values.
    bytes: usize,
}

/// So many deleted rows are passed over before others may come in between.
const PASSED_MAX: usize = 256;

/// What is written under a key; nothing where the row is deleted.
type Written = Option<Box<[u8]>>;

impl Memtable {
    /// Writes the rows of the batch of this number, for all to see. One batch comes behind the other.
    ///
    /// What came and went within a table leaves nothing: those who look for the first row of many, again and again, would
    /// meet all that were there before it.
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
            passing.clear(); // it was closed meanwhile, with them in it
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

    /// The row under the key, which may be deleted; `None` when the tree is to be asked.
    pub(super) fn get(&self, key: &[u8]) -> Option<Option<Vec<u8>>> {
        let tables = self.0.read();
        let row = tables.youngest_first().find_map(|table| table.rows.get(key))?;
        Some(row.as_deref().map(<[u8]>::to_vec))
    }

    /// Closes the table that batches write into, if there were any: what they wrote may be gone, and still they were.
    pub(super) fn close(&self) {
        let tables = &mut *self.0.write();
        if tables.active.newest > 0 {
            tables.closed.push_back(Arc::new(std::mem::take(&mut tables.active)));
        }
    }

    /// The oldest closed table, which is to be written into the tree and then to be forgotten.
    pub(super) fn oldest(&self) -> Option<Arc<Table>> {
        self.0.read().closed.front().cloned()
    }

    /// Forgets the oldest closed table, all of which is in the tree.
    pub(super) fn forget(&self) {
        let forgotten = {
            let tables = &mut *self.0.write();
            tables.flushed += 1;
            tables.closed.pop_front()
        };
        drop(forgotten); // when nobody waits for the tables
    }

    /// The length of the keys and values of the batches in it.
    pub(super) fn bytes(&self) -> u64 {
        self.0.read().youngest_first().map(|table| table.bytes as u64).sum()
    }

    /// The tree was written into past the tables: what scans have read of it may be old, and where there was no row may be
    /// one.
    pub(super) fn filled(&self) {
        let tables = &mut *self.0.write();
        tables.flushed += 1;
        *tables.gaps.get_mut() = Gaps::default();
    }

    /// The rows of the range, which must not be empty. What the tree has in what is left of it is given by `seek`: as it is
    /// when it is asked, or as it is later.
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

/// The rows of a range, of the tables and of the tree.
struct Scan<S> {
    memtable: Arc<Memtable>,
    seek: S,
    rest: Rest,
    /// There while no row was given.
    run: Option<Run>,
    /// How many tables the tree had when it was asked,
    flushed: u64,
    /// and what it has behind the last row.
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
            // Those that are deleted are passed over, up to the next in the tree: that is read without the tables.
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
                    self.rest.go_on_behind(Key::new(&key));
                    (key, value)
                }
                (Next::InTree, pair) => return pair,
            }));
        }
    }
}

/// What a scan comes to.
enum Next {
    /// The next row of the tree, if there is any.
    InTree,
    /// The same, which is deleted.
    Deleted,
    /// More than is passed over in a step.
    Further,
    /// A row of a table; the tree may have an older one.
    InTable { key: Vec<u8>, value: Vec<u8>, is_in_tree: bool },
}

impl Tables {
    fn youngest_first(&self) -> impl Iterator<Item = &Table> {
        std::iter::once(&self.active).chain(self.closed.iter().rev().map(|table| &**table))
    }

    /// What a batch deletes that no table has but the one that is written into; and the newest batch in that.
    fn only_in_active(&self, batch: &Batch) -> (Vec<Key>, u64) {
        let has = |table: &Table, key: &Key| matches!(table.rows.get(key), Some(Some(_)));
        let deleted = batch.writes().filter(|(_, value)| value.is_none()).map(|(key, _)| key);
        let keys = deleted
            .filter(|key| has(&self.active, key) && !self.closed.iter().any(|table| has(table, key)))
            .copied()
            .collect();
        (keys, self.active.newest)
    }

    /// Goes on behind what is deleted, to the next row, or to what is next in the tree; gives the last one that is deleted.
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
            rest.go_on_behind(*key);
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

    /// The next row of what is left, in the youngest table that has it.
    fn next(&self, rest: &Rest) -> Option<(&Key, &Written)> {
        let firsts = self.youngest_first().filter_map(|table| table.first_of(rest));
        firsts.reduce(|next, older| if rest.order.of(older.0, next.0).is_lt() { older } else { next })
    }
}

impl Table {
    /// The number of the newest batch in it.
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

    /// Its rows; those without a value are deleted.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.rows.iter().map(|(key, value)| (&key[..], value.as_deref()))
    }
}

#[cfg(test)]
mod tests;
