//! `/webhooks` manages the endpoints that receive events.

use domain::{DisabledReason, EventType, Text, WebhookId, WebhookStatus, WebhookUrl};
use engine::business::commands::webhooks::{CreateWebhook, DeleteWebhook, PatchWebhook};
use engine::business::{Change, New};
use view::{NewWebhookView, TestView, View, WebhookView};

use crate::http::lists::DistinctList;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// A new webhook endpoint.
    pub(crate) struct WebhookBody {
        /// The https URL to which events are sent; its host must have only public addresses.
        url: WebhookUrl,
        /// The event types.
        events: DistinctList<EventType, 1, 6>,
        /// The purpose of the endpoint.
        description: Option<Text<0, 500>>,
    }
}

json_object! {
    /// A change to a webhook endpoint; a property that is absent keeps its value.
    pub(crate) struct WebhookPatch {
        /// The https URL to which events are sent; its host must have only public addresses.
        url: Patch<WebhookUrl>,
        /// The event types.
        events: Patch<DistinctList<EventType, 1, 6>>,
        /// The purpose of the endpoint; null empties it.
        description: Patch<Option<Text<0, 500>>>,
        /// `enabled` enables the endpoint again, `disabled` disables it.
        status: Patch<WebhookStatus>,
    }
}

json_object! {
    /// The options of a test.
    pub(crate) struct WebhookTestBody {
        /// The type of the sample event. The default is the first of the endpoint's types.
        kind as "type": Option<EventType>,
    }
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<WebhookView>, ApiError> {
    let asked = query.open(&context, business.list("webhooks"))?;
    let found = business.webhooks(&asked.page).await?;
    Ok(asked.listed_as(found, |endpoint| WebhookView::from(&endpoint)))
}

pub(super) async fn show(
    _: Context,
    Path(id): Path<WebhookId>,
    business: Business,
) -> Result<One<WebhookView>, ApiError> {
    let endpoint = business.webhook(id).await?.ok_or(WebhookId::NOT_FOUND)?;
    Ok(One::of(&WebhookView::from(&endpoint)))
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<WebhookBody>,
    business: Business,
) -> Result<Created<NewWebhookView>, ApiError> {
    created(&context, body, &business, |endpoint| endpoint).await
}

/// Creates an endpoint and returns it with its secret. `change` converts the command to a change of
/// the type `C`.
pub(crate) async fn created<C, S>(
    context: &Context,
    body: WebhookBody,
    business: &Business,
    change: impl FnOnce(CreateWebhook) -> C,
) -> Result<Created<NewWebhookView<S>>, ApiError>
where
    C: Change<Gives = New<NewWebhookView<S>>> + 'static,
    NewWebhookView<S>: View,
{
    let created: Created<NewWebhookView<S>> = match context.remembered::<C, _>().await? {
        Some(given) => given,
        None => {
            business.check_webhook_url(&body.url).await?;
            let endpoint = CreateWebhook {
                url: body.url,
                events: body.events.into_vec().into_iter().collect(),
                description: body.description.unwrap_or_default(),
            };
            context.change(change(endpoint)).await?
        }
    };
    // Only this response contains the secret. The ETag covers the endpoint without the secret.
    Ok(created.tagged_as(|shown| &shown.webhook))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<WebhookPatch>,
    Path(id): Path<WebhookId>,
    business: Business,
) -> Result<Changed<WebhookView>, ApiError> {
    let url = patch.url.set();
    if let Some(url) = &url {
        if let Some(given) = context.remembered::<PatchWebhook, _>().await? {
            return Ok(given);
        }
        business.check_webhook_url(url).await?;
    }
    let change = PatchWebhook {
        id,
        url,
        events: patch.events.set().map(|events| events.into_vec().into_iter().collect()),
        description: patch.description.set().map(Option::unwrap_or_default),
        status: patch.status.set(),
        reason: DisabledReason::Api,
    };
    context.change(change).await
}

pub(crate) async fn delete(context: Context, Path(id): Path<WebhookId>) -> Result<Gone, ApiError> {
    context.change(DeleteWebhook { id }).await
}

/// Sends one signed test request. The handler stores nothing, so it needs no `Idempotency-Key`.
pub(super) async fn test(
    _: Context,
    Body(body): Body<Option<WebhookTestBody>>,
    Path(id): Path<WebhookId>,
    business: Business,
) -> Result<Plain<TestView>, ApiError> {
    Ok(Plain::of(business.test_webhook(id, body.and_then(|body| body.kind)).await?))
}
