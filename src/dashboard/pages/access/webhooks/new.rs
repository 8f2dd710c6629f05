//! A new endpoint. Only the response to the form shows its secret.

use domain::EventType;
use engine::business::commands::webhooks::{CreateWebhook, OperatorCreateWebhook};
use view::NewWebhookView;

use crate::api::webhooks::WebhookBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/new.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    list: String,
    fields: Fields,
    filled: Filled,
}

/// The form fields of an endpoint.
pub(super) struct Fields {
    pub(super) url: Field,
    pub(super) description: Field,
    pub(super) events: Choices,
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/secret.html", config = "src/askama.toml")]
pub(super) struct Secret<'a> {
    pub(super) sheet: Sheet<'a>,
    pub(super) title: String,
    pub(super) sub: String,
    pub(super) secret: String,
    pub(super) endpoint: String,
}

impl Fields {
    pub(super) fn of(view: &View, filled: &mut Filled) -> Self {
        let url = Field::new("url", "url", "off", view.t("hooks-url")).class("mono");
        let description = Field::line("description", view.t("hooks-description")).optional();
        let all = EventType::ALL.iter().map(|one| Choice {
            hint: one.as_str().to_owned(),
            ..Choice::new(one.as_str(), view.event(*one))
        });
        let events = Choices::new("events", "checkbox", view.t("hooks-events"), all);
        Self {
            url: filled.field(view, url.hint(view.t("hooks-url-hint"))),
            description: filled.field(view, description),
            events: filled.choices(view, events),
        }
    }
}

pub(super) fn body(member: &Member) -> Result<WebhookBody, Undone> {
    member.body().text("url").list("events").text("description").read()
}

fn sheet(member: &Member) -> Sheet<'_> {
    member.sheet("settings/webhooks").under(vec![member.crumb("settings/webhooks")])
}

pub(crate) async fn form(member: Member) -> Answered {
    let path = member.path_to("settings/webhooks/new");
    let filled =
        member.filled(&path, || Form::of(EventType::ALL.iter().map(|event| ("events", event.as_str()))));
    shown(&member, filled)
}

fn shown(member: &Member, mut filled: Filled) -> Answered {
    let list = member.path_to("settings/webhooks");
    let fields = Fields::of(&member.view, &mut filled);
    let shown = Page { sheet: sheet(member), list, fields, filled };
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
    page(&Secret {
        sheet: sheet(member),
        title: member.t("hooks-made"),
        sub: member.t("hooks-made-sub"),
        secret: secret.ok_or_else(Refused::not_found)?,
        endpoint: member.path_of(webhook.id),
    })
}
