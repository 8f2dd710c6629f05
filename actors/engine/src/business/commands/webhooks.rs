//! Creates, changes, disables and deletes webhook endpoints.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{
    AlertKind, AlertTrigger, AuditAction, Conflict, Delivery, DisabledReason, ENDPOINTS_MAX, EventTypes,
    Named, ProblemCode, Refusal, Right, Text, Timestamp, WebhookEndpoint, WebhookId, WebhookSecret,
    WebhookStatus, WebhookUrl,
};
use store::{Weight, keys};
use view::{NewWebhookView, View, WebhookView};

use crate::business::{Change, Context, Decision, New, Removed, Shown, Write, change::weight_of_change};
use crate::delivery::reveal;
use crate::error::Result;

super::listed!(
    AlertOfFailing,
    CreateWebhook,
    DeleteWebhook,
    OperatorCreateWebhook,
    PatchWebhook,
    RotateSecret,
    TurnOff
);

/// Adds an endpoint. Only the answer to this change contains the secret.
#[derive(Clone, Debug)]
pub struct CreateWebhook {
    /// The caller has already resolved and checked the host of this URL.
    pub url: WebhookUrl,
    pub events: EventTypes,
    pub description: Text<0, 500>,
}

impl CreateWebhook {
    fn endpoint(self, context: &mut Context<'_>) -> Result<WebhookEndpoint> {
        let count = context.state.webhooks.values().count();
        if count >= ENDPOINTS_MAX {
            let full = Conflict::EndpointsFull(ENDPOINTS_MAX);
            return Err(Refusal::conflict(full, "url", ProblemCode::Endpoints(count)).into());
        }
        Ok(WebhookEndpoint {
            id: context.mint(),
            url: self.url,
            events: self.events,
            description: self.description.into_string(),
            status: WebhookStatus::Enabled,
            disabled_reason: None,
            disabled_at: None,
            epoch: 0,
            secret: WebhookSecret::new(context.random()),
            alerted_of: None,
            created_at: context.at,
            updated_at: context.at,
        })
    }
}

fn created<S>(endpoint: WebhookEndpoint, shown: NewWebhookView<S>) -> Decision<New<NewWebhookView<S>>>
where
    NewWebhookView<S>: View,
{
    Decision::answering(shown).note(AuditAction::WebhookCreated, endpoint.id).write(Write::Webhook(endpoint))
}

impl Change for CreateWebhook {
    type Gives = New<NewWebhookView>;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let endpoint = self.endpoint(context)?;
        // The response that is stored for repeated requests includes the secret. If the first response is lost, the
        // client can get the secret only with a repeated request.
        let shown = NewWebhookView::new(&endpoint, reveal(&endpoint.secret));
        Ok(created(endpoint, shown))
    }
}

/// Adds an endpoint for the operator. The response that is stored for repeated requests omits the secret. If the first
/// response is lost, the operator can replace the secret with [`RotateSecret`].
#[derive(Clone, Debug)]
pub struct OperatorCreateWebhook(pub CreateWebhook);

impl Change for OperatorCreateWebhook {
    type Gives = New<NewWebhookView<Option<String>>>;
    const RIGHT: Option<Right> = CreateWebhook::RIGHT;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let endpoint = self.0.endpoint(context)?;
        let shown = NewWebhookView::new(&endpoint, Some(reveal(&endpoint.secret)));
        let remembered = NewWebhookView::new(&endpoint, None);
        Ok(created(endpoint, shown).remember(remembered))
    }
}

#[derive(Clone, Debug)]
pub struct PatchWebhook {
    pub id: WebhookId,
    pub url: Option<WebhookUrl>,
    pub events: Option<EventTypes>,
    pub description: Option<Text<0, 500>>,
    pub status: Option<WebhookStatus>,
    pub reason: DisabledReason,
}

impl Change for PatchWebhook {
    type Gives = Shown<WebhookView>;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.webhooks.get(&self.id).ok_or(Refusal::NotFound(Named::Webhook))?;
        context.check_match(&WebhookView::from(before))?;
        let mut after = before.clone();
        after.url = self.url.unwrap_or(after.url);
        after.description = self.description.map_or(after.description, Text::into_string);
        after.events = self.events.unwrap_or(after.events);
        match self.status {
            Some(WebhookStatus::Enabled) => after.enable(),
            Some(WebhookStatus::Disabled) => after.disable(self.reason, context.at),
            None => {}
        }
        Ok(changed(context, AuditAction::WebhookUpdated, before, after))
    }

    fn weight(&self) -> Weight {
        let changes_more = self.url.is_some() || self.events.is_some() || self.description.is_some();
        weight_of_change(self.status == Some(WebhookStatus::Disabled), changes_more)
    }
}

fn changed(
    context: &Context<'_>,
    action: AuditAction,
    before: &WebhookEndpoint,
    mut after: WebhookEndpoint,
) -> Decision<Shown<WebhookView>> {
    if after == *before {
        return Decision::answering(WebhookView::from(before));
    }
    after.updated_at = context.at;
    Decision::answering(WebhookView::from(&after))
        .note_change_from(action, before.id, &WebhookView::from(before))
        .write(Write::Webhook(after))
}

/// Deletes an endpoint. Its pending deliveries are not sent.
#[derive(Clone, Copy, Debug)]
pub struct DeleteWebhook {
    pub id: WebhookId,
}

impl Change for DeleteWebhook {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let endpoint = context.state.webhooks.get(&self.id).ok_or(Refusal::NotFound(Named::Webhook))?;
        Ok(Decision::gone()
            .note(AuditAction::WebhookDeleted, endpoint.id)
            .write(Write::NoWebhook(endpoint.id)))
    }
}

/// Replaces the secret. The old secret becomes invalid immediately.
#[derive(Clone, Copy, Debug)]
pub struct RotateSecret {
    pub id: WebhookId,
    pub secret: WebhookSecret,
}

impl Change for RotateSecret {
    type Gives = Shown<WebhookView>;
    /// If space is scarce, a rotation is still allowed, because the old secret may have leaked. If space is exhausted,
    /// a rotation is refused, because a client could fill the disk with repeated rotations.
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.webhooks.get(&self.id).ok_or(Refusal::NotFound(Named::Webhook))?;
        let after = WebhookEndpoint { secret: self.secret, ..before.clone() };
        Ok(changed(context, AuditAction::WebhookSecretRotated, before, after))
    }
}

/// Disables an endpoint if all attempts to deliver an event have failed and no other delivery has reached the endpoint
/// meanwhile. Also writes the result of the attempt that failed last.
#[derive(Clone, Debug)]
pub(crate) struct TurnOff {
    pub(crate) endpoint: WebhookId,
    pub(crate) delivery: Delivery,
    pub(crate) due: Option<Timestamp>,
    pub(crate) reached: Arc<AtomicU64>,
}

impl Change for TurnOff {
    type Gives = Shown<WebhookView>;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.webhooks.get(&self.endpoint).ok_or(Refusal::NotFound(Named::Webhook))?;
        let mut after = before.clone();
        let reached = self.delivery.reached_before.is_some_and(|n| n < self.reached.load(Ordering::Acquire));
        // If the endpoint was disabled during the attempt and has been enabled again, this failure does not disable
        // it a second time.
        let decision = if before.is_enabled() && before.epoch == self.delivery.epoch && !reached {
            after.disable(DisabledReason::Failures, context.at);
            changed(context, AuditAction::WebhookTurnedOff, before, after)
                .alert(AlertTrigger::of_webhook(AlertKind::WebhookDisabled, self.endpoint))
        } else {
            Decision::answering(WebhookView::from(before))
        };
        // The result is not written if a resend has replaced the delivery since the attempt began.
        let row = keys::delivery(context.state.id, self.endpoint, self.delivery.event_id);
        let is_current = context
            .state
            .read::<Delivery>(&row)?
            .is_some_and(|delivery| delivery.next_attempt_at == self.due);
        if !is_current {
            return Ok(decision);
        }
        Ok(decision.write(Write::Delivery {
            endpoint: self.endpoint,
            delivery: self.delivery,
            due_before: self.due,
        }))
    }
}

/// Writes an alert about an outage of an endpoint, once for each outage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlertOfFailing {
    pub(crate) endpoint: WebhookId,
    pub(crate) since: Timestamp,
}

impl Change for AlertOfFailing {
    type Gives = Shown<WebhookView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.webhooks.get(&self.endpoint).ok_or(Refusal::NotFound(Named::Webhook))?;
        let decision = Decision::answering(WebhookView::from(before));
        if !before.is_enabled() || before.alerted_of == Some(self.since) {
            return Ok(decision);
        }
        let after = WebhookEndpoint { alerted_of: Some(self.since), ..before.clone() };
        let alert = AlertTrigger::of_webhook(AlertKind::WebhookFailing, self.endpoint);
        Ok(decision.alert(alert).write(Write::Webhook(after)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disabling_alone_has_the_weight_frees_and_a_rotation_has_keeps() {
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
