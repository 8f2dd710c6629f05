//! The form fields of an endpoint, for a new one and for changes.

use domain::{EventType, WebhookEndpoint};

use super::endpoint::event;
use crate::api::webhooks::WebhookBody;
use crate::dashboard::pages::prelude::*;

pub(super) struct Fields {
    pub(super) url: Field,
    pub(super) description: Field,
    pub(super) events: Choices,
}

impl Fields {
    pub(super) fn of(view: &View, filled: &mut Filled) -> Self {
        let url = Field::new("url", "url", "off", view.t("hooks-url")).class("mono");
        let url = url.hint(view.t("hooks-url-hint"));
        let description = Field::line("description", view.t("hooks-description")).optional();
        let all = EventType::ALL.iter().map(|one| Choice {
            hint: one.as_str().to_owned(),
            ..Choice::new(one.as_str(), event(view, *one))
        });
        let events = Choices::new("events", "checkbox", view.t("hooks-events"), all.collect());
        Self {
            url: filled.field(view, url),
            description: filled.field(view, description),
            events: filled.choices(view, events),
        }
    }
}

pub(super) fn body(member: &Member) -> Result<WebhookBody, Undone> {
    member.body().text("url").list("events").text("description").read()
}

pub(super) fn values(endpoint: &WebhookEndpoint) -> Form {
    let fields = [("url", endpoint.url.as_str()), ("description", endpoint.description.as_str())];
    let events = endpoint.events.iter().map(|event| ("events", event.as_str()));
    Form::of(fields.into_iter().chain(events))
}
