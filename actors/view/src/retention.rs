//! The retention of a business, and the response to its deletion, as the operator API shows them.

use domain::{BusinessId, Retention};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of days that records are kept; null is for ever.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Retention")]
pub struct RetentionView {
    /// Calls, counted from their creation.
    pub calls_days: Option<u32>,
    /// Messages, counted from their creation.
    pub messages_days: Option<u32>,
    /// Entries of the audit log. The newest entry is always kept.
    pub audit_days: Option<u32>,
    /// Appointments, counted from their end.
    pub appointments_days: Option<u32>,
}

impl From<&Retention> for RetentionView {
    fn from(retention: &Retention) -> Self {
        let Retention { calls_days, messages_days, audit_days, appointments_days, .. } = *retention;
        Self { calls_days, messages_days, audit_days, appointments_days }
    }
}

/// A business that is being deleted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EndedBusiness")]
pub struct EndedView {
    /// The business's id.
    pub id: BusinessId,
}
