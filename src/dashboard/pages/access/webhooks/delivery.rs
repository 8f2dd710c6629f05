//! The page of a delivery: request, response and next attempts. Another page shows the result of a test of an
//! endpoint.
//!
//! Invariants: bodies are shown as plain text with a maximum length. Invisible characters, and characters
//! that change the text direction, are replaced.

use domain::{AttemptError, AttemptFailure, DeliveryStatus, EventId, EventType, Right, WebhookEndpoint};
use engine::delivery::{RETRY_AFTER, SentDelivery, WebhookTrial};
use view::DeliveryView;

use crate::api::webhooks::WebhookTestBody;
use crate::dashboard::pages::prelude::*;
use crate::words::is_hidden;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/delivery.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    undone: String,
    endpoint: &'a WebhookEndpoint,
    delivery: DeliveryView,
    answer: String,
    /// The reason why the delivery cannot be sent again now; empty if it can be sent.
    held: String,
    /// The body, or `None` if its retention period has ended. It is empty if the event was about an erased
    /// person.
    body: Option<Vec<Piece>>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    shown(&member, &endpoint, None).await
}

pub(super) async fn shown(
    member: &Member,
    endpoint: &WebhookEndpoint,
    undone: Option<FormError>,
) -> Answered {
    let id: EventId = member.id("delivery_id")?;
    let SentDelivery { shown: delivery, body } = member.business.delivery(endpoint.id, id).await?;
    let (status, undone) = member.message_of(undone.as_ref(), "versions-text");
    let shown = Page {
        sheet: member.endpoint_sheet(endpoint),
        done: member.done(&[("resent", "hooks-resent"), ("tried", "hooks-tried")]),
        undone,
        endpoint,
        answer: member.answer(&delivery),
        held: match delivery.status {
            DeliveryStatus::Pending => member.t("hooks-held-pending"),
            _ if !endpoint.is_enabled() => member.t("hooks-held-off"),
            _ => String::new(),
        },
        body: body.map(|bytes| if bytes.is_empty() { Vec::new() } else { json(&bytes) }),
        delivery,
    };
    page_as(status, &shown)
}

impl Page<'_> {
    fn response(&self) -> Option<String> {
        self.delivery.last_response_body.as_deref().filter(|body| !body.is_empty()).map(plain)
    }

    fn likely(&self) -> Option<String> {
        self.delivery.last_error.as_ref().map(|error| self.sheet.member.t(likely(error)))
    }

    /// The planned and the stored attempts, latest first. Each has a text and details.
    fn steps(&self) -> Vec<(String, String)> {
        let (view, delivery) = (&self.sheet.member.view, &self.delivery);
        let made = usize::try_from(delivery.attempts_made).unwrap_or(usize::MAX);
        let say = |id: &str, number: usize, at| {
            let when = self.sheet.member.to_the_second(at);
            let values = [("number", Value::Count(number as u64)), ("when", Value::Text(&when))];
            view.words.say(id, &values)
        };
        let mut steps = Vec::new();
        if let Some(at) = delivery.next_attempt_at {
            // `RETRY_AFTER` contains the delay after each attempt.
            let delays: Vec<_> = RETRY_AFTER.iter().skip(made).map(|delay| view.length(*delay)).collect();
            let then = || view.with("hooks-attempt-then", "delays", &delays.join(", "));
            let detail = if delays.is_empty() { String::new() } else { then() };
            steps.push((say("hooks-attempt-next", made + 1, at), detail));
        }
        let newest = delivery.attempts.iter().rev();
        for (ago, attempt) in newest.enumerate() {
            // Attempts before the last resending of the event have no number.
            let text = match made.checked_sub(ago).filter(|number| *number > 0) {
                Some(number) => say("hooks-attempt-made", number, attempt.at),
                None => {
                    view.with("hooks-attempt-earlier", "when", &self.sheet.member.to_the_second(attempt.at))
                }
            };
            let answer = view.result(attempt.status, attempt.error.as_ref());
            steps.push((text, format!("{answer} · {}", view.millis(attempt.duration_ms))));
        }
        // A delivery that an earlier version of the service stored contains only its newest attempt.
        if let Some(at) = delivery.last_attempt_at.filter(|_| made > 0 && delivery.attempts.is_empty()) {
            steps.push((say("hooks-attempt-made", made, at), self.answer.clone()));
        }
        let before = made.saturating_sub(delivery.attempts.len().max(1));
        if before > 0 {
            let text = view.count("hooks-attempts-before", before as u64);
            steps.push((text, view.t("hooks-attempts-before-text")));
        }
        let when = self.sheet.member.to_the_second(delivery.created_at);
        steps.push((view.with("hooks-attempt-event", "when", &when), String::new()));
        steps
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/trial.html", config = "src/askama.toml")]
struct Test<'a> {
    sheet: Sheet<'a>,
    here: String,
    kind: Field,
    undone: String,
    trial: Option<WebhookTrial>,
}

pub(crate) async fn test(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    tested(&member, &endpoint, endpoint.events.iter().next(), None, None)
}

pub(crate) async fn send(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let read = member.body().optional("type").read::<WebhookTestBody>();
    let kind = read.as_ref().ok().and_then(|body| body.kind);
    let tried = async {
        let kind = read?.kind;
        member.business.try_webhook(endpoint.id, kind).await.map_err(FormError::of)
    };
    match tried.await {
        Ok(trial) => tested(&member, &endpoint, Some(trial.shown.kind), None, Some(trial)),
        Err(Refused::FormError(undone)) => tested(&member, &endpoint, kind, Some(&undone), None),
        Err(refused) => Err(refused),
    }
}

fn tested(
    member: &Member,
    endpoint: &WebhookEndpoint,
    chosen: Option<EventType>,
    undone: Option<&FormError>,
    trial: Option<WebhookTrial>,
) -> Answered {
    let types = EventType::ALL.iter().map(|one| Choice::new(one.as_str(), one.as_str()));
    let kind = Field::select("type", member.t("hooks-event"), types);
    let (status, undone) = member.message_of(undone, "versions-text");
    let shown = Test {
        sheet: member.endpoint_sheet(endpoint),
        here: format!("{}/test", member.path_of(endpoint.id)),
        kind: kind.chosen(chosen.map_or("", EventType::as_str)),
        undone,
        trial,
    };
    page_as(status, &shown)
}

impl Test<'_> {
    fn answer(&self, trial: &WebhookTrial) -> String {
        self.sheet.member.result(trial.shown.response_status, trial.shown.error.as_ref())
    }

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

fn likely(error: &AttemptError) -> &'static str {
    use AttemptFailure as F;
    match error {
        AttemptError::Status(400 | 401 | 403) => "hooks-likely-secret",
        AttemptError::Status(404 | 405 | 410) => "hooks-likely-path",
        AttemptError::Status(413) => "hooks-likely-large",
        AttemptError::Status(429) => "hooks-likely-limit",
        AttemptError::Status(_) => "hooks-likely-receiver",
        AttemptError::Redirect(_) => "hooks-likely-redirect",
        AttemptError::Failed(F::ConnectTimeout | F::HandshakeTimeout | F::ResponseTimeout) => {
            "hooks-likely-slow"
        }
        AttemptError::Failed(
            F::HostName
            | F::CertificateExpired
            | F::CertificateNotYetValid
            | F::CertificateOtherName
            | F::CertificateIssuer
            | F::CertificateInvalid
            | F::HandshakeRefused
            | F::HandshakeFailed
            | F::HandshakeClosed,
        ) => "hooks-likely-certificate",
        AttemptError::Failed(F::NotPublic) => "hooks-likely-private",
        AttemptError::Failed(F::Short | F::NoRoute | F::NoNameServer) => "hooks-likely-ours",
        AttemptError::Failed(_) | AttemptError::Other(_) => "hooks-likely-away",
    }
}

/// The maximum number of characters of a shown body. The service never sends a longer body.
const CHARS_MAX: usize = 64 * 1024;
const HIDDEN: char = '\u{fffd}';

/// A part of a shown request or response. `is_name` is true if the part is the name of a JSON property.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    is_name: bool,
}

/// Replaces the invisible characters of a text and cuts it at the maximum length.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut seen = text.chars().map(|c| if is_hidden(c) && !matches!(c, '\n' | '\t') { HIDDEN } else { c });
    let mut all: String = seen.by_ref().take(CHARS_MAX).collect();
    if seen.next().is_some() {
        all.push('…');
    }
    all
}

/// Formats JSON with one value per line. Other text is unchanged.
fn json(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    match Json::parse(bytes) {
        Ok(value) => lay_out(&mut pieces, &value, "\n"),
        Err(_) => add(&mut pieces, &String::from_utf8_lossy(bytes)),
    }
    pieces.iter_mut().for_each(|piece| piece.text = plain(&piece.text));
    pieces
}

/// Adds a value. `line` is a line break with the indentation of the value.
fn lay_out(pieces: &mut Vec<Piece>, value: &Json, line: &str) {
    let inner = format!("{line}  ");
    match value {
        Json::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                add(pieces, &format!("{}{inner}", if at == 0 { "[" } else { "," }));
                lay_out(pieces, item, &inner);
            }
            add(pieces, &format!("{line}]"));
        }
        Json::Object(properties) if !properties.is_empty() => {
            for (at, (name, value)) in properties.iter().enumerate() {
                add(pieces, &format!("{}{inner}", if at == 0 { "{" } else { "," }));
                let text = serde_json::Value::from(name.as_str()).to_string();
                pieces.push(Piece { text, is_name: true });
                add(pieces, ": ");
                lay_out(pieces, value, &inner);
            }
            add(pieces, &format!("{line}}}"));
        }
        Json::Array(_) => add(pieces, "[]"),
        Json::Object(_) => add(pieces, "{}"),
        Json::Null => add(pieces, "null"),
        Json::Bool(is) => add(pieces, &is.to_string()),
        Json::Integer(number) => add(pieces, &number.to_string()),
        Json::Float(number) => add(pieces, &serde_json::Value::from(*number).to_string()),
        Json::String(text) => add(pieces, &serde_json::Value::from(text.as_str()).to_string()),
    }
}

fn add(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(piece) if !piece.is_name => piece.text.push_str(text),
        _ => pieces.push(Piece { text: text.to_owned(), is_name: false }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str) -> String {
        json(text.as_bytes()).iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn json_has_one_value_per_line() {
        for (text, expected) in [
            (
                r#"{"a":1,"b":[true,null],"c":{}}"#,
                "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {}\n}",
            ),
            (r#"{"q\"{,:":"\\","x":"[1,2]"}"#, "{\n  \"q\\\"{,:\": \"\\\\\",\n  \"x\": \"[1,2]\"\n}"),
            (r#"[]"#, "[]"),
            (r#""é""#, "\"é\""),
            ("no json {", "no json {"),
            ("", ""),
        ] {
            assert_eq!(laid_out(text), expected, "{text}");
        }
        let names: Vec<_> = json(br#"{"a":{"b":"c"}}"#).into_iter().filter(|piece| piece.is_name).collect();
        assert_eq!(names.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), ["\"a\"", "\"b\""]);
    }

    #[test]
    fn invisible_characters_are_shown_and_long_text_is_cut() {
        assert_eq!(plain("a\u{202e}b\0c\r\n\td"), "a\u{fffd}b\u{fffd}c\n\td");
        assert_eq!(laid_out("{\"a\":\"\u{2066}\"}"), "{\n  \"a\": \"\u{fffd}\"\n}");
        assert_eq!(plain(&"é".repeat(CHARS_MAX)).chars().count(), CHARS_MAX);
        assert!(plain(&"é".repeat(CHARS_MAX + 1)).ends_with("é…"));
    }

    #[test]
    fn the_likely_cause_is_shown_for_each_response() {
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
