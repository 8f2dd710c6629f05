//! A test of an endpoint: the request, the response, and the duration.

use domain::{AttemptError, AttemptFailure, EventType, WebhookEndpoint};
use engine::delivery::WebhookTrial;

use super::super::code::{Piece, json, plain};
use crate::api::webhooks::WebhookTestBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/trial.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    here: String,
    kind: Field,
    undone: String,
    trial: Option<WebhookTrial>,
}

pub(crate) async fn form(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    shown(&member, &endpoint, endpoint.events.iter().next(), None, None)
}

pub(crate) async fn send(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let read = member.body().optional("type").read::<WebhookTestBody>();
    let kind = read.as_ref().ok().and_then(|body| body.kind);
    let tried = async {
        let kind = read?.kind;
        member.business.try_webhook(endpoint.id, kind).await.map_err(Undone::of)
    };
    match tried.await {
        Ok(trial) => shown(&member, &endpoint, Some(trial.shown.kind), None, Some(trial)),
        Err(Refused::Undone(undone)) => shown(&member, &endpoint, kind, Some(&undone), None),
        Err(refused) => Err(refused),
    }
}

fn shown(
    member: &Member,
    endpoint: &WebhookEndpoint,
    chosen: Option<EventType>,
    undone: Option<&Undone>,
    trial: Option<WebhookTrial>,
) -> Answered {
    let types = EventType::ALL.iter().map(|one| Choice::new(one.as_str(), one.as_str()));
    let kind = Field::select("type", member.t("hooks-event"), types);
    let shown = Page {
        sheet: member.endpoint_sheet(endpoint),
        here: format!("{}/test", member.path_of(endpoint.id)),
        kind: kind.chosen(chosen.map_or("", EventType::as_str)),
        undone: undone.map(|undone| member.told(undone)).unwrap_or_default(),
        trial,
    };
    page_as(undone.map_or(StatusCode::OK, Undone::status), &shown)
}

impl Page<'_> {
    fn answer(&self, trial: &WebhookTrial) -> String {
        self.sheet.member.result(trial.shown.response_status, trial.shown.error.as_ref())
    }

    /// The most likely cause of the error.
    fn likely(&self, trial: &WebhookTrial) -> Option<String> {
        trial.shown.error.as_ref().map(|error| self.sheet.member.t(likely(error)))
    }

    fn response(&self, trial: &WebhookTrial) -> Option<String> {
        trial.response_body.as_deref().filter(|body| !body.is_empty()).map(plain)
    }

    fn body(&self, trial: &WebhookTrial) -> Vec<Piece> {
        json(&trial.body)
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
