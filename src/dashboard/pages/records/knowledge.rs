//! The knowledge that the receptionist may tell callers, newest first, with a search.

use domain::Right;
use engine::business::KnowledgeFilter;
use view::KnowledgeView;

use super::rows::QUOTE_CHARS_MAX;
use super::said::{incomplete, language, short_day};
use crate::dashboard::pages::prelude::*;

/// The number of entries per page. Entries may be long.
const SHOWN: usize = 25;

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    base: String,
    done: String,
    q: String,
    rows: Vec<Row>,
    pages: Pages,
    incomplete: String,
    may: bool,
}

struct Row {
    path: String,
    title: String,
    quote: String,
    detail: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, business) = (member.view(), &member.business);
    let q = member.query.get("q").trim();
    let part = member.part("knowledge", SHOWN, &["q"]);
    let filter = &KnowledgeFilter { part: (!q.is_empty()).then(|| q.to_owned()), newest_first: true };
    let found = part.read(|page| async move { business.knowledge_list(filter, &page).await }).await?;
    let shown = Page {
        sheet: member.sheet("knowledge"),
        base: member.path_to("knowledge"),
        done: member.done(&[
            ("added", "knowledge-added"),
            ("saved", "saved"),
            ("deleted", "knowledge-deleted"),
        ]),
        q: q.to_owned(),
        rows: found.items.iter().map(|piece| row(&member, &view, piece)).collect(),
        pages: part.pages(found.next.as_deref()),
        incomplete: incomplete(&view, &found),
        may: member.may(Right::Settings),
    };
    page(&shown)
}

fn row(member: &Member, view: &View, piece: &KnowledgeView) -> Row {
    Row {
        path: member.path_to(&format!("knowledge/{}", piece.id)),
        title: piece.title.clone(),
        quote: plain(&piece.content, QUOTE_CHARS_MAX),
        detail: detail(member, view, piece),
    }
}

pub(super) fn detail(member: &Member, view: &View, piece: &KnowledgeView) -> String {
    let when = short_day(view, piece.updated_at, member.profile.zone);
    let language = piece.locale.map_or_else(|| view.t("knowledge-both"), |one| language(one).to_owned());
    let values = [("language", &*language), ("when", &when)];
    view.words.say("knowledge-detail", &values.map(|(name, text)| (name, Value::Text(text))))
}
