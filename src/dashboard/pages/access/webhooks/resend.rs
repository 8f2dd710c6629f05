//! Sending again: one event, or all that an endpoint has not got.

use actors::domain::EventId;

use super::delivery;
use super::one::{after, refused};
use crate::dashboard::asked::Member;
use crate::dashboard::filled::Undone;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::see_other;

/// Sends one event again, and leads back to where that was asked for.
pub(crate) async fn one(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let id: EventId = member.param("delivery_id").ok_or_else(Refused::not_found)?;
    let is_of_log = member.form.get("back") == "log";
    match member.business.resend(endpoint.id, id).await {
        Ok(()) if is_of_log => Ok(see_other(&after(&member, &endpoint, "resent"))),
        Ok(()) => Ok(see_other(&format!("{}/deliveries/{id}?done=resent", member.path_of(endpoint.id)))),
        Err(error) => {
            let undone = Undone::of(error)?;
            match is_of_log {
                true => refused(&member, &endpoint, undone).await,
                false => delivery::refused(&member, &endpoint, undone).await,
            }
        }
    }
}

/// Sends all again that was missed or has failed.
pub(crate) async fn all(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    match member.business.resend_missed(endpoint.id).await {
        Ok(count) => Ok(see_other(&after(&member, &endpoint, &format!("resent-missed&count={count}")))),
        Err(error) => refused(&member, &member.endpoint().await?, Undone::of(error)?).await,
    }
}
