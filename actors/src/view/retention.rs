//! For how long a business keeps what has happened, and that one was ended, as the operator API shows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{BusinessId, Retention};

/// For how many days a business keeps what has happened; null is for ever.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Retention")]
pub struct RetentionView {
    /// Calls, from when they were saved.
    pub calls_days: Option<u32>,
    /// Messages, from when they were taken.
    pub messages_days: Option<u32>,
    /// Entries of the audit log. The newest stays, however old it is.
    pub audit_days: Option<u32>,
    /// Appointments, from their end.
    pub appointments_days: Option<u32>,
}

impl From<&Retention> for RetentionView {
    fn from(retention: &Retention) -> Self {
        let Retention { calls_days, messages_days, audit_days, appointments_days, .. } = *retention;
        Self { calls_days, messages_days, audit_days, appointments_days }
    }
}

/// A business that was ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EndedBusiness")]
pub struct EndedView {
    /// Its id.
    pub id: BusinessId,
}
