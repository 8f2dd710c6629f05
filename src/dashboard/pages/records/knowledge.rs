//! The knowledge that the receptionist may tell callers, newest first, with a search.

use domain::Right;
use engine::business::KnowledgeFilter;
use view::KnowledgeView;

use crate::dashboard::pages::prelude::*;
use crate::rest::through::Through;

/// The number of entries per page. Entries may be long.
const SHOWN: usize = 25;

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    q: &'a str,
    pages: Pages,
    found: Through<KnowledgeView>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let (q, business) = (member.query.get("q").trim(), &member.business);
    let part = member.part("knowledge", SHOWN, &["q"]);
    let filter = &KnowledgeFilter { part: (!q.is_empty()).then(|| q.to_owned()), newest_first: true };
    let found = part.read(|page| async move { business.knowledge_list(filter, &page).await }).await?;
    page(&Page {
        sheet: member.sheet("knowledge"),
        done: member.done(&[
            ("added", "knowledge-added"),
            ("saved", "saved"),
            ("deleted", "knowledge-deleted"),
        ]),
        q,
        pages: part.pages(found.next.as_deref()),
        found,
    })
}

impl Member {
    /// The language and the last change of a knowledge entry.
    pub(super) fn knowledge_detail(&self, piece: &KnowledgeView) -> String {
        let language =
            piece.locale.map_or_else(|| self.t("knowledge-both"), |one| self.language(one).to_owned());
        self.says("knowledge-detail", &[("language", language), ("when", self.short_date(piece.updated_at))])
    }
}
