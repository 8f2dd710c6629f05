//! Values above [`VALUE_BYTES_MAX`], kept in pieces that are each within it.
//!
//! ```text
//! [business][kind]       [rest]          → [length 4][digest 16][the first piece]
//! [business][kind | 0x80][rest][number 2] → a further piece, numbered from 1
//! ```
//!
//! The row of the key itself is the head; nothing else is longer than [`VALUE_BYTES_MAX`], so its length tells it from
//! a value that stands whole. What always holds:
//!
//! - the pieces are written in the batch of their head, so a crash leaves all of them or none;
//! - the length says which pieces belong to the value, so one that a longer value left behind is never read;
//! - a reader may meet pieces of two values while one replaces the other; the digest tells, and it reads again.

use sha2::{Digest, Sha256};

use super::{Backend, Key, StoreError, VALUE_BYTES_MAX};

/// The greatest length of a value, in all its pieces.
pub const LONG_VALUE_BYTES_MAX: usize = 512 << 10;

/// The bit of a kind that marks its pieces; no kind has it.
const PIECE: u8 = 0x80;
/// Where the kind stands in a key.
const KIND_AT: usize = 16;

const DIGEST_BYTES: usize = 16;
const HEAD_BYTES: usize = 4 + DIGEST_BYTES;

/// How often a value that is being replaced is read before it counts as damaged.
const READ_TRIES_MAX: usize = 16;

/// Whether the row of a key is the head of a long value.
pub(super) fn is_head(row: &[u8]) -> bool {
    row.len() > VALUE_BYTES_MAX
}

/// How many pieces stand behind the head of a value of this length.
pub(super) fn pieces_behind_head(value_bytes: usize) -> u16 {
    u16::try_from(value_bytes.div_ceil(VALUE_BYTES_MAX).saturating_sub(1)).unwrap_or(u16::MAX)
}

/// The key of a piece behind the head.
///
/// # Panics
/// When the key has no kind, or one that is marked: only such rows can be long that [`super::keys`] makes.
pub(super) fn piece_key(key: &[u8], number: u16) -> Key {
    assert!(key.get(KIND_AT).is_some_and(|kind| kind & PIECE == 0), "a long value needs a key with a kind");
    Key::new(&key[..KIND_AT])
        .with(&[key[KIND_AT] | PIECE])
        .with(&key[KIND_AT + 1..])
        .with(&number.to_be_bytes())
}

/// Gives the rows that keep a value.
pub(super) fn split(key: &Key, value: &[u8], mut row: impl FnMut(&Key, &[u8])) {
    if !is_head(value) {
        return row(key, value);
    }
    let (first, rest) = value.split_at(VALUE_BYTES_MAX);
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX); // below LONG_VALUE_BYTES_MAX
    row(key, &[&length.to_be_bytes()[..], &digest(value), first].concat());
    for (number, piece) in (1..).zip(rest.chunks(VALUE_BYTES_MAX)) {
        row(&piece_key(key, number), piece);
    }
}

/// The value whose row under the key was read; `None` when it was deleted meanwhile.
pub(super) fn whole(
    backend: &dyn Backend,
    key: &[u8],
    mut row: Vec<u8>,
) -> Result<Option<Vec<u8>>, StoreError> {
    for _ in 0..READ_TRIES_MAX {
        if !is_head(&row) {
            return Ok(Some(row));
        }
        if let Some(value) = join(backend, key, &row)? {
            return Ok(Some(value));
        }
        match backend.get(key)? {
            Some(again) => row = again,
            None => return Ok(None),
        }
    }
    Err(StoreError::damaged("long value", "its pieces do not belong together"))
}

/// Reads the pieces behind the head; `None` when they are not those of the head.
fn join(backend: &dyn Backend, key: &[u8], head: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let (header, first) = head.split_at(HEAD_BYTES.min(head.len()));
    let Some((length, expected)) = header.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*length) as usize;
    if !(VALUE_BYTES_MAX + 1..=LONG_VALUE_BYTES_MAX).contains(&length) {
        return Ok(None);
    }
    let mut value = Vec::with_capacity(length);
    value.extend_from_slice(first);
    for number in 1..=pieces_behind_head(length) {
        let Some(piece) = backend.get(&piece_key(key, number))? else { return Ok(None) };
        value.extend_from_slice(&piece);
    }
    Ok((value.len() == length && digest(&value) == expected).then_some(value))
}

fn digest(value: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&Sha256::digest(value)[..DIGEST_BYTES]);
    short
}

#[cfg(test)]
mod tests {
    use super::super::{Batch, KeyRange, MemoryBackend, Order};
    use super::*;

    fn key() -> Key {
        Key::new(&[1; 16]).with(&[0x50]).with(&[2; 16])
    }

    fn value(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| (at * 31 % 251) as u8).collect()
    }

    fn rows(bytes: usize) -> Vec<(Vec<u8>, usize)> {
        let mut rows = Vec::new();
        split(&key(), &value(bytes), |key, row| rows.push((key.to_vec(), row.len())));
        rows
    }

    #[test]
    fn a_value_is_split_above_the_bound_and_no_row_is_much_longer() {
        let head = key().to_vec();
        let piece = |number: u8| [&[1; 16][..], &[0xd0], &[2; 16], &[0, number]].concat();
        const MAX: usize = VALUE_BYTES_MAX;
        assert_eq!(rows(0), [(head.clone(), 0)]);
        assert_eq!(rows(MAX), [(head.clone(), MAX)]);
        assert_eq!(rows(MAX + 1), [(head.clone(), MAX + HEAD_BYTES), (piece(1), 1)]);
        assert_eq!(rows(2 * MAX), [(head.clone(), MAX + HEAD_BYTES), (piece(1), MAX)]);
        assert_eq!(rows(2 * MAX + 1), [(head, MAX + HEAD_BYTES), (piece(1), MAX), (piece(2), 1)]);
        for bytes in [0, 1, MAX, MAX + 1, 2 * MAX, 2 * MAX + 1, LONG_VALUE_BYTES_MAX] {
            assert_eq!(usize::from(pieces_behind_head(bytes)), rows(bytes).len() - 1);
        }
    }

    #[test]
    fn pieces_that_do_not_belong_to_the_head_are_an_error_and_never_a_value() {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        let mut batch = Batch::new();
        batch.put(key(), value(3 * VALUE_BYTES_MAX));
        session.apply(&batch).unwrap();
        let head = session.get(&key()).unwrap().unwrap();
        assert_eq!(whole(&session, &key(), head.clone()).unwrap().unwrap(), value(3 * VALUE_BYTES_MAX));

        let mut torn = Batch::new();
        torn.put(piece_key(&key(), 1), vec![9; VALUE_BYTES_MAX]);
        session.apply(&torn).unwrap();
        assert!(whole(&session, &key(), head.clone()).is_err());

        // The head that was read is of a value that another has replaced since, or that is gone.
        let mut replaced = Batch::new();
        replaced.put(key(), value(7));
        session.apply(&replaced).unwrap();
        assert_eq!(whole(&session, &key(), head.clone()).unwrap().unwrap(), value(7));
        let mut gone = Batch::new();
        gone.delete(key());
        session.apply(&gone).unwrap();
        assert_eq!(whole(&session, &key(), head).unwrap(), None);
    }

    #[test]
    fn deleting_a_long_value_deletes_its_pieces() {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        let count = || {
            let all = KeyRange { from: Key::new(b""), to: Key::new(&[0xff; 4]) };
            session.scan(&all, Order::Ascending).count()
        };
        let bytes = 3 * VALUE_BYTES_MAX + 5;
        let mut batch = Batch::new();
        batch.put(key(), value(bytes));
        session.apply(&batch).unwrap();
        assert_eq!(count(), 4);
        let mut batch = Batch::new();
        batch.delete_whole(key(), bytes);
        session.apply(&batch).unwrap();
        assert_eq!(count(), 0);
    }

    #[test]
    #[should_panic(expected = "needs a key with a kind")]
    fn a_key_without_a_kind_takes_no_long_value() {
        piece_key(b"k", 1);
    }
}
