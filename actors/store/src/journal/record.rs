//! The encoding of a batch in the journal.
//!
//! Invariants: a record is decoded only if it is complete and contains the id of the file in which it is. Rows are
//! decoded in the order of the batch. Each piece of a long value is a separate row.

use crate::Batch;

pub(super) type Id = [u8; 16];
/// The rows that a batch writes. `None` deletes the row.
pub(crate) type Rows = Vec<(Vec<u8>, Option<Vec<u8>>)>;

const MAGIC: [u8; 4] = *b"rec\x01";
const NUMBER_AT: usize = 4 + 16;
const BYTES_AT: usize = NUMBER_AT + 8;
const CHECKSUM_AT: usize = BYTES_AT + 4;
const HEAD_BYTES: usize = CHECKSUM_AT + 4;
/// This number is stored in place of the length of a value if the row is deleted.
const DELETED: u32 = u32::MAX;

/// The length of a batch's record, without the padding of its last block.
#[cfg(test)]
pub(super) fn bytes_of(batch: &Batch) -> usize {
    let mut bytes = HEAD_BYTES;
    batch.rows(|key, value| bytes += 1 + key.len() + 4 + value.map_or(0, <[u8]>::len));
    bytes
}

pub(super) fn encode(id: &Id, number: u64, batch: &Batch, to: &mut Vec<u8>) {
    to.clear();
    to.extend(MAGIC);
    to.extend(id);
    to.extend(number.to_be_bytes());
    to.extend([0; 8]); // the length and the checksum, which are set below
    batch.rows(|key, value| {
        to.push(key.len() as u8); // at most `KEY_BYTES_MAX`
        to.extend(&key[..]);
        match value {
            Some(value) => {
                to.extend((value.len() as u32).to_be_bytes()); // at most `VALUE_BYTES_MAX`
                to.extend(value);
            }
            None => to.extend(DELETED.to_be_bytes()),
        }
    });
    let bytes = (to.len() - HEAD_BYTES) as u32; // at most the room of a journal
    to[BYTES_AT..CHECKSUM_AT].copy_from_slice(&bytes.to_be_bytes());
    let checksum = checksum(&to[..CHECKSUM_AT], &to[HEAD_BYTES..]);
    to[CHECKSUM_AT..HEAD_BYTES].copy_from_slice(&checksum);
}

/// Returns the length of the record that begins in this block. Returns `None` if no record begins there, or if the
/// record belongs to another file.
pub(super) fn record_bytes(id: &Id, block: &[u8]) -> Option<u64> {
    let head = block.first_chunk::<HEAD_BYTES>()?;
    let length = u32::from_be_bytes(*head[BYTES_AT..].first_chunk()?);
    (head[..4] == MAGIC && head[4..NUMBER_AT] == *id).then_some(HEAD_BYTES as u64 + u64::from(length))
}

/// Returns the id of the file to which the record in this block belongs. Returns `None` if no record begins in this
/// block.
pub(super) fn id_of(block: &[u8]) -> Option<Id> {
    block.strip_prefix(&MAGIC)?.first_chunk().copied()
}

/// Returns the batch number and the encoded rows of a record, or `None` if the checksum is wrong.
pub(super) fn decode(record: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rows) = record.split_first_chunk::<HEAD_BYTES>()?;
    let number = u64::from_be_bytes(*head[NUMBER_AT..].first_chunk()?);
    (checksum(&head[..CHECKSUM_AT], rows) == head[CHECKSUM_AT..]).then_some((number, rows))
}

fn checksum(head: &[u8], rows: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(rows);
    hasher.finalize().to_be_bytes()
}

pub(super) fn decode_rows(mut bytes: &[u8]) -> Option<Rows> {
    let mut rows = Rows::new();
    while let Some((key_bytes, rest)) = bytes.split_first() {
        let (key, rest) = rest.split_at_checked(usize::from(*key_bytes))?;
        let (length, rest) = rest.split_first_chunk()?;
        let (value, rest) = match u32::from_be_bytes(*length) {
            DELETED => (None, rest),
            length => {
                let (value, rest) = rest.split_at_checked(length as usize)?;
                (Some(value.to_vec()), rest)
            }
        };
        rows.push((key.to_vec(), value));
        bytes = rest;
    }
    Some(rows)
}
