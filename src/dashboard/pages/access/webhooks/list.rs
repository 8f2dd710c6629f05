//! The webhook endpoints of a business, and code for receivers to verify events.

use domain::{ENDPOINTS_MAX, Right, WebhookEndpoint};
use engine::business::PageRequest;

use super::endpoint::{Lately, address, status};
use super::receivers::{RECEIVERS, Receiver};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/list.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    done: String,
    base: String,
    may_change: bool,
    full: bool,
    endpoints: Vec<Row>,
    receivers: &'static [Receiver],
}

struct Row {
    path: String,
    address: String,
    detail: String,
    class: &'static str,
    status: String,
    lately: Lately,
}

pub(crate) async fn show(member: Member) -> Answered {
    let view = member.view();
    let all = PageRequest { limit: ENDPOINTS_MAX, after: None };
    let mut endpoints = Vec::new();
    for endpoint in member.business.webhooks(&all).await?.items {
        let (class, status) = status(&view, &endpoint);
        endpoints.push(Row {
            path: member.path_of(endpoint.id),
            address: address(&endpoint).to_owned(),
            detail: detail(&view, &endpoint),
            class,
            status,
            lately: member.lately(endpoint.id).await?,
        });
    }
    let shown = Page {
        sheet: member.sheet("settings/webhooks"),
        done: member.done(&[("deleted", "hooks-deleted")]),
        base: member.path_to("settings/webhooks"),
        may_change: member.may(Right::Integrations),
        full: endpoints.len() >= ENDPOINTS_MAX,
        endpoints,
        receivers: &RECEIVERS,
    };
    page(&shown)
}

fn detail(view: &View, endpoint: &WebhookEndpoint) -> String {
    let events: Vec<_> = endpoint.events.iter().map(|event| event.as_str()).collect();
    let events = match events.len() {
        6 => view.t("hooks-all-events"),
        ..=2 => events.join(", "),
        some => view.count("hooks-some-events", some as u64),
    };
    match endpoint.description.trim() {
        "" => events,
        description => format!("{description} · {events}"),
    }
}
