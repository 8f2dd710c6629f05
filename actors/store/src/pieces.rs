//! Values above [`VALUE_BYTES_MAX`] are stored in pieces.
//!
//! ```text
//! [business][kind]       [rest]           → [mark 8][length 4][digest 16]: the head
//! [business][kind | 0x80][rest][number 2] → a piece, numbered from 1
//! ```
//!
//! Earlier versions stored values of up to 64 KiB in one row, and the first 64 KiB of longer values in the head. Both
//! can still be read:
//!
//! ```text
//! [business][kind]       [rest]           → [length 4][digest 16][the first piece]: longer than any other row
//! [business][kind | 0x80][rest][number 2] → a further piece of 64 KiB, numbered from 1
//! ```
//!
//! Invariants:
//!
//! - The pieces are in the batch of their head, so after a crash either all of them exist or none.
//! - The length states which pieces belong to the value, so a leftover piece of a longer value is never read.
//! - A reader may read pieces of two values during a replacement. The digest shows this, and the reader reads again.
//! - No whole value looks like a head, because a value that would look like a head is stored in pieces.

use sha2::{Digest, Sha256};

use super::key::Key;

/// The greatest length of a value in one row. A longer value is stored in pieces.
///
/// sled keeps up to about 20 neighbouring pairs in one page, and reads, caches and writes whole pages. Its memory use
/// beyond the cache grows with the length of a page. sled would write a page above 2 MiB to a file that it never syncs.
pub const VALUE_BYTES_MAX: usize = 4 << 10;

/// The greatest length of a value, including all of its pieces.
pub const LONG_VALUE_BYTES_MAX: usize = 512 << 10;

/// The bit of a kind that marks its pieces. No kind has this bit.
pub(super) const PIECE: u8 = 0x80;
pub(super) const KIND_AT: usize = 16;

/// The first bytes of a head. A record starts with its version byte, so no record has this mark.
pub(super) const MARK: [u8; 8] = *b"\xffpieces\x01";
const DIGEST_BYTES: usize = 16;
pub(super) const HEAD_BYTES: usize = MARK.len() + 4 + DIGEST_BYTES;

/// The greatest length of a row, and of a piece, of earlier versions.
pub(super) const EARLIER_ROW_BYTES_MAX: usize = 64 << 10;
/// The length of the head before the first piece in earlier versions.
pub(super) const EARLIER_HEAD_BYTES: usize = 4 + DIGEST_BYTES;

/// Whether a row contains the head of a value in pieces, not a whole value.
pub fn is_head(row: &[u8]) -> bool {
    row.len() > EARLIER_ROW_BYTES_MAX || (row.len() == HEAD_BYTES && row.starts_with(&MARK))
}

fn is_long(value: &[u8]) -> bool {
    value.len() > VALUE_BYTES_MAX || is_head(value)
}

/// The number of pieces of a value of this length, besides its head. Earlier versions wrote fewer.
pub(super) fn pieces_of(value_bytes: usize) -> u16 {
    if value_bytes <= VALUE_BYTES_MAX {
        return 0;
    }
    u16::try_from(value_bytes.div_ceil(VALUE_BYTES_MAX)).unwrap_or(u16::MAX)
}

/// # Panics
/// Panics if the key has no kind, or its kind has the bit for pieces. Only [`super::keys`] makes keys of long
/// values.
pub(super) fn piece_key(key: &[u8], number: u16) -> Key {
    assert!(key.get(KIND_AT).is_some_and(|kind| kind & PIECE == 0), "a long value needs a key with a kind");
    Key::new(&key[..KIND_AT])
        .with(&[key[KIND_AT] | PIECE])
        .with(&key[KIND_AT + 1..])
        .with(&number.to_be_bytes())
}

/// The total length of the keys and values of the rows that store a value.
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

/// Identifies the pieces that belong together.
pub(super) fn digest(value: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut short = [0; DIGEST_BYTES];
    short.copy_from_slice(&Sha256::digest(value)[..DIGEST_BYTES]);
    short
}
