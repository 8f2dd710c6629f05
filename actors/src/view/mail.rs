//! What came of a test mail, as the operator API shows it.

use schemars::JsonSchema;
use serde::Serialize;

/// What came of a test mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MailTestResult")]
pub struct MailTestView {
    /// Whether the relay took it.
    pub sent: bool,
    /// What the relay answered when it took the mail.
    pub answer: Option<String>,
    /// Why it did not, in the relay's words where it had any.
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}
