//! Revoking a key: what stops, and then it does.

use actors::business::commands::keys::RevokeKey;
use actors::domain::KeyId;
use actors::view::OperatorKeyView;
use askama::Template;
use axum::http::StatusCode;

use super::super::when::When;
use super::scopes::scopes;
use crate::dashboard::asked::Member;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/revoke.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    list: String,
    here: String,
    title: String,
    prefix: String,
    used: String,
    may: String,
}

/// The key of the path; one that is revoked already is no more to be revoked.
async fn key(member: &Member) -> Result<OperatorKeyView, Refused> {
    let id: KeyId = member.param("key_id").ok_or_else(Refused::not_found)?;
    let key = member.business.key(id).await?;
    key.filter(|key| key.revoked_at.is_none()).ok_or_else(Refused::not_found)
}

/// The page that says what stops.
pub(crate) async fn ask(member: Member) -> Answered {
    let (view, list, key) = (member.view(), member.path_to("settings/keys"), key(&member).await?);
    let used = key.last_used_at.map(|at| {
        let when = When::ago(&view, at, member.desk.engine.now(), member.profile.zone);
        view.with("keys-used-last", "when", &when.text)
    });
    let shown = Page {
        frame: member.frame("settings/keys"),
        crumbs: vec![Crumb { label: view.t("settings-keys"), path: list.clone() }],
        here: format!("{list}/{}/revoke", key.key.id),
        list,
        title: view.with("keys-revoke-title", "name", &key.key.name),
        used: used.unwrap_or_else(|| view.t("keys-used-never")),
        may: scopes(&view, &key.key.scopes),
        prefix: key.key.prefix,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

/// Revokes it.
pub(crate) async fn revoke(member: Member) -> Answered {
    let id: KeyId = member.param("key_id").ok_or_else(Refused::not_found)?;
    member.business.change(member.request(), RevokeKey { id }).await?;
    Ok(see_other(&member.path_to("settings/keys?done=revoked")))
}
