//! Another secret: what stops working, and then the new one, this once.

use askama::Template;
use axum::http::StatusCode;

use super::endpoint::host;
use super::new::Secret;
use super::one::refused;
use super::receivers::RECEIVERS;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::Undone;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/rotate.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    endpoint: String,
    host: String,
}

/// The page that says what stops.
pub(crate) async fn ask(member: Member) -> Answered {
    let (view, endpoint) = (member.view(), member.endpoint().await?);
    let shown = Page {
        frame: member.frame("settings/webhooks"),
        crumbs: member.crumbs_of(&view, &endpoint),
        endpoint: member.path_of(endpoint.id),
        host: host(&endpoint).to_owned(),
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

/// Rotates it.
pub(crate) async fn rotate(member: Member) -> Answered {
    let (view, endpoint) = (member.view(), member.endpoint().await?);
    let secret = match member.business.rotate_secret(endpoint.id, member.request()).await {
        Ok(secret) => secret.ok_or_else(Refused::not_found)?,
        Err(error) => return refused(&member, &endpoint, Undone::of(error)?).await,
    };
    let shown = Secret {
        frame: member.frame("settings/webhooks"),
        crumbs: member.crumbs_of(&view, &endpoint),
        title: view.t("hooks-rotated"),
        sub: view.t("hooks-rotated-sub"),
        secret,
        endpoint: member.path_of(endpoint.id),
        receivers: &RECEIVERS,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}
