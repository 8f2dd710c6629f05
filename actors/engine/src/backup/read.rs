//! Reads a backup. Each chunk is checked against its digest before use.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;
use store::records::STORE_FORMAT;
use store::{KEY_BYTES_MAX, KeyRange, Order, Pair, Pairs, Rows, StoreError};

use super::write::{BACKUP_VERSION, MANIFEST_FILE, Manifest, ROWS_FILE, sha256, unhex};

const CHUNKS_KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(
        "{} is no backup: it has no manifest.json, so the backup was interrupted or this is another directory; \
         make another backup, or use one that `receptionist verify` accepts", .0.display()
    )]
    NoManifest(PathBuf),
    #[error("{} is damaged", .0.join(MANIFEST_FILE).display())]
    DamagedManifest(PathBuf),
    #[error(
        "the backup has format {found}, but this version of the service reads only formats up to {known}; use a newer version"
    )]
    Newer {
        /// The format number of the backup or of its store, whichever is too high.
        found: u16,
        known: u16,
    },
    #[error("{} is damaged in chunk {number}: {reason}", .path.display())]
    Damaged { path: PathBuf, number: usize, reason: &'static str },
    #[error("{} cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
}

pub struct Backup {
    path: PathBuf,
    file: File,
    manifest: Manifest,
    firsts: Vec<Vec<u8>>,
    kept: Mutex<LruCache<usize, Arc<Vec<Pair>>>>,
}

impl Backup {
    /// Opens a backup and checks its manifest. The chunks are checked when they are read.
    pub fn open(dir: &Path) -> Result<Self, BackupError> {
        let manifest = match Manifest::read(dir) {
            Ok(manifest) => manifest.ok_or_else(|| BackupError::DamagedManifest(dir.to_owned()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BackupError::NoManifest(dir.to_owned()));
            }
            Err(source) => return Err(BackupError::Read { path: dir.join(MANIFEST_FILE), source }),
        };
        for (found, known) in [(manifest.backup, BACKUP_VERSION), (manifest.format, STORE_FORMAT)] {
            if found > known {
                return Err(BackupError::Newer { found, known });
            }
        }
        let firsts: Option<Vec<_>> = manifest.chunks.iter().map(|chunk| unhex(&chunk.first)).collect();
        let firsts = firsts.filter(|firsts| firsts.is_sorted_by(|a, b| a < b));
        let firsts = firsts.ok_or_else(|| BackupError::DamagedManifest(dir.to_owned()))?;
        let path = dir.join(ROWS_FILE);
        let read = |source| BackupError::Read { path: path.clone(), source };
        let file = File::open(&path).map_err(read)?;
        let bytes = file.metadata().map_err(read)?.len();
        if bytes != manifest.bytes {
            let (number, reason) = (manifest.chunks.len(), "the length of the file has changed");
            return Err(BackupError::Damaged { path, number, reason });
        }
        Ok(Self { path, file, manifest, firsts, kept: Mutex::new(LruCache::new(CHUNKS_KEPT)) })
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn chunks(&self) -> usize {
        self.manifest.chunks.len()
    }

    /// Checks the digest of the chunk with the index `at`, and returns the chunk's rows.
    pub fn read_chunk(&self, at: usize) -> Result<Vec<Pair>, BackupError> {
        let damaged = |reason| BackupError::Damaged { path: self.path.clone(), number: at + 1, reason };
        let chunk = &self.manifest.chunks[at];
        let mut bytes = vec![0; usize::try_from(chunk.bytes).map_err(|_| damaged("the chunk is too long"))?];
        let read = |source| BackupError::Read { path: self.path.clone(), source };
        self.file.read_exact_at(&mut bytes, chunk.offset).map_err(read)?;
        if sha256(&bytes) != chunk.sha256 {
            return Err(damaged("the digest differs from the manifest"));
        }
        let rows = rows_in(&bytes).ok_or_else(|| damaged("the contents are not rows"))?;
        let next = self.firsts.get(at + 1);
        let in_order = rows.is_sorted_by(|a, b| a.0 < b.0)
            && rows.first().map(|row| &row.0) == self.firsts.get(at)
            && next.is_none_or(|next| rows.last().is_some_and(|last| last.0 < *next));
        if !in_order || rows.len() as u64 != chunk.rows {
            return Err(damaged("the rows differ from the manifest"));
        }
        Ok(rows)
    }

    fn chunk(&self, at: usize) -> Result<Arc<Vec<Pair>>, StoreError> {
        let read = || self.read_chunk(at).map(Arc::new);
        let chunk = self.kept.lock().try_get_or_insert(at, read).cloned();
        chunk.map_err(|error| StoreError::damaged("backup", error.to_string()))
    }

    fn chunk_of(&self, key: &[u8]) -> Option<usize> {
        self.firsts.partition_point(|first| first.as_slice() <= key).checked_sub(1)
    }
}

fn rows_in(mut bytes: &[u8]) -> Option<Vec<Pair>> {
    let mut rows = Vec::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_first_chunk::<5>()?;
        let (key_bytes, value_bytes) = (usize::from(head[0]), u32::from_be_bytes(*head.last_chunk()?));
        let (key, rest) = rest.split_at_checked(key_bytes)?;
        let (value, rest) = rest.split_at_checked(usize::try_from(value_bytes).ok()?)?;
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            return None;
        }
        rows.push((key.to_vec(), value.to_vec()));
        bytes = rest;
    }
    Some(rows)
}

impl Rows for Backup {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(at) = self.chunk_of(key) else { return Ok(None) };
        let rows = self.chunk(at)?;
        let found = rows.binary_search_by(|row| row.0.as_slice().cmp(key));
        Ok(found.ok().map(|at| rows[at].1.clone()))
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        let (from, to) = (range.from.to_vec(), range.to.to_vec());
        let first = self.chunk_of(&from).unwrap_or(0);
        let end = self.firsts.partition_point(|first| *first < to);
        let chunks = first..end.max(first);
        let rows = move |at| {
            let rows = match self.chunk(at) {
                Ok(rows) => rows,
                Err(error) => return vec![Err(error)],
            };
            let within = rows.iter().filter(|row| row.0 >= from && row.0 < to).cloned().map(Ok);
            if order == Order::Descending { within.rev().collect() } else { within.collect() }
        };
        match order {
            Order::Ascending => Box::new(chunks.flat_map(rows)),
            Order::Descending => Box::new(chunks.rev().flat_map(rows)),
        }
    }
}
