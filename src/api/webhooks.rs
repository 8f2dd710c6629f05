//! `/webhooks`: the endpoints that events are sent to (spec §4, §6).

use actors::business::Answer;
use actors::business::commands::webhooks::{CreateWebhook, DeleteWebhook, PatchWebhook};
use actors::domain::{DisabledReason, EventType, Refusal, Text, WebhookStatus};
use actors::net::WebhookUrl;
use actors::view::{NewWebhookView, WebhookView};
use axum::response::Response;

use crate::http::call::{Call, answer, answer_with_more};
use crate::http::query::ListQuery;
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::http::values::DistinctList;
use crate::json_object;

json_object! {
    /// A webhook endpoint as it is created.
    pub(crate) struct WebhookBody {
        /// Where events are sent: https, resolving to public addresses only.
        url: WebhookUrl,
        /// Which events.
        events: DistinctList<EventType, 1, 6>,
        /// What it is for.
        description: Option<Text<0, 500>>,
    }
}

json_object! {
    /// What of a webhook endpoint is to change; what is absent stays.
    pub(crate) struct WebhookPatch {
        /// Where events are sent: https, resolving to public addresses only.
        url: Patch<WebhookUrl>,
        /// Which events.
        events: Patch<DistinctList<EventType, 1, 6>>,
        /// What it is for; null empties it.
        description: Patch<Option<Text<0, 500>>>,
        /// `enabled` turns a disabled endpoint on again, `disabled` turns it off.
        status: Patch<WebhookStatus>,
    }
    check crate::http::read::not_empty
}

json_object! {
    /// What a test sends.
    pub(crate) struct WebhookTestBody {
        /// The type of the sample event; the endpoint's first when absent.
        kind as "type": Option<EventType>,
    }
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("webhooks")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.webhooks(&page).await?;
    call.list(found, &binding, |endpoint| WebhookView::from(&endpoint))
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let id = call.id("webhook_id", "webhook endpoint")?;
    let endpoint = call.business()?.webhook(id).await?.ok_or(Refusal::NotFound("webhook endpoint"))?;
    call.one(&WebhookView::from(&endpoint))
}

pub(super) async fn create(mut call: Call) -> Handled {
    let body: WebhookBody = call.body().await?;
    if let Some(given) = call.remembered().await? {
        return Ok(created(&given));
    }
    call.business()?.check_webhook_url(&body.url).await?;
    let change = CreateWebhook {
        url: body.url,
        events: body.events.into_vec().into_iter().collect(),
        description: body.description.unwrap_or_default(),
    };
    Ok(created(&call.carry_out(change).await?))
}

/// The one answer that shows the secret. Its tag is that of the endpoint as it is shown from then on.
fn created(answer: &Answer) -> Response {
    answer_with_more(answer, &NewWebhookView::without_secret(&answer.body))
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: WebhookPatch = call.body().await?;
    let id = call.id("webhook_id", "webhook endpoint")?;
    let url = patch.url.set();
    if let Some(url) = &url {
        if let Some(given) = call.remembered().await? {
            return Ok(answer(&given));
        }
        call.business()?.check_webhook_url(url).await?;
    }
    call.change(PatchWebhook {
        id,
        url,
        events: patch.events.set().map(|events| events.into_vec().into_iter().collect()),
        description: patch.description.set().map(Option::unwrap_or_default),
        status: patch.status.set(),
        reason: DisabledReason::Api,
    })
    .await
}

pub(super) async fn delete(mut call: Call) -> Handled {
    call.no_body().await?;
    let id = call.id("webhook_id", "webhook endpoint")?;
    call.change(DeleteWebhook { id }).await
}

/// One signed attempt at once. It leaves no trace, so an `Idempotency-Key` has nothing to protect here.
pub(super) async fn test(mut call: Call) -> Handled {
    let body: Option<WebhookTestBody> = call.body().await?;
    let id = call.id("webhook_id", "webhook endpoint")?;
    let tested = call.business()?.test_webhook(id, body.and_then(|body| body.kind)).await?;
    Ok(call.said(&tested))
}
