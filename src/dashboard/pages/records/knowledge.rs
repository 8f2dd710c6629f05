//! The pages of the knowledge that the receptionist may tell callers. The list shows the newest entry first
//! and has a search. Other pages add, show, change and delete an entry.

use domain::{Knowledge, KnowledgeId, Locale, Right};
use engine::business::KnowledgeFilter;
use engine::business::commands::knowledge::{AddKnowledge, DeleteKnowledge, PatchKnowledge};

use crate::admin::knowledge::KnowledgePatchBody;
use crate::api::conversations::KnowledgeBody;
use crate::dashboard::pages::prelude::*;
use crate::rest::through::Through;

/// The number of entries per page. Entries may be long.
const SHOWN: usize = 25;

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: String,
    q: &'a str,
    pages: Pages,
    found: Through<Knowledge>,
}

pub(crate) async fn list(member: Member) -> Answered {
    let (q, business) = (member.query.get("q").trim(), &member.business);
    let part = member.part("knowledge", SHOWN, &["q"]);
    let filter = &KnowledgeFilter { part: (!q.is_empty()).then(|| q.to_owned()), newest_first: true };
    let found = part.read(|page| async move { business.knowledge_list(filter, &page).await }).await?;
    page(&List {
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
    fn knowledge_detail(&self, piece: &Knowledge) -> String {
        let language =
            piece.locale.map_or_else(|| self.t("knowledge-both"), |one| self.language(one).to_owned());
        self.says("knowledge-detail", &[("language", language), ("when", self.short_date(piece.updated_at))])
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge_edit.html", config = "src/askama.toml")]
struct Edit<'a> {
    sheet: Sheet<'a>,
    piece: Option<&'a Knowledge>,
    filled: Filled,
    versions: Versions,
    tag: String,
    texts: [Field; 2],
    halves: [Field; 2],
    /// Whether the page shows the form. The form is shown if the person may change the entry, or if there is a draft
    /// that would otherwise be lost.
    is_form: bool,
}

/// The maximum number of characters of a title.
const TITLE_CHARS_MAX: usize = 200;

pub(crate) async fn new(member: Member) -> Answered {
    let draft = member.kept_form();
    member.must_or_kept(Right::Settings, draft.as_ref())?;
    // The page of unanswered questions links to this form with a question as the title. A question can be longer than a
    // title.
    let title: String = member.query.get("title").chars().take(TITLE_CHARS_MAX).collect();
    let filled = Filled::kept(&member.view, draft.as_ref(), member.path(), || Form::of([("title", title)]));
    shown(&member, None, filled)
}

pub(crate) async fn add(member: Member) -> Answered {
    let done = async {
        let details = body(&member).read::<KnowledgeBody>()?.into();
        member.change(AddKnowledge { details }).await?;
        Ok(member.path_to("knowledge?done=added"))
    };
    member.answered(done.await, |filled| ready(shown(&member, None, filled))).await
}

pub(crate) async fn show(member: Member) -> Answered {
    let piece = found(&member).await?;
    let filled = member.filled(member.path(), || Form::of(values(&piece)));
    shown(&member, Some(&piece), filled)
}

pub(crate) async fn save(member: Member) -> Answered {
    let id: KnowledgeId = member.id("knowledge_id")?;
    let done = async {
        let patch = body(&member).read::<KnowledgePatchBody>()?.into();
        member.change(PatchKnowledge { id, patch }).await?;
        Ok(member.path_to("knowledge?done=saved"))
    };
    let done = match done.await {
        Ok(path) => return Ok(see_other(&path)),
        refused => refused,
    };
    // The entry is read again, since another person may have changed or deleted it.
    match member.business.knowledge(id).await? {
        Some(piece) => member.answered(done, |filled| ready(shown(&member, Some(&piece), filled))).await,
        None if member.form.find("content").is_some() => gone(&member),
        None => Err(Refused::not_found()),
    }
}

/// Shows the submitted text as a new entry, since the entry was deleted in the meantime.
fn gone(member: &Member) -> Answered {
    let mut filled = Filled::of(member.form.clone());
    (filled.notice, filled.status) = (member.t("knowledge-gone"), StatusCode::CONFLICT);
    shown(member, None, filled)
}

async fn found(member: &Member) -> Result<Knowledge, Refused> {
    member.business.knowledge(member.id("knowledge_id")?).await?.ok_or_else(Refused::not_found)
}

fn body(member: &Member) -> Body<'_> {
    member.body().text("title").text("content").optional("locale").optional("source_url")
}

fn values(piece: &Knowledge) -> [(&'static str, String); 4] {
    [
        ("title", piece.title.clone()),
        ("content", piece.content.clone()),
        ("locale", piece.locale.map(|locale| locale.to_string()).unwrap_or_default()),
        ("source_url", piece.source_url.clone().unwrap_or_default()),
    ]
}

fn shown(member: &Member, piece: Option<&Knowledge>, mut filled: Filled) -> Answered {
    let (view, is_kept) = (&member.view, !filled.notice.is_empty());
    let [title, content, locale, source] = fields(view).map(|field| filled.field(view, field));
    let shown = Edit {
        sheet: member.sheet("knowledge/one").under(vec![member.crumb("knowledge")]),
        piece,
        versions: piece.map(|piece| versions(view, &filled, piece)).unwrap_or_default(),
        tag: piece.map(|piece| filled.tag(piece)).unwrap_or_default(),
        filled,
        texts: [title, content],
        halves: [locale, source],
        is_form: member.may(Right::Settings) || is_kept,
    };
    page_as(shown.filled.status, &shown)
}

fn fields(view: &View) -> [Field; 4] {
    let content = Field::area("content", view.t("knowledge-content")).class("tall");
    let locale = Field::languages(view).or_empty(view.t("knowledge-both"));
    let source = Field::line("source_url", view.t("knowledge-source")).optional();
    [
        Field::line("title", view.t("knowledge-title")).hint(view.t("knowledge-title-hint")),
        content.hint(view.t("knowledge-content-hint")),
        locale.hint(view.t("knowledge-language-hint")),
        source.hint(view.t("knowledge-source-hint")),
    ]
}

fn versions(view: &View, filled: &Filled, piece: &Knowledge) -> Versions {
    let labels = ["knowledge-title", "knowledge-content", "language", "knowledge-source"];
    let said = |name: &str, value: &str| match (name, Locale::from_word(value)) {
        ("locale", Some(locale)) => view.language(locale).to_owned(),
        ("locale", None) => view.t("knowledge-both"),
        _ if value.is_empty() => view.t("nothing-there"),
        _ => value.trim().to_owned(),
    };
    let both = labels
        .iter()
        .zip(values(piece))
        .map(|(label, (name, theirs))| (view.t(label), said(name, filled.get(name)), said(name, &theirs)));
    filled.versions(both)
}

#[derive(Template)]
#[template(path = "dashboard/pages/records/knowledge_delete.html", config = "src/askama.toml")]
struct Delete<'a> {
    sheet: Sheet<'a>,
    path: String,
    piece: Knowledge,
    filled: Filled,
}

pub(crate) async fn ask_delete(member: Member) -> Answered {
    member.must(Right::Settings)?;
    deletion(&member, member.filled(member.path(), Form::default)).await
}

pub(crate) async fn delete(member: Member) -> Answered {
    let id = found(&member).await?.id;
    let done = member.change(DeleteKnowledge { id }).await;
    let done = done.map(|_| member.path_to("knowledge?done=deleted"));
    member.answered(done, |filled| deletion(&member, filled)).await
}

async fn deletion(member: &Member, filled: Filled) -> Answered {
    let piece = found(member).await?;
    let path = member.path_to(&format!("knowledge/{}", piece.id));
    let crumbs = vec![member.crumb("knowledge"), Crumb { label: piece.title.clone(), path: path.clone() }];
    let shown = Delete { sheet: member.sheet("knowledge/one").under(crumbs), path, piece, filled };
    page_as(shown.filled.status, &shown)
}
