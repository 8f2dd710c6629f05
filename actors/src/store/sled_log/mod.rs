//! Reading sled's files without sled: to check them before sled opens them, to isolate a corrupt page, and to salvage rows.
//!
//! sled 0.34.7 keeps its log in one file, `db`, of segments of equal length. A segment that holds no live page is free and is
//! written over. Positions in the log are log sequence numbers (LSN): they grow for ever, and a segment starts at a multiple
//! of its length.
//!
//! ```text
//! segment      crc32 4 | LSN 8 | stable LSN 8                     both LSNs with all bits but the first inverted
//! message      crc32 4 | kind 1 | length | segment number | page  the last three are varints; then the body
//! snap.LSN     LSN 8 | active segment | page states, then length 8 | crc32 4
//! ```
//!
//! A message's checksum covers the body and then the header after the checksum. A segment ends at a cap, or where no
//! header fits any more ([`HEADER_BYTES_MAX`]). The layouts are those of sled's `pagecache/logger.rs`,
//! `pagecache/snapshot.rs` and `serialization.rs`.
//!
//! Invariant: nothing here writes to sled's files.

mod isolate;
mod message;
mod node;
mod pages;
mod salvage;
mod sealed;
mod snapshot;
mod walk;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub(super) use self::isolate::{corrupt_pages, last_value, plan};
pub(super) use self::pages::Pages;
pub(super) use self::salvage::Salvage;
pub(super) use self::sealed::SealedSegments;
use self::snapshot::snapshots_of;
pub(super) use self::walk::Log;

use super::StoreError;

/// The length of a segment's header.
pub(super) const SEGMENT_HEADER_BYTES: usize = 20;

/// The greatest length of a message's header. Fewer bytes at the end of a segment hold no message.
const HEADER_BYTES_MAX: usize = 32;

/// LSNs are stored with these bits inverted.
const INVERTED: u64 = 0x7fff_ffff_ffff_ffff;

/// The header of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The LSN of its first byte.
    pub(super) lsn: u64,
    /// The LSN up to which sled had written the log when it started the segment.
    stable: u64,
    /// Its offset in the file.
    pub(super) at: u64,
}

/// The segments of the file, in the order of the file. A segment whose header is invalid is left out.
pub(super) fn segments_of(db: &File, segment_bytes: u64) -> io::Result<Vec<Segment>> {
    let mut segments = Vec::new();
    for at in (0..db.metadata()?.len()).step_by(segment_bytes as usize) {
        let mut header = [0; SEGMENT_HEADER_BYTES];
        match db.read_exact_at(&mut header, at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            read => {
                read?;
                segments.extend(segment_of(&header, at));
            }
        }
    }
    Ok(segments)
}

fn segment_of(header: &[u8; SEGMENT_HEADER_BYTES], at: u64) -> Option<Segment> {
    let (sum, rest) = header.split_first_chunk::<4>()?;
    if crc32fast::hash(rest) != !u32::from_le_bytes(*sum) {
        return None;
    }
    let lsn = |bytes: &[u8]| Some(u64::from_le_bytes(*bytes.first_chunk()?) ^ INVERTED);
    // A log that has no stable message yet has the stable LSN -1.
    let stable = lsn(&rest[8..])?;
    let stable = if stable > INVERTED { 0 } else { stable };
    Some(Segment { lsn: lsn(rest)?, stable, at })
}

/// The snapshots and the settings of sled's that are not as they were written. When the newest snapshot is damaged, older
/// ones go with it: the log of the time since may be written over.
pub(super) fn damaged_derived_files(store: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let prepare = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Prepare { action: "reading", path, source }
    };
    let mut damaged = Vec::new();
    let snapshots = snapshots_of(store).map_err(prepare(store))?;
    if let Some(newest) = snapshots.last()
        && !snapshot::is_whole(&newest.path).map_err(prepare(&newest.path))?
    {
        damaged.extend(snapshots.into_iter().map(|file| file.path));
    }
    let conf = store.join("conf");
    match fs::read(&conf) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        bytes => {
            let bytes = bytes.map_err(prepare(&conf))?;
            let is_whole = bytes.split_last_chunk::<4>().is_some_and(|(settings, sum)| {
                !settings.is_empty() && crc32fast::hash(settings).to_le_bytes() == *sum
            });
            if !is_whole {
                damaged.push(conf);
            }
        }
    }
    Ok(damaged)
}

/// The header of a segment of a test.
#[cfg(test)]
pub(super) fn header_of(lsn: u64, stable: u64) -> [u8; SEGMENT_HEADER_BYTES] {
    let mut header = [0; SEGMENT_HEADER_BYTES];
    header[4..12].copy_from_slice(&(lsn ^ INVERTED).to_le_bytes());
    header[12..].copy_from_slice(&(stable ^ INVERTED).to_le_bytes());
    let sum = !crc32fast::hash(&header[4..]);
    header[..4].copy_from_slice(&sum.to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_sled_writes_it() {
        let written =
            [180, 24, 73, 33, 255, 255, 127, 255, 255, 255, 255, 127, 122, 252, 158, 255, 255, 255, 255, 127];
        let segment = segment_of(&written, 5).unwrap();
        assert_eq!((segment.lsn, segment.stable, segment.at), (8 << 20, 6_357_893, 5));
        assert_eq!(segment_of(&header_of(8 << 20, 7), 5), Some(Segment { lsn: 8 << 20, stable: 7, at: 5 }));
        assert_eq!(segment_of(&[0; SEGMENT_HEADER_BYTES], 0), None);
    }
}
