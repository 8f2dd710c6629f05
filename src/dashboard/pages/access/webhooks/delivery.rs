//! The page of a delivery: request, response, and the next attempts.

use domain::{DeliveryStatus, EventId, Right, WebhookEndpoint};
use engine::delivery::{RETRY_AFTER, SentDelivery};
use view::DeliveryView;

use super::super::code::{Piece, json, plain};
use super::trial::likely;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/delivery.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    undone: String,
    endpoint: &'a WebhookEndpoint,
    delivery: DeliveryView,
    answer: String,
    /// The reason why the delivery cannot be sent again now. It may be empty.
    held: String,
    /// The body, or `None` if its retention period has ended. It is empty if the event was about an erased
    /// person.
    body: Option<Vec<Piece>>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    shown(&member, &endpoint, None).await
}

pub(super) async fn shown(member: &Member, endpoint: &WebhookEndpoint, undone: Option<Undone>) -> Answered {
    let id: EventId = member.id("delivery_id")?;
    let SentDelivery { shown: delivery, body } = member.business.delivery(endpoint.id, id).await?;
    let status = undone.as_ref().map_or(StatusCode::OK, Undone::status);
    let shown = Page {
        sheet: member.endpoint_sheet(endpoint),
        done: member.done(&[("resent", "hooks-resent")]),
        undone: undone.map(|undone| member.told(&undone)).unwrap_or_default(),
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

    /// The most likely cause of the last error.
    fn likely(&self) -> Option<String> {
        self.delivery.last_error.as_ref().map(|error| self.sheet.member.t(likely(error)))
    }

    /// The stored attempts and the planned ones, the last one first: a text, and details.
    fn steps(&self) -> Vec<(String, String)> {
        let (view, delivery) = (&self.sheet.member.view, &self.delivery);
        let made = usize::try_from(delivery.attempts).unwrap_or(usize::MAX);
        let say = |id: &str, number: usize, at| {
            let when = self.sheet.member.to_the_second(at);
            let values = [("number", Value::Count(number as u64)), ("when", Value::Text(&when))];
            view.words.say(id, &values)
        };
        let mut steps = Vec::new();
        if let Some(at) = delivery.next_attempt_at {
            // `RETRY_AFTER` has the delay after each attempt, by the number of the attempt.
            let delays: Vec<_> = RETRY_AFTER.iter().skip(made).map(|delay| view.length(*delay)).collect();
            let then = || view.with("hooks-attempt-then", "delays", &delays.join(", "));
            let detail = if delays.is_empty() { String::new() } else { then() };
            steps.push((say("hooks-attempt-next", made + 1, at), detail));
        }
        if let Some(at) = delivery.last_attempt_at.filter(|_| made > 0) {
            steps.push((say("hooks-attempt-made", made, at), self.answer.clone()));
            if made > 1 {
                let text = view.count("hooks-attempts-before", made as u64 - 1);
                steps.push((text, view.t("hooks-attempts-before-text")));
            }
        }
        let when = self.sheet.member.to_the_second(delivery.created_at);
        steps.push((view.with("hooks-attempt-event", "when", &when), String::new()));
        steps
    }
}
