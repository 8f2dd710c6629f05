//! The list of endpoints, with sample code of receivers that verify events, and the page of an endpoint. The
//! page shows the status and the delivery log of the endpoint, and links to all actions.

use domain::{DeliveryStatus, DisabledReason, ENDPOINTS_MAX, Failing, Right, WebhookEndpoint};
use engine::business::PageRequest;
use engine::delivery::DeliveryTally;
use view::DeliveryView;

use super::endpoint::{FILTERS, Filters};
use crate::dashboard::pages::prelude::*;
use crate::rest::through::Through;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/list.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: String,
    endpoints: Vec<(WebhookEndpoint, DeliveryTally, Option<Failing>)>,
    full: bool,
}

pub(crate) async fn list(member: Member) -> Answered {
    let all = PageRequest { limit: ENDPOINTS_MAX, after: None };
    let mut endpoints = Vec::new();
    let found = member.business.webhooks(&all).await?.items;
    let outages = member.business.outages(found.iter().map(|endpoint| endpoint.id)).await?;
    for endpoint in found {
        let (lately, failing) = (member.lately_of(endpoint.id).await?, outages.get(&endpoint.id).copied());
        endpoints.push((endpoint, lately, failing));
    }
    page(&List {
        sheet: member.sheet("settings/webhooks"),
        done: member.done(&[("deleted", "hooks-deleted")]),
        full: endpoints.len() >= ENDPOINTS_MAX,
        endpoints,
    })
}

impl View {
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

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/one.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    undone: String,
    kept: String,
    here: String,
    endpoint: WebhookEndpoint,
    failing: Option<Failing>,
    lately: DeliveryTally,
    filters: Filters,
    found: Through<DeliveryView>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    shown(&member, None).await
}

pub(super) async fn answered(member: &Member, done: Result<String, Refused>) -> Answered {
    redirected(done, |undone| shown(member, Some(undone))).await
}

async fn shown(member: &Member, undone: Option<FormError>) -> Answered {
    let endpoint = member.endpoint().await?;
    let (id, here) = (endpoint.id, member.path_of(endpoint.id));
    let filters = Filters::of(member, &here);
    let part = member.part(&format!("deliveries {id}"), SHOWN, &FILTERS);
    let filter = filters.filter;
    let read = |request| async move { member.business.deliveries(id, filter, &request).await };
    let found = part.read(read).await?;
    let (status, undone) = member.message_of(undone.as_ref(), "versions-text");
    let shown = Page {
        sheet: member.sheet_below("settings/webhooks"),
        done: match member.query.get("done") {
            "resent-missed" => {
                member.count("hooks-resent-missed", member.query.get("count").parse().unwrap_or_default())
            }
            _ => member.done(&[
                ("saved", "saved"),
                ("on", "hooks-turned-on"),
                ("off", "hooks-turned-off"),
                ("resent", "hooks-resent"),
                ("tried", "hooks-tried"),
            ]),
        },
        undone,
        kept: member.kept_form().map(|draft| member.t(draft.why.message())).unwrap_or_default(),
        lately: member.lately_of(id).await?,
        failing: member.business.outages([id]).await?.remove(&id),
        here,
        endpoint,
        filters,
        pages: part.pages(found.next.as_deref()),
        found,
    };
    page_as(status, &shown)
}

impl Page<'_> {
    fn events(&self) -> String {
        self.endpoint.events.iter().map(|one| self.sheet.member.event(one)).collect::<Vec<_>>().join(" · ")
    }

    fn is_off_by_failures(&self) -> bool {
        self.endpoint.disabled_reason == Some(DisabledReason::Failures)
    }

    /// The text about the present outage of an enabled endpoint.
    fn fails(&self) -> Option<String> {
        let failing = self.failing.filter(|_| self.endpoint.is_enabled())?;
        let member = self.sheet.member;
        Some(member.with("hooks-failing-since", "when", &member.short_moment(failing.since)))
    }

    fn off(&self) -> Option<String> {
        let at = self.endpoint.disabled_at.filter(|_| !self.endpoint.is_enabled())?;
        let why = match self.endpoint.disabled_reason {
            Some(DisabledReason::Failures) => "hooks-since-failures",
            Some(DisabledReason::Api) => "hooks-since-api",
            Some(DisabledReason::Operator) | None => "hooks-since-hand",
        };
        Some(self.sheet.member.with(why, "when", &self.sheet.member.short_moment(at)))
    }
}
