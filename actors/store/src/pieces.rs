//! Values above [`VALUE_BYTES_MAX`], kept in pieces that are each within it.
//!
//! ```text
//! [business][kind]       [rest]           → [mark 8][length 4][digest 16]: the head
//! [business][kind | 0x80][rest][number 2] → a piece, numbered from 1
//! ```
//!
//! Earlier versions kept up to 64 KiB whole, and of what was longer the first 64 KiB in the head; both are read still:
//!
//! ```text
//! [business][kind]       [rest]           → [length 4][digest 16][the first piece]: longer than any other row
//! [business][kind | 0x80][rest][number 2] → a further piece of 64 KiB, numbered from 1
//! ```
//!
//! What always holds:
//!
//! - the pieces are written in the batch of their head, so a crash leaves all of them or none;
//! - the length says which pieces belong to the value, so one that a longer value left behind is never read;
//! - a reader may meet pieces of two values while one replaces the other; the digest tells, and it reads again;
//! - no value that stands whole looks like a head: one that would is kept in pieces, too.

use sha2::{Digest, Sha256};

use super::key::Key;

/// The greatest length of a value that is written into one row; a longer one is kept in pieces. Earlier versions wrote
/// rows of up to 64 KiB, and those are read still.
///
/// The disk backend keeps up to about 20 neighbouring pairs in one page, and reads, keeps and writes pages whole: how
/// much memory it takes beyond its cache goes with the length of a page. A page above 2 MiB it would put into a file
/// that it never syncs.
pub const VALUE_BYTES_MAX: usize = 4 << 10;

/// The greatest length of a value, in all its pieces.
pub const LONG_VALUE_BYTES_MAX: usize = 512 << 10;

/// The bit of a kind that marks its pieces; no kind has it.
pub(super) const PIECE: u8 = 0x80;
/// Where the kind stands in a key.
pub(super) const KIND_AT: usize = 16;

/// How a head begins. No record does: its first byte is its version.
pub(super) const MARK: [u8; 8] = *b"\xffpieces\x01";
const DIGEST_BYTES: usize = 16;
pub(super) const HEAD_BYTES: usize = MARK.len() + 4 + DIGEST_BYTES;

/// The greatest length of a row, and of a piece, of earlier versions.
pub(super) const EARLIER_ROW_BYTES_MAX: usize = 64 << 10;
/// What stands before the first piece in a head of theirs.
pub(super) const EARLIER_HEAD_BYTES: usize = 4 + DIGEST_BYTES;

/// Whether the row of a key is the head of a long value.
pub(super) fn is_head(row: &[u8]) -> bool {
    row.len() > EARLIER_ROW_BYTES_MAX || (row.len() == HEAD_BYTES && row.starts_with(&MARK))
}

/// Whether a value is kept in pieces.
fn is_long(value: &[u8]) -> bool {
    value.len() > VALUE_BYTES_MAX || is_head(value)
}

/// How many pieces a value of this length has besides its head. Those of a value of an earlier version are fewer.
pub(super) fn pieces_of(value_bytes: usize) -> u16 {
    if value_bytes <= VALUE_BYTES_MAX {
        return 0;
    }
    u16::try_from(value_bytes.div_ceil(VALUE_BYTES_MAX)).unwrap_or(u16::MAX)
}

/// The key of a piece.
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

/// The length of the keys and values of the rows that keep a value.
pub(super) fn bytes_kept(key: &Key, value: &[u8]) -> usize {
    if !is_long(value) {
        return key.len() + value.len();
    }
    let pieces = value.len().div_ceil(VALUE_BYTES_MAX);
    key.len() + HEAD_BYTES + pieces * piece_key(key, 1).len() + value.len()
}

/// Gives the rows that keep a value.
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

/// What tells which pieces belong together.
pub(super) fn digest(value: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&Sha256::digest(value)[..DIGEST_BYTES]);
    short
}
