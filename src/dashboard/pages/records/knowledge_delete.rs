//! Deleting a piece of what the receptionist knows: asked first, on a page of its own.

use actors::business::commands::knowledge::DeleteKnowledge;
use actors::domain::Right;
use askama::Template;
use axum::http::StatusCode;

use super::knowledge_edit::found;
use super::rows::QUOTE_CHARS_MAX;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::Filled;
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};
use crate::words::plain;

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge_delete.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    path: String,
    title: String,
    quote: String,
    filled: Filled,
    rest: Vec<String>,
}

/// What would go.
pub(crate) async fn show(member: Member) -> Answered {
    member.must(Right::Settings)?;
    let filled = Filled::kept(&member.view(), member.kept_form().as_ref(), member.path(), Form::default);
    shown(&member, filled, StatusCode::OK).await
}

/// Deletes it.
pub(crate) async fn sent(member: Member) -> Answered {
    let id = found(&member).await?.id;
    match member.change(DeleteKnowledge { id }).await? {
        Ok(_) => Ok(see_other(&member.path_to("knowledge?done=deleted"))),
        Err(undone) => {
            let status = undone.status();
            shown(&member, Filled::refused(&member.view(), &member.form, undone), status).await
        }
    }
}

async fn shown(member: &Member, mut filled: Filled, status: StatusCode) -> Answered {
    let (view, piece) = (member.view(), found(member).await?);
    let path = member.path_to(&format!("knowledge/{}", piece.id));
    let shown = Page {
        frame: member.frame("knowledge/one"),
        crumbs: vec![
            Crumb { label: view.t("knowledge"), path: member.path_to("knowledge") },
            Crumb { label: piece.title.clone(), path: path.clone() },
        ],
        path,
        quote: plain(&piece.content, QUOTE_CHARS_MAX),
        title: piece.title,
        rest: filled.rest(&view),
        filled,
        view,
    };
    Ok(page(status, &shown)?)
}
