//! The manifest of a backup.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::counting::{Difference, Differences};

pub const ROWS_FILE: &str = "rows";
pub const MANIFEST_FILE: &str = "manifest.json";
const MANIFEST_NEW: &str = "manifest.new";
/// The version of the backup layout.
pub(super) const BACKUP_VERSION: u16 = 1;
/// The file contains personal data.
const OWNER_ONLY: u32 = 0o600;

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
    /// The kinds of records with different numbers of recorded and found rows, at most 1,000. Absent if
    /// empty: the manifest of a complete backup is the same as in earlier versions, which refuse an
    /// incomplete backup.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Difference>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub problem_count: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// In hexadecimal digits.
    pub first: String,
    pub rows: u64,
    pub offset: u64,
    pub bytes: u64,
    pub sha256: String,
}

/// The file's contents: the manifest and the SHA-256 of its JSON without spaces.
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

    /// The digest of the manifest, which covers the digests of all chunks.
    pub fn sha256(&self) -> String {
        sha256(&serde_json::to_vec(self).expect("a manifest has string keys and no failing field"))
    }

    pub(super) fn read(dir: &Path) -> io::Result<Option<Self>> {
        let bytes = fs::read(dir.join(MANIFEST_FILE))?;
        let signed: Option<Signed> = serde_json::from_slice(&bytes).ok();
        Ok(signed.filter(|signed| signed.manifest.sha256() == signed.sha256).map(|signed| signed.manifest))
    }

    /// Writes the manifest atomically, after everything else.
    pub(super) fn write(self, dir: &Path) -> io::Result<Self> {
        let signed = Signed { sha256: self.sha256(), manifest: self };
        let new = dir.join(MANIFEST_NEW);
        let mut file = create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(&signed)?)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(new, dir.join(MANIFEST_FILE))?;
        File::open(dir)?.sync_all()?;
        // Another user owns an unreadable parent and has created this directory in it.
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
