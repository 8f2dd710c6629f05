//! Backups of the store.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{BackupId, BusinessId, Timestamp};

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
    /// `running`, `done`, `incomplete` or `failed`.
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
    /// The manifest, once the backup is done or incomplete.
    pub manifest: Option<BackupManifestView>,
    /// The kinds of records of which another number was recorded than found: the first 1,000. A backup with any is
    /// `incomplete`; all other businesses are whole in it. Absent from any other backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<BackupProblemView>>,
    /// The number of all such kinds. Absent without problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_count: Option<u64>,
}

/// A kind of records of a business of which another number was recorded than found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupProblem")]
pub struct BackupProblemView {
    /// The business.
    pub business_id: BusinessId,
    /// The kind as in a budget, or `business` for the whole business: its profile and its records.
    pub kind: String,
    /// The recorded number of rows; null if it cannot be read.
    pub recorded: Option<u64>,
    /// The number of rows found.
    pub found: u64,
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
