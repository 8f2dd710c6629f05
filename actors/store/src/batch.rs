use super::key::Key;
use super::pieces::{LONG_VALUE_BYTES_MAX, bytes_kept, piece_key, pieces_of, split};
use super::tombstones::Tombstone;

/// Puts and deletes that are applied together. If a batch writes a key twice, the later write counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    writes: Vec<(Key, Option<Vec<u8>>)>,
    bytes: usize,
    tombstones: Vec<Tombstone>,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    /// # Panics
    /// Panics if the value is longer than [`LONG_VALUE_BYTES_MAX`]. The limits of the domain types keep every value
    /// shorter.
    pub fn put(&mut self, key: Key, value: Vec<u8>) {
        assert!(
            value.len() <= LONG_VALUE_BYTES_MAX,
            "a value of {} bytes is more than the store allows",
            value.len()
        );
        self.bytes += bytes_kept(&key, &value);
        self.writes.push((key, Some(value)));
    }

    /// Replaces a stored value of `bytes_before` bytes. Deletes the pieces of the old value that the new value does not
    /// overwrite.
    pub fn put_over(&mut self, key: Key, value: Vec<u8>, bytes_before: usize) {
        for number in pieces_of(value.len()) + 1..=pieces_of(bytes_before) {
            self.delete(piece_key(&key, number));
        }
        self.put(key, value);
    }

    /// Deletes the row of the key and all pieces of its value, which is `value_bytes` long.
    pub fn delete_whole(&mut self, key: Key, value_bytes: usize) {
        self.delete(key);
        for number in 1..=pieces_of(value_bytes) {
            self.delete(piece_key(&key, number));
        }
    }

    /// Deletes the row of the key. For a long value, use [`Batch::delete_whole`], which also deletes the pieces.
    pub fn delete(&mut self, key: Key) {
        self.bytes += key.len();
        self.writes.push((key, None));
    }

    pub fn add_tombstone(&mut self, tombstone: Tombstone) {
        self.tombstones.push(tombstone);
    }

    pub fn tombstones(&self) -> &[Tombstone] {
        &self.tombstones
    }

    pub fn append(&mut self, mut other: Self) {
        self.writes.append(&mut other.writes);
        self.tombstones.append(&mut other.tombstones);
        self.bytes += other.bytes;
    }

    pub fn len(&self) -> usize {
        self.writes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn writes(&self) -> impl Iterator<Item = (&Key, Option<&[u8]>)> {
        self.writes.iter().map(|(key, value)| (key, value.as_deref()))
    }

    /// Calls `row` for each row to write, in the order of the writes. A long value takes several rows.
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
    fn a_value_of_the_maximum_length_of_a_piece_is_accepted() {
        Batch::new().put(Key::new(b"k"), vec![0; VALUE_BYTES_MAX]);
    }

    #[test]
    #[should_panic(expected = "more than the store allows")]
    fn a_value_above_the_bound_is_refused() {
        Batch::new().put(Key::new(b"k"), vec![0; LONG_VALUE_BYTES_MAX + 1]);
    }
}
