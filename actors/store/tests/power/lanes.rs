//! The changes to several businesses. A change depends only on the seed, the business and the number of the change, so
//! the test can compute the rows after any number of changes.

use std::collections::BTreeMap;

use domain::{BusinessId, ResourceId};
use store::{Batch, Key, KeyRange, Order, Store};
use uuid::Uuid;

use crate::chance::Rng;

pub(crate) const LANES: usize = 6;
/// The number of keys per business. It is small, so that most writes overwrite a row.
const KEYS: usize = 300;

/// A bit of the seed. If it is set, the rows are longer, so sled soon frees and reuses segments.
pub(crate) const CHURN_SEED: u64 = 1 << 63;

pub(crate) struct Lane {
    number: usize,
    seed: u64,
    pub(crate) changes: u32,
    rows: BTreeMap<usize, Vec<u8>>,
}

fn business(lane: usize) -> BusinessId {
    Uuid::from_u128((0xaa00 << 112) | ((lane as u128 + 1) * 0x1_0001)).into()
}

fn key(lane: usize, row: usize) -> Key {
    Key::new(business(lane).uuid().as_bytes()).with(&[0x50]).with(&(row as u16).to_be_bytes())
}

fn counter(lane: usize) -> Key {
    Key::new(business(lane).uuid().as_bytes()).with(&[0x51])
}

fn value(rng: &mut Rng, churns: bool) -> Vec<u8> {
    let bytes = match rng.below(100) {
        1.. if churns => 1_500 + rng.below(2_000),
        0 => 10_000 + rng.below(60_000),
        1..6 => 1_000 + rng.below(3_000),
        _ => rng.below(400),
    };
    let seed = rng.next();
    (0..bytes).map(|at| (seed >> (at % 8 * 8)) as u8 ^ at as u8).collect()
}

impl Lane {
    pub(crate) fn new(number: usize, seed: u64) -> Self {
        Self { number, seed, changes: 0, rows: BTreeMap::new() }
    }

    pub(crate) fn business(&self) -> BusinessId {
        business(self.number)
    }

    pub(crate) fn change(&mut self) -> Batch {
        self.changes += 1;
        let mut rng = Rng(self.seed ^ ((self.number as u64) << 56) ^ (u64::from(self.changes) << 20));
        let mut batch = Batch::new();
        if rng.below(60) == 0 {
            for (row, value) in std::mem::take(&mut self.rows) {
                batch.delete_whole(key(self.number, row), value.len());
            }
        }
        for _ in 0..1 + rng.below(10) {
            let row = rng.below(KEYS);
            let before = self.rows.get(&row).map_or(0, Vec::len);
            if rng.below(6) == 0 {
                batch.delete_whole(key(self.number, row), before);
                self.rows.remove(&row);
            } else {
                let value = value(&mut rng, self.seed & CHURN_SEED != 0);
                batch.put_over(key(self.number, row), value.clone(), before);
                self.rows.insert(row, value);
            }
        }
        batch.put(counter(self.number), self.changes.to_be_bytes().to_vec());
        batch
    }

    /// Repeats the computation of the changes that the store already contains, without writing the changes.
    pub(crate) fn catch_up(&mut self, store: &Store) {
        let found = store.get_raw(&counter(self.number)).unwrap();
        let changes = found.map_or(0, |found| u32::from_be_bytes(found.try_into().unwrap()));
        while self.changes < changes {
            self.change();
        }
    }

    /// Checks that the store contains exactly the rows that exist after these changes.
    pub(crate) fn check(&self, store: &Store) {
        let mut found = BTreeMap::new();
        for pair in store.scan(&KeyRange::prefix(key(self.number, 0).prefix()), Order::Ascending) {
            let (key, value) = pair.unwrap();
            found.insert(usize::from(u16::from_be_bytes([key[17], key[18]])), value);
        }
        let rows = |rows: &BTreeMap<usize, Vec<u8>>| {
            rows.iter().map(|(row, value)| (*row, value.len(), value.first().copied())).collect::<Vec<_>>()
        };
        assert!(
            found == self.rows,
            "business {} does not have the rows after {} changes: {:?} instead of {:?}",
            self.number,
            self.changes,
            rows(&found),
            rows(&self.rows)
        );
    }
}

trait Prefix {
    fn prefix(&self) -> Key;
}

impl Prefix for Key {
    fn prefix(&self) -> Key {
        Key::new(&self[..17])
    }
}
