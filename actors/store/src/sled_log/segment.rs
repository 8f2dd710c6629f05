//! The headers of the segments of sled's log.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

pub(crate) const SEGMENT_HEADER_BYTES: usize = 20;

/// The maximum length of a message's header. If fewer bytes are left at the end of a segment, they are unused.
pub(super) const HEADER_BYTES_MAX: usize = 32;

/// The bits that are inverted in stored LSNs.
const INVERTED: u64 = 0x7fff_ffff_ffff_ffff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) lsn: u64,
    /// The log sequence number (LSN) up to which the log had been written when sled started the segment.
    pub(super) stable: u64,
    pub(crate) at: u64,
}

/// Returns the segments with a valid header, in the order of the file.
pub(crate) fn segments_of(db: &File, segment_bytes: u64) -> io::Result<Vec<Segment>> {
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

pub(super) fn segment_of(header: &[u8; SEGMENT_HEADER_BYTES], at: u64) -> Option<Segment> {
    let (sum, rest) = header.split_first_chunk::<4>()?;
    if crc32fast::hash(rest) != !u32::from_le_bytes(*sum) {
        return None;
    }
    let lsn = |bytes: &[u8]| Some(u64::from_le_bytes(*bytes.first_chunk()?) ^ INVERTED);
    // sled stores -1 as the stable LSN if the log had no stable messages yet. This function returns 0 instead.
    let stable = lsn(&rest[8..])?;
    let stable = if stable > INVERTED { 0 } else { stable };
    Some(Segment { lsn: lsn(rest)?, stable, at })
}

#[cfg(test)]
pub(crate) fn header_of(lsn: u64, stable: u64) -> [u8; SEGMENT_HEADER_BYTES] {
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
