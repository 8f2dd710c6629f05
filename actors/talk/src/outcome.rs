//! Outcome and summary of a conversation.

use domain::{AppointmentId, CallOutcome};

use crate::state::{Effect, EndedBy, Talk};

/// The outcome of a conversation. `is_active` tells whether an appointment is still pending or confirmed.
pub fn outcome(
    effects: &[Effect],
    is_active: impl Fn(AppointmentId) -> bool,
    ended_by: Option<EndedBy>,
) -> CallOutcome {
    let _ = (effects, is_active, ended_by);
    CallOutcome::Other
}

/// The summary from effects, at most 400 characters.
pub fn summary(talk: &Talk) -> Option<String> {
    (!talk.summary.is_empty()).then(|| talk.summary.join(" "))
}
