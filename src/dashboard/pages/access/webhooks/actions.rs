//! The forms that enable, disable and delete an endpoint, replace its secret, and send deliveries again.
//! Before a deletion or a new secret, a page shows the consequences.

use domain::{DisabledReason, EventId, WebhookEndpoint, WebhookStatus};
use engine::EngineError;
use engine::business::commands::webhooks::{DeleteWebhook, PatchWebhook};

use super::delivery;
use super::form::Secret;
use super::one::answered;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/delete.html", config = "src/askama.toml")]
struct Delete<'a> {
    sheet: Sheet<'a>,
    endpoint: WebhookEndpoint,
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/rotate.html", config = "src/askama.toml")]
struct Rotate<'a> {
    sheet: Sheet<'a>,
    endpoint: WebhookEndpoint,
}

/// Enables or disables the endpoint. Missed deliveries are not sent until a member resends them.
pub(crate) async fn switch(member: Member, status: WebhookStatus, done: &'static str) -> Answered {
    let id = member.endpoint().await?.id;
    let change = PatchWebhook {
        id,
        url: None,
        events: None,
        description: None,
        status: Some(status),
        // There is no separate reason for members, so the reason is the same as for the operator. The audit log names
        // the member who made the change.
        reason: DisabledReason::Operator,
    };
    let done = member.change(change).await.map(|_| format!("{}?done={done}", member.path_of(id)));
    answered(&member, done).await
}

pub(crate) async fn ask_delete(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    page(&Delete { sheet: member.endpoint_sheet(&endpoint), endpoint })
}

pub(crate) async fn delete(member: Member) -> Answered {
    let id = member.endpoint().await?.id;
    member.business.change(member.request(), DeleteWebhook { id }).await?;
    Ok(see_other(&member.path_to("settings/webhooks?done=deleted")))
}

pub(crate) async fn ask_rotate(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    page(&Rotate { sheet: member.endpoint_sheet(&endpoint), endpoint })
}

/// Replaces the secret. Only the response shows the new secret.
pub(crate) async fn rotate(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let secret = match member.business.rotate_secret(endpoint.id, member.request()).await {
        Ok(secret) => secret.ok_or_else(Refused::not_found)?,
        Err(error) => return answered(&member, Err(FormError::of(error))).await,
    };
    page(&Secret {
        sheet: member.endpoint_sheet(&endpoint),
        title: member.t("hooks-rotated"),
        sub: member.t("hooks-rotated-sub"),
        secret,
        endpoint: member.path_of(endpoint.id),
    })
}

pub(crate) async fn resend(member: Member) -> Answered {
    let (endpoint, id) = (member.endpoint().await?, member.id("delivery_id")?);
    let done = member.business.resend(endpoint.id, id).await;
    sent(&member, (&endpoint, id), "resent", done).await
}

/// Makes the next attempt of a pending delivery immediately.
pub(crate) async fn try_now(member: Member) -> Answered {
    let (endpoint, id) = (member.endpoint().await?, member.id("delivery_id")?);
    let done = member.business.try_delivery_now(endpoint.id, id).await;
    sent(&member, (&endpoint, id), "tried", done).await
}

/// The response to a form that schedules an attempt. If the form is from the log on the page of the endpoint, the
/// browser returns to this page. Otherwise the browser shows the page of the delivery.
async fn sent(
    member: &Member,
    (endpoint, id): (&WebhookEndpoint, EventId),
    word: &str,
    done: Result<(), EngineError>,
) -> Answered {
    let path = member.path_of(endpoint.id);
    let is_of_log = member.form.get("back") == "log";
    match done.map_err(FormError::of) {
        Err(Refused::FormError(undone)) if !is_of_log => {
            delivery::shown(member, endpoint, Some(undone)).await
        }
        done if is_of_log => answered(member, done.map(|()| format!("{path}?done={word}"))).await,
        done => answered(member, done.map(|()| format!("{path}/deliveries/{id}?done={word}"))).await,
    }
}

pub(crate) async fn resend_missed(member: Member) -> Answered {
    let id = member.endpoint().await?.id;
    let done = member.business.resend_missed(id).await.map_err(FormError::of);
    let done = done.map(|count| format!("{}?done=resent-missed&count={count}", member.path_of(id)));
    answered(&member, done).await
}
