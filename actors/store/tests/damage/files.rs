//! Parses the segments and messages of sled 0.34.7.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::segments::{SEGMENT_BYTES, SEGMENT_HEADER_BYTES, position};

/// The maximum length of a message's header. No message starts closer to the end of a segment than this.
const MESSAGE_HEADER_BYTES_MAX: usize = 32;
/// The kinds of messages that end a segment.
const CORRUPTED: u8 = 0;
const CAP: u8 = 2;

pub(crate) struct Segment {
    pub(crate) at: usize,
    pub(crate) lsn: u64,
    /// The ranges of the header and the body of each message, as offsets in the file.
    pub(crate) messages: Vec<(Range<usize>, Range<usize>)>,
}

impl Segment {
    pub(crate) fn end(&self) -> usize {
        self.messages.last().map_or(self.at + SEGMENT_HEADER_BYTES, |(_, body)| body.end)
    }
}

/// Returns the segments with valid headers, oldest first.
pub(crate) fn segments(db: &[u8]) -> Vec<Segment> {
    let read = |(number, segment): (usize, &[u8])| {
        let at = number * SEGMENT_BYTES;
        Some(Segment { at, lsn: position(segment)?, messages: messages(db, at) })
    };
    let mut segments: Vec<_> = db.chunks(SEGMENT_BYTES).enumerate().filter_map(read).collect();
    segments.sort_by_key(|segment| segment.lsn);
    segments
}

/// Returns the messages of the segment at this offset, without a check of their checksums.
fn messages(db: &[u8], segment: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let end = (segment + SEGMENT_BYTES).min(db.len());
    let (mut at, mut messages) = (segment + SEGMENT_HEADER_BYTES, Vec::new());
    while at + MESSAGE_HEADER_BYTES_MAX <= end {
        let kind = db[at + 4];
        let mut body = at + 5;
        let length = varint(db, &mut body);
        let (_segment_number, _page) = (varint(db, &mut body), varint(db, &mut body));
        if [CORRUPTED, CAP].contains(&kind) || length > (end - body.min(end)) as u64 {
            break;
        }
        let next = body + length as usize;
        messages.push((at..body, body..next));
        at = next;
    }
    messages
}

/// Decodes a number in sled's variable-length encoding. It has one to nine bytes. The first byte determines the length.
fn varint(db: &[u8], at: &mut usize) -> u64 {
    let byte = |at: usize| u64::from(db.get(at).copied().unwrap_or_default());
    let first = byte(*at);
    let (number, bytes) = match first {
        0..=240 => (first, 1),
        241..=248 => (240 + 256 * (first - 241) + byte(*at + 1), 2),
        249 => (2_288 + 256 * byte(*at + 1) + byte(*at + 2), 3),
        _ => {
            let bytes = (first - 247) as usize;
            ((0..bytes).fold(0, |number, place| number | byte(*at + 1 + place) << (8 * place)), 1 + bytes)
        }
    };
    *at += bytes;
    number
}

/// Returns the path of the newest snapshot, relative to the data directory.
pub(crate) fn snapshot(dir: &Path) -> Option<String> {
    let names = fs::read_dir(dir.join("store")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("snap.")).max().map(|name| format!("store/{name}"))
}

pub(crate) fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    copy_into(from, to);
}

fn copy_into(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let below = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_into(&entry.path(), &below);
        } else if entry.file_name() != "ballast" {
            fs::copy(entry.path(), below).unwrap();
        }
    }
}
