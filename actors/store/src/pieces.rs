//! Access to stored rows, in a store or in a backup. Long values are stored in pieces. In the diagrams, a number after
//! the name of a field is the length of the field in bytes.
//!
//! ```text
//! [business][kind]       [rest]           → [mark 8][length 4][digest 16]: the head
//! [business][kind | 0x80][rest][number 2] → a piece, numbered from 1
//! ```
//!
//! Earlier versions stored up to 64 KiB in one row, and the first 64 KiB of longer values in the head:
//!
//! ```text
//! [business][kind]       [rest]           → [length 4][digest 16][the first piece]: a head
//! [business][kind | 0x80][rest][number 2] → another piece of 64 KiB, numbered from 1
//! ```
//!
//! A head of an earlier version is recognised by its length: no other row is longer than 64 KiB.
//!
//! Invariants:
//!
//! - The pieces and their head are in one batch, so after a crash either all of them exist or none.
//! - The length determines how many pieces are read, so a piece that is left over from a longer value is never read.
//! - While a value is being replaced, a reader may read pieces of the old value and of the new value. The digest then
//!   does not match, and the reader reads again.
//! - A short value that looks like a head is stored in pieces, so every row that looks like a head is a head.

use sha2::{Digest, Sha256};

use super::{KEY_BYTES_MAX, Key, KeyRange, Order, Pairs, Record, StoreError};

/// The maximum length of a value in one row. sled reads, caches and writes whole pages of up to about 20 rows, so long
/// rows would make each access expensive.
pub const VALUE_BYTES_MAX: usize = 4 << 10;

pub const LONG_VALUE_BYTES_MAX: usize = 512 << 10;

/// The bit that marks a piece in the kind of its key. The number of a kind never has this bit.
pub(super) const PIECE: u8 = 0x80;
pub(super) const KIND_AT: usize = 16;

/// The first bytes of the head of a long value. No record starts with them: a record starts with its version byte.
const MARK: [u8; 8] = *b"\xffpieces\x01";
const DIGEST_BYTES: usize = 16;
pub(super) const HEAD_BYTES: usize = MARK.len() + 4 + DIGEST_BYTES;

/// The maximum length of a row and of a piece in earlier versions.
const EARLIER_ROW_BYTES_MAX: usize = 64 << 10;
const EARLIER_HEAD_BYTES: usize = 4 + DIGEST_BYTES;

/// True if a row contains the head of a value in pieces, false if it contains a whole value.
pub fn is_head(row: &[u8]) -> bool {
    row.len() > EARLIER_ROW_BYTES_MAX || (row.len() == HEAD_BYTES && row.starts_with(&MARK))
}

fn is_long(value: &[u8]) -> bool {
    value.len() > VALUE_BYTES_MAX || is_head(value)
}

/// The number of pieces of a value of this length, not counting its head. Earlier versions wrote fewer pieces.
pub(super) fn pieces_of(value_bytes: usize) -> u16 {
    if value_bytes <= VALUE_BYTES_MAX {
        return 0;
    }
    u16::try_from(value_bytes.div_ceil(VALUE_BYTES_MAX)).unwrap_or(u16::MAX)
}

/// # Panics
/// Panics if the key has no kind, or its kind has the bit for pieces.
pub(super) fn piece_key(key: &[u8], number: u16) -> Key {
    assert!(key.get(KIND_AT).is_some_and(|kind| kind & PIECE == 0), "a long value needs a key with a kind");
    Key::new(&key[..KIND_AT])
        .with(&[key[KIND_AT] | PIECE])
        .with(&key[KIND_AT + 1..])
        .with(&number.to_be_bytes())
}

pub(super) fn bytes_kept(key: &Key, value: &[u8]) -> usize {
    if !is_long(value) {
        return key.len() + value.len();
    }
    let pieces = value.len().div_ceil(VALUE_BYTES_MAX);
    key.len() + HEAD_BYTES + pieces * piece_key(key, 1).len() + value.len()
}

pub(super) fn split(key: &Key, value: &[u8], mut row: impl FnMut(&Key, &[u8])) {
    if !is_long(value) {
        return row(key, value);
    }
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX); // below LONG_VALUE_BYTES_MAX
    row(key, &[&MARK[..], &length.to_be_bytes(), &digest(value)].concat());
    for (number, piece) in (1..).zip(value.chunks(VALUE_BYTES_MAX)) {
        row(&piece_key(key, number), piece);
    }
}

pub(super) fn digest(value: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&Sha256::digest(value)[..DIGEST_BYTES]);
    short
}

/// The maximum number of attempts to read a value. An attempt fails if the value's pieces do not belong together, for
/// example because the value was replaced during the attempt. If all attempts fail, the value counts as damaged.
const READ_TRIES_MAX: usize = 16;

/// Returns the whole value of a row. Returns `None` if the row was deleted after the caller read it.
pub fn whole(
    get: impl Fn(&[u8]) -> Result<Option<Vec<u8>>, StoreError>,
    key: &[u8],
    mut row: Vec<u8>,
) -> Result<Option<Vec<u8>>, StoreError> {
    for _ in 0..READ_TRIES_MAX {
        if !is_head(&row) {
            return Ok(Some(row));
        }
        if let Some(value) = join(&get, key, &row)? {
            return Ok(Some(value));
        }
        match get(key)? {
            Some(again) => row = again,
            None => return Ok(None),
        }
    }
    Err(StoreError::damaged("long value", "its pieces do not belong together"))
}

fn join(
    get: impl Fn(&[u8]) -> Result<Option<Vec<u8>>, StoreError>,
    key: &[u8],
    head: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    let (head, first, piece_bytes) = if head.len() > EARLIER_ROW_BYTES_MAX {
        let (head, first) = head.split_at(EARLIER_HEAD_BYTES);
        (head, first, EARLIER_ROW_BYTES_MAX)
    } else {
        (&head[MARK.len()..], &[][..], VALUE_BYTES_MAX)
    };
    let Some((length, expected)) = head.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*length) as usize;
    if length > LONG_VALUE_BYTES_MAX || first.len() > length {
        return Ok(None);
    }
    let mut value = Vec::with_capacity(length);
    value.extend_from_slice(first);
    let pieces = (length - first.len()).div_ceil(piece_bytes);
    for number in 1..=u16::try_from(pieces).unwrap_or(u16::MAX) {
        let Some(piece) = get(&piece_key(key, number))? else { return Ok(None) };
        value.extend_from_slice(&piece);
    }
    Ok((value.len() == length && digest(&value) == expected).then_some(value))
}

/// A source of stored rows. A long value is stored in several rows, and `get` returns only one row. Use [`value_at`] to
/// read a whole value.
pub trait Rows: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;
}

/// Returns the whole value of a key.
///
/// # Errors
/// Returns an error if reading fails, or if the pieces of the value do not belong together.
pub fn value_at(rows: &dyn Rows, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    rows.get(key)?.map_or(Ok(None), |row| whole_value(rows, key, row))
}

pub fn whole_value(rows: &dyn Rows, key: &[u8], row: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
    whole(|key| rows.get(key), key, row)
}

/// Returns the record that is stored under a key.
///
/// # Errors
/// Returns an error if reading fails, if the pieces of the value do not belong together, or if the value cannot be
/// decoded.
pub fn record_at<R: Record>(rows: &dyn Rows, key: &Key) -> Result<Option<R>, StoreError> {
    value_at(rows, key)?.map(|value| R::decode(&value)).transpose()
}

pub fn every_row() -> KeyRange {
    KeyRange { from: Key::default(), to: Key::new(&[u8::MAX; KEY_BYTES_MAX]) }
}

/// If this is the key of a piece, returns the key of the value to which the piece belongs.
pub fn piece_of(key: &[u8]) -> Option<Key> {
    let kind = key.get(KIND_AT).filter(|kind| **kind & PIECE != 0)?;
    // The number of the piece follows the key of the value.
    let rest = key.get(KIND_AT + 1..key.len().checked_sub(2)?)?;
    Some(Key::new(&key[..KIND_AT]).with(&[kind & !PIECE]).with(rest))
}

#[cfg(test)]
mod tests {
    use super::super::{Backend, Batch, MemoryBackend};
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
    fn a_value_above_the_maximum_is_split_and_no_row_is_longer() {
        let head = (key().to_vec(), HEAD_BYTES);
        let piece = |number: u8| [&[1; 16][..], &[0xd0], &[2; 16], &[0, number]].concat();
        const MAX: usize = VALUE_BYTES_MAX;
        assert_eq!(rows(0), [(key().to_vec(), 0)]);
        assert_eq!(rows(MAX), [(key().to_vec(), MAX)]);
        assert_eq!(rows(MAX + 1), [head.clone(), (piece(1), MAX), (piece(2), 1)]);
        assert_eq!(rows(2 * MAX), [head.clone(), (piece(1), MAX), (piece(2), MAX)]);
        assert_eq!(rows(2 * MAX + 1), [head, (piece(1), MAX), (piece(2), MAX), (piece(3), 1)]);
        for bytes in [0, 1, MAX, MAX + 1, 2 * MAX, 2 * MAX + 1, LONG_VALUE_BYTES_MAX] {
            let rows = rows(bytes);
            assert_eq!(usize::from(pieces_of(bytes)), rows.len() - 1);
            let kept: usize = rows.iter().map(|(key, row)| key.len() + row).sum();
            assert_eq!(bytes_kept(&key(), &value(bytes)), kept);
        }
    }

    #[test]
    fn the_head_has_these_bytes() {
        let mut head = Vec::new();
        split(&key(), &value(VALUE_BYTES_MAX + 1), |key, row| {
            if key[KIND_AT] & PIECE == 0 {
                head = row.to_vec();
            }
        });
        let digest = Sha256::digest(value(VALUE_BYTES_MAX + 1));
        assert_eq!(head, [&b"\xffpieces\x01\0\0\x10\x01"[..], &digest[..16]].concat());
    }

    #[test]
    fn a_short_value_that_looks_like_a_head_is_read_unchanged() {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        let odd = [&MARK[..], &[9; 20]].concat();
        let mut batch = Batch::new();
        batch.put(key(), odd.clone());
        assert_eq!(batch.bytes(), bytes_kept(&key(), &odd));
        session.commit(&batch).unwrap();
        let row = session.get(&key()).unwrap().unwrap();
        assert_eq!(whole(|key| session.get(key), &key(), row).unwrap().unwrap(), odd);
    }

    fn write_as_before(disk: &MemoryBackend, value: &[u8]) {
        if value.len() <= EARLIER_ROW_BYTES_MAX {
            return disk.write_row(&key(), value);
        }
        let (first, rest) = value.split_at(EARLIER_ROW_BYTES_MAX);
        let length = u32::try_from(value.len()).unwrap().to_be_bytes();
        disk.write_row(&key(), &[&length[..], &Sha256::digest(value)[..16], first].concat());
        for (number, piece) in (1..).zip(rest.chunks(EARLIER_ROW_BYTES_MAX)) {
            disk.write_row(&piece_key(&key(), number), piece);
        }
    }

    #[test]
    fn values_of_earlier_versions_can_be_read_replaced_and_deleted() {
        const MAX: usize = EARLIER_ROW_BYTES_MAX;
        for bytes in [VALUE_BYTES_MAX + 1, MAX, MAX + 1, 2 * MAX, 2 * MAX + 1, 200_000, LONG_VALUE_BYTES_MAX]
        {
            let disk = MemoryBackend::new();
            let session = disk.session().unwrap();
            let read = || {
                let row = session.get(&key()).unwrap().unwrap();
                whole(|key| session.get(key), &key(), row).unwrap().unwrap()
            };
            write_as_before(&disk, &value(bytes));
            assert!(read() == value(bytes), "{bytes}");
            let mut replace = Batch::new();
            replace.put(key(), value(bytes - 1));
            session.commit(&replace).unwrap();
            assert!(read() == value(bytes - 1), "{bytes}");

            write_as_before(&disk, &value(bytes));
            let mut delete = Batch::new();
            delete.delete_whole(key(), bytes);
            session.commit(&delete).unwrap();
            let all = KeyRange { from: Key::new(b""), to: Key::new(&[0xff; 4]) };
            assert_eq!(session.scan(&all, Order::Ascending).count(), 0, "{bytes}");
        }
    }

    #[test]
    fn pieces_that_do_not_belong_to_the_head_are_an_error_and_never_a_value() {
        let disk = MemoryBackend::new();
        let session = disk.session().unwrap();
        let mut batch = Batch::new();
        batch.put(key(), value(3 * VALUE_BYTES_MAX));
        session.commit(&batch).unwrap();
        let head = session.get(&key()).unwrap().unwrap();
        assert_eq!(
            whole(|key| session.get(key), &key(), head.clone()).unwrap().unwrap(),
            value(3 * VALUE_BYTES_MAX)
        );

        let mut torn = Batch::new();
        torn.put(piece_key(&key(), 1), vec![9; VALUE_BYTES_MAX]);
        session.commit(&torn).unwrap();
        assert!(whole(|key| session.get(key), &key(), head.clone()).is_err());

        // The value is replaced or deleted after its head was read.
        let mut replaced = Batch::new();
        replaced.put(key(), value(7));
        session.commit(&replaced).unwrap();
        assert_eq!(whole(|key| session.get(key), &key(), head.clone()).unwrap().unwrap(), value(7));
        let mut gone = Batch::new();
        gone.delete(key());
        session.commit(&gone).unwrap();
        assert_eq!(whole(|key| session.get(key), &key(), head).unwrap(), None);
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
        session.commit(&batch).unwrap();
        assert_eq!(count(), 5);
        let mut batch = Batch::new();
        batch.delete_whole(key(), bytes);
        session.commit(&batch).unwrap();
        assert_eq!(count(), 0);
    }

    #[test]
    #[should_panic(expected = "needs a key with a kind")]
    fn a_key_without_a_kind_cannot_have_a_long_value() {
        piece_key(b"k", 1);
    }
}
