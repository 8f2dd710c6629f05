//! The page of an endpoint: its status, its delivery log, and links to all actions.

use domain::{DisabledReason, Right, WebhookEndpoint};

use super::super::when::When;
use super::endpoint::{Lately, event, host, status};
use super::log::{FILTERS, Filters, Row, row};
use crate::dashboard::drafts::Why;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/one.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    done: String,
    undone: String,
    kept: String,
    here: String,
    host: String,
    url: String,
    may_change: bool,
    on: bool,
    class: &'static str,
    status: String,
    /// The reason and the time of disabling. It is empty for an enabled endpoint.
    off: String,
    by_failures: bool,
    lately: Lately,
    description: String,
    events: String,
    created: When,
    filters: Filters,
    rows: Vec<Row>,
    incomplete: bool,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    shown(&member, &endpoint, None).await
}

/// Redirects after a change, or shows the page with the reason for the refusal.
pub(super) async fn answered(member: &Member, done: Result<String, Refused>) -> Answered {
    match done {
        Ok(path) => Ok(see_other(&path)),
        Err(Refused::Undone(undone)) => shown(member, &member.endpoint().await?, Some(undone)).await,
        Err(refused) => Err(refused),
    }
}

async fn shown(member: &Member, endpoint: &WebhookEndpoint, undone: Option<Undone>) -> Answered {
    let (view, zone) = (member.view(), member.profile.zone);
    let (here, on) = (member.path_of(endpoint.id), endpoint.is_enabled());
    let may_change = member.may(Right::Integrations);
    let filters = Filters::of(&view, &member.query, &here, zone);
    let part = member.part(&format!("deliveries {}", endpoint.id), SHOWN, &FILTERS);
    let filter = filters.filter;
    let read = |request| async move { member.business.deliveries(endpoint.id, filter, &request).await };
    let found = part.read(read).await?;
    let (class, word) = status(&view, endpoint);
    let events: Vec<_> = endpoint.events.iter().map(|one| event(&view, one)).collect();
    let http = undone.as_ref().map_or(StatusCode::OK, Undone::status);
    let shown = Page {
        sheet: member.sheet("settings/webhooks").under(vec![member.crumb("settings/webhooks")]),
        done: done(&view, member),
        undone: undone.map(|undone| told(&view, &undone)).unwrap_or_default(),
        kept: kept(&view, member),
        host: host(endpoint).to_owned(),
        url: endpoint.url.as_str().to_owned(),
        may_change,
        on,
        class,
        status: word,
        off: off(&view, endpoint, zone),
        by_failures: endpoint.disabled_reason == Some(DisabledReason::Failures),
        lately: member.lately(endpoint.id).await?,
        description: endpoint.description.clone(),
        events: events.join(" · "),
        created: When::day(&view, endpoint.created_at, zone),
        rows: found.items.iter().map(|one| row(&view, member, &here, one, on && may_change)).collect(),
        incomplete: found.is_incomplete,
        pages: part.pages(found.next.as_deref()),
        filters,
        here,
    };
    page_as(http, &shown)
}

fn done(view: &View, member: &Member) -> String {
    match member.query.get("done") {
        "saved" => view.t("saved"),
        "on" => view.t("hooks-turned-on"),
        "off" => view.t("hooks-turned-off"),
        "resent" => view.t("hooks-resent"),
        "resent-missed" => {
            view.count("hooks-resent-missed", member.query.get("count").parse().unwrap_or_default())
        }
        _ => String::new(),
    }
}

pub(super) fn told(view: &View, undone: &Undone) -> String {
    undone.told(view, view.t("versions-text"))
}

fn kept(view: &View, member: &Member) -> String {
    match member.kept_form() {
        None => String::new(),
        Some(draft) if draft.why == Why::SignedOut => view.t("kept-signed-out"),
        Some(_) => view.t("kept-stale"),
    }
}

fn off(view: &View, endpoint: &WebhookEndpoint, zone: chrono_tz::Tz) -> String {
    let Some(at) = endpoint.disabled_at.filter(|_| !endpoint.is_enabled()) else { return String::new() };
    let when = view.words.short_moment(at, zone);
    let why = match endpoint.disabled_reason {
        Some(DisabledReason::Failures) => "hooks-since-failures",
        Some(DisabledReason::Api) => "hooks-since-api",
        Some(DisabledReason::Operator) | None => "hooks-since-hand",
    };
    view.words.say(why, &[("when", Value::Text(&when))])
}

pub(super) fn after(member: &Member, endpoint: &WebhookEndpoint, done: &str) -> String {
    format!("{}?done={done}", member.path_of(endpoint.id))
}
