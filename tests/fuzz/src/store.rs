//! A fuzz target for the store, in memory and on disk. An input is a sequence of changes, scans, delayed
//! syncs, crashes and reopenings. The target compares the store with a `BTreeMap` that gets the same changes.
//!
//! After a crash, the store must contain the first changes of the sequence and no part of later ones. Every
//! acknowledged change must be among the first changes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use domain::BusinessId;
use store::{Batch, Key, KeyRange, MemoryBackend, Order, Store, VALUE_BYTES_MAX};
use tempfile::TempDir;
use uuid::Uuid;

/// The maximum number of steps in memory. On disk, the maximum is smaller, because each step may need a sync.
const STEPS_MAX: usize = 400;
const DISK_STEPS_MAX: usize = 60;
/// On average, one in this many inputs also runs on disk.
const INPUTS_PER_DISK: u64 = 256;
const REOPENINGS_MAX: usize = 6;
/// A batch is committed when it reaches this many bytes.
const BATCH_BYTES_MAX: usize = 500 << 10;
const KEYS: u8 = 12;

type Model = BTreeMap<Vec<u8>, Arc<Vec<u8>>>;

enum Medium {
    Memory(MemoryBackend),
    Disk(TempDir),
}

impl Medium {
    fn open(&self) -> Store {
        match self {
            // The test cuts the power of this disk, and the store then reports a failure. So failures are ignored.
            Self::Memory(disk) => Store::in_memory(disk, Box::new(|_| ())).unwrap(),
            Self::Disk(dir) => Store::open_disk(dir.path(), Box::new(|error| panic!("{error}"))).unwrap(),
        }
    }
}

fn business() -> BusinessId {
    Uuid::from_bytes([1; 16]).into()
}

/// The prefix of all keys that a step uses. The store keeps the pieces of long values under another prefix.
fn prefix() -> Key {
    Key::new(&[1; 16]).with(&[0x50])
}

fn key(number: u8) -> Key {
    prefix().with(&[number % KEYS; 16])
}

/// The bytes from which all values are taken. Each step begins at another offset.
static PATTERN: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..SEEDS + 2 * VALUE_BYTES_MAX + 256).map(|at| (at * 31 % 65_521) as u8).collect());
const SEEDS: usize = STEPS_MAX * SEED_STRIDE;
const SEED_STRIDE: usize = 977;

/// A value that fits in one row, a value that is one byte too long for a row, or a value that needs several
/// rows.
fn value(code: u8, seed: usize) -> Vec<u8> {
    let bytes = match code % 32 {
        29 => VALUE_BYTES_MAX,
        30 => VALUE_BYTES_MAX + 1,
        31 => 2 * VALUE_BYTES_MAX + usize::from(code),
        small => usize::from(small) * 9,
    };
    PATTERN[seed % SEEDS..][..bytes].to_vec()
}

struct World {
    medium: Medium,
    store: Store,
    /// The expected state at the opening of the store, and the expected state after each change.
    states: Vec<Model>,
    /// The number of acknowledged changes.
    acknowledged: Arc<AtomicUsize>,
    /// The batch that has not been committed yet. `next` is the expected state after its commit.
    batch: Batch,
    next: Model,
    reopenings: usize,
}

impl World {
    fn new(medium: Medium) -> Self {
        let store = medium.open();
        Self {
            medium,
            store,
            states: vec![Model::new()],
            acknowledged: Arc::default(),
            batch: Batch::new(),
            next: Model::new(),
            reopenings: 0,
        }
    }

    fn put(&mut self, number: u8, value: Vec<u8>) {
        self.next.insert(key(number).to_vec(), Arc::new(value.clone()));
        self.batch.put(key(number), value);
        if self.batch.bytes() > BATCH_BYTES_MAX {
            self.commit();
        }
    }

    fn delete(&mut self, number: u8) {
        let gone = self.next.remove(&key(number)[..]);
        self.batch.delete_whole(key(number), gone.map_or(0, |value| value.len()));
    }

    fn commit(&mut self) {
        self.states.push(self.next.clone());
        let (acknowledged, number) = (Arc::clone(&self.acknowledged), self.states.len() - 1);
        let done = move || {
            assert_eq!(
                acknowledged.fetch_add(1, Ordering::Relaxed) + 1,
                number,
                "changes were acknowledged out of order"
            );
        };
        self.store.submit(business(), std::mem::take(&mut self.batch), Box::new(done));
    }

    async fn wait_durable(&self) {
        if let Medium::Memory(disk) = &self.medium {
            disk.release_syncs();
        }
        self.store.wait_durable(business()).await.unwrap();
        assert!(
            self.held(Order::Descending) == *self.states.last().unwrap(),
            "the store must contain every submitted change"
        );
    }

    fn held(&self, order: Order) -> Model {
        let mut pairs: Vec<_> =
            self.store.scan(&KeyRange::prefix(prefix()), order).map(|pair| pair.unwrap()).collect();
        if order == Order::Descending {
            pairs.reverse();
        }
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0), "the rows of a scan are not in order");
        for (key, value) in &pairs {
            assert!(
                self.store.get_raw(&Key::new(key)).unwrap().as_ref() == Some(value),
                "a get and a scan return different values"
            );
        }
        pairs.into_iter().map(|(key, value)| (key, Arc::new(value))).collect()
    }

    /// Checks that the store is in an expected state: the state after the newest acknowledged change, or
    /// after a later change.
    fn check(&self, order: Order) -> Model {
        // On disk, another thread writes, so a read may or may not see changes that have not been acknowledged yet.
        // While there are such changes, the state is not compared.
        let known = self.acknowledged.load(Ordering::Relaxed);
        if matches!(self.medium, Medium::Disk(_)) && known + 1 < self.states.len() {
            return Model::new();
        }
        let held = self.held(order);
        assert!(
            self.states[known..].contains(&held),
            "the store is not in the state after any change since the newest acknowledged one"
        );
        held
    }

    fn opened_again(&mut self, held: Model) {
        self.next = held.clone();
        self.states = vec![held];
        self.acknowledged = Arc::default();
        self.batch = Batch::new();
    }

    async fn reopen(&mut self) {
        if let Medium::Memory(disk) = &self.medium {
            disk.release_syncs();
        }
        self.store.close().await.unwrap();
        self.store = self.medium.open();
        let whole = self.states.pop().unwrap();
        assert!(self.held(Order::Ascending) == whole, "closing the store has lost data");
        self.opened_again(whole);
    }

    /// Cuts the power of a store in memory, and reopens it. A store on disk is closed and reopened.
    async fn crash(&mut self, keep: usize) {
        let Medium::Memory(disk) = &self.medium else { return self.reopen().await };
        disk.crash(keep);
        self.store = self.medium.open();
        let held = self.check(Order::Ascending);
        self.opened_again(held);
    }

    async fn step(&mut self, step: u8, a: u8, b: u8, seed: usize) {
        match step % 16 {
            0..=4 => self.put(a, value(b, seed)),
            5 | 6 => self.delete(a),
            7..=9 => self.commit(),
            10 => _ = self.check(if a.is_multiple_of(2) { Order::Ascending } else { Order::Descending }),
            11 => {
                for _ in 0..a % 8 {
                    tokio::task::yield_now().await;
                }
            }
            12 => self.wait_durable().await,
            13 => {
                if let Medium::Memory(disk) = &self.medium {
                    disk.hold_syncs();
                }
            }
            _ if self.reopenings == REOPENINGS_MAX => {}
            14 => {
                self.reopenings += 1;
                self.reopen().await;
            }
            _ => {
                self.reopenings += 1;
                self.crash(usize::from(a % 4)).await;
            }
        }
    }
}

/// Whether this input also runs on disk. One in [`INPUTS_PER_DISK`] inputs does. The decision depends on all
/// bytes of the input. If it depended on a single byte, derived inputs would inherit the decision, and
/// coverage would select mainly slow inputs on disk.
pub fn on_disk(data: &[u8]) -> bool {
    let hash = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(INPUTS_PER_DISK)
}

/// Carries out the input. Each group of three bytes is a step.
pub fn check(data: &[u8]) {
    let on_disk = on_disk(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let medium = match on_disk {
            true => Medium::Disk(tempfile::tempdir().unwrap()),
            false => Medium::Memory(MemoryBackend::new()),
        };
        let mut world = World::new(medium);
        let steps_max = if on_disk { DISK_STEPS_MAX } else { STEPS_MAX };
        for (seed, step) in data.as_chunks::<3>().0.iter().take(steps_max).enumerate() {
            world.step(step[0], step[1], step[2], seed * SEED_STRIDE).await;
        }
        world.commit();
        world.wait_durable().await;
        world.reopen().await;
        world.store.close().await.unwrap();
    });
}
