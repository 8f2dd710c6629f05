//! Webhook endpoints, their delivery logs and the results of their tests, as the APIs show them.

use std::fmt;

use domain::{
    ATTEMPTS_KEPT, AttemptError, Attempted, Delivery, DeliveryStatus, DisabledReason, EventId, EventType,
    Failing, Timestamp, WebhookEndpoint, WebhookId, WebhookStatus,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A webhook endpoint, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    /// The endpoint's id.
    pub id: WebhookId,
    /// The address to which events are sent.
    pub url: String,
    /// The event types to which the endpoint is subscribed.
    pub events: Vec<EventType>,
    /// The description. It may be empty.
    pub description: String,
    /// Whether the endpoint gets events.
    pub status: WebhookStatus,
    /// The reason why the endpoint is disabled.
    pub disabled_reason: Option<DisabledReason>,
    /// The time at which the endpoint was disabled.
    pub disabled_at: Option<Timestamp>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

impl From<&WebhookEndpoint> for WebhookView {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        Self {
            id: endpoint.id,
            url: endpoint.url.as_str().to_owned(),
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

/// A webhook endpoint, as the team sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorWebhook")]
pub struct OperatorWebhookView {
    /// The fields that integrations see. The entity tag depends only on these fields.
    #[serde(flatten)]
    pub webhook: WebhookView,
    /// The time of the first failed attempt since the endpoint last accepted a delivery. It is null if the endpoint is
    /// disabled or is not failing.
    pub failing_since: Option<Timestamp>,
}

impl OperatorWebhookView {
    pub fn new(endpoint: &WebhookEndpoint, failing: Option<Failing>) -> Self {
        let failing = failing.filter(|_| endpoint.is_enabled());
        Self { webhook: endpoint.into(), failing_since: failing.map(|failing| failing.since) }
    }
}

/// A webhook endpoint that was just created. Only this response shows the secret. For the operator, `S` is
/// `Option<String>`, because the response to a repeated request omits the secret.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewWebhook")]
pub struct NewWebhookView<S = String> {
    /// The endpoint. The entity tag depends only on it.
    #[serde(flatten)]
    pub webhook: WebhookView,
    /// The key with which deliveries are signed: `whsec_` and the key in base64.
    pub secret: S,
}

impl<S> NewWebhookView<S> {
    pub fn new(endpoint: &WebhookEndpoint, secret: S) -> Self {
        Self { webhook: endpoint.into(), secret }
    }
}

/// The output contains neither the secret nor the URL, so that both stay out of logs. The path of the URL may contain a
/// secret of the receiver.
impl<S> fmt::Debug for NewWebhookView<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewWebhookView")
            .field("id", &self.webhook.id)
            .field("events", &self.webhook.events)
            .field("status", &self.webhook.status)
            .finish_non_exhaustive()
    }
}

/// A finished attempt of a delivery.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attempt")]
pub struct AttemptView {
    /// The start of the attempt.
    pub at: Timestamp,
    /// The HTTP status of the response.
    pub status: Option<u16>,
    /// The error of the attempt.
    #[schemars(with = "Option<String>")]
    pub error: Option<AttemptError>,
    /// The duration of the attempt in milliseconds.
    pub duration_ms: u64,
}

impl From<&Attempted> for AttemptView {
    fn from(attempt: &Attempted) -> Self {
        let Attempted { at, status, error, duration_ms } = attempt.clone();
        Self { at, status, error, duration_ms }
    }
}

/// A row of an endpoint's delivery log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryView {
    /// The event's id.
    pub event_id: EventId,
    /// The type of the event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The status of the delivery.
    pub status: DeliveryStatus,
    /// The number of finished attempts of the current schedule.
    pub attempts_made: u32,
    /// The newest 18 attempts, oldest first. They include attempts made before the event was resent.
    #[schemars(length(max = ATTEMPTS_KEPT))]
    pub attempts: Vec<AttemptView>,
    /// The HTTP status of the newest response.
    pub last_response_status: Option<u16>,
    /// The first KiB of the body of the newest response.
    pub last_response_body: Option<String>,
    /// The error of the newest attempt.
    #[schemars(with = "Option<String>")]
    pub last_error: Option<AttemptError>,
    /// The start of the newest attempt.
    pub last_attempt_at: Option<Timestamp>,
    /// The time at which the next attempt is due.
    pub next_attempt_at: Option<Timestamp>,
    /// The time of the event.
    pub created_at: Timestamp,
}

impl DeliveryView {
    pub fn new(delivery: &Delivery, status: DeliveryStatus) -> Self {
        Self {
            event_id: delivery.event_id,
            kind: delivery.event,
            status,
            attempts_made: delivery.attempts,
            attempts: delivery.tried.iter().map(AttemptView::from).collect(),
            last_response_status: delivery.last_response_status,
            last_response_body: delivery.last_response_body.clone(),
            last_error: delivery.last_error.clone(),
            last_attempt_at: delivery.last_attempt_at,
            next_attempt_at: delivery.next_attempt_at.filter(|_| status == DeliveryStatus::Pending),
            created_at: delivery.created_at,
        }
    }
}

/// The result of a test of an endpoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookTestResult")]
pub struct TestView {
    /// The id of the sample event.
    pub event_id: EventId,
    /// The type of the event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Whether the receiver accepted the event.
    pub delivered: bool,
    /// The HTTP status of the response.
    pub response_status: Option<u16>,
    /// The error of the attempt.
    #[schemars(with = "Option<String>")]
    pub error: Option<AttemptError>,
    /// The duration of the attempt in milliseconds.
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use domain::{EventTypes, WebhookSecret, WebhookUrl};

    use super::*;

    #[test]
    fn a_log_shows_neither_the_secret_nor_the_url_of_a_new_endpoint() {
        let at = Timestamp::from_millis(0);
        let endpoint = WebhookEndpoint {
            id: "01900000-0000-7000-8000-000000000000".parse().unwrap(),
            url: WebhookUrl::parse("https://a.example.com/?x=1").unwrap(),
            events: [EventType::ContactCreated].into_iter().collect::<EventTypes>(),
            description: String::new(),
            status: WebhookStatus::Enabled,
            disabled_reason: None,
            disabled_at: None,
            epoch: 0,
            secret: WebhookSecret::new([7; 32]),
            alerted_of: None,
            created_at: at,
            updated_at: at,
        };
        let log = format!("{:?}", NewWebhookView::new(&endpoint, "whsec_AAAA".to_owned()));
        assert!(log.contains("ContactCreated") && !log.contains("AAAA") && !log.contains("?x="), "{log}");
    }
}
