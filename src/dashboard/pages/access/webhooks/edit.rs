//! An endpoint's address, events and what it is for.

use actors::business::commands::webhooks::PatchWebhook;
use actors::domain::{DisabledReason, WebhookEndpoint};
use actors::view::WebhookView;
use askama::Template;
use axum::http::StatusCode;

use super::fields::{Fields, values};
use super::one::after;
use crate::api::webhooks::WebhookBody;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Crumb, Versions};
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/edit.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    endpoint: String,
    fields: Fields,
    rest: Vec<String>,
    versions: Versions,
    tag: String,
    filled: Filled,
}

/// The form.
pub(crate) async fn form(member: Member) -> Answered {
    let (endpoint, draft) = (member.endpoint().await?, member.kept_form());
    let filled = Filled::kept(&member.view(), draft.as_ref(), member.path(), || values(&endpoint));
    shown(&member, &endpoint, filled, StatusCode::OK)
}

fn shown(member: &Member, endpoint: &WebhookEndpoint, mut filled: Filled, status: StatusCode) -> Answered {
    let view = member.view();
    let versions =
        if filled.stale { versions(&view, &member.form, &values(endpoint)) } else { Versions::default() };
    let shown = Page {
        frame: member.frame("settings/webhooks"),
        crumbs: member.crumbs_of(&view, endpoint),
        endpoint: member.path_of(endpoint.id),
        fields: Fields::of(&view, &mut filled),
        rest: filled.rest(&view),
        versions,
        tag: filled.tag(&WebhookView::from(endpoint)),
        filled,
        view,
    };
    Ok(page(status, &shown)?)
}

/// What was sent beside what somebody else has saved meanwhile.
fn versions(view: &View, mine: &Form, theirs: &Form) -> Versions {
    let events = |form: &Form| form.all("events").collect::<Vec<_>>().join(", ");
    let of =
        |label: &str, name: &str| (view.t(label), mine.get(name).to_owned(), theirs.get(name).to_owned());
    Versions::new([
        of("hooks-url", "url"),
        of("hooks-description", "description"),
        (view.t("hooks-events"), events(mine), events(theirs)),
    ])
}

/// Saves it.
pub(crate) async fn save(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let body = member.body().text("url").list("events").text("description").read::<WebhookBody>();
    let body = match body {
        Ok(body) => body,
        Err(undone) => return refused(&member, undone).await,
    };
    // An address that stays was checked when it was saved, and is at every attempt.
    if body.url.as_str() != endpoint.url
        && let Err(error) = member.business.check_webhook_url(&body.url).await
    {
        return refused(&member, Undone::of(error)?).await;
    }
    let change = PatchWebhook {
        id: endpoint.id,
        url: Some(body.url),
        events: Some(body.events.into_vec().into_iter().collect()),
        description: Some(body.description.unwrap_or_default()),
        status: None,
        reason: DisabledReason::Operator,
    };
    match member.change(change).await? {
        Ok(_) => Ok(see_other(&after(&member, &endpoint, "saved"))),
        Err(undone) => refused(&member, undone).await,
    }
}

async fn refused(member: &Member, undone: Undone) -> Answered {
    let status = undone.status();
    // What has changed meanwhile is read anew.
    shown(member, &member.endpoint().await?, Filled::refused(&member.view(), &member.form, undone), status)
}
