//! The fields of an endpoint, as they are filled in for a new one and for one that changes.

use actors::domain::{EventType, WebhookEndpoint};

use super::endpoint::event;
use crate::dashboard::filled::Filled;
use crate::dashboard::form::Form;
use crate::dashboard::parts::{Choice, Choices, Field};
use crate::dashboard::view::View;

/// The fields.
pub(super) struct Fields {
    pub(super) url: Field,
    pub(super) description: Field,
    pub(super) events: Choices,
}

impl Fields {
    /// Those of a form.
    pub(super) fn of(view: &View, filled: &mut Filled) -> Self {
        let url = Field::new("url", "url", "off", view.t("hooks-url")).class("mono");
        let url = url.hint(view.t("hooks-url-hint"));
        let description = Field::line("description", view.t("hooks-description")).optional();
        let all = EventType::ALL.iter().map(|one| Choice {
            hint: one.as_str().to_owned(),
            ..Choice::new(one.as_str(), event(view, *one))
        });
        let events = Choices {
            id: "events".into(),
            label: view.t("hooks-events"),
            kind: "checkbox",
            all: all.collect(),
            ..Choices::default()
        };
        Self {
            url: filled.field(view, url),
            description: filled.field(view, description),
            events: filled.choices(view, events),
        }
    }
}

/// What stands in the fields for an endpoint as it is.
pub(super) fn values(endpoint: &WebhookEndpoint) -> Form {
    let fields = [("url", endpoint.url.as_str()), ("description", endpoint.description.as_str())];
    let events = endpoint.events.iter().map(|event| ("events", event.as_str()));
    Form::of(fields.into_iter().chain(events))
}
