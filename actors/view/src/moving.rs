//! The result of an import, as the operator API shows it.

use domain::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Whether the import was only checked.
    pub dry_run: bool,
}
