//! Creating, changing, turning off and deleting webhook endpoints (spec §3, §4, §6).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{
    AuditAction, Conflict, Delivery, DisabledReason, ENDPOINTS_MAX, EventTypes, ProblemCode, Refusal, Right,
    Text, Timestamp, WebhookEndpoint, WebhookId, WebhookSecret, WebhookStatus,
};
use net::WebhookUrl;
use store::{Weight, keys};
use view::{NewWebhookView, View, WebhookView};

use crate::business::Write;
use crate::business::change::{Change, weight_of_change};
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{New, Removed, Shown};
use crate::delivery::reveal;
use crate::error::EngineError;

/// Adds an endpoint; its answer is the only one that ever shows the secret.
#[derive(Clone, Debug)]
pub struct CreateWebhook {
    /// Where events are sent; it has been resolved and checked.
    pub url: WebhookUrl,
    /// Which events.
    pub events: EventTypes,
    /// What it is for.
    pub description: Text<0, 500>,
}

impl CreateWebhook {
    /// The endpoint, with a secret of its own.
    fn endpoint(self, context: &mut Context<'_>) -> Result<WebhookEndpoint, EngineError> {
        let count = context.webhooks().count();
        if count >= ENDPOINTS_MAX {
            let full = Conflict::EndpointsFull(ENDPOINTS_MAX);
            return Err(Refusal::conflict(full, "url", ProblemCode::Endpoints(count)).into());
        }
        Ok(WebhookEndpoint {
            id: context.mint(),
            url: self.url.as_str().to_owned(),
            events: self.events,
            description: self.description.into_string(),
            status: WebhookStatus::Enabled,
            disabled_reason: None,
            disabled_at: None,
            epoch: 0,
            secret: WebhookSecret::new(context.random()),
            created_at: context.at(),
            updated_at: context.at(),
        })
    }
}

/// What comes of a new endpoint, which is shown so.
fn created<S>(endpoint: WebhookEndpoint, shown: NewWebhookView<S>) -> Decision<New<NewWebhookView<S>>>
where
    NewWebhookView<S>: View,
{
    Decision::answering(shown).note(AuditAction::WebhookCreated, endpoint.id).write(Write::Webhook(endpoint))
}

impl Change for CreateWebhook {
    type Gives = New<NewWebhookView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let endpoint = self.endpoint(context)?;
        // A client whose answer was lost has no other way to the secret (spec §4), so the whole answer is remembered.
        let shown = NewWebhookView::new(&endpoint, reveal(&endpoint.secret));
        Ok(created(endpoint, shown))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}

/// Adds an endpoint for the operator, whose answer is remembered without the secret: another one can be had by
/// [`RotateSecret`].
#[derive(Clone, Debug)]
pub struct OperatorCreateWebhook(pub CreateWebhook);

impl Change for OperatorCreateWebhook {
    type Gives = New<NewWebhookView<Option<String>>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let endpoint = self.0.endpoint(context)?;
        let shown = NewWebhookView::new(&endpoint, Some(reveal(&endpoint.secret)));
        let remembered = NewWebhookView::new(&endpoint, None);
        Ok(created(endpoint, shown).remember(remembered))
    }

    fn weight(&self) -> Weight {
        self.0.weight()
    }

    fn needs(&self) -> Option<Right> {
        self.0.needs()
    }
}

/// Changes what is given of an endpoint and keeps the rest.
#[derive(Clone, Debug)]
pub struct PatchWebhook {
    /// Which.
    pub id: WebhookId,
    /// Where events are sent; it has been resolved and checked.
    pub url: Option<WebhookUrl>,
    /// Which events.
    pub events: Option<EventTypes>,
    /// What it is for.
    pub description: Option<Text<0, 500>>,
    /// Whether it is sent events.
    pub status: Option<WebhookStatus>,
    /// Who disables it, if that is asked for.
    pub reason: DisabledReason,
}

impl Change for PatchWebhook {
    type Gives = Shown<WebhookView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = context.webhook(self.id).ok_or(Refusal::NotFound("webhook endpoint"))?;
        context.check_match(&WebhookView::from(before))?;
        let mut after = before.clone();
        if let Some(url) = self.url {
            after.url = url.as_str().to_owned();
        }
        if let Some(description) = self.description {
            after.description = description.into_string();
        }
        after.events = self.events.unwrap_or(after.events);
        match self.status {
            Some(WebhookStatus::Enabled) => after.enable(),
            Some(WebhookStatus::Disabled) => after.disable(self.reason, context.at()),
            None => {}
        }
        Ok(changed(context, AuditAction::WebhookUpdated, before, after))
    }

    fn weight(&self) -> Weight {
        let changes_more = self.url.is_some() || self.events.is_some() || self.description.is_some();
        weight_of_change(self.status == Some(WebhookStatus::Disabled), changes_more)
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}

/// Writes an endpoint as it shall be, if it differs.
fn changed(
    context: &Context<'_>,
    action: AuditAction,
    before: &WebhookEndpoint,
    mut after: WebhookEndpoint,
) -> Decision<Shown<WebhookView>> {
    if after == *before {
        return Decision::answering(WebhookView::from(before));
    }
    after.updated_at = context.at();
    Decision::answering(WebhookView::from(&after))
        .note_change_from(action, before.id, &WebhookView::from(before))
        .write(Write::Webhook(after))
}

/// Deletes an endpoint; what waits for it is never sent.
#[derive(Clone, Copy, Debug)]
pub struct DeleteWebhook {
    /// Which.
    pub id: WebhookId,
}

impl Change for DeleteWebhook {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let endpoint = context.webhook(self.id).ok_or(Refusal::NotFound("webhook endpoint"))?;
        Ok(Decision::gone()
            .note(AuditAction::WebhookDeleted, endpoint.id)
            .write(Write::NoWebhook(endpoint.id)))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}

/// Gives an endpoint a new secret; the old one stops working at once.
#[derive(Clone, Copy, Debug)]
pub struct RotateSecret {
    /// Which.
    pub id: WebhookId,
    /// The new secret.
    pub secret: WebhookSecret,
}

impl Change for RotateSecret {
    type Gives = Shown<WebhookView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = context.webhook(self.id).ok_or(Refusal::NotFound("webhook endpoint"))?;
        let after = WebhookEndpoint { secret: self.secret, ..before.clone() };
        Ok(changed(context, AuditAction::WebhookSecretRotated, before, after))
    }

    fn weight(&self) -> Weight {
        // The old secret may be in the wrong hands; but there is always another new one.
        Weight::Keeps
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}

/// Turns an endpoint off because an event failed all its attempts while nothing reached it. The delivery's last
/// outcome is in the same batch.
#[derive(Clone, Debug)]
pub(crate) struct TurnOff {
    pub(crate) endpoint: WebhookId,
    /// The delivery that has failed.
    pub(crate) delivery: Delivery,
    /// When it had been due.
    pub(crate) due: Option<Timestamp>,
    /// How often anything has reached the endpoint; it grows while this is on its way.
    pub(crate) reached: Arc<AtomicU64>,
}

impl Change for TurnOff {
    type Gives = Shown<WebhookView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = context.webhook(self.endpoint).ok_or(Refusal::NotFound("webhook endpoint"))?;
        let mut after = before.clone();
        let reached = self.delivery.reached_before.is_some_and(|n| n < self.reached.load(Ordering::Acquire));
        // It may have been disabled, and even enabled again, while the attempt was under way.
        let decision = if before.is_enabled() && before.epoch == self.delivery.epoch && !reached {
            after.disable(DisabledReason::Failures, context.at());
            changed(context, AuditAction::WebhookTurnedOff, before, after).alert(self.endpoint)
        } else {
            Decision::answering(WebhookView::from(before))
        };
        // It may be in the store already that it is sent again.
        let row = keys::delivery(context.business_id(), self.endpoint, self.delivery.event_id);
        let stands =
            context.read::<Delivery>(&row)?.is_some_and(|delivery| delivery.next_attempt_at == self.due);
        if !stands {
            return Ok(decision);
        }
        Ok(decision.write(Write::Delivery {
            endpoint: self.endpoint,
            delivery: self.delivery,
            due_before: self.due,
        }))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_off_alone_frees_and_a_new_secret_can_be_had_again_and_again() {
        let id = WebhookId::from(uuid::Uuid::nil());
        let (url, events, status) = (None, None, Some(WebhookStatus::Disabled));
        let off = PatchWebhook { id, url, events, description: None, status, reason: DisabledReason::Api };
        assert_eq!(off.weight(), Weight::Frees);
        let description = Some(Text::new("another each time".to_owned()).unwrap());
        assert_eq!(PatchWebhook { description, ..off.clone() }.weight(), Weight::Grows);
        assert_eq!(PatchWebhook { status: None, ..off.clone() }.weight(), Weight::Grows);
        assert_eq!(PatchWebhook { status: Some(WebhookStatus::Enabled), ..off }.weight(), Weight::Grows);
        let rotate = RotateSecret { id, secret: WebhookSecret::new([0; 32]) };
        assert_eq!(rotate.weight(), Weight::Keeps);
    }
}
