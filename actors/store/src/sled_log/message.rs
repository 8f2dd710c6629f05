//! Messages of sled's log: headers, checksums and varints.

use super::segment::{HEADER_BYTES_MAX, SEGMENT_HEADER_BYTES};

/// The kinds of messages, with sled's numbers. In sled, further kinds refer to large values in blob files. This module
/// treats a message of such a kind as invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cancelled operation. It has no effect.
    Canceled = 1,
    Cap = 2,
    BatchManifest = 3,
    Free = 4,
    Counter = 5,
    Meta = 6,
    Node = 8,
    Link = 10,
}

impl Kind {
    const ALL: [Self; 8] = {
        use Kind::{BatchManifest, Canceled, Cap, Counter, Free, Link, Meta, Node};
        [Canceled, Cap, BatchManifest, Free, Counter, Meta, Node, Link]
    };

    pub(super) fn is_of_page(self) -> bool {
        !matches!(self, Self::Canceled | Self::Cap | Self::BatchManifest)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) page: u64,
    /// The number of the message's segment: its LSN divided by the segment length.
    pub(super) number: u64,
    pub(super) header: usize,
    pub(super) length: usize,
    sum: u32,
}

/// Parses the header at the start of these bytes, without checking it. The body may extend beyond the bytes.
pub(super) fn parse(message: &[u8]) -> Option<Header> {
    let mut bytes = Bytes(message);
    let sum = u32::from_le_bytes(bytes.array()?);
    let byte = bytes.byte()?;
    let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == byte)?;
    let body = usize::try_from(bytes.varint()?).ok()?;
    let number = bytes.varint()?;
    let page = bytes.varint()?;
    let header = message.len() - bytes.0.len();
    Some(Header { kind, page, number, header, length: header.checked_add(body)?, sum })
}

/// Parses the header at this offset of a segment. Returns `None` if the message would not fit into the segment.
pub(super) fn header_at(segment: &[u8], at: usize) -> Option<Header> {
    let rest = segment.get(at..)?;
    parse(rest).filter(|header| header.length <= rest.len())
}

pub(super) fn is_whole(segment: &[u8], at: usize, header: &Header) -> bool {
    let (bytes, body) = segment[at..at + header.length].split_at(header.header);
    header.sum == sum_of(bytes, body)
}

fn sum_of(header: &[u8], body: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(body);
    sum.update(&header[4..]);
    !sum.finalize()
}

/// True if the checksum of an invalid message is right for another page number below `pages`. In this case, the page
/// number in the header may be the damaged part.
pub(super) fn is_of_another_page(segment: &[u8], at: usize, header: &Header, pages: u64) -> bool {
    let (bytes, body) = segment[at..at + header.length].split_at(header.header);
    let mut page_bytes = Vec::new();
    put_varint(&mut page_bytes, header.page);
    let before_page = &bytes[4..bytes.len().saturating_sub(page_bytes.len())];
    let mut sum = crc32fast::Hasher::new();
    sum.update(body);
    sum.update(before_page);
    (0..pages).any(|page| {
        page_bytes.clear();
        put_varint(&mut page_bytes, page);
        let mut sum = sum.clone();
        sum.update(&page_bytes);
        header.sum == !sum.finalize()
    })
}

/// Encodes a message of this total length, with zeros after the body. Returns `None` if no message can have this
/// length.
pub(super) fn encode(kind: Kind, number: u64, page: u64, body: &[u8], length: usize) -> Option<Vec<u8>> {
    (body.len()..length).rev().find_map(|body_bytes| {
        let mut message = vec![0; 4];
        message.push(kind as u8);
        put_varint(&mut message, body_bytes as u64);
        put_varint(&mut message, number);
        put_varint(&mut message, page);
        if message.len() + body_bytes != length {
            return (message.len() + body_bytes < length).then_some(None);
        }
        let mut padded = body.to_vec();
        padded.resize(body_bytes, 0);
        let sum = sum_of(&message, &padded);
        message[..4].copy_from_slice(&sum.to_le_bytes());
        message.extend(padded);
        Some(Some(message))
    })?
}

pub(super) fn message_at(segment: &[u8], at: usize, number: u64) -> Option<Header> {
    header_at(segment, at).filter(|header| header.number == number && is_whole(segment, at, header))
}

/// Returns the next valid message that `is_sought` accepts, and its offset. Zeros do not count as a message.
pub(super) fn next_message(
    segment: &[u8],
    mut at: usize,
    is_sought: impl Fn(&Header) -> bool,
) -> Option<(usize, Header)> {
    while has_room(at, segment.len()) {
        let zeros = segment[at..].iter().position(|byte| *byte != 0)?;
        at += zeros.saturating_sub(4);
        match header_at(segment, at) {
            Some(header) if is_sought(&header) && is_whole(segment, at, &header) => {
                return Some((at, header));
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns all valid messages in the bytes of a segment. They may include old messages of an earlier segment
/// at the same offset.
pub(super) fn all_messages(segment: &[u8]) -> impl Iterator<Item = Header> {
    let mut at = SEGMENT_HEADER_BYTES;
    std::iter::from_fn(move || {
        let (found, header) = next_message(segment, at, |_| true)?;
        at = found + header.length;
        Some(header)
    })
}

/// Returns the offset of the next valid message with this segment number, or the length of the segment.
pub(super) fn message_after(segment: &[u8], at: usize, number: u64) -> usize {
    next_message(segment, at, |header| header.number == number).map_or(segment.len(), |(at, _)| at)
}

pub(super) fn has_room(at: usize, segment_bytes: usize) -> bool {
    at + HEADER_BYTES_MAX <= segment_bytes
}

/// A reader of bytes. Reading beyond the end returns `None`.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        Some(self.array::<1>()?[0])
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let first = self.byte()?;
        Some(match first {
            0..=240 => u64::from(first),
            241..=248 => 240 + 256 * (u64::from(first) - 241) + u64::from(self.byte()?),
            249 => {
                let [high, low] = self.array()?;
                2288 + 256 * u64::from(high) + u64::from(low)
            }
            _ => {
                let mut number = [0; 8];
                let length = usize::from(first) - 247;
                number[..length].copy_from_slice(self.take(length)?);
                u64::from_le_bytes(number)
            }
        })
    }
}

pub(super) fn put_varint(bytes: &mut Vec<u8>, number: u64) {
    match number {
        0..=240 => bytes.push(number as u8),
        241..=2287 => bytes.extend([((number - 240) / 256 + 241) as u8, ((number - 240) % 256) as u8]),
        2288..=67823 => bytes.extend([249, ((number - 2288) / 256) as u8, ((number - 2288) % 256) as u8]),
        _ => {
            let length = 8 - number.leading_zeros() as usize / 8; // at least 3
            bytes.push((length + 247) as u8);
            bytes.extend(&number.to_le_bytes()[..length]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_encoded_with_the_given_length() {
        for length in [15, 20, 260, 2_300, 70_000] {
            let message = encode(Kind::Node, 5, 300, b"body", length).unwrap();
            assert_eq!(message.len(), length);
            let header = message_at(&message, 0, 5).unwrap();
            assert_eq!((header.kind, header.page, header.length), (Kind::Node, 300, length));
            assert_eq!(&message[header.header..][..4], b"body");
            assert!(message_at(&message, 0, 6).is_none());
        }
        assert!(encode(Kind::Link, 5, 300, b"body", 12).is_none());
    }

    #[test]
    fn a_number_is_read_as_it_was_stored() {
        let bounds = [0, 1, 240, 241, 2287, 2288, 67823, 67824, (1 << 24) - 1, 1 << 24, u64::MAX];
        for number in bounds.into_iter().chain((0..64).map(|bits| 1 << bits)) {
            let mut stored = Vec::new();
            put_varint(&mut stored, number);
            let mut bytes = Bytes(&stored);
            assert_eq!(bytes.varint(), Some(number));
            assert!(bytes.is_empty());
            assert_eq!(Bytes(&stored[..stored.len() - 1]).varint(), None);
        }
    }
}
