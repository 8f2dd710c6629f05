//! The webhook endpoints of a business, and code for receivers to verify events.

use domain::{ENDPOINTS_MAX, Right, WebhookEndpoint};
use engine::business::PageRequest;
use engine::delivery::DeliveryTally;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    endpoints: Vec<(WebhookEndpoint, DeliveryTally)>,
    full: bool,
}

pub(crate) async fn show(member: Member) -> Answered {
    let all = PageRequest { limit: ENDPOINTS_MAX, after: None };
    let mut endpoints = Vec::new();
    for endpoint in member.business.webhooks(&all).await?.items {
        let lately = member.lately_of(endpoint.id).await?;
        endpoints.push((endpoint, lately));
    }
    page(&Page {
        sheet: member.sheet("settings/webhooks"),
        done: member.done(&[("deleted", "hooks-deleted")]),
        full: endpoints.len() >= ENDPOINTS_MAX,
        endpoints,
    })
}

impl View {
    /// The description of an endpoint, and its events.
    pub(super) fn about_endpoint(&self, endpoint: &WebhookEndpoint) -> String {
        let events: Vec<_> = endpoint.events.iter().map(|event| event.as_str()).collect();
        let events = match events.len() {
            6 => self.t("hooks-all-events"),
            ..=2 => events.join(", "),
            some => self.count("hooks-some-events", some as u64),
        };
        match endpoint.description.trim() {
            "" => events,
            description => format!("{description} · {events}"),
        }
    }
}
