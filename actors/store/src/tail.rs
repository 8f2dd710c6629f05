//! A copy of the end of sled's log. It exists only while sled opens.
//!
//! When sled opens, it writes a snapshot, and clears the log segments that contain no pages. Until the file name of the
//! snapshot is durable, a power cut can remove the snapshot. Without the snapshot, sled needs the segment before the
//! newest segment, but sled may already have cleared this segment. So a copy of the end of the log is kept until the
//! name is durable. After a power cut, the next start writes the copy back.
//!
//! ```text
//! DIR/store/end        [mark 4][newest LSN 8][count 4], for each segment [offset 8][length 4][bytes …], [checksum 4]
//! DIR/store/end.new    the same file while it is written
//! ```
//!
//! Invariants: while sled opens, the last segments before the newest segment are durable in the log or in the copy. A
//! copy is never written back over a log with a newer segment.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::StoreError;
use super::files::found;
use super::sled_log::segments_of;

/// The maximum number of segments in the copy. The copy contains the segments directly before the newest segment of the
/// log, but not the newest segment itself. sled always needs the last segment of the copy. It needs the other segments
/// of the copy only if the newest segments of the log are torn.
const SEGMENTS: u64 = 3;

const PIECE_BYTES: usize = 64 << 10;

/// The minimum free space for a copy, in segments. With less free space, no copy is made, because sled needs the space.
const FREE_SEGMENTS: u64 = 8;

const MARK: [u8; 4] = *b"red\x01";
const NAME: &str = "end";
const NEW: &str = "end.new";

pub(super) fn restore(store: &Path, segment_bytes: u64) -> Result<(), StoreError> {
    put_back(store, segment_bytes).map_err(StoreError::preparing("putting back", store.join(NAME)))
}

/// Copies the end of the log. If the disk is nearly full, makes no copy, because sled needs the free space to open.
pub(super) fn secure(store: &Path, segment_bytes: u64, free: u64) -> Result<(), StoreError> {
    let kept = match free < FREE_SEGMENTS * segment_bytes {
        true => Err(io::ErrorKind::StorageFull.into()),
        false => keep(store, segment_bytes),
    };
    match kept {
        // If the disk is too full for a new copy, the store opens without a new copy. If an earlier start left a copy,
        // this copy stays, and the next start can write it back.
        Err(error) if is_of_a_full_disk(&error) => {
            tracing::warn!(%error, "the end of the log could not be copied: a power cut while the store opens may damage it");
            remove(&store.join(NEW)).map_err(StoreError::preparing("removing", store.join(NEW)))
        }
        kept => kept.map_err(StoreError::preparing("keeping", store.join(NAME))),
    }
}

/// Removes the copy of the end of the log. Call this function only after the file name of sled's snapshot is durable.
/// Before that, a power cut can remove the snapshot, and sled then needs the copy.
pub(super) fn let_go(store: &Path) -> Result<(), StoreError> {
    drop_kept(store).map_err(StoreError::preparing("removing", store.join(NAME)))
}

fn put_back(store: &Path, segment_bytes: u64) -> io::Result<()> {
    let Some(kept) = found(File::open(store.join(NAME)))? else { return Ok(()) };
    let (newest, segments) = read(&kept)?;
    let db = OpenOptions::new().read(true).write(true).open(store.join("db"))?;
    if segments_of(&db, segment_bytes)?.iter().any(|segment| segment.lsn > newest) {
        return drop_kept(store);
    }
    for (at, bytes) in segments {
        in_pieces(&kept, bytes, |offset, piece| db.write_all_at(piece, at + offset))?;
        db.sync_data()?; // at most one segment is unsynced at a time
    }
    Ok(())
}

fn keep(store: &Path, segment_bytes: u64) -> io::Result<()> {
    let Some(db) = found(File::open(store.join("db")))? else { return Ok(()) };
    let (newest, segments) = last_segments(&db, segment_bytes)?;
    if segments.is_empty() {
        return drop_kept(store); // an earlier copy is outdated
    }
    let new = store.join(NEW);
    let mut file = File::create(&new)?;
    let mut sum = crc32fast::Hasher::new();
    let mut write = |bytes: &[u8]| {
        sum.update(bytes);
        file.write_all(bytes)
    };
    write(&[&MARK[..], &newest.to_be_bytes(), &(segments.len() as u32).to_be_bytes()].concat())?;
    for at in segments {
        let length = segment_bytes.min(db.metadata()?.len() - at);
        write(&[&at.to_be_bytes()[..], &(length as u32).to_be_bytes()].concat())?;
        in_pieces(&db, at..at + length, |_, piece| write(piece))?;
    }
    file.write_all(&sum.finalize().to_be_bytes())?;
    file.sync_all()?;
    fs::rename(&new, store.join(NAME))?;
    File::open(store)?.sync_all()
}

/// Reads a part of a file in pieces, because a single large read would increase the memory of the process.
fn in_pieces(
    file: &File,
    part: Range<u64>,
    mut each: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut at = part.start;
    while at < part.end {
        let piece = &mut piece[..(part.end - at).min(PIECE_BYTES as u64) as usize];
        file.read_exact_at(piece, at)?;
        each(at - part.start, piece)?;
        at += piece.len() as u64;
    }
    Ok(())
}

fn is_of_a_full_disk(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}

fn drop_kept(store: &Path) -> io::Result<()> {
    remove(&store.join(NAME))?;
    File::open(store)?.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    found(fs::remove_file(path)).map(drop)
}

fn last_segments(db: &File, segment_bytes: u64) -> io::Result<(u64, Vec<u64>)> {
    let mut segments = segments_of(db, segment_bytes)?;
    let newest = segments.iter().map(|segment| segment.lsn).max().unwrap_or(0);
    let first = newest.saturating_sub(SEGMENTS * segment_bytes);
    segments.retain(|segment| (first..newest).contains(&segment.lsn));
    Ok((newest, segments.into_iter().map(|segment| segment.at).collect()))
}

/// The copied segments: the offset of each in sled's file, and its range in the copy.
type Copied = Vec<(u64, Range<u64>)>;

/// Reads the LSN of the newest segment, and the copied segments.
fn read(kept: &File) -> io::Result<(u64, Copied)> {
    let other = || io::Error::other("the copy of the end of the log is damaged");
    let whole = kept.metadata()?.len().checked_sub(4).ok_or_else(other)?;
    let mut sum = crc32fast::Hasher::new();
    in_pieces(kept, 0..whole, |_, piece| {
        sum.update(piece);
        Ok(())
    })?;
    if sum.finalize() != u32::from_be_bytes(bytes_at(kept, whole)?) || bytes_at(kept, 0)? != MARK {
        return Err(other());
    }
    let newest = u64::from_be_bytes(bytes_at(kept, 4)?);
    let (mut at, mut segments) = (16, Vec::new());
    for _ in 0..u32::from_be_bytes(bytes_at(kept, 12)?) {
        let length = u64::from(u32::from_be_bytes(bytes_at(kept, at + 8)?));
        let from = at + 12;
        segments.push((u64::from_be_bytes(bytes_at(kept, at)?), from..from + length));
        at = from + length;
    }
    if at == whole { Ok((newest, segments)) } else { Err(other()) }
}

fn bytes_at<const N: usize>(file: &File, at: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::sled_log::{SEGMENT_HEADER_BYTES, header_of};
    use super::*;

    const SEGMENT: u64 = 1000;

    #[test]
    fn cleared_segments_are_restored_and_the_newest_segment_is_not_copied() {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("db");
        keep(dir.path(), SEGMENT).unwrap();
        assert!(!dir.path().join(NAME).exists(), "without a log, no copy may exist");
        // The segments are not in the order of the log, segment 0 has an invalid header, and the last one is
        // incomplete.
        let order = [5_000, 2_000, 0, 6_000, 4_000, 3_000, 7_000];
        let mut log = Vec::new();
        for begins in order {
            let mut segment = vec![(begins / 100) as u8; SEGMENT as usize];
            segment[..SEGMENT_HEADER_BYTES].copy_from_slice(&header_of(begins, 0));
            log.extend(segment);
        }
        log[2_000] ^= 1;
        log.truncate(6_300);
        fs::write(&db, &log).unwrap();
        keep(dir.path(), SEGMENT).unwrap();
        let cleared = vec![0; log.len()];
        fs::write(&db, &cleared).unwrap();
        for _ in 0..2 {
            put_back(dir.path(), SEGMENT).unwrap();
            let now = fs::read(&db).unwrap();
            for (at, begins) in order.iter().enumerate() {
                let range = at * 1_000..((at + 1) * 1_000).min(log.len());
                let kept = [4_000, 5_000, 6_000].contains(begins);
                assert!(now[range.clone()] == if kept { &log } else { &cleared }[range], "{begins}");
            }
        }
        // If the log has a newer segment than the copy, the copy is removed and not written back.
        let mut gone_on = cleared.clone();
        gone_on[..SEGMENT_HEADER_BYTES].copy_from_slice(&header_of(8_000, 0));
        fs::write(&db, &gone_on).unwrap();
        put_back(dir.path(), SEGMENT).unwrap();
        assert!(fs::read(&db).unwrap() == gone_on);
        assert!(!dir.path().join(NAME).exists());
        fs::write(&db, &cleared).unwrap();
        put_back(dir.path(), SEGMENT).unwrap();
        assert!(fs::read(&db).unwrap() == cleared);
        // On a nearly full disk, no copy is made, and the earlier copy is kept.
        fs::write(&db, &log).unwrap();
        secure(dir.path(), SEGMENT, 8 * SEGMENT - 1).unwrap();
        assert!(!dir.path().join(NAME).exists());
        secure(dir.path(), SEGMENT, 8 * SEGMENT).unwrap();
        secure(dir.path(), SEGMENT, 0).unwrap();
        assert!(dir.path().join(NAME).exists());
        let_go(dir.path()).unwrap();
        fs::write(&db, &cleared).unwrap();
        // A damaged copy is not written back.
        fs::write(dir.path().join(NAME), b"something else").unwrap();
        assert!(put_back(dir.path(), SEGMENT).is_err());
        assert!(fs::read(&db).unwrap() == cleared);
    }
}
