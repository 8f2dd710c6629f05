//! Rows as they are kept, wherever they are: in a store, in a backup.

use super::pieces::{KIND_AT, PIECE, is_head};
use super::{KEY_BYTES_MAX, Key, KeyRange, Order, Pairs, Record, StoreError, long};

/// Where rows can be read, long values in their pieces.
pub trait Rows: Send + Sync {
    /// The row under the key.
    ///
    /// # Errors
    /// When reading fails.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The rows of the range, read one by one.
    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;
}

/// The whole value under a key.
///
/// # Errors
/// When reading fails, or its pieces do not belong together.
pub fn value_at(rows: &dyn Rows, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    rows.get(key)?.map_or(Ok(None), |row| whole_value(rows, key, row))
}

/// The whole value of a row that was read; `None` when it was deleted meanwhile.
///
/// # Errors
/// As [`value_at`].
pub fn whole_value(rows: &dyn Rows, key: &[u8], row: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
    long::whole(|key| rows.get(key), key, row)
}

/// As [`whole_value`], with pieces that `get` gives.
///
/// # Errors
/// As [`value_at`].
pub fn whole_value_by(
    get: impl Fn(&[u8]) -> Result<Option<Vec<u8>>, StoreError>,
    key: &[u8],
    row: Vec<u8>,
) -> Result<Option<Vec<u8>>, StoreError> {
    long::whole(get, key, row)
}

/// Whether a row holds the whole value of its key, and not the head of a value in pieces.
pub fn is_whole(row: &[u8]) -> bool {
    !is_head(row)
}

/// The record under a key.
///
/// # Errors
/// As [`value_at`], or when it is no such record.
pub fn record_at<R: Record>(rows: &dyn Rows, key: &Key) -> Result<Option<R>, StoreError> {
    value_at(rows, key)?.map(|value| R::decode(&value)).transpose()
}

/// The keys of all rows.
pub fn every_row() -> KeyRange {
    KeyRange { from: Key::default(), to: Key::new(&[u8::MAX; KEY_BYTES_MAX]) }
}

/// The key of the value that the row of this key is a piece of, if it is one.
pub fn piece_of(key: &[u8]) -> Option<Key> {
    let kind = key.get(KIND_AT).filter(|kind| **kind & PIECE != 0)?;
    // The number of the piece stands behind the key.
    let rest = key.get(KIND_AT + 1..key.len().checked_sub(2)?)?;
    Some(Key::new(&key[..KIND_AT]).with(&[kind & !PIECE]).with(rest))
}
