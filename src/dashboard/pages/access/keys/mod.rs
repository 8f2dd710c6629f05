//! The pages that list the API keys in the order of creation, create a key and revoke a key. Only the
//! response to the form that creates a key shows the complete key.

use chrono::TimeDelta;
use domain::{KeyId, Right, Scope, Timestamp};
use engine::business::commands::keys::{CreateKey, RevokeKey};
use view::OperatorKeyView;

use crate::admin::keys::KeyBody;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const IDLE: TimeDelta = TimeDelta::days(30);

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/list.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: String,
    keys: Vec<OperatorKeyView>,
    pages: Pages,
}

pub(crate) async fn list(member: Member) -> Answered {
    let part = member.part("keys", SHOWN, &[]);
    let found = member.business.keys(&part.request).await?;
    page(&List {
        sheet: member.sheet("settings/keys"),
        done: member.done(&[("revoked", "keys-revoked")]),
        keys: found.items,
        pages: part.pages(found.next.as_deref()),
    })
}

impl List<'_> {
    /// A text with the number of days since the last use of a key. Returns `None` if this time is less than [`IDLE`].
    fn idle(&self, used_at: Timestamp) -> Option<String> {
        let unused = self.sheet.member.business.now() - used_at;
        (unused >= IDLE).then(|| self.sheet.member.count("keys-idle", unused.num_days().unsigned_abs()))
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/new.html", config = "src/askama.toml")]
struct New<'a> {
    sheet: Sheet<'a>,
    name: Field,
    scopes: Field,
    filled: Filled,
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/made.html", config = "src/askama.toml")]
struct Made<'a> {
    sheet: Sheet<'a>,
    title: String,
    key: String,
    command: String,
}

pub(crate) async fn new(member: Member) -> Answered {
    let filled = member.filled(&member.path_to("settings/keys/new"), || {
        Form::of([("scopes", Scope::BusinessRead.as_str()), ("scopes", Scope::AppointmentsRead.as_str())])
    });
    form(&member, filled)
}

fn form(member: &Member, mut filled: Filled) -> Answered {
    let view = &member.view;
    let name = Field::line("name", view.t("name")).hint(view.t("keys-name-hint"));
    let all = Scope::ALL.iter().map(|one| Choice::new(one.as_str(), view.scope(*one)));
    let scopes = Field::choices("scopes", "checkbox", view.t("keys-may"), all);
    let shown = New {
        sheet: member.sheet_below("settings/keys"),
        name: filled.field(view, name),
        scopes: filled.field(view, scopes),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn create(member: Member) -> Answered {
    match created(&member).await {
        Err(Refused::FormError(undone)) => form(&member, member.refused(undone)),
        created => created,
    }
}

async fn created(member: &Member) -> Answered {
    let body = member.body().text("name").list("scopes").read::<KeyBody>()?;
    let title = member.with("keys-made", "name", body.name.as_str());
    let change = CreateKey { name: body.name, scopes: body.scopes.into_vec().into_iter().collect() };
    let key = member.change(change).await?.value.key.ok_or_else(Refused::not_found)?;
    let origin = member.desk.public.as_ref().map(ToString::to_string).unwrap_or_default();
    page(&Made {
        sheet: member.sheet_below("settings/keys"),
        title,
        command: format!("curl {origin}/v1/me \\\n  -H \"Authorization: Bearer {key}\""),
        key,
    })
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/revoke.html", config = "src/askama.toml")]
struct Revoke<'a> {
    sheet: Sheet<'a>,
    key: OperatorKeyView,
}

/// The page that asks for confirmation before a key is revoked. A revoked key has no such page.
pub(crate) async fn ask_revoke(member: Member) -> Answered {
    let id: KeyId = member.id("key_id")?;
    let key = member.business.key(id).await?;
    let key = key.filter(|key| key.revoked_at.is_none()).ok_or_else(Refused::not_found)?;
    page(&Revoke { sheet: member.sheet_below("settings/keys"), key })
}

pub(crate) async fn revoke(member: Member) -> Answered {
    let id: KeyId = member.id("key_id")?;
    member.business.change(member.request(), RevokeKey { id }).await?;
    Ok(see_other(&member.path_to("settings/keys?done=revoked")))
}

impl View {
    pub(super) fn scope(&self, scope: Scope) -> String {
        self.t(&format!("keys-scope-{}", scope.as_str().replace(':', "-")))
    }

    pub(super) fn scopes(&self, scopes: &[Scope]) -> String {
        if scopes.len() == Scope::ALL.len() {
            return self.t("keys-everything");
        }
        scopes.iter().map(|one| self.scope(*one)).collect::<Vec<_>>().join(" · ")
    }
}
