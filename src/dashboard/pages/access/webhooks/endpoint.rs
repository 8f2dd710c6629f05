//! The parts that all pages of an endpoint show: name, status, and the results of the last 24 hours.

use chrono::TimeDelta;
use domain::{DisabledReason, EventType, WebhookEndpoint, WebhookId};
use engine::delivery::DeliveryTally;

use crate::dashboard::pages::prelude::*;

/// The period of the counted deliveries.
const COUNTED: TimeDelta = TimeDelta::hours(24);
/// The maximum number of counted deliveries. Larger numbers are shown with a plus sign.
const COUNTED_MAX: usize = 500;

impl Member {
    pub(super) async fn endpoint(&self) -> Result<WebhookEndpoint, Refused> {
        let id: WebhookId = self.id("webhook_id")?;
        self.business.webhook(id).await?.ok_or_else(Refused::not_found)
    }

    /// The number of deliveries by result, in the last 24 hours.
    pub(super) async fn lately_of(&self, id: WebhookId) -> Result<DeliveryTally, Refused> {
        let since = self.desk.engine.now() - COUNTED;
        Ok(self.business.tally_deliveries(id, since, COUNTED_MAX).await?)
    }

    pub(super) fn path_of(&self, id: WebhookId) -> String {
        self.path_to(&format!("settings/webhooks/{id}"))
    }

    /// The sheet of a page below the endpoint's page.
    pub(super) fn endpoint_sheet(&self, endpoint: &WebhookEndpoint) -> Sheet<'_> {
        let here = Crumb { label: self.host(endpoint).to_owned(), path: self.path_of(endpoint.id) };
        self.sheet("settings/webhooks").under(vec![self.crumb("settings/webhooks"), here])
    }
}

impl View {
    /// The URL without its scheme, which is always https.
    pub(super) fn address<'a>(&self, endpoint: &'a WebhookEndpoint) -> &'a str {
        let url = endpoint.url.as_str();
        url.strip_prefix("https://").unwrap_or(url).trim_end_matches('/')
    }

    /// The host of the URL. It is the endpoint's name.
    pub(super) fn host<'a>(&self, endpoint: &'a WebhookEndpoint) -> &'a str {
        let address = self.address(endpoint);
        address.split(['/', '?', '#']).next().unwrap_or(address)
    }

    pub(super) fn of_endpoint(&self, endpoint: &WebhookEndpoint) -> (&'static str, String) {
        match endpoint.disabled_reason {
            _ if endpoint.is_enabled() => ("enabled", self.t("hooks-on")),
            Some(DisabledReason::Failures) => ("disabled", self.t("hooks-off-failures")),
            Some(DisabledReason::Api) => ("cancelled", self.t("hooks-off-api")),
            Some(DisabledReason::Operator) | None => ("cancelled", self.t("hooks-off-hand")),
        }
    }

    /// A number of deliveries. If some are not counted, they may have any result, so each number gets a plus
    /// sign.
    pub(super) fn counted(&self, count: usize, tally: &DeliveryTally) -> String {
        format!("{count}{}", if tally.more { "+" } else { "" })
    }

    pub(super) fn event(&self, event: EventType) -> String {
        self.t(&format!("hooks-event-{}", event.as_str().replace('.', "-")))
    }
}
