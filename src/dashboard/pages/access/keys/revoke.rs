//! Revoking an API key, after a page with the consequences.

use domain::KeyId;
use engine::business::commands::keys::RevokeKey;
use view::OperatorKeyView;

use super::super::when::When;
use super::scopes::scopes;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/revoke.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    list: String,
    here: String,
    title: String,
    prefix: String,
    used: String,
    may: String,
}

/// The key in the path. A revoked key cannot be revoked again.
async fn key(member: &Member) -> Result<OperatorKeyView, Refused> {
    let id: KeyId = member.id("key_id")?;
    let key = member.business.key(id).await?;
    key.filter(|key| key.revoked_at.is_none()).ok_or_else(Refused::not_found)
}

pub(crate) async fn ask(member: Member) -> Answered {
    let (view, list, key) = (member.view(), member.path_to("settings/keys"), key(&member).await?);
    let used = key.last_used_at.map(|at| {
        let when = When::ago(&view, at, member.desk.engine.now(), member.profile.zone);
        view.with("keys-used-last", "when", &when.text)
    });
    let shown = Page {
        sheet: member.sheet("settings/keys").under(vec![member.crumb("settings/keys")]),
        here: format!("{list}/{}/revoke", key.key.id),
        list,
        title: view.with("keys-revoke-title", "name", &key.key.name),
        used: used.unwrap_or_else(|| view.t("keys-used-never")),
        may: scopes(&view, &key.key.scopes),
        prefix: key.key.prefix,
    };
    page(&shown)
}

pub(crate) async fn revoke(member: Member) -> Answered {
    let id: KeyId = member.id("key_id")?;
    member.business.change(member.request(), RevokeKey { id }).await?;
    Ok(see_other(&member.path_to("settings/keys?done=revoked")))
}
