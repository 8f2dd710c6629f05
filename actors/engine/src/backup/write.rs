//! Writing a backup.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use domain::{BusinessId, DirFault, Timestamp};
use store::Pair;

use super::manifest::{
    BACKUP_VERSION, Chunk, MANIFEST_FILE, Manifest, ROWS_FILE, create, hex, remove, sha256,
};
use crate::counting::{Differences, Tally};

/// The size at which a chunk is written and synced. It is small, because commits share the disk.
const CHUNK_BYTES: usize = 1 << 20;
/// The directory contains personal data.
const OWNER_ONLY: u32 = 0o700;

pub(super) struct Writer {
    dir: PathBuf,
    file: File,
    chunk: Vec<u8>,
    first: Option<Vec<u8>>,
    chunk_rows: u64,
    chunks: Vec<Chunk>,
    rows: u64,
    bytes: u64,
    tally: Tally,
}

impl Writer {
    /// Starts in a missing or empty directory.
    pub(super) fn begin(dir: &Path, tally: Tally) -> Result<Self, DirFault> {
        match fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
            Ok(false) => {}
            Ok(true) if dir.join(MANIFEST_FILE).exists() => {
                return Err(DirFault::HoldsBackup);
            }
            Ok(true) => return Err(DirFault::NotEmpty),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(dir);
                made.map_err(|error| DirFault::NotCreated(error.to_string()))?;
            }
            Err(error) => return Err(DirFault::Unusable(error.to_string())),
        }
        let file = create(&dir.join(ROWS_FILE));
        let file = file.map_err(|error| DirFault::NotWritable(error.to_string()))?;
        let (chunk, chunks) = (Vec::with_capacity(CHUNK_BYTES), Vec::new());
        let (dir, first) = (dir.to_owned(), None);
        Ok(Self { dir, file, chunk, first, chunk_rows: 0, chunks, rows: 0, bytes: 0, tally })
    }

    pub(super) fn written(&self) -> (u64, u64) {
        (self.rows, self.bytes + self.chunk.len() as u64)
    }

    pub(super) fn add(&mut self, rows: &[Pair]) -> io::Result<()> {
        for (key, value) in rows {
            let (key_bytes, value_bytes) = (u8::try_from(key.len()), u32::try_from(value.len()));
            let (Ok(key_bytes), Ok(value_bytes)) = (key_bytes, value_bytes) else {
                return Err(io::Error::other("a row exceeds the maximum length"));
            };
            self.tally.row(key, value);
            self.first.get_or_insert_with(|| key.clone());
            self.chunk.push(key_bytes);
            self.chunk.extend_from_slice(&value_bytes.to_be_bytes());
            self.chunk.extend_from_slice(key);
            self.chunk.extend_from_slice(value);
            self.chunk_rows += 1;
            self.rows += 1;
            if self.chunk.len() >= CHUNK_BYTES {
                self.write_chunk()?;
            }
        }
        Ok(())
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        let Some(first) = self.first.take() else { return Ok(()) };
        self.file.write_all(&self.chunk)?;
        self.file.sync_data()?;
        let bytes = self.chunk.len() as u64;
        self.chunks.push(Chunk {
            first: hex(&first),
            rows: std::mem::take(&mut self.chunk_rows),
            offset: self.bytes,
            bytes,
            sha256: sha256(&self.chunk),
        });
        self.bytes += bytes;
        self.chunk.clear();
        Ok(())
    }

    /// Writes the manifest, which makes the backup valid. `aside`: the businesses that are set aside at this
    /// time.
    pub(super) fn finish(
        mut self,
        format: u16,
        sequence: u64,
        taken_at: Timestamp,
        aside: impl Iterator<Item = BusinessId>,
    ) -> io::Result<Manifest> {
        self.write_chunk()?;
        self.tally.set_aside_meanwhile(aside);
        self.file.sync_all()?;
        let Differences { listed: problems, count: problem_count } = self.tally.end();
        let manifest = Manifest {
            backup: BACKUP_VERSION,
            format,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sequence,
            taken_at: taken_at.to_string(),
            rows: self.rows,
            bytes: self.bytes,
            chunks: self.chunks,
            problems,
            problem_count,
        };
        manifest.write(&self.dir)
    }

    pub(super) fn discard(self) {
        remove(&self.dir);
    }
}
