//! Revoking an API key, after a page with the consequences.

use domain::KeyId;
use engine::business::commands::keys::RevokeKey;
use view::OperatorKeyView;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/revoke.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    key: OperatorKeyView,
}

/// Asks for confirmation. A revoked key cannot be revoked again.
pub(crate) async fn ask(member: Member) -> Answered {
    let id: KeyId = member.id("key_id")?;
    let key = member.business.key(id).await?;
    let key = key.filter(|key| key.revoked_at.is_none()).ok_or_else(Refused::not_found)?;
    let sheet = member.sheet("settings/keys").under(vec![member.crumb("settings/keys")]);
    page(&Page { sheet, key })
}

pub(crate) async fn revoke(member: Member) -> Answered {
    let id: KeyId = member.id("key_id")?;
    member.business.change(member.request(), RevokeKey { id }).await?;
    Ok(see_other(&member.path_to("settings/keys?done=revoked")))
}
