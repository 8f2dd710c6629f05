//! A *tap* lets a reader see the rows as they were at one *point*, a moment between two commits. After the point, the
//! tap saves the values that commits overwrite.
//!
//! The reader states the ranges of keys that it will read, and reads each range in key order. Invariants:
//!
//! - For a key that the reader has not passed yet, the first saved value is the value at the point. If no value was
//!   saved for the key, the current value is the value at the point.
//! - The committer saves a value before it overwrites the row. It never waits for the reader, except while the reader
//!   takes the saved values.
//! - Memory is bounded: the reader moves saved values to a file ([`super::snapshot`]). If the reader is too slow, the
//!   read fails and commits continue.

use std::collections::BTreeMap;

use parking_lot::{Mutex, MutexGuard};

use super::{Backend, Batch, Key, KeyRange, StoreError};

/// If the saved values in memory have more bytes than this, the reader moves them to a file.
pub(super) const SPILL_BYTES: usize = 8 << 20;
/// The maximum number of saved bytes in memory. If the saved values exceed it, because the reader moves them to a file
/// too slowly, the read fails.
const SAVED_BYTES_MAX: usize = 64 << 20;
const ROW_BYTES: usize = 128;

/// The saved values. A value is `None` if the row did not exist.
pub(super) type Saved = BTreeMap<Key, Option<Vec<u8>>>;

pub(super) struct Tap(Mutex<State>);

struct State {
    left: Vec<KeyRange>,
    saved: Saved,
    bytes: usize,
    overflowed: bool,
}

impl Tap {
    pub(super) fn of(left: Vec<KeyRange>) -> Self {
        Self(Mutex::new(State { left, saved: Saved::new(), bytes: 0, overflowed: false }))
    }

    /// Saves the values that the batch overwrites. The committer calls this function before it
    /// applies the batch.
    pub(super) fn save(&self, backend: &dyn Backend, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.0.lock();
        if state.overflowed {
            return Ok(());
        }
        let mut failed = Ok(());
        batch.rows(|key, _| {
            let is_left = state.left.iter().any(|range| range.from <= *key && *key < range.to);
            if failed.is_err() || !is_left || state.saved.contains_key(key) {
                return;
            }
            match backend.get(key) {
                Ok(before) => {
                    state.bytes += bytes_of(&before);
                    state.saved.insert(*key, before);
                }
                Err(error) => failed = Err(error),
            }
        });
        if state.bytes > SAVED_BYTES_MAX {
            (state.saved, state.overflowed) = (Saved::new(), true);
        }
        failed
    }

    pub(super) fn bytes(&self) -> Option<usize> {
        let state = self.0.lock();
        (!state.overflowed).then_some(state.bytes)
    }

    /// Locks the saved values. Returns [`StoreError::Overwritten`] if they were dropped because they exceeded
    /// [`SAVED_BYTES_MAX`].
    fn saving(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.0.lock();
        if state.overflowed { Err(StoreError::Overwritten) } else { Ok(state) }
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Option<Vec<u8>>>, StoreError> {
        Ok(self.saving()?.saved.get(&Key::new(key)).cloned())
    }

    pub(super) fn within(&self, range: KeyRange) -> Result<Saved, StoreError> {
        let state = self.saving()?;
        Ok(state.saved.range(range.from..range.to).map(|(key, row)| (*key, row.clone())).collect())
    }

    /// Takes all saved values. The tap may later save another value for the key of a taken value. The reader must
    /// ignore this later value, because the taken value is the value at the point.
    pub(super) fn take_all(&self) -> Saved {
        let mut state = self.0.lock();
        state.bytes = 0;
        std::mem::take(&mut state.saved)
    }

    /// Marks a range as read. Removes the saved values of the keys in this range, and returns them.
    pub(super) fn pass(&self, passed: KeyRange) -> Saved {
        let mut state = self.0.lock();
        for range in &mut state.left {
            if passed.from <= range.from && range.from < passed.to {
                range.from = passed.to.min(range.to);
            }
        }
        state.left.retain(|range| !range.is_empty());
        let mut taken = state.saved.split_off(&passed.from);
        let mut unread = taken.split_off(&passed.to);
        state.saved.append(&mut unread);
        state.bytes -= taken.values().map(bytes_of).sum::<usize>();
        taken
    }
}

fn bytes_of(row: &Option<Vec<u8>>) -> usize {
    ROW_BYTES + row.as_ref().map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::super::{MemoryBackend, every_row};
    use super::*;

    fn batch(writes: &[(&[u8], Option<&[u8]>)]) -> Batch {
        let mut batch = Batch::default();
        for (key, value) in writes {
            match value {
                Some(value) => batch.put(Key::new(key), value.to_vec()),
                None => batch.delete(Key::new(key)),
            }
        }
        batch
    }

    fn range(from: &[u8], to: &[u8]) -> KeyRange {
        KeyRange { from: Key::new(from), to: Key::new(to) }
    }

    #[test]
    fn only_the_first_value_of_a_row_ahead_of_the_reader_is_saved() {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        session.commit(&batch(&[(b"a", Some(b"1")), (b"b", Some(b"1")), (b"c", Some(b"1"))])).unwrap();
        // The tap saves no values outside the ranges of the reader.
        let read = [(b"a", b"d"), (b"d", b"e")].map(|(from, to)| range(from, to));
        let tap = Tap::of(read.to_vec());
        let write = |writes: &[(&[u8], Option<&[u8]>)]| {
            tap.save(&session, &batch(writes)).unwrap();
            session.commit(&batch(writes)).unwrap();
        };
        write(&[(b"a", Some(b"2")), (b"d", Some(b"2")), (b"e", Some(b"2"))]);
        write(&[(b"a", Some(b"3")), (b"d", None), (b"c", None)]);
        assert_eq!(tap.get(b"a").unwrap(), Some(Some(b"1".to_vec())));
        assert_eq!((tap.get(b"b").unwrap(), tap.get(b"d").unwrap()), (None, Some(None)));
        let passed = tap.pass(range(b"a", b"c"));
        assert_eq!(passed, Saved::from([(Key::new(b"a"), Some(b"1".to_vec()))]));
        write(&[(b"b", Some(b"4")), (b"c", Some(b"4"))]);
        let left = tap.take_all();
        assert_eq!(left, Saved::from([(Key::new(b"c"), Some(b"1".to_vec())), (Key::new(b"d"), None)]));
        assert_eq!(tap.bytes(), Some(0));
    }

    #[test]
    fn a_read_that_is_too_slow_fails_and_the_committer_continues() {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        let tap = Tap::of(vec![every_row()]);
        for number in 0..=(SAVED_BYTES_MAX / ROW_BYTES) as u64 {
            assert!(tap.bytes().is_some());
            tap.save(&session, &batch(&[(&number.to_be_bytes(), Some(b""))])).unwrap();
        }
        assert_eq!(tap.bytes(), None);
        tap.save(&session, &batch(&[(b"a", Some(b""))])).unwrap();
        assert!(matches!(tap.get(b"a"), Err(StoreError::Overwritten)));
        assert!(tap.take_all().is_empty());
    }
}
