//! Deleting a knowledge entry, after a page that asks for confirmation.

use domain::Right;
use engine::business::commands::knowledge::DeleteKnowledge;

use super::knowledge_edit::found;
use super::rows::QUOTE_CHARS_MAX;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge_delete.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    title: String,
    quote: String,
    filled: Filled,
}

pub(crate) async fn show(member: Member) -> Answered {
    member.must(Right::Settings)?;
    shown(&member, member.filled(member.path(), Form::default)).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let id = found(&member).await?.id;
    let done = member.change(DeleteKnowledge { id }).await;
    let done = done.map(|_| member.path_to("knowledge?done=deleted"));
    member.answered(done, |filled| shown(&member, filled)).await
}

async fn shown(member: &Member, filled: Filled) -> Answered {
    let piece = found(member).await?;
    let path = member.path_to(&format!("knowledge/{}", piece.id));
    let shown = Page {
        sheet: member
            .sheet("knowledge/one")
            .under(vec![member.crumb("knowledge"), Crumb { label: piece.title.clone(), path: path.clone() }]),
        path,
        quote: plain(&piece.content, QUOTE_CHARS_MAX),
        title: piece.title,
        filled,
    };
    page_as(shown.filled.status, &shown)
}
