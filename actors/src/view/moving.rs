//! What came of an import, as the operator API shows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::Timestamp;

/// What was imported, or would be.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Imported")]
pub struct ImportedView {
    /// How many businesses there are.
    pub businesses: u64,
    /// How many records they have, themselves included.
    pub records: u64,
    /// When the lines were written.
    pub exported_at: Timestamp,
    /// Whether it was only looked at.
    pub dry_run: bool,
}
