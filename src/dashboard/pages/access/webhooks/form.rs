//! The form that creates an endpoint, and the form that changes its URL, events and description. Only the response
//! that creates an endpoint shows its secret.

use domain::{DisabledReason, EventType, WebhookEndpoint};
use engine::business::commands::webhooks::{CreateWebhook, OperatorCreateWebhook, PatchWebhook};
use view::{NewWebhookView, WebhookView};

use crate::api::webhooks::WebhookBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/new.html", config = "src/askama.toml")]
struct New<'a> {
    sheet: Sheet<'a>,
    fields: [Field; 3],
    filled: Filled,
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

fn fields(view: &View, filled: &mut Filled) -> [Field; 3] {
    let url = Field::new("url", "url", "off", view.t("hooks-url")).class("mono");
    let all = EventType::ALL
        .iter()
        .map(|one| Choice { hint: one.as_str().to_owned(), ..Choice::new(one.as_str(), view.event(*one)) });
    let fields = [
        url.hint(view.t("hooks-url-hint")),
        Field::line("description", view.t("hooks-description")).optional(),
        Field::choices("events", "checkbox", view.t("hooks-events"), all),
    ];
    fields.map(|field| filled.field(view, field))
}

fn body(member: &Member) -> Result<WebhookBody, FormError> {
    member.body().text("url").list("events").text("description").read()
}

pub(crate) async fn new(member: Member) -> Answered {
    let path = member.path_to("settings/webhooks/new");
    let filled =
        member.filled(&path, || Form::of(EventType::ALL.iter().map(|event| ("events", event.as_str()))));
    new_form(&member, filled)
}

fn new_form(member: &Member, mut filled: Filled) -> Answered {
    let fields = fields(&member.view, &mut filled);
    let shown = New { sheet: member.sheet_below("settings/webhooks"), fields, filled };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn create(member: Member) -> Answered {
    match created(&member).await {
        Err(Refused::FormError(undone)) => new_form(&member, member.refused(undone)),
        created => created,
    }
}

async fn created(member: &Member) -> Answered {
    let body = body(member)?;
    member.business.check_webhook_url(&body.url).await.map_err(FormError::of)?;
    let endpoint = CreateWebhook {
        url: body.url,
        events: body.events.into_vec().into_iter().collect(),
        description: body.description.unwrap_or_default(),
    };
    let NewWebhookView { webhook, secret } = member.change(OperatorCreateWebhook(endpoint)).await?.value;
    page(&Secret {
        sheet: member.sheet_below("settings/webhooks"),
        title: member.t("hooks-made"),
        sub: member.t("hooks-made-sub"),
        secret: secret.ok_or_else(Refused::not_found)?,
        endpoint: member.path_of(webhook.id),
    })
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/edit.html", config = "src/askama.toml")]
struct Edit<'a> {
    sheet: Sheet<'a>,
    endpoint: String,
    fields: [Field; 3],
    versions: Versions,
    tag: String,
    filled: Filled,
}

fn values(endpoint: &WebhookEndpoint) -> Form {
    let fields = [("url", endpoint.url.as_str()), ("description", endpoint.description.as_str())];
    let events = endpoint.events.iter().map(|event| ("events", event.as_str()));
    Form::of(fields.into_iter().chain(events))
}

pub(crate) async fn edit(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let filled = member.filled(member.path(), || values(&endpoint));
    edit_form(&member, &endpoint, filled)
}

fn edit_form(member: &Member, endpoint: &WebhookEndpoint, mut filled: Filled) -> Answered {
    let (view, theirs) = (&member.view, values(endpoint));
    let fact = |label: &str, name: &str| {
        let all = |form: &Form| form.all(name).collect::<Vec<_>>().join(", ");
        (view.t(label), all(&member.form), all(&theirs))
    };
    let shown = Edit {
        sheet: member.endpoint_sheet(endpoint),
        endpoint: member.path_of(endpoint.id),
        fields: fields(view, &mut filled),
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
        // An unchanged URL is not checked here: it was checked when it was saved, and every attempt checks it
        // again.
        if body.url != endpoint.url {
            member.business.check_webhook_url(&body.url).await.map_err(FormError::of)?;
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
    member
        .answered(done.await, |filled| async { edit_form(&member, &member.endpoint().await?, filled) })
        .await
}
