//! Replacing an endpoint's secret, after a page with the consequences. The response shows the new secret
//! once.

use super::endpoint::host;
use super::new::Secret;
use super::one::answered;
use super::receivers::RECEIVERS;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/webhooks/rotate.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    endpoint: String,
    host: String,
}

pub(crate) async fn ask(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let shown = Page {
        sheet: member.sheet("settings/webhooks").under(member.crumbs_of(&endpoint)),
        endpoint: member.path_of(endpoint.id),
        host: host(&endpoint).to_owned(),
    };
    page(&shown)
}

pub(crate) async fn rotate(member: Member) -> Answered {
    let endpoint = member.endpoint().await?;
    let secret = match member.business.rotate_secret(endpoint.id, member.request()).await {
        Ok(secret) => secret.ok_or_else(Refused::not_found)?,
        Err(error) => return answered(&member, Err(Undone::of(error))).await,
    };
    let shown = Secret {
        sheet: member.sheet("settings/webhooks").under(member.crumbs_of(&endpoint)),
        title: member.view().t("hooks-rotated"),
        sub: member.view().t("hooks-rotated-sub"),
        secret,
        endpoint: member.path_of(endpoint.id),
        receivers: &RECEIVERS,
    };
    page(&shown)
}
