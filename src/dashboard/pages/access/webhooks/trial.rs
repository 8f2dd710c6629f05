//! A test of an endpoint: the request, the response, and the duration.

use domain::{AttemptError, AttemptFailure, EventType, WebhookEndpoint};
use engine::delivery::WebhookTrial;

use super::super::code::{Piece, json, plain};
use super::super::when::duration;
use super::log::told;
use super::one;
use crate::api::webhooks::WebhookTestBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/trial.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    here: String,
    kind: Field,
    undone: String,
    came: Option<Came>,
}

struct Came {
    delivered: bool,
    answer: String,
    after: String,
    /// The most likely cause. It is empty after a success.
    likely: String,
    body: String,
    url: String,
    headers: Vec<(&'static str, String)>,
    sent: Vec<Piece>,
}

pub(crate) async fn form(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let first = endpoint.events.iter().next();
    shown(&member, &endpoint, first, (StatusCode::OK, String::new()), None)
}

pub(crate) async fn send(member: Member) -> Answered {
    let (view, endpoint) = (member.view(), member.endpoint().await?);
    let read = member.body().optional("type").read::<WebhookTestBody>();
    let kind = read.as_ref().ok().and_then(|body| body.kind);
    let tried = async {
        let kind = read?.kind;
        member.business.try_webhook(endpoint.id, kind).await.map_err(Undone::of)
    };
    match tried.await {
        Ok(trial) => {
            let kind = Some(trial.shown.kind);
            shown(&member, &endpoint, kind, (StatusCode::OK, String::new()), Some(came(&view, trial)))
        }
        Err(Refused::Undone(undone)) => {
            let told = (undone.status(), one::told(&view, &undone));
            shown(&member, &endpoint, kind, told, None)
        }
        Err(refused) => Err(refused),
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
        sheet: member.sheet("settings/webhooks").under(member.crumbs_of(endpoint)),
        here: format!("{}/test", member.path_of(endpoint.id)),
        kind: Field::select("type", view.t("hooks-event"), types.collect()),
        undone,
        came,
    };
    page_as(status, &shown)
}

fn came(view: &View, trial: WebhookTrial) -> Came {
    let WebhookTrial { shown, url, headers, body, response_body } = trial;
    Came {
        delivered: shown.delivered,
        answer: told(view, shown.response_status, shown.error.as_ref()),
        after: duration(view, shown.duration_ms),
        likely: shown.error.as_ref().map(|error| view.t(likely(error))).unwrap_or_default(),
        body: response_body.as_deref().map(plain).unwrap_or_default(),
        url,
        headers,
        sent: json(&body),
    }
}

/// The message id of the most likely cause of an error.
pub(super) fn likely(error: &AttemptError) -> &'static str {
    use AttemptFailure as F;
    match error {
        AttemptError::Status(400 | 401 | 403) => "hooks-likely-secret",
        AttemptError::Status(404 | 405 | 410) => "hooks-likely-path",
        AttemptError::Status(413) => "hooks-likely-large",
        AttemptError::Status(429) => "hooks-likely-limit",
        AttemptError::Status(_) => "hooks-likely-receiver",
        AttemptError::Redirect(_) => "hooks-likely-redirect",
        AttemptError::Failed(failure) => match failure {
            F::ConnectTimeout | F::HandshakeTimeout | F::ResponseTimeout => "hooks-likely-slow",
            F::HostName
            | F::CertificateExpired
            | F::CertificateNotYetValid
            | F::CertificateOtherName
            | F::CertificateIssuer
            | F::CertificateInvalid
            | F::HandshakeRefused
            | F::HandshakeFailed
            | F::HandshakeClosed => "hooks-likely-certificate",
            F::NotPublic => "hooks-likely-private",
            F::Short | F::NoRoute | F::NoNameServer => "hooks-likely-ours",
            F::UrlRefused
            | F::EventGone
            | F::Header
            | F::ConnectionRefused
            | F::ConnectionReset
            | F::NetworkUnreachable
            | F::HostUnreachable
            | F::SystemTimeout
            | F::ConnectFailed
            | F::Closed
            | F::InvalidResponse => "hooks-likely-away",
        },
        AttemptError::Other(_) => "hooks-likely-away",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_likely_wrong_is_told_by_what_came_back() {
        for (error, expected) in [
            (AttemptError::Status(401), "hooks-likely-secret"),
            (AttemptError::Status(404), "hooks-likely-path"),
            (AttemptError::Redirect(301), "hooks-likely-redirect"),
            (AttemptError::Status(503), "hooks-likely-receiver"),
            (AttemptFailure::ResponseTimeout.into(), "hooks-likely-slow"),
            (AttemptFailure::CertificateExpired.into(), "hooks-likely-certificate"),
            (AttemptFailure::NotPublic.into(), "hooks-likely-private"),
            (AttemptFailure::ConnectionRefused.into(), "hooks-likely-away"),
            (AttemptFailure::Short.into(), "hooks-likely-ours"),
            (AttemptError::Other("what an earlier version stored".into()), "hooks-likely-away"),
        ] {
            assert_eq!(likely(&error), expected, "{error:?}");
        }
    }
}
