//! Sending deliveries again: one event, or all failed and missed ones of an endpoint.

use domain::EventId;

use super::delivery;
use super::one::{after, answered};
use crate::dashboard::pages::prelude::*;

pub(crate) async fn one(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let id: EventId = member.id("delivery_id")?;
    let is_of_log = member.form.get("back") == "log";
    match member.business.resend(endpoint.id, id).await.map_err(Undone::of) {
        Err(Refused::Undone(undone)) if !is_of_log => delivery::shown(&member, &endpoint, Some(undone)).await,
        done => {
            let done = done.map(|()| match is_of_log {
                true => after(&member, &endpoint, "resent"),
                false => format!("{}/deliveries/{id}?done=resent", member.path_of(endpoint.id)),
            });
            answered(&member, done).await
        }
    }
}

pub(crate) async fn all(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let done = member.business.resend_missed(endpoint.id).await.map_err(Undone::of);
    let done = done.map(|count| after(&member, &endpoint, &format!("resent-missed&count={count}")));
    answered(&member, done).await
}
