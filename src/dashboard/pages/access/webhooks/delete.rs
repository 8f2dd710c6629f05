//! Deleting an endpoint, after a page with the consequences.

use engine::business::commands::webhooks::DeleteWebhook;

use super::endpoint::host;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/delete.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    endpoint: String,
    title: String,
    url: String,
}

pub(crate) async fn ask(member: Member) -> Answered {
    let (view, endpoint) = (member.view(), member.endpoint().await?);
    let shown = Page {
        sheet: member.sheet("settings/webhooks").under(member.crumbs_of(&endpoint)),
        endpoint: member.path_of(endpoint.id),
        title: view.with("hooks-delete-title", "host", host(&endpoint)),
        url: endpoint.url.as_str().to_owned(),
    };
    page(&shown)
}

pub(crate) async fn delete(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    member.business.change(member.request(), DeleteWebhook { id: endpoint.id }).await?;
    Ok(see_other(&member.path_to("settings/webhooks?done=deleted")))
}
