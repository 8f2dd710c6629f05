//! The form for an endpoint's URL, events and description.

use domain::{DisabledReason, WebhookEndpoint};
use engine::business::commands::webhooks::PatchWebhook;
use view::WebhookView;

use super::new::{Fields, body};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/edit.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    endpoint: String,
    fields: Fields,
    versions: Versions,
    tag: String,
    filled: Filled,
}

fn values(endpoint: &WebhookEndpoint) -> Form {
    let fields = [("url", endpoint.url.as_str()), ("description", endpoint.description.as_str())];
    let events = endpoint.events.iter().map(|event| ("events", event.as_str()));
    Form::of(fields.into_iter().chain(events))
}

pub(crate) async fn form(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let filled = member.filled(member.path(), || values(&endpoint));
    shown(&member, &endpoint, filled)
}

fn shown(member: &Member, endpoint: &WebhookEndpoint, mut filled: Filled) -> Answered {
    let (view, theirs) = (&member.view, values(endpoint));
    let fact = |label: &str, name: &str| {
        let all = |form: &Form| form.all(name).collect::<Vec<_>>().join(", ");
        (view.t(label), all(&member.form), all(&theirs))
    };
    let shown = Page {
        sheet: member.endpoint_sheet(endpoint),
        endpoint: member.path_of(endpoint.id),
        fields: Fields::of(view, &mut filled),
        versions: filled.versions([
            fact("hooks-url", "url"),
            fact("hooks-description", "description"),
            fact("hooks-events", "events"),
        ]),
        tag: filled.tag(&WebhookView::from(endpoint)),
        filled,
    };
    page_as(shown.filled.status, &shown)
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
        Ok(format!("{}?done=saved", member.path_of(endpoint.id)))
    };
    member.answered(done.await, |filled| async { shown(&member, &member.endpoint().await?, filled) }).await
}
