//! `B/webhooks`: the endpoints as the operator sees them, their delivery log, and sending again.

use std::convert::identity;

use actors::business::Request;
use actors::business::commands::webhooks::PatchWebhook;
use actors::delivery::DeliveryFilter;
use actors::domain::{DeliveryStatus, DisabledReason, EventId, Refusal, WebhookId, WebhookStatus};
use actors::view::WebhookView;
use serde::Serialize;

use crate::http::call::Call;
use crate::http::cursor::CursorText;
use crate::http::query::{Limit, ListQuery};
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::{json_object, query_object};

json_object! {
    /// What of an endpoint the operator changes.
    pub(crate) struct OperatorWebhookPatch {
        /// `enabled` turns a disabled endpoint on again, `disabled` turns it off.
        status: Patch<WebhookStatus>,
    }
    check crate::http::read::not_empty
}

query_object! {
    /// Which deliveries are asked for.
    struct DeliveriesQuery {
        /// Only those that stand like this.
        status: Option<DeliveryStatus>,
        /// At most so many.
        limit: Limit<50, 100>,
        /// Where an earlier page ended.
        cursor: Option<CursorText>,
    }
}

/// How many deliveries are sent again.
#[derive(Debug, Serialize)]
struct Resent {
    /// Their number.
    resent: u64,
}

/// An endpoint's new secret, shown this once and never in a log.
#[derive(Serialize)]
struct Rotated {
    /// The secret.
    secret: String,
}

/// A delivery that is sent again.
#[derive(Debug, Serialize)]
struct Resending {
    /// The event.
    event_id: EventId,
}

fn endpoint_id(call: &Call) -> Result<WebhookId, crate::http::error::ApiError> {
    call.id("webhook_id", "webhook endpoint")
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("operator webhooks")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.webhooks(&page).await?;
    call.list(found, &binding, |endpoint| WebhookView::from(&endpoint))
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let endpoint = call.business()?.webhook(endpoint_id(&call)?).await?;
    call.one(&WebhookView::from(&endpoint.ok_or(Refusal::NotFound("webhook endpoint"))?))
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: OperatorWebhookPatch = call.body().await?;
    let id = endpoint_id(&call)?;
    call.change(PatchWebhook {
        id,
        url: None,
        events: None,
        description: None,
        status: patch.status.set(),
        reason: DisabledReason::Operator,
    })
    .await
}

pub(super) async fn deliveries(call: Call) -> Handled {
    let query: DeliveriesQuery = call.query()?;
    let id = endpoint_id(&call)?;
    let binding = call.binding("operator deliveries")?.with_filter(Some(id)).with_filter(query.status);
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let filter = DeliveryFilter { status: query.status };
    let found = call.business()?.deliveries(id, filter, &page).await?;
    call.list(found, &binding, identity)
}

pub(super) async fn resend(mut call: Call) -> Handled {
    call.no_body().await?;
    let (id, event_id) = (endpoint_id(&call)?, call.id("event_id", "delivery")?);
    call.business()?.resend(id, event_id).await?;
    Ok(Call::accepted(&Resending { event_id }))
}

pub(super) async fn resend_missed(mut call: Call) -> Handled {
    call.no_body().await?;
    let resent = call.business()?.resend_missed(endpoint_id(&call)?).await?;
    Ok(Call::accepted(&Resent { resent }))
}

pub(super) async fn rotate_secret(mut call: Call) -> Handled {
    call.no_body().await?;
    let id = endpoint_id(&call)?;
    let secret = call.business()?.rotate_secret(id, Request::by(call.caller.actor)).await?;
    Ok(call.said(&Rotated { secret }))
}
