//! What a backup says of itself.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::counting::{Difference, Differences};

/// The file of the rows.
pub const ROWS_FILE: &str = "rows";
/// The file of the manifest.
pub const MANIFEST_FILE: &str = "manifest.json";
/// The same while it is written.
const MANIFEST_NEW: &str = "manifest.new";
/// How backups are laid out.
pub(super) const BACKUP_VERSION: u16 = 1;
/// Only the owner may read people's data.
const OWNER_ONLY: u32 = 0o600;

/// What a backup says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// How the backup is laid out.
    pub backup: u16,
    /// The format of the store.
    pub format: u16,
    /// The version of the service that made it.
    pub version: String,
    /// The number of the newest commit that is in it.
    pub sequence: u64,
    /// When that was.
    pub taken_at: String,
    /// How many rows are in it.
    pub rows: u64,
    /// The length of the file of the rows.
    pub bytes: u64,
    /// Its parts, in their order.
    pub chunks: Vec<Chunk>,
    /// The kinds of records of which another number was recorded than found: the first 1,000. The field is absent if
    /// there are none, so the manifest of a complete backup is as earlier versions wrote it; those refuse to read one of
    /// an incomplete backup.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Difference>,
    /// The number of all such kinds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub problem_count: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A part of the file of the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// Its first key, as hexadecimal digits.
    pub first: String,
    /// How many rows are in it.
    pub rows: u64,
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// Its SHA-256, as hexadecimal digits.
    pub sha256: String,
}

/// The file: the manifest and the SHA-256 of its JSON without spaces.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    manifest: Manifest,
    sha256: String,
}

impl Manifest {
    /// Whether every recorded row was found.
    pub fn is_complete(&self) -> bool {
        self.problem_count == 0 && self.problems.is_empty()
    }

    /// The kinds of records of which another number was recorded than found.
    pub fn differences(&self) -> Differences {
        Differences { listed: self.problems.clone(), count: self.problem_count }
    }

    /// The digest of the manifest, and with it of everything.
    pub fn sha256(&self) -> String {
        sha256(&serde_json::to_vec(self).expect("a manifest has string keys and no failing field"))
    }

    /// Reads the manifest of a directory; `None` when it is damaged.
    pub(super) fn read(dir: &Path) -> io::Result<Option<Self>> {
        let bytes = fs::read(dir.join(MANIFEST_FILE))?;
        let signed: Option<Signed> = serde_json::from_slice(&bytes).ok();
        Ok(signed.filter(|signed| signed.manifest.sha256() == signed.sha256).map(|signed| signed.manifest))
    }

    /// Writes it, as the last thing: it is there whole or not at all.
    pub(super) fn write(self, dir: &Path) -> io::Result<Self> {
        let signed = Signed { sha256: self.sha256(), manifest: self };
        let new = dir.join(MANIFEST_NEW);
        let mut file = create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(&signed)?)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(new, dir.join(MANIFEST_FILE))?;
        File::open(dir)?.sync_all()?;
        // A parent that may not be read was set up by somebody else, who made the directory in it as well.
        match dir.canonicalize()?.parent().map(|parent| File::open(parent)?.sync_all()) {
            Some(Err(error)) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(signed.manifest),
        }
    }
}

/// Removes what a backup that failed has left.
pub(super) fn remove(dir: &Path) {
    for name in [ROWS_FILE, MANIFEST_NEW] {
        let _ = fs::remove_file(dir.join(name));
    }
}

/// A new file that only the owner can read.
pub(super) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)
}

/// The SHA-256 of these bytes, as hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of these hexadecimal digits.
pub(super) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    if digits.len().is_multiple_of(2) { (0..digits.len()).step_by(2).map(pair).collect() } else { None }
}
