//! What the store needs of a storage engine: ordered keys, atomic batches and a sync that can be relied on.
//!
//! What always holds: only the committer applies and syncs, one batch after the other; any number of threads read.
//! A reader sees what was applied, durable or not; whoever shows it to the world waits until it is durable.

use std::io;

use super::long::{LONG_VALUE_BYTES_MAX, bytes_kept, piece_key, pieces_of, split};
use super::{Key, KeyRange, StoreError};

/// The greatest length of a value that is written into one row; a longer one is kept in pieces. Earlier versions wrote
/// rows of up to 64 KiB, and those are read still.
///
/// The disk backend keeps up to about 20 neighbouring pairs in one page, and reads, keeps and writes pages whole: how
/// much memory it takes beyond its cache goes with the length of a page. A page above 2 MiB it would put into a file
/// that it never syncs.
pub const VALUE_BYTES_MAX: usize = 4 << 10;

/// Room on the disk that a store lies on, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What this process may still take of it.
    pub free: u64,
    /// All of it, whoever uses it.
    pub total: u64,
}

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// Pairs in key order, read as they are asked for.
pub type Pairs<'a> = Box<dyn Iterator<Item = Result<Pair, StoreError>> + Send + 'a>;

/// The direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the smallest key.
    Ascending,
    /// From the greatest key.
    Descending,
}

/// A storage engine.
pub trait Backend: Send + Sync + 'static {
    /// The value under the key.
    ///
    /// # Errors
    /// [`StoreError::Read`], or [`StoreError::Closed`] after [`Backend::close`].
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The pairs of the range. They are read one by one: a batch applied meanwhile may be seen from its middle on.
    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;

    /// Makes the whole batch visible to `get` and `scan`, atomically with respect to a crash; not yet durable.
    ///
    /// # Errors
    /// [`StoreError::Apply`], after which nothing may be applied any more.
    fn apply(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Everything applied before is durable once this has returned.
    ///
    /// # Errors
    /// [`StoreError::Sync`], after which nothing may be applied or synced any more.
    fn sync(&self) -> Result<(), StoreError>;

    /// How much room there is on the disk.
    ///
    /// # Errors
    /// When the system does not say.
    fn space(&self) -> io::Result<Space>;

    /// Lets go of files and locks, once the scans in progress have ended. Later calls answer [`StoreError::Closed`].
    fn close(&self);
}

/// Puts and deletes that happen together or not at all; a later one of the same key wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    writes: Vec<(Key, Option<Vec<u8>>)>,
    bytes: usize,
}

impl Batch {
    /// A batch without writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts the value under the key.
    ///
    /// # Panics
    /// When the value is longer than [`LONG_VALUE_BYTES_MAX`]: the code that makes the record has to bound it.
    pub fn put(&mut self, key: Key, value: Vec<u8>) {
        assert!(
            value.len() <= LONG_VALUE_BYTES_MAX,
            "a value of {} bytes is more than the store takes",
            value.len()
        );
        self.bytes += bytes_kept(&key, &value);
        self.writes.push((key, Some(value)));
    }

    /// Deletes the key and a value of this length, which may be long.
    pub fn delete_whole(&mut self, key: Key, value_bytes: usize) {
        self.delete(key);
        for number in 1..=pieces_of(value_bytes) {
            self.delete(piece_key(&key, number));
        }
    }

    /// Deletes the key and its value, if they are there; of a long value only [`Batch::delete_whole`] deletes all.
    pub fn delete(&mut self, key: Key) {
        self.bytes += key.len();
        self.writes.push((key, None));
    }

    /// Adds the writes of the other batch behind its own.
    pub fn append(&mut self, mut other: Self) {
        self.writes.append(&mut other.writes);
        self.bytes += other.bytes;
    }

    /// How many writes it has.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether it has no writes.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The length of its keys and values together, as they are kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its writes in order; a delete has no value.
    pub fn writes(&self) -> impl Iterator<Item = (&Key, Option<&[u8]>)> {
        self.writes.iter().map(|(key, value)| (key, value.as_deref()))
    }

    /// The rows that a backend writes for them, in order: those of a long value are several.
    pub(super) fn rows(&self, mut row: impl FnMut(&Key, Option<&[u8]>)) {
        for (key, value) in self.writes() {
            match value {
                Some(value) => split(key, value, |key, value| row(key, Some(value))),
                None => row(key, None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_counts_keys_and_values() {
        let mut batch = Batch::new();
        assert!(batch.is_empty());
        batch.put(Key::new(b"ab"), vec![0; 3]);
        let mut other = Batch::new();
        other.delete(Key::new(b"abcd"));
        batch.append(other);
        assert_eq!((batch.len(), batch.bytes()), (2, 9));
        let writes: Vec<_> = batch.writes().map(|(key, value)| (key.to_vec(), value.is_some())).collect();
        assert_eq!(writes, [(b"ab".to_vec(), true), (b"abcd".to_vec(), false)]);
    }

    #[test]
    fn a_value_at_the_bound_is_taken() {
        Batch::new().put(Key::new(b"k"), vec![0; VALUE_BYTES_MAX]);
    }

    #[test]
    #[should_panic(expected = "more than the store takes")]
    fn a_value_above_the_bound_is_refused() {
        Batch::new().put(Key::new(b"k"), vec![0; LONG_VALUE_BYTES_MAX + 1]);
    }
}
