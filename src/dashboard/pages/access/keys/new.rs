//! Another key. It is shown whole in the answer to the form that creates it, and nowhere else.

use actors::business::commands::keys::CreateKey;
use actors::domain::Scope;
use askama::Template;
use axum::http::StatusCode;

use super::scopes::scope;
use crate::admin::keys::KeyBody;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choice, Choices, Crumb, Field};
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/new.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    list: String,
    name: Field,
    scopes: Choices,
    rest: Vec<String>,
    filled: Filled,
}

/// The key, this once.
#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/made.html", config = "src/askama.toml")]
struct Made {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    list: String,
    title: String,
    key: String,
    /// A command that tells what the key lets in.
    command: String,
}

/// The form.
pub(crate) async fn form(member: Member) -> Answered {
    let draft = member.kept_form();
    let filled = Filled::kept(&member.view(), draft.as_ref(), &member.path_to("settings/keys/new"), || {
        Form::of([("scopes", Scope::BusinessRead.as_str()), ("scopes", Scope::AppointmentsRead.as_str())])
    });
    shown(&member, filled, StatusCode::OK)
}

fn shown(member: &Member, mut filled: Filled, status: StatusCode) -> Answered {
    let view = member.view();
    let name = Field::line("name", view.t("name")).hint(view.t("keys-name-hint"));
    let all = Scope::ALL.iter().map(|one| Choice::new(one.as_str(), scope(&view, *one)));
    let scopes = Choices {
        id: "scopes".into(),
        label: view.t("keys-may"),
        kind: "checkbox",
        all: all.collect(),
        ..Choices::default()
    };
    let list = member.path_to("settings/keys");
    let shown = Page {
        frame: member.frame("settings/keys"),
        crumbs: vec![Crumb { label: view.t("settings-keys"), path: list.clone() }],
        list,
        name: filled.field(&view, name),
        scopes: filled.choices(&view, scopes),
        rest: filled.rest(&view),
        filled,
        view,
    };
    Ok(page(status, &shown)?)
}

/// Creates the key.
pub(crate) async fn create(member: Member) -> Answered {
    let body = match member.body().text("name").list("scopes").read::<KeyBody>() {
        Ok(body) => body,
        Err(undone) => return refused(&member, undone),
    };
    let name = body.name.as_str().to_owned();
    let change = CreateKey { name: body.name, scopes: body.scopes.into_vec().into_iter().collect() };
    let created = match member.change(change).await? {
        Ok(created) => created,
        Err(undone) => return refused(&member, undone),
    };
    let key = created.value.key.ok_or_else(Refused::not_found)?;
    let origin = member.desk.public.as_ref().map(ToString::to_string).unwrap_or_default();
    let (view, list) = (member.view(), member.path_to("settings/keys"));
    let shown = Made {
        frame: member.frame("settings/keys"),
        crumbs: vec![Crumb { label: view.t("settings-keys"), path: list.clone() }],
        list,
        title: view.with("keys-made", "name", &name),
        command: format!("curl {origin}/v1/me \\\n  -H \"Authorization: Bearer {key}\""),
        key,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

fn refused(member: &Member, undone: Undone) -> Answered {
    let status = undone.status();
    shown(member, Filled::refused(&member.view(), &member.form, undone), status)
}
