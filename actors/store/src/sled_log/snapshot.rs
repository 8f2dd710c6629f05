//! sled's snapshots. A snapshot is a file with the page table as of a position in the log.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::message::Bytes;
use super::pages::{Pages, Part, State};
use crate::StoreError;
use crate::files::found;

/// The prefix of a snapshot's file name. The LSN follows in hexadecimal digits.
const NAME: &str = "snap.";

const TRAILER_BYTES: usize = 12;

pub(crate) struct SnapshotFile {
    pub(crate) path: PathBuf,
    pub(crate) lsn: u64,
}

/// Returns the snapshot files of a store, oldest first. sled reads the newest file.
pub(crate) fn snapshots_of(store: &Path) -> io::Result<Vec<SnapshotFile>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(store)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let lsn = name.strip_prefix(NAME).and_then(|lsn| u64::from_str_radix(lsn, 16).ok());
        found.extend(lsn.map(|lsn| SnapshotFile { path: path.clone(), lsn }));
    }
    found.sort_unstable_by_key(|file| file.lsn);
    Ok(found)
}

pub(super) fn read(path: &Path) -> io::Result<Option<Pages>> {
    Ok(content(&fs::read(path)?).and_then(decode))
}

fn content(bytes: &[u8]) -> Option<&[u8]> {
    let (snapshot, trailer) = bytes.split_at_checked(bytes.len().checked_sub(TRAILER_BYTES)?)?;
    (!snapshot.is_empty() && crc32fast::hash(snapshot).to_le_bytes() == trailer[8..]).then_some(snapshot)
}

fn decode(snapshot: &[u8]) -> Option<Pages> {
    let mut bytes = Bytes(snapshot);
    bytes.array::<8>()?; // the LSN
    bytes.varint()?; // the active segment
    let mut pages = Pages::default();
    while !bytes.is_empty() {
        pages.push(match bytes.byte()? {
            0 => {
                let (lsn, _) = place(&mut bytes)?;
                State::Free { lsn }
            }
            parts => {
                let base = part(&mut bytes)?;
                let links = (1..parts).map(|_| part(&mut bytes)).collect::<Option<_>>()?;
                State::Present { base, links }
            }
        });
    }
    Some(pages)
}

fn place(bytes: &mut Bytes<'_>) -> Option<(u64, u64)> {
    let lsn = u64::from_le_bytes(bytes.array()?);
    (bytes.byte()? == 0).then_some(())?;
    Some((lsn, bytes.varint()?))
}

fn part(bytes: &mut Bytes<'_>) -> Option<Part> {
    let (lsn, at) = place(bytes)?;
    Some(Part { lsn, at, length: u32::try_from(bytes.varint()?).ok()? })
}

/// Returns the damaged files that sled can create again: snapshots and settings. If the newest snapshot is damaged, the
/// older snapshots are included, because they may refer to overwritten segments.
pub(crate) fn damaged_derived_files(store: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let prepare = |path: &Path| StoreError::preparing("reading", path.to_owned());
    let mut damaged = Vec::new();
    let snapshots = snapshots_of(store).map_err(prepare(store))?;
    if let Some(newest) = snapshots.last()
        && content(&fs::read(&newest.path).map_err(prepare(&newest.path))?).is_none()
    {
        damaged.extend(snapshots.into_iter().map(|file| file.path));
    }
    let conf = store.join("conf");
    if let Some(bytes) = found(fs::read(&conf)).map_err(prepare(&conf))? {
        let is_whole = bytes.split_last_chunk::<4>().is_some_and(|(settings, sum)| {
            !settings.is_empty() && crc32fast::hash(settings).to_le_bytes() == *sum
        });
        if !is_whole {
            damaged.push(conf);
        }
    }
    Ok(damaged)
}
