//! Another endpoint. Its secret is shown in the answer to the form that adds it, and nowhere else.

use actors::business::commands::webhooks::{CreateWebhook, OperatorCreateWebhook};
use actors::domain::EventType;
use actors::view::NewWebhookView;
use askama::Template;
use axum::http::StatusCode;

use super::fields::Fields;
use super::receivers::{RECEIVERS, Receiver};
use crate::api::webhooks::WebhookBody;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/new.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    list: String,
    fields: Fields,
    rest: Vec<String>,
    filled: Filled,
}

/// A secret, this once.
#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/secret.html", config = "src/askama.toml")]
pub(super) struct Secret {
    pub(super) view: View,
    pub(super) frame: Frame,
    pub(super) crumbs: Vec<Crumb>,
    pub(super) title: String,
    pub(super) sub: String,
    pub(super) secret: String,
    /// Where the endpoint's page is.
    pub(super) endpoint: String,
    pub(super) receivers: &'static [Receiver],
}

/// The form.
pub(crate) async fn form(member: Member) -> Answered {
    let draft = member.kept_form();
    let filled =
        Filled::kept(&member.view(), draft.as_ref(), &member.path_to("settings/webhooks/new"), || {
            Form::of(EventType::ALL.iter().map(|event| ("events", event.as_str())))
        });
    shown(&member, filled, StatusCode::OK)
}

fn shown(member: &Member, mut filled: Filled, status: StatusCode) -> Answered {
    let view = member.view();
    let shown = Page {
        frame: member.frame("settings/webhooks"),
        crumbs: vec![member.crumb_to_list(&view)],
        list: member.path_to("settings/webhooks"),
        fields: Fields::of(&view, &mut filled),
        rest: filled.rest(&view),
        filled,
        view,
    };
    Ok(page(status, &shown)?)
}

/// Adds the endpoint.
pub(crate) async fn create(member: Member) -> Answered {
    let body = member.body().text("url").list("events").text("description").read::<WebhookBody>();
    let body = match body {
        Ok(body) => body,
        Err(undone) => return refused(&member, undone),
    };
    if let Err(error) = member.business.check_webhook_url(&body.url).await {
        return refused(&member, Undone::of(error)?);
    }
    let endpoint = CreateWebhook {
        url: body.url,
        events: body.events.into_vec().into_iter().collect(),
        description: body.description.unwrap_or_default(),
    };
    let created = match member.change(OperatorCreateWebhook(endpoint)).await? {
        Ok(created) => created,
        Err(undone) => return refused(&member, undone),
    };
    let NewWebhookView { webhook, secret } = created.value;
    let view = member.view();
    let shown = Secret {
        frame: member.frame("settings/webhooks"),
        crumbs: vec![member.crumb_to_list(&view)],
        title: view.t("hooks-made"),
        sub: view.t("hooks-made-sub"),
        secret: secret.ok_or_else(Refused::not_found)?,
        endpoint: member.path_of(webhook.id),
        receivers: &RECEIVERS,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

fn refused(member: &Member, undone: Undone) -> Answered {
    let status = undone.status();
    shown(member, Filled::refused(&member.view(), &member.form, undone), status)
}
