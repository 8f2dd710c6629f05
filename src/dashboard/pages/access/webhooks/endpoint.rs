//! An endpoint as all its pages show it: what it is called, whether it is on, how it has done of late.

use chrono::TimeDelta;
use domain::{DisabledReason, EventType, WebhookEndpoint, WebhookId};
use engine::delivery::DeliveryTally;

use crate::dashboard::pages::prelude::*;

/// Since when deliveries are counted.
const COUNTED: TimeDelta = TimeDelta::hours(24);
/// So many deliveries of an endpoint are counted; of more it is said that there are.
const COUNTED_MAX: usize = 500;

/// What became of the events of the last 24 hours, in numbers.
pub(super) struct Lately {
    pub(super) delivered: String,
    pub(super) failed: String,
    pub(super) missed: String,
}

impl Member {
    /// The endpoint of the path.
    pub(super) async fn endpoint(&self) -> Result<WebhookEndpoint, Refused> {
        let id: WebhookId = self.id("webhook_id")?;
        self.business.webhook(id).await?.ok_or_else(Refused::not_found)
    }

    /// How an endpoint has done of late.
    pub(super) async fn lately(&self, id: WebhookId) -> Result<Lately, Refused> {
        let since = self.desk.engine.now() - COUNTED;
        let tally = self.business.tally_deliveries(id, since, COUNTED_MAX).await?;
        let DeliveryTally { delivered, failed, missed, more } = tally;
        // What is not counted may be of any kind.
        let told = |count: usize| if more { format!("{count}+") } else { count.to_string() };
        Ok(Lately { delivered: told(delivered), failed: told(failed), missed: told(missed) })
    }

    /// Where the page of an endpoint is.
    pub(super) fn path_of(&self, id: WebhookId) -> String {
        self.path_to(&format!("settings/webhooks/{id}"))
    }

    /// The ways up from a page below an endpoint's.
    pub(super) fn crumbs_of(&self, endpoint: &WebhookEndpoint) -> Vec<Crumb> {
        let label = host(endpoint).to_owned();
        vec![self.crumb("settings/webhooks"), Crumb { label, path: self.path_of(endpoint.id) }]
    }
}

/// The endpoint's address without its scheme, which all share.
pub(super) fn address(endpoint: &WebhookEndpoint) -> &str {
    endpoint.url.strip_prefix("https://").unwrap_or(&endpoint.url).trim_end_matches('/')
}

/// What an endpoint is called: its host.
pub(super) fn host(endpoint: &WebhookEndpoint) -> &str {
    let address = address(endpoint);
    address.split(['/', '?', '#']).next().unwrap_or(address)
}

/// Whether it is on, as the class of a chip and its word.
pub(super) fn status(view: &View, endpoint: &WebhookEndpoint) -> (&'static str, String) {
    match endpoint.disabled_reason {
        _ if endpoint.is_enabled() => ("enabled", view.t("hooks-on")),
        Some(DisabledReason::Failures) => ("disabled", view.t("hooks-off-failures")),
        Some(DisabledReason::Api) => ("cancelled", view.t("hooks-off-api")),
        Some(DisabledReason::Operator) | None => ("cancelled", view.t("hooks-off-hand")),
    }
}

/// When an endpoint is told of this.
pub(super) fn event(view: &View, event: EventType) -> String {
    view.t(&format!("hooks-event-{}", event.as_str().replace('.', "-")))
}
