//! A test of an endpoint: what was sent, what came back, and how long that took.

use actors::delivery::WebhookTrial;
use actors::domain::{EventType, WebhookEndpoint};
use askama::Template;
use axum::http::StatusCode;

use super::super::code::{Piece, json, plain};
use super::super::when::duration;
use super::log::told;
use super::one;
use crate::api::webhooks::WebhookTestBody;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::Undone;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choice, Crumb, Field};
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/trial.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    here: String,
    kind: Field,
    /// Why no test was made; empty otherwise.
    undone: String,
    came: Option<Came>,
}

/// What came of a test.
struct Came {
    delivered: bool,
    answer: String,
    after: String,
    /// What to look at first; empty where all is well.
    likely: String,
    body: String,
    url: String,
    headers: Vec<(&'static str, String)>,
    sent: Vec<Piece>,
}

/// The form.
pub(crate) async fn form(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let first = endpoint.events.iter().next();
    shown(&member, &endpoint, first, (StatusCode::OK, String::new()), None)
}

/// Makes the test.
pub(crate) async fn send(member: Member) -> Answered {
    let (view, endpoint) = (member.view(), member.endpoint().await?);
    let body = match member.body().optional("type").read::<WebhookTestBody>() {
        Ok(body) => body,
        Err(undone) => {
            let told = (undone.status(), one::told(&view, undone));
            return shown(&member, &endpoint, None, told, None);
        }
    };
    match member.business.try_webhook(endpoint.id, body.kind).await {
        Ok(trial) => {
            let kind = Some(trial.shown.kind);
            shown(&member, &endpoint, kind, (StatusCode::OK, String::new()), Some(came(&view, trial)))
        }
        Err(error) => {
            let undone = Undone::of(error)?;
            let told = (undone.status(), one::told(&view, undone));
            shown(&member, &endpoint, body.kind, told, None)
        }
    }
}

fn shown(
    member: &Member,
    endpoint: &WebhookEndpoint,
    chosen: Option<EventType>,
    (status, undone): (StatusCode, String),
    came: Option<Came>,
) -> Answered {
    let view = member.view();
    let types = EventType::ALL
        .iter()
        .map(|one| Choice { chosen: chosen == Some(*one), ..Choice::new(one.as_str(), one.as_str()) });
    let shown = Page {
        frame: member.frame("settings/webhooks"),
        crumbs: member.crumbs_of(&view, endpoint),
        here: format!("{}/test", member.path_of(endpoint.id)),
        kind: Field::select("type", view.t("hooks-event"), types.collect()),
        undone,
        came,
        view,
    };
    Ok(page(status, &shown)?)
}

fn came(view: &View, trial: WebhookTrial) -> Came {
    let WebhookTrial { shown, url, headers, body, response_body } = trial;
    Came {
        delivered: shown.delivered,
        answer: told(view, shown.response_status, shown.error.as_deref()),
        after: duration(view, shown.duration_ms),
        likely: likely(shown.response_status, shown.error.as_deref())
            .map(|id| view.t(id))
            .unwrap_or_default(),
        body: response_body.as_deref().map(plain).unwrap_or_default(),
        url,
        headers,
        sent: json(&body),
    }
}

/// What is most likely wrong, by what came back.
pub(super) fn likely(status: Option<u16>, error: Option<&str>) -> Option<&'static str> {
    let error = error?;
    let starts = |start: &str| error.starts_with(start);
    Some(match status {
        Some(400 | 401 | 403) => "hooks-likely-secret",
        Some(404 | 405 | 410) => "hooks-likely-path",
        Some(300..400) => "hooks-likely-redirect",
        Some(413) => "hooks-likely-large",
        Some(429) => "hooks-likely-limit",
        Some(_) => "hooks-likely-receiver",
        None if starts("timeout") => "hooks-likely-slow",
        None if starts("tls") => "hooks-likely-certificate",
        None if starts("refused") => "hooks-likely-private",
        None if starts("not made") => "hooks-likely-ours",
        None => "hooks-likely-away",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_likely_wrong_is_told_by_what_came_back() {
        for (status, error, expected) in [
            (Some(204), None, None),
            (Some(401), Some("status 401"), Some("hooks-likely-secret")),
            (Some(404), Some("status 404"), Some("hooks-likely-path")),
            (Some(301), Some("redirect: status 301, not followed"), Some("hooks-likely-redirect")),
            (Some(503), Some("status 503"), Some("hooks-likely-receiver")),
            (None, Some("timeout waiting for the response"), Some("hooks-likely-slow")),
            (None, Some("tls: the certificate has expired"), Some("hooks-likely-certificate")),
            (
                None,
                Some("refused: the URL does not resolve to a public address"),
                Some("hooks-likely-private"),
            ),
            (None, Some("connect: connection refused"), Some("hooks-likely-away")),
            (None, Some("not made: this service is short of connections"), Some("hooks-likely-ours")),
        ] {
            assert_eq!(likely(status, error), expected, "{status:?} {error:?}");
        }
    }
}
