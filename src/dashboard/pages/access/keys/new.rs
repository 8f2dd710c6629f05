//! A new API key. Only the response to the form shows the complete key.

use domain::Scope;
use engine::business::commands::keys::CreateKey;

use crate::admin::keys::KeyBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/new.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    list: String,
    name: Field,
    scopes: Choices,
    filled: Filled,
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/made.html", config = "src/askama.toml")]
struct Made<'a> {
    sheet: Sheet<'a>,
    list: String,
    title: String,
    key: String,
    /// A command that shows the key's scopes.
    command: String,
}

fn sheet(member: &Member) -> Sheet<'_> {
    member.sheet("settings/keys").under(vec![member.crumb("settings/keys")])
}

pub(crate) async fn form(member: Member) -> Answered {
    let filled = member.filled(&member.path_to("settings/keys/new"), || {
        Form::of([("scopes", Scope::BusinessRead.as_str()), ("scopes", Scope::AppointmentsRead.as_str())])
    });
    shown(&member, filled)
}

fn shown(member: &Member, mut filled: Filled) -> Answered {
    let view = &member.view;
    let name = Field::line("name", view.t("name")).hint(view.t("keys-name-hint"));
    let all = Scope::ALL.iter().map(|one| Choice::new(one.as_str(), view.scope(*one)));
    let scopes = Choices::new("scopes", "checkbox", view.t("keys-may"), all);
    let shown = Page {
        sheet: sheet(member),
        list: member.path_to("settings/keys"),
        name: filled.field(view, name),
        scopes: filled.choices(view, scopes),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn create(member: Member) -> Answered {
    match created(&member).await {
        Err(Refused::Undone(undone)) => shown(&member, member.refused(undone)),
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
        sheet: sheet(member),
        list: member.path_to("settings/keys"),
        title,
        command: format!("curl {origin}/v1/me \\\n  -H \"Authorization: Bearer {key}\""),
        key,
    })
}
