//! Deleting an endpoint: what goes with it, and then it is gone.

use actors::business::commands::webhooks::DeleteWebhook;
use askama::Template;
use axum::http::StatusCode;

use super::endpoint::host;
use crate::dashboard::asked::Member;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/delete.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    endpoint: String,
    title: String,
    url: String,
}

/// The page that says what goes.
pub(crate) async fn ask(member: Member) -> Answered {
    let (view, endpoint) = (member.view(), member.endpoint().await?);
    let shown = Page {
        frame: member.frame("settings/webhooks"),
        crumbs: member.crumbs_of(&view, &endpoint),
        endpoint: member.path_of(endpoint.id),
        title: view.with("hooks-delete-title", "host", host(&endpoint)),
        url: endpoint.url,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

/// Deletes it.
pub(crate) async fn delete(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    member.business.change(member.request(), DeleteWebhook { id: endpoint.id }).await?;
    Ok(see_other(&member.path_to("settings/webhooks?done=deleted")))
}
