//! Access to stored rows, in a store or in a backup.

use super::pieces::{KIND_AT, PIECE};
use super::{KEY_BYTES_MAX, Key, KeyRange, Order, Pairs, Record, StoreError, long};

/// A source of stored rows, with long values in pieces.
pub trait Rows: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a>;
}

/// # Errors
/// Returns an error if reading fails or the pieces of the value do not belong together.
pub fn value_at(rows: &dyn Rows, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    rows.get(key)?.map_or(Ok(None), |row| whole_value(rows, key, row))
}

/// The whole value of a row that was read. `None` when it was deleted meanwhile.
pub fn whole_value(rows: &dyn Rows, key: &[u8], row: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
    long::whole(|key| rows.get(key), key, row)
}

/// # Errors
/// Returns the errors of [`value_at`], and an error if the value is not such a record.
pub fn record_at<R: Record>(rows: &dyn Rows, key: &Key) -> Result<Option<R>, StoreError> {
    value_at(rows, key)?.map(|value| R::decode(&value)).transpose()
}

pub fn every_row() -> KeyRange {
    KeyRange { from: Key::default(), to: Key::new(&[u8::MAX; KEY_BYTES_MAX]) }
}

/// If the key is that of a piece, the key of its value.
pub fn piece_of(key: &[u8]) -> Option<Key> {
    let kind = key.get(KIND_AT).filter(|kind| **kind & PIECE != 0)?;
    // The number of the piece follows the key.
    let rest = key.get(KIND_AT + 1..key.len().checked_sub(2)?)?;
    Some(Key::new(&key[..KIND_AT]).with(&[kind & !PIECE]).with(rest))
}
