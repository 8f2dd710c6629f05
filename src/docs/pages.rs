//! The pages of the documentation. Every page except the results of a search is rendered once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use askama::Template;

use super::markdown::{Section, render};
use super::reference::{Group, groups};
use super::search::{self, Entry, Found, QUERY_CHARS_MAX};
use super::topics::{GROUPS, Topic, topics};
use crate::dashboard;
use crate::http::packed::Packed;

pub(super) struct Page {
    pub(super) body: Packed,
    pub(super) tag: String,
}

struct Site {
    pages: BTreeMap<String, Page>,
    entries: Vec<Entry>,
}

static SITE: LazyLock<Site> = LazyLock::new(|| {
    let (mut pages, mut entries) = (BTreeMap::new(), Vec::new());
    let mut keep = |path: &str, html: askama::Result<String>| {
        // Rendering a template into memory does not fail.
        let html = html.unwrap_or_default();
        let page = Page {
            tag: view::etag(html.as_bytes()),
            body: Packed::new("text/html; charset=utf-8", html.into()),
        };
        pages.insert(path.to_owned(), page);
    };
    keep("/docs", Index { frame: Frame::at("") }.render());
    let all: Vec<&Topic> = topics().collect();
    for (at, topic) in all.iter().enumerate() {
        let rendered = render(topic.text);
        entries.extend(search::of_topic(topic, &rendered.sections));
        let shown = TopicPage {
            frame: Frame::at(topic.name),
            title: topic.title(),
            html: &rendered.html,
            parts: rendered.sections.iter().filter(|section| (2..=3).contains(&section.level)).collect(),
            before: at.checked_sub(1).map(|at| all[at]),
            after: all.get(at + 1).copied(),
        };
        keep(&format!("/docs/{}", topic.name), shown.render());
    }
    let document = crate::openapi::document();
    let groups = groups(&document);
    entries.extend(groups.iter().flat_map(search::of_group));
    let description = document["info"]["description"].as_str().unwrap_or_default();
    let about = render(description).html;
    keep("/docs/reference", ReferencePage { frame: Frame::at("reference"), about, groups: &groups }.render());
    Site { pages, entries }
});

pub(super) fn page(path: &str) -> Option<&'static Page> {
    SITE.pages.get(path)
}

pub(super) fn search(query: &str) -> askama::Result<String> {
    let query: String = query.trim().chars().take(QUERY_CHARS_MAX).collect();
    let found = search::search(&SITE.entries, &query);
    SearchPage { frame: Frame::at("search"), query, found }.render()
}

pub(super) fn missing() -> askama::Result<String> {
    Missing { frame: Frame::at("missing") }.render()
}

struct Frame {
    groups: &'static [(&'static str, &'static [Topic])],
    assets: &'static str,
    /// The name of the page; empty for the first page.
    here: &'static str,
}

impl Frame {
    fn at(here: &'static str) -> Self {
        Self { groups: GROUPS, assets: dashboard::assets(), here }
    }
}

#[derive(Template)]
#[template(path = "docs/index.html", config = "src/askama.toml")]
struct Index {
    frame: Frame,
}

#[derive(Template)]
#[template(path = "docs/topic.html", config = "src/askama.toml")]
struct TopicPage<'a> {
    frame: Frame,
    title: &'static str,
    html: &'a str,
    parts: Vec<&'a Section>,
    before: Option<&'static Topic>,
    after: Option<&'static Topic>,
}

#[derive(Template)]
#[template(path = "docs/reference.html", config = "src/askama.toml")]
struct ReferencePage<'a> {
    frame: Frame,
    about: String,
    groups: &'a [Group],
}

#[derive(Template)]
#[template(path = "docs/search.html", config = "src/askama.toml")]
struct SearchPage {
    frame: Frame,
    query: String,
    found: Vec<Found<'static>>,
}

#[derive(Template)]
#[template(path = "docs/missing.html", config = "src/askama.toml")]
struct Missing {
    frame: Frame,
}
