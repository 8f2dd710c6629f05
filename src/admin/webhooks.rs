//! Webhook endpoints of a business: the operator's changes, the delivery log, and resending of events.

use domain::{DeliveryStatus, DisabledReason, EventId, WebhookId, WebhookStatus};
use engine::business::commands::webhooks::{OperatorCreateWebhook, PatchWebhook};
use engine::delivery::DeliveryFilter;
use schemars::JsonSchema;
use serde::Serialize;
use view::{DeliveryView, NewWebhookView, OperatorWebhookView, WebhookView};

use crate::api::webhooks::{WebhookBody, created};
use crate::http::patch::Patch;
use crate::rest::prelude::*;
use crate::{json_object, list_query};

json_object! {
    /// A change that the operator makes to an endpoint.
    pub(crate) struct OperatorWebhookPatch {
        /// `enabled` enables the endpoint again, `disabled` disables it.
        status: Patch<WebhookStatus>,
    }
}

list_query! {
    /// The filters of a list of deliveries.
    pub(super) struct DeliveriesQuery {
        /// Only deliveries with this status.
        status: Option<DeliveryStatus>,
    }
}

/// The result of resending deliveries.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResentDeliveries")]
pub(super) struct Resent {
    /// The number of resent deliveries.
    resent: u64,
}

/// The new secret of an endpoint. It is shown only once and never logged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookSecret")]
pub(super) struct Rotated {
    /// The secret. It is null in the response to a repeated request, because the stored response does not contain the
    /// secret.
    secret: Option<String>,
}

/// A resent delivery.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResentDelivery")]
pub(super) struct Resending {
    /// The id of the event.
    event_id: EventId,
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<WebhookBody>,
    business: Business,
) -> Result<Created<NewWebhookView<Option<String>>>, ApiError> {
    created(&context, body, &business, OperatorCreateWebhook).await
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<OperatorWebhookPatch>,
    Path(id): Path<WebhookId>,
) -> Result<Changed<WebhookView>, ApiError> {
    let change = PatchWebhook {
        id,
        url: None,
        events: None,
        description: None,
        status: patch.status.set(),
        reason: DisabledReason::Operator,
    };
    context.change(change).await
}

/// Lists the endpoints. A cursor of the public API is not valid here.
pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<OperatorWebhookView>, ApiError> {
    let asked = query.open(&context, business.list("operator webhooks"))?;
    let found = business.webhooks(&asked.page).await?;
    let outages = business.outages(found.items.iter().map(|endpoint| endpoint.id)).await?;
    Ok(asked
        .listed_as(found, |endpoint| OperatorWebhookView::new(&endpoint, outages.get(&endpoint.id).copied())))
}

pub(super) async fn show(
    _: Context,
    Path(id): Path<WebhookId>,
    business: Business,
) -> Result<One<OperatorWebhookView>, ApiError> {
    let endpoint = business.webhook(id).await?.ok_or(WebhookId::NOT_FOUND)?;
    let outage = business.outages([id]).await?.remove(&id);
    Ok(One::of(&OperatorWebhookView::new(&endpoint, outage)).tagged_as(&WebhookView::from(&endpoint)))
}

pub(super) async fn deliveries(
    context: Context,
    Query(query): Query<DeliveriesQuery>,
    Path(id): Path<WebhookId>,
    business: Business,
) -> Result<Listed<DeliveryView>, ApiError> {
    let asked = query.open(&context, business.list("operator deliveries").with_filter(Some(id)))?;
    let filter = DeliveryFilter { status: asked.filter.status, ..DeliveryFilter::default() };
    Ok(asked.listed(business.deliveries(id, filter, &asked.page).await?))
}

pub(super) async fn resend(
    _: Context,
    Path(id): Path<WebhookId>,
    Path(event_id): Path<EventId>,
    business: Business,
) -> Result<Accepted<Resending>, ApiError> {
    business.resend(id, event_id).await?;
    Ok(Accepted::of(Resending { event_id }))
}

pub(super) async fn try_now(
    _: Context,
    Path(id): Path<WebhookId>,
    Path(event_id): Path<EventId>,
    business: Business,
) -> Result<Accepted<Resending>, ApiError> {
    business.try_delivery_now(id, event_id).await?;
    Ok(Accepted::of(Resending { event_id }))
}

pub(super) async fn resend_missed(
    _: Context,
    business: Business,
    Path(id): Path<WebhookId>,
) -> Result<Accepted<Resent>, ApiError> {
    Ok(Accepted::of(Resent { resent: business.resend_missed(id).await? }))
}

pub(super) async fn rotate_secret(
    context: Context,
    Path(id): Path<WebhookId>,
    business: Business,
) -> Result<Done<Rotated>, ApiError> {
    let secret = business.rotate_secret(id, context.request()?).await?;
    let replayed = secret.is_none();
    Ok(Done::of(Rotated { secret }).replayed(replayed))
}
