//! The parts that all pages of an endpoint show: name, status, and the results of the last 24 hours.

use chrono::TimeDelta;
use domain::{DisabledReason, EventType, WebhookEndpoint, WebhookId};
use engine::delivery::DeliveryTally;

use crate::dashboard::pages::prelude::*;

/// The period of the counted deliveries.
const COUNTED: TimeDelta = TimeDelta::hours(24);
/// The maximum number of counted deliveries. Larger numbers are shown with a plus sign.
const COUNTED_MAX: usize = 500;

/// The number of deliveries by result, in the last 24 hours.
pub(super) struct Lately {
    pub(super) delivered: String,
    pub(super) failed: String,
    pub(super) missed: String,
}

impl Member {
    pub(super) async fn endpoint(&self) -> Result<WebhookEndpoint, Refused> {
        let id: WebhookId = self.id("webhook_id")?;
        self.business.webhook(id).await?.ok_or_else(Refused::not_found)
    }

    pub(super) async fn lately(&self, id: WebhookId) -> Result<Lately, Refused> {
        let since = self.desk.engine.now() - COUNTED;
        let tally = self.business.tally_deliveries(id, since, COUNTED_MAX).await?;
        let DeliveryTally { delivered, failed, missed, more } = tally;
        // Uncounted deliveries may have any result, so each number gets the plus sign.
        let told = |count: usize| if more { format!("{count}+") } else { count.to_string() };
        Ok(Lately { delivered: told(delivered), failed: told(failed), missed: told(missed) })
    }

    pub(super) fn path_of(&self, id: WebhookId) -> String {
        self.path_to(&format!("settings/webhooks/{id}"))
    }

    pub(super) fn crumbs_of(&self, endpoint: &WebhookEndpoint) -> Vec<Crumb> {
        let label = host(endpoint).to_owned();
        vec![self.crumb("settings/webhooks"), Crumb { label, path: self.path_of(endpoint.id) }]
    }
}

/// The URL without its scheme, which is always https.
pub(super) fn address(endpoint: &WebhookEndpoint) -> &str {
    endpoint.url.strip_prefix("https://").unwrap_or(&endpoint.url).trim_end_matches('/')
}

/// The host of the URL. It is the endpoint's name.
pub(super) fn host(endpoint: &WebhookEndpoint) -> &str {
    let address = address(endpoint);
    address.split(['/', '?', '#']).next().unwrap_or(address)
}

pub(super) fn status(view: &View, endpoint: &WebhookEndpoint) -> (&'static str, String) {
    match endpoint.disabled_reason {
        _ if endpoint.is_enabled() => ("enabled", view.t("hooks-on")),
        Some(DisabledReason::Failures) => ("disabled", view.t("hooks-off-failures")),
        Some(DisabledReason::Api) => ("cancelled", view.t("hooks-off-api")),
        Some(DisabledReason::Operator) | None => ("cancelled", view.t("hooks-off-hand")),
    }
}

pub(super) fn event(view: &View, event: EventType) -> String {
    view.t(&format!("hooks-event-{}", event.as_str().replace('.', "-")))
}
