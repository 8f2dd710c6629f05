//! The form for an endpoint's URL, events and description.

use domain::{DisabledReason, WebhookEndpoint};
use engine::business::commands::webhooks::PatchWebhook;
use view::WebhookView;

use super::fields::{Fields, body, values};
use super::one::after;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/edit.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    endpoint: String,
    fields: Fields,
    versions: Versions,
    tag: String,
    filled: Filled,
}

pub(crate) async fn form(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let filled = member.filled(member.path(), || values(&endpoint));
    shown(&member, &endpoint, filled)
}

fn shown(member: &Member, endpoint: &WebhookEndpoint, mut filled: Filled) -> Answered {
    let view = member.view();
    let versions =
        if filled.stale { versions(&view, &member.form, &values(endpoint)) } else { Versions::default() };
    let shown = Page {
        sheet: member.sheet("settings/webhooks").under(member.crumbs_of(endpoint)),
        endpoint: member.path_of(endpoint.id),
        fields: Fields::of(&view, &mut filled),
        versions,
        tag: filled.tag(&WebhookView::from(endpoint)),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

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

pub(crate) async fn save(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let done = async {
        let body = body(&member)?;
        // An unchanged URL was checked when it was saved, and every attempt checks it again.
        if body.url != endpoint.url {
            member.business.check_webhook_url(&body.url).await.map_err(Undone::of)?;
        }
        let change = PatchWebhook {
            id: endpoint.id,
            url: Some(body.url),
            events: Some(body.events.into_vec().into_iter().collect()),
            description: Some(body.description.unwrap_or_default()),
            status: None,
            reason: DisabledReason::Operator,
        };
        member.change(change).await?;
        Ok(after(&member, &endpoint, "saved"))
    };
    member.answered(done.await, |filled| async { shown(&member, &member.endpoint().await?, filled) }).await
}
