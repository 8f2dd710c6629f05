//! Backups of the store.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{BackupId, Timestamp};

/// A backup that was begun.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupBegun")]
pub struct BackupBegunView {
    /// Its id, for asking how far it has come.
    pub id: BackupId,
}

/// How far a backup has come.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Backup")]
pub struct BackupView {
    /// Its id.
    pub id: BackupId,
    /// `running`, `done` or `failed`.
    pub status: &'static str,
    /// Its directory, on the service's machine.
    pub to: String,
    /// How many rows are in it so far.
    pub rows: u64,
    /// How many bytes.
    pub bytes: u64,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When it came to its end.
    pub ended_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<String>,
    /// What it says of itself, once it is done.
    pub manifest: Option<BackupManifestView>,
}

/// What a backup says of itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupManifest")]
pub struct BackupManifestView {
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
    /// How many bytes.
    pub bytes: u64,
    /// How many chunks they are in.
    pub chunks: usize,
    /// The SHA-256 of the manifest, which holds those of the chunks.
    pub sha256: String,
}
