//! The list of *sealed* segments: the segments that sled has completed since the last snapshot, and their pages.
//!
//! sled frees a segment once all of its pages are replaced. If a segment is unreadable, the check of the log
//! needs the numbers of its pages to decide whether the segment was free or is damaged.
//!
//! ```text
//! DIR/segments     start 8 | crc32 4, then records: length 4 | crc32 4 | LSN 8 | offset 8 | pages
//! ```
//!
//! The number after each field is its length in bytes. The page numbers are stored as varints of their differences.
//!
//! Invariants: a segment is listed only when it is durable. When sled opens, a new list begins at the segment of the
//! snapshot. The newest segments are not listed, because they cannot be free yet. A torn record ends the list.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::message::{Bytes, Kind, has_room, parse, put_varint};
use super::segment::{SEGMENT_HEADER_BYTES, Segment, segments_of};
use super::snapshot::snapshots_of;
use crate::files::found;

const WINDOW_BYTES: usize = 256 << 10;

pub(crate) struct SealedSegments {
    file: File,
    /// All segments before this LSN are listed, except those that were free when the list was written.
    listed: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sealed {
    pub(super) lsn: u64,
    pub(super) at: u64,
    /// The numbers of the pages in the segment, in ascending order.
    pub(super) pages: Vec<u64>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    /// The LSN at which the list begins. It is `None` if there is no list.
    pub(super) start: Option<u64>,
    pub(super) segments: Vec<Sealed>,
}

impl SealedSegments {
    /// Starts a new list. Call it after sled has opened the log. Only then is sled's newest snapshot durable.
    pub(crate) fn start(path: &Path, store: &Path, segment_bytes: u64) -> io::Result<Self> {
        let start = snapshots_of(store)?.last().map_or(0, |file| file.lsn) / segment_bytes * segment_bytes;
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
        let head = start.to_le_bytes();
        file.write_all(&[&head[..], &crc32fast::hash(&head).to_le_bytes()].concat())?;
        file.sync_all()?;
        Ok(Self { file, listed: start })
    }

    pub(crate) fn unlisted(&self, db: &File, segment_bytes: u64) -> io::Result<Option<u64>> {
        let newest = segments_of(db, segment_bytes)?.iter().map(|segment| segment.lsn).max();
        Ok(newest.filter(|newest| *newest > self.listed))
    }

    /// Adds the segments before `newest` to the list. The caller first gets `newest` from [`SealedSegments::unlisted`],
    /// then syncs the log, and then calls this function.
    pub(crate) fn list(&mut self, db: &File, segment_bytes: u64, newest: u64) -> io::Result<()> {
        let segments = segments_of(db, segment_bytes)?;
        let mut records = Vec::new();
        for segment in segments.iter().filter(|segment| (self.listed..newest).contains(&segment.lsn)) {
            let pages = pages_of(db, segment, segment_bytes)?;
            encode(&Sealed { lsn: segment.lsn, at: segment.at, pages }, &mut records);
        }
        self.file.write_all(&records)?;
        self.file.sync_data()?;
        self.listed = newest;
        Ok(())
    }
}

pub(super) fn read(path: &Path) -> io::Result<List> {
    Ok(found(std::fs::read(path))?.and_then(|bytes| decode_list(&bytes)).unwrap_or_default())
}

fn decode_list(bytes: &[u8]) -> Option<List> {
    let mut bytes = Bytes(bytes);
    let start = bytes.array()?;
    if crc32fast::hash(&start).to_le_bytes() != bytes.array()? {
        return None;
    }
    let segments = std::iter::from_fn(|| decode(&mut bytes)).collect();
    Some(List { start: Some(u64::from_le_bytes(start)), segments })
}

fn pages_of(db: &File, segment: &Segment, segment_bytes: u64) -> io::Result<Vec<u64>> {
    let number = segment.lsn / segment_bytes;
    let (mut pages, mut window, mut start) = (Vec::new(), Vec::new(), 0);
    let mut at = SEGMENT_HEADER_BYTES;
    while has_room(at, segment_bytes as usize) {
        if window.is_empty() || !has_room(at - start, window.len()) {
            let length = WINDOW_BYTES.min(segment_bytes as usize - at);
            window.resize(length, 0);
            start = at;
            db.read_exact_at(&mut window, segment.at + at as u64)?;
        }
        match parse(&window[at - start..]) {
            Some(header) if header.kind != Kind::Cap && header.number == number => {
                if header.kind.is_of_page() {
                    pages.push(header.page);
                }
                at += header.length;
            }
            _ => break,
        }
    }
    pages.sort_unstable();
    pages.dedup();
    Ok(pages)
}

fn encode(sealed: &Sealed, records: &mut Vec<u8>) {
    let mut record = [sealed.lsn.to_le_bytes(), sealed.at.to_le_bytes()].concat();
    let mut before = 0;
    for page in &sealed.pages {
        put_varint(&mut record, page - before);
        before = *page;
    }
    records.extend((record.len() as u32).to_le_bytes());
    records.extend(crc32fast::hash(&record).to_le_bytes());
    records.extend(record);
}

fn decode(bytes: &mut Bytes<'_>) -> Option<Sealed> {
    let length = u32::from_le_bytes(bytes.array()?);
    let sum = u32::from_le_bytes(bytes.array()?);
    let record = bytes.take(length as usize)?;
    if crc32fast::hash(record) != sum {
        return None;
    }
    let mut record = Bytes(record);
    let (lsn, at) = (u64::from_le_bytes(record.array()?), u64::from_le_bytes(record.array()?));
    let (mut pages, mut page) = (Vec::new(), 0_u64);
    while !record.is_empty() {
        page = page.checked_add(record.varint()?)?;
        pages.push(page);
    }
    Some(Sealed { lsn, at, pages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_up_to_the_first_torn_record() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("segments");
        assert_eq!(read(&path).unwrap(), List::default());
        let sealed = |lsn| Sealed { lsn, at: lsn / 2, pages: vec![0, 3, 4, 70_000, lsn + 70_000] };
        let head = 5_u64.to_le_bytes();
        let mut bytes = [&head[..], &crc32fast::hash(&head).to_le_bytes()].concat();
        encode(&sealed(8), &mut bytes);
        let first = bytes.len();
        encode(&sealed(16), &mut bytes);
        let check = |bytes: &[u8], segments: &[u64]| {
            std::fs::write(&path, bytes).unwrap();
            let segments = segments.iter().map(|lsn| sealed(*lsn)).collect();
            assert_eq!(read(&path).unwrap(), List { start: Some(5), segments });
        };
        check(&bytes, &[8, 16]);
        for length in first..bytes.len() {
            check(&bytes[..length], &[8]);
        }
        for at in first..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            check(&damaged, &[8]);
        }
        std::fs::write(&path, &bytes[1..]).unwrap();
        assert_eq!(read(&path).unwrap(), List::default());
    }
}
