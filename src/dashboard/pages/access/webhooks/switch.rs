//! Enabling and disabling an endpoint.

use domain::{DisabledReason, WebhookStatus};
use engine::business::commands::webhooks::PatchWebhook;

use super::one::{after, answered};
use crate::dashboard::pages::prelude::*;

/// Enables the endpoint. Missed deliveries are not sent until a member resends them.
pub(crate) async fn on(member: Member) -> Answered {
    switch(&member, WebhookStatus::Enabled, "on").await
}

pub(crate) async fn off(member: Member) -> Answered {
    switch(&member, WebhookStatus::Disabled, "off").await
}

async fn switch(member: &Member, status: WebhookStatus, done: &str) -> Answered {
    let endpoint = member.endpoint().await?;
    let change = PatchWebhook {
        id: endpoint.id,
        url: None,
        events: None,
        description: None,
        status: Some(status),
        // The same reason as for the operator. The audit log names the actor.
        reason: DisabledReason::Operator,
    };
    let done = member.change(change).await.map(|_| after(member, &endpoint, done));
    answered(member, done).await
}
