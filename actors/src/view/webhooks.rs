//! Webhook endpoints, their delivery log and their tests as the APIs show them.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{
    Delivery, DeliveryStatus, DisabledReason, EventId, EventType, Timestamp, WebhookEndpoint, WebhookId,
    WebhookStatus,
};

/// A webhook endpoint; its secret is never shown again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    /// Its id.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// Which events.
    pub events: Vec<EventType>,
    /// What it is for; empty when nobody said.
    pub description: String,
    /// Whether it is sent events.
    pub status: WebhookStatus,
    /// Why it is disabled.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when it is disabled.
    pub disabled_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl From<&WebhookEndpoint> for WebhookView {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        Self {
            id: endpoint.id,
            url: endpoint.url.clone(),
            events: endpoint.events.iter().collect(),
            description: endpoint.description.clone(),
            status: endpoint.status,
            disabled_reason: endpoint.disabled_reason,
            disabled_at: endpoint.disabled_at,
            created_at: endpoint.created_at,
            updated_at: endpoint.updated_at,
        }
    }
}

/// A webhook endpoint at the moment of its creation, the only time that its secret is shown; `S` is `Option<String>`
/// where the same request that comes again is answered without it.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "NewWebhook")]
pub struct NewWebhookView<S = String> {
    /// Its id.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// Which events.
    pub events: Vec<EventType>,
    /// What it is for; empty when nobody said.
    pub description: String,
    /// Whether it is sent events.
    pub status: WebhookStatus,
    /// Why it is disabled.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when it is disabled.
    pub disabled_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What its deliveries are signed with: `whsec_` and the base64 of the key.
    pub secret: S,
}

impl<S> NewWebhookView<S> {
    /// The endpoint with its secret.
    pub fn new(endpoint: &WebhookEndpoint, secret: S) -> Self {
        // Flattening the other view would leave its schema open; the fields are the same by its own conversion.
        let WebhookView {
            id,
            url,
            events,
            description,
            status,
            disabled_reason,
            disabled_at,
            created_at,
            updated_at,
        } = endpoint.into();
        Self {
            id,
            url,
            events,
            description,
            status,
            disabled_reason,
            disabled_at,
            created_at,
            updated_at,
            secret,
        }
    }

    /// A rendered one without its secret: the endpoint as it is shown from then on, and so what its entity tag is of.
    pub fn without_secret(rendered: &[u8]) -> Vec<u8> {
        // Inside of a string the quotes would be escaped, so this is the last property and nothing else.
        match memchr::memmem::rfind(rendered, b",\"secret\":") {
            Some(at) => [&rendered[..at], b"}"].concat(),
            None => rendered.to_vec(),
        }
    }
}

/// Neither the secret nor the path of the URL, which may be one of the receiver's, shows in a log.
impl<S> fmt::Debug for NewWebhookView<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewWebhookView")
            .field("id", &self.id)
            .field("events", &self.events)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// A row of an endpoint's delivery log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryView {
    /// The event.
    pub event_id: EventId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// How many attempts of the present schedule have ended.
    pub attempts: u32,
    /// The status of the newest answer.
    pub last_response_status: Option<u16>,
    /// The first KiB of the newest answer.
    pub last_response_body: Option<String>,
    /// Why the newest attempt failed.
    pub last_error: Option<String>,
    /// When the newest attempt began.
    pub last_attempt_at: Option<Timestamp>,
    /// When the next attempt is due.
    pub next_attempt_at: Option<Timestamp>,
    /// When the event happened.
    pub created_at: Timestamp,
}

impl DeliveryView {
    /// The delivery as it stands at its endpoint.
    pub fn new(delivery: &Delivery, status: DeliveryStatus) -> Self {
        Self {
            event_id: delivery.event_id,
            kind: delivery.event,
            status,
            attempts: delivery.attempts,
            last_response_status: delivery.last_response_status,
            last_response_body: delivery.last_response_body.clone(),
            last_error: delivery.last_error.clone(),
            last_attempt_at: delivery.last_attempt_at,
            next_attempt_at: delivery.next_attempt_at.filter(|_| status == DeliveryStatus::Pending),
            created_at: delivery.created_at,
        }
    }
}

/// What came of a test of an endpoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookTestResult")]
pub struct TestView {
    /// The id of the sample event.
    pub event_id: EventId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Whether the receiver took it.
    pub delivered: bool,
    /// The status of its answer.
    pub response_status: Option<u16>,
    /// Why it failed.
    pub error: Option<String>,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EventTypes, WebhookSecret};
    use crate::view::render;

    #[test]
    fn a_new_endpoint_without_its_secret_is_the_endpoint() {
        let at = Timestamp::from_millis(0);
        for description in ["", ",\"secret\":\"x", "\\\",\"secret\":\"", "é\\"] {
            let endpoint = WebhookEndpoint {
                id: "01900000-0000-7000-8000-000000000000".parse().unwrap(),
                url: "https://a.example.com/?x=\",\"secret\":\"".into(),
                events: [EventType::ContactCreated].into_iter().collect::<EventTypes>(),
                description: description.into(),
                status: WebhookStatus::Enabled,
                disabled_reason: None,
                disabled_at: None,
                epoch: 0,
                secret: WebhookSecret::new([7; 32]),
                created_at: at,
                updated_at: at,
            };
            let shown = render(&WebhookView::from(&endpoint));
            let new = NewWebhookView::new(&endpoint, "whsec_AAAA".to_owned());
            let told = format!("{new:?}");
            assert!(!told.contains("AAAA") && !told.contains("?x="), "{told}");
            let again = render(&NewWebhookView::<Option<String>>::new(&endpoint, None));
            for new in [render(&new), again] {
                assert_ne!(new, shown);
                assert_eq!(NewWebhookView::<String>::without_secret(&new), shown, "{description:?}");
            }
            assert_eq!(NewWebhookView::<String>::without_secret(&shown), shown, "{description:?}");
        }
    }
}
