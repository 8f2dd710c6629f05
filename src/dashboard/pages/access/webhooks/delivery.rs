//! The page of a delivery: request, response, and the next attempts.

use domain::{DeliveryStatus, EventId, Right, WebhookEndpoint};
use engine::delivery::{RETRY_AFTER, SentDelivery};
use view::DeliveryView;

use super::super::code::{Piece, json, plain};
use super::super::when::{When, length};
use super::endpoint::event;
use super::log::{answer, attempts, parts_of, status};
use super::one::told;
use super::trial::likely;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/delivery.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    done: String,
    undone: String,
    here: String,
    kind: (String, String),
    told_when: String,
    id: String,
    class: &'static str,
    status: String,
    may_change: bool,
    /// The reason why the delivery cannot be sent again now. It may be empty.
    held: String,
    attempts: String,
    happened: When,
    answer: String,
    last: Option<When>,
    next: Option<When>,
    url: String,
    body: Body,
    response: String,
    likely: String,
    steps: Vec<Step>,
}

enum Body {
    Whole(Vec<Piece>),
    /// The event was about an erased person.
    Wiped,
    /// The retention period of the body has ended.
    Gone,
}

struct Step {
    text: String,
    detail: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    shown(&member, &endpoint, None).await
}

pub(super) async fn shown(member: &Member, endpoint: &WebhookEndpoint, undone: Option<Undone>) -> Answered {
    let (view, zone) = (member.view(), member.profile.zone);
    let id: EventId = member.id("delivery_id")?;
    let SentDelivery { shown: delivery, body } = member.business.delivery(endpoint.id, id).await?;
    let (class, word) = status(&view, &delivery);
    let http = undone.as_ref().map_or(StatusCode::OK, Undone::status);
    let shown = Page {
        sheet: member.sheet("settings/webhooks").under(member.crumbs_of(endpoint)),
        done: member.done(&[("resent", "hooks-resent")]),
        undone: undone.map(|undone| told(&view, &undone)).unwrap_or_default(),
        here: format!("{}/deliveries/{id}", member.path_of(endpoint.id)),
        kind: parts_of(delivery.kind),
        told_when: event(&view, delivery.kind),
        id: id.to_string(),
        class,
        status: word,
        may_change: member.may(Right::Integrations),
        held: match delivery.status {
            DeliveryStatus::Pending => view.t("hooks-held-pending"),
            _ if !endpoint.is_enabled() => view.t("hooks-held-off"),
            _ => String::new(),
        },
        attempts: attempts(&view, &delivery),
        happened: When::to_the_second(&view, delivery.created_at, zone),
        answer: answer(&view, &delivery),
        last: delivery.last_attempt_at.map(|at| When::to_the_second(&view, at, zone)),
        next: delivery.next_attempt_at.map(|at| When::to_the_second(&view, at, zone)),
        url: endpoint.url.as_str().to_owned(),
        body: match body {
            None => Body::Gone,
            Some(bytes) if bytes.is_empty() => Body::Wiped,
            Some(bytes) => Body::Whole(json(&bytes)),
        },
        response: delivery.last_response_body.as_deref().map(plain).unwrap_or_default(),
        likely: delivery.last_error.as_ref().map(|error| view.t(likely(error))).unwrap_or_default(),
        steps: steps(&view, member, &delivery),
    };
    page_as(http, &shown)
}

/// The stored attempts and the planned ones, the last one first.
fn steps(view: &View, member: &Member, delivery: &DeliveryView) -> Vec<Step> {
    let zone = member.profile.zone;
    let made = usize::try_from(delivery.attempts).unwrap_or(usize::MAX);
    let say = |id: &str, number: usize, name: &str, text: &str| {
        view.words.say(id, &[("number", Value::Count(number as u64)), (name, Value::Text(text))])
    };
    let mut steps = Vec::new();
    if let Some(at) = delivery.next_attempt_at {
        let when = When::to_the_second(view, at, zone).text;
        // `RETRY_AFTER` has the delay after each attempt, by the number of the attempt.
        let delays = RETRY_AFTER.iter().skip(made).map(|delay| length(view, *delay));
        let delays = delays.collect::<Vec<_>>().join(", ");
        let detail = if delays.is_empty() {
            String::new()
        } else {
            view.with("hooks-attempt-then", "delays", &delays)
        };
        steps.push(Step { text: say("hooks-attempt-next", made + 1, "when", &when), detail });
    }
    if let Some(at) = delivery.last_attempt_at.filter(|_| made > 0) {
        let when = When::to_the_second(view, at, zone).text;
        steps.push(Step {
            text: say("hooks-attempt-made", made, "when", &when),
            detail: answer(view, delivery),
        });
        if made > 1 {
            let text = view.count("hooks-attempts-before", made as u64 - 1);
            steps.push(Step { text, detail: view.t("hooks-attempts-before-text") });
        }
    }
    let when = When::to_the_second(view, delivery.created_at, zone).text;
    steps.push(Step { text: view.with("hooks-attempt-event", "when", &when), detail: String::new() });
    steps
}
