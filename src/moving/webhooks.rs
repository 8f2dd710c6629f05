//! The export lines of webhook endpoints.

use domain::{
    DisabledReason, EventType, ImportProblem, Text, Timestamp, WebhookEndpoint, WebhookId, WebhookStatus,
    WebhookUrl,
};

use super::line::export_line;
use super::values::Secret;
use crate::http::lists::DistinctList;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;

export_line! {
    WebhookEndpoint as it {
        id: WebhookId,
        url: WebhookUrl,
        [events: DistinctList<EventType, 1, 6> = it.events.iter().collect()]
        description: Text<0, 500>,
        status: WebhookStatus,
        disabled_reason: Option<DisabledReason>,
        disabled_at: Option<Timestamp>,
        secret: Secret,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        events: events.into_iter().collect(),
        epoch: 0,
    }
    check off_with_a_reason
}

fn off_with_a_reason(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    let mut unasked = Problems::new(problems.reading().clone());
    let status = properties.read::<WebhookStatus>("status", at, &mut unasked);
    let off = status == Some(WebhookStatus::Disabled);
    for name in ["disabled_reason", "disabled_at"] {
        if status.is_some() && properties.has(name) != off {
            let code = if off { ImportProblem::RequiredIfDisabled } else { ImportProblem::NullIfEnabled };
            problems.add(&at.property(name), code);
        }
    }
}
