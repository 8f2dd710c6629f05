//! Webhook endpoints, their delivery log and their tests as the APIs show them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{
    AttemptError, Delivery, DeliveryStatus, DisabledReason, EventId, EventType, Timestamp, WebhookEndpoint,
    WebhookId, WebhookStatus,
};

/// A webhook endpoint; its secret is never shown again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewWebhook")]
pub struct NewWebhookView<S = String> {
    /// The endpoint, of which the entity tag is.
    #[serde(flatten)]
    pub webhook: WebhookView,
    /// What its deliveries are signed with: `whsec_` and the base64 of the key.
    pub secret: S,
}

impl<S> NewWebhookView<S> {
    /// The endpoint with its secret.
    pub fn new(endpoint: &WebhookEndpoint, secret: S) -> Self {
        Self { webhook: endpoint.into(), secret }
    }
}

/// Neither the secret nor the path of the URL, which may be one of the receiver's, shows in a log.
impl<S> fmt::Debug for NewWebhookView<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewWebhookView")
            .field("id", &self.webhook.id)
            .field("events", &self.webhook.events)
            .field("status", &self.webhook.status)
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
    #[schemars(with = "Option<String>")]
    pub last_error: Option<AttemptError>,
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
    #[schemars(with = "Option<String>")]
    pub error: Option<AttemptError>,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EventTypes, WebhookSecret};

    #[test]
    fn a_log_shows_neither_the_secret_nor_the_url_of_a_new_endpoint() {
        let at = Timestamp::from_millis(0);
        let endpoint = WebhookEndpoint {
            id: "01900000-0000-7000-8000-000000000000".parse().unwrap(),
            url: "https://a.example.com/?x=1".into(),
            events: [EventType::ContactCreated].into_iter().collect::<EventTypes>(),
            description: String::new(),
            status: WebhookStatus::Enabled,
            disabled_reason: None,
            disabled_at: None,
            epoch: 0,
            secret: WebhookSecret::new([7; 32]),
            created_at: at,
            updated_at: at,
        };
        let told = format!("{:?}", NewWebhookView::new(&endpoint, "whsec_AAAA".to_owned()));
        assert!(told.contains("ContactCreated") && !told.contains("AAAA") && !told.contains("?x="), "{told}");
    }
}
