//! A new endpoint. Only the response to the form shows its secret.

use domain::EventType;
use engine::business::commands::webhooks::{CreateWebhook, OperatorCreateWebhook};
use view::NewWebhookView;

use super::fields::{Fields, body};
use super::receivers::{RECEIVERS, Receiver};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/new.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    list: String,
    fields: Fields,
    filled: Filled,
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/secret.html", config = "src/askama.toml")]
pub(super) struct Secret {
    pub(super) sheet: Sheet,
    pub(super) title: String,
    pub(super) sub: String,
    pub(super) secret: String,
    pub(super) endpoint: String,
    pub(super) receivers: &'static [Receiver],
}

pub(crate) async fn form(member: Member) -> Answered {
    let path = member.path_to("settings/webhooks/new");
    let filled =
        member.filled(&path, || Form::of(EventType::ALL.iter().map(|event| ("events", event.as_str()))));
    shown(&member, filled)
}

fn shown(member: &Member, mut filled: Filled) -> Answered {
    let view = member.view();
    let shown = Page {
        sheet: member.sheet("settings/webhooks").under(vec![member.crumb("settings/webhooks")]),
        list: member.path_to("settings/webhooks"),
        fields: Fields::of(&view, &mut filled),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn create(member: Member) -> Answered {
    match created(&member).await {
        Err(Refused::Undone(undone)) => shown(&member, member.refused(undone)),
        created => created,
    }
}

async fn created(member: &Member) -> Answered {
    let body = body(member)?;
    member.business.check_webhook_url(&body.url).await.map_err(Undone::of)?;
    let endpoint = CreateWebhook {
        url: body.url,
        events: body.events.into_vec().into_iter().collect(),
        description: body.description.unwrap_or_default(),
    };
    let NewWebhookView { webhook, secret } = member.change(OperatorCreateWebhook(endpoint)).await?.value;
    let view = member.view();
    let shown = Secret {
        sheet: member.sheet("settings/webhooks").under(vec![member.crumb("settings/webhooks")]),
        title: view.t("hooks-made"),
        sub: view.t("hooks-made-sub"),
        secret: secret.ok_or_else(Refused::not_found)?,
        endpoint: member.path_of(webhook.id),
        receivers: &RECEIVERS,
    };
    page(&shown)
}
