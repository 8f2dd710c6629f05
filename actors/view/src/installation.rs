//! Backups, imports and test mails as the operator API shows them.

use domain::{BackupId, BusinessId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A backup that was started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupBegun")]
pub struct BackupBegunView {
    /// The backup's id.
    pub id: BackupId,
}

/// The progress or result of a backup.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Backup")]
pub struct BackupView {
    /// The backup's id.
    pub id: BackupId,
    /// `running`, `done`, `incomplete` or `failed`.
    pub status: &'static str,
    /// The directory of the backup on the service's machine.
    pub to: String,
    /// The number of rows in the backup so far.
    pub rows: u64,
    /// The number of bytes in the backup so far.
    pub bytes: u64,
    /// The time at which the backup was requested.
    pub started_at: Timestamp,
    /// The time at which the backup ended.
    pub ended_at: Option<Timestamp>,
    /// The reason why the backup failed.
    pub error: Option<String>,
    /// The manifest. A backup has one if its status is `done` or `incomplete`.
    pub manifest: Option<BackupManifestView>,
    /// The problems, at most 1,000. Each problem is a difference between the recorded number of rows and the number in
    /// the backup. A backup with problems has the status `incomplete`; the businesses without problems are complete.
    /// The property is absent if there are no problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<BackupProblemView>>,
    /// The number of all problems. The property is absent if there are no problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_count: Option<u64>,
}

/// A difference between the recorded number of rows and the number in the backup, for one kind of one business.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupProblem")]
pub struct BackupProblemView {
    /// The business.
    pub business_id: BusinessId,
    /// The kind, with the same name as in a budget. `business` means the whole business: its profile and all its
    /// records.
    pub kind: String,
    /// The number of rows that was recorded for this kind. It is null if this number cannot be read.
    pub recorded: Option<u64>,
    /// The number of rows in the backup.
    pub found: u64,
}

/// The manifest of a backup.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupManifest")]
pub struct BackupManifestView {
    /// The format of the store.
    pub format: u16,
    /// The version of the service that made the backup.
    pub version: String,
    /// The sequence number of the newest commit in the backup.
    pub sequence: u64,
    /// The time of the newest commit in the backup.
    pub taken_at: String,
    /// The number of rows.
    pub rows: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The number of chunks.
    pub chunks: usize,
    /// The SHA-256 of the manifest, which contains the SHA-256 of each chunk.
    pub sha256: String,
}

/// The result of a test mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MailTestResult")]
pub struct MailTestView {
    /// Whether the relay accepted the mail.
    pub sent: bool,
    /// The relay's response, if the relay accepted the mail.
    pub answer: Option<String>,
    /// The error. If the relay sent a response, the error quotes it.
    pub error: Option<String>,
    /// The duration in milliseconds.
    pub duration_ms: u64,
}

/// The result of an import or a dry run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Imported")]
pub struct ImportedView {
    /// The number of businesses.
    pub businesses: u64,
    /// The number of records, including the businesses.
    pub records: u64,
    /// The time of the export.
    pub exported_at: Timestamp,
    /// Whether the import was a dry run, which changes nothing.
    pub dry_run: bool,
    /// The slugs of booking pages in the import that another business already has. These booking pages were imported
    /// without a slug and are disabled. At most 100 slugs are listed.
    #[serde(default)]
    pub lost_slugs: Vec<String>,
}
