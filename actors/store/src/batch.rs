//! A batch: puts and deletes that happen together or not at all.

use super::key::Key;
use super::pieces::{LONG_VALUE_BYTES_MAX, bytes_kept, piece_key, pieces_of, split};
use super::tombstones::Tombstone;

/// Puts and deletes that happen together or not at all; a later one of the same key wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    writes: Vec<(Key, Option<Vec<u8>>)>,
    bytes: usize,
    /// What it takes back for good.
    tombstones: Vec<Tombstone>,
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

    /// Puts a value in the place of one of this length: of a long one no piece stays behind.
    pub fn put_over(&mut self, key: Key, value: Vec<u8>, bytes_before: usize) {
        for number in pieces_of(value.len()) + 1..=pieces_of(bytes_before) {
            self.delete(piece_key(&key, number));
        }
        self.put(key, value);
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

    /// Has it listed, before anything of it is written, that this must not come back.
    pub fn bury(&mut self, tombstone: Tombstone) {
        self.tombstones.push(tombstone);
    }

    /// What must not come back.
    pub fn tombstones(&self) -> &[Tombstone] {
        &self.tombstones
    }

    /// Adds the writes of the other batch behind its own.
    pub fn append(&mut self, mut other: Self) {
        self.writes.append(&mut other.writes);
        self.tombstones.append(&mut other.tombstones);
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
    pub fn rows(&self, mut row: impl FnMut(&Key, Option<&[u8]>)) {
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
    use super::super::pieces::VALUE_BYTES_MAX;
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
