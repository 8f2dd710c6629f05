//! The rows of the stores in this test. A change depends only on the seed and the number of the change, so the
//! parent process can compute the rows that the child process has written.

use std::collections::BTreeMap;

use domain::{BusinessId, ResourceId};
use store::{Batch, Key, keys};
use uuid::Uuid;

use crate::chance::Rng;

pub(crate) const BUSINESSES: usize = 6;

/// The value of each key in a store. The store divides a long value into pieces, but here the value is whole.
pub(crate) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Each change inserts the short rows of eight bookings. A booking has a record, an index row and an audit row.
    Bookings,
    /// The changes overwrite the same rows again and again.
    Updates,
    Messages,
    /// The changes insert and delete rows, so that sled frees segments and reuses them.
    Churn,
}

impl Load {
    pub(crate) const ALL: [Self; 4] = [Self::Bookings, Self::Updates, Self::Messages, Self::Churn];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bookings => "bookings",
            Self::Updates => "updates",
            Self::Messages => "messages",
            Self::Churn => "churn",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        *Self::ALL.iter().find(|load| load.name() == name).expect("unknown load")
    }
}

/// The rows that a store contains after a number of changes.
pub(crate) struct Work {
    load: Load,
    /// The planned number of segments of the store. The number of rows of `Updates` and `Churn` depends on it.
    segments: usize,
    rng: Rng,
    pub(crate) changes: usize,
    pub(crate) rows: Rows,
    live: Vec<(usize, Key)>,
}

pub(crate) fn business(number: usize) -> BusinessId {
    Uuid::from_u128((0xaa00 << 112) | ((number as u128 + 1) * 0x1_0001)).into()
}

fn key(business_number: usize, kind: u8, rest: &[&[u8]]) -> Key {
    let key = Key::new(business(business_number).uuid().as_bytes()).with(&[kind]);
    rest.iter().fold(key, |key, part| key.with(part))
}

fn value(rng: &mut Rng, bytes: usize) -> Vec<u8> {
    let seed = rng.next();
    (0..bytes).map(|at| (seed >> (at % 8 * 8)) as u8 ^ (at / 8) as u8).collect()
}

impl Work {
    pub(crate) fn new(load: Load, segments: usize, seed: u64) -> Self {
        Self { load, segments, rng: Rng(seed), changes: 0, rows: Rows::new(), live: Vec::new() }
    }

    pub(crate) fn after(load: Load, segments: usize, seed: u64, changes: usize) -> Self {
        let mut work = Self::new(load, segments, seed);
        (0..changes).for_each(|_| _ = work.change());
        work
    }

    pub(crate) fn change(&mut self) -> (BusinessId, Batch) {
        self.changes += 1;
        let number = self.rng.below(BUSINESSES);
        let mut batch = Batch::new();
        if self.changes == 1 {
            for key in (0..BUSINESSES).map(|number| keys::business_index(business(number))) {
                batch.put(key, Vec::new());
                self.rows.insert(key.to_vec(), Vec::new());
            }
        }
        match self.load {
            Load::Bookings => (0..8).for_each(|_| self.book(number, &mut batch)),
            Load::Updates => {
                let keys = self.segments * 1_500;
                for _ in 0..20 {
                    let row = self.rng.below(keys) as u32;
                    let bytes = 200 + self.rng.below(200);
                    self.put(&mut batch, key(number, 0x50, &[&row.to_be_bytes()]), bytes);
                }
            }
            Load::Messages => {
                let key = key(number, 0x50, &[&(self.changes as u64).to_be_bytes()]);
                let bytes = 8_000 + self.rng.below(4_000);
                self.put(&mut batch, key, bytes);
            }
            Load::Churn => self.churn(number, &mut batch),
        }
        (business(number), batch)
    }

    fn book(&mut self, number: usize, batch: &mut Batch) {
        let id = ((self.changes as u64) << 20 | self.rng.next() >> 44).to_be_bytes();
        let start = (self.rng.below(1 << 24) as u32).to_be_bytes();
        let bytes = 250 + self.rng.below(200);
        self.put(batch, key(number, 0x50, &[&id]), bytes);
        self.put(batch, key(number, 0x51, &[&start, &id]), 4);
        self.put(batch, key(number, 0x52, &[&id]), 120);
    }

    /// Inserts rows. If the store then has more rows than a limit, also deletes rows.
    fn churn(&mut self, number: usize, batch: &mut Batch) {
        let limit = self.segments * 700;
        for _ in 0..10 {
            let key = key(number, 0x50, &[&self.rng.next().to_be_bytes()]);
            let bytes = 500 + self.rng.below(3_000);
            self.put(batch, key, bytes);
            self.live.push((number, key));
        }
        while self.live.len() > limit {
            // A batch contains rows of one business only. If the search finds no row of this business, this batch
            // deletes no further rows. Later batches delete rows of other businesses.
            let from = self.rng.below(self.live.len());
            let Some(at) = (from..self.live.len()).find(|at| self.live[*at].0 == number) else { break };
            let (_, key) = self.live.swap_remove(at);
            self.rows.remove(&key[..]);
            batch.delete(key);
        }
    }

    fn put(&mut self, batch: &mut Batch, key: Key, bytes: usize) {
        let value = value(&mut self.rng, bytes);
        batch.put(key, value.clone());
        self.rows.insert(key.to_vec(), value);
    }
}
