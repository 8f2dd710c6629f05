//! The export lines of webhook endpoints.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{
    DisabledReason, EventType, ImportProblem, Text, Timestamp, WebhookEndpoint, WebhookId, WebhookStatus,
    WebhookUrl,
};

use super::SECRET_TAG;
use super::line::{RecordLine, Written, put};
use super::values::Secret;

use crate::http::lists::DistinctList;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::json_object;

json_object! {
    /// A webhook endpoint.
    pub(super) struct WebhookLine {
        /// Its id.
        id: WebhookId,
        /// Where events are sent.
        url: WebhookUrl,
        /// Which events.
        events: DistinctList<EventType, 1, 6>,
        /// What it is for.
        description: Text<0, 500>,
        /// Whether it is sent events.
        status: WebhookStatus,
        /// Why it is disabled, while it is.
        disabled_reason: Option<DisabledReason>,
        /// Since when it is disabled, while it is.
        disabled_at: Option<Timestamp>,
        /// What its deliveries are signed with.
        secret: Secret,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
    check off_with_a_reason
}

impl RecordLine for WebhookLine {
    type Record = WebhookEndpoint;

    fn write(it: &WebhookEndpoint, line: Written) -> Written {
        let events: Vec<EventType> = it.events.iter().collect();
        let line = put!(line, it: id).put("url", it.url.as_str()).put("events", &events);
        let line = put!(line, it: description, status, disabled_reason, disabled_at);
        let secret = format!("{SECRET_TAG}{}", STANDARD.encode(it.secret.bytes()));
        put!(line.put("secret", &secret), it: created_at, updated_at)
    }

    fn made(self) -> WebhookEndpoint {
        WebhookEndpoint {
            id: self.id,
            url: self.url,
            events: self.events.into_vec().into_iter().collect(),
            description: self.description.into_string(),
            status: self.status,
            disabled_reason: self.disabled_reason,
            disabled_at: self.disabled_at,
            epoch: 0,
            secret: self.secret.get(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// Exactly the disabled endpoints have a reason and a time.
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
