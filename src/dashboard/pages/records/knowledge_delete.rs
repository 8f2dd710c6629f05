//! Deleting a knowledge entry, after a page that asks for confirmation.

use domain::Right;
use engine::business::commands::knowledge::DeleteKnowledge;
use view::KnowledgeView;

use super::knowledge_edit::found;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge_delete.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    path: String,
    piece: KnowledgeView,
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
    let crumbs = vec![member.crumb("knowledge"), Crumb { label: piece.title.clone(), path: path.clone() }];
    let shown = Page { sheet: member.sheet("knowledge/one").under(crumbs), path, piece, filled };
    page_as(shown.filled.status, &shown)
}
