//! Writes a backup: first the rows, then the manifest.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use domain::{BusinessId, DirFault, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::Pair;

use crate::counting::{Difference, Differences, Tally};

/// The size at which a chunk is written and synced. It is small, because commits have to wait while a chunk is synced.
const CHUNK_BYTES: usize = 1 << 20;
/// The permissions of directories and files. A backup contains personal data, so only the owner has access to it.
const OWNER_ONLY_DIR: u32 = 0o700;
const OWNER_ONLY: u32 = 0o600;

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
    pub(super) fn begin(dir: &Path, tally: Tally) -> Result<Self, DirFault> {
        match fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
            Ok(false) => {}
            Ok(true) if dir.join(MANIFEST_FILE).exists() => {
                return Err(DirFault::HoldsBackup);
            }
            Ok(true) => return Err(DirFault::NotEmpty),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = DirBuilder::new().recursive(true).mode(OWNER_ONLY_DIR).create(dir);
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

    /// Writes the manifest, which makes the backup valid. `aside` lists the businesses that the store has set aside
    /// because of damaged rows.
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

pub const ROWS_FILE: &str = "rows";
pub const MANIFEST_FILE: &str = "manifest.json";
const MANIFEST_NEW: &str = "manifest.new";
pub(super) const BACKUP_VERSION: u16 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub backup: u16,
    pub format: u16,
    pub version: String,
    pub sequence: u64,
    pub taken_at: String,
    pub rows: u64,
    pub bytes: u64,
    pub chunks: Vec<Chunk>,
    /// The record kinds whose count in the audit log differs from the number of rows in the backup, at most 1,000.
    /// Earlier versions of the service do not know this field, so they refuse a backup that contains it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Difference>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub problem_count: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// The key of the chunk's first row, in hexadecimal digits.
    pub first: String,
    pub rows: u64,
    pub offset: u64,
    pub bytes: u64,
    pub sha256: String,
}

/// The contents of `manifest.json`: the manifest and its SHA-256 digest. The digest is computed over the
/// manifest as JSON without spaces.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    manifest: Manifest,
    sha256: String,
}

impl Manifest {
    pub fn is_complete(&self) -> bool {
        self.problem_count == 0 && self.problems.is_empty()
    }

    pub fn differences(&self) -> Differences {
        Differences { listed: self.problems.clone(), count: self.problem_count }
    }

    /// The digest of the manifest. The manifest contains the digests of all chunks.
    pub fn sha256(&self) -> String {
        sha256(&serde_json::to_vec(self).expect("every manifest can be serialized"))
    }

    pub(super) fn read(dir: &Path) -> io::Result<Option<Self>> {
        let bytes = fs::read(dir.join(MANIFEST_FILE))?;
        let signed: Option<Signed> = serde_json::from_slice(&bytes).ok();
        Ok(signed.filter(|signed| signed.manifest.sha256() == signed.sha256).map(|signed| signed.manifest))
    }

    /// Writes the manifest atomically. The rows must already be durable.
    pub(super) fn write(self, dir: &Path) -> io::Result<Self> {
        let signed = Signed { sha256: self.sha256(), manifest: self };
        let new = dir.join(MANIFEST_NEW);
        let mut file = create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(&signed)?)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(new, dir.join(MANIFEST_FILE))?;
        File::open(dir)?.sync_all()?;
        // This process may have created `dir`, so the parent directory is synced. If the process has no permission to
        // read the parent directory, another user has created `dir`, so no sync is needed.
        match dir.canonicalize()?.parent().map(|parent| File::open(parent)?.sync_all()) {
            Some(Err(error)) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(signed.manifest),
        }
    }
}

pub(super) fn remove(dir: &Path) {
    for name in [ROWS_FILE, MANIFEST_NEW] {
        let _ = fs::remove_file(dir.join(name));
    }
}

pub(super) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    if digits.len().is_multiple_of(2) { (0..digits.len()).step_by(2).map(pair).collect() } else { None }
}
