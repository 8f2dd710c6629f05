//! Reads the headers of sled's segments in `store/db`.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

pub(crate) const SEGMENT_BYTES: usize = 8 << 20;
/// The length of a segment's header. The header contains a checksum, the position of the segment in the log,
/// and the position of the end of the log when the segment was started.
pub(crate) const SEGMENT_HEADER_BYTES: usize = 20;

/// Returns the position of the segment in the log. Returns `None` if the header is invalid.
pub(crate) fn position(header: &[u8]) -> Option<u64> {
    const INVERTED: u64 = 0x7fff_ffff_ffff_ffff;
    let (sum, rest) = header.get(..SEGMENT_HEADER_BYTES)?.split_first_chunk::<4>()?;
    let lsn = u64::from_le_bytes(*rest.first_chunk()?) ^ INVERTED;
    (crc32fast::hash(rest) == !u32::from_le_bytes(*sum)).then_some(lsn)
}

/// Returns the positions of a store's segments in the log, in the order of the file. `dir` is the data directory.
pub(crate) fn positions(dir: &Path) -> Vec<Option<u64>> {
    let db = File::open(dir.join("store/db")).unwrap();
    let segments = (db.metadata().unwrap().len() as usize).div_ceil(SEGMENT_BYTES);
    let header = |number: usize| {
        let mut header = [0; SEGMENT_HEADER_BYTES];
        let read = db.read_exact_at(&mut header, (number * SEGMENT_BYTES) as u64);
        read.ok().and_then(|()| position(&header))
    };
    (0..segments).map(header).collect()
}

/// Returns the number of segments that sled has freed and used again for a later part of the log.
pub(crate) fn reused(before: &[Option<u64>], after: &[Option<u64>]) -> usize {
    before.iter().zip(after).filter(|(before, after)| before.is_some() && after > before).count()
}
