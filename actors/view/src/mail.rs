//! The result of a test mail, as the operator API shows it.

use schemars::JsonSchema;
use serde::Serialize;

/// The result of a test mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MailTestResult")]
pub struct MailTestView {
    /// Whether the relay accepted the mail.
    pub sent: bool,
    /// The relay's response to an accepted mail.
    pub answer: Option<String>,
    /// The error, in the relay's words if it sent any.
    pub error: Option<String>,
    /// The duration in milliseconds.
    pub duration_ms: u64,
}
