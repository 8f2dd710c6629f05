//! Tests that the target of every link exists, and that it contains the anchor of the link.

use std::path::Path;

use pulldown_cmark::{Event, Parser, Tag};
use receptionist::docs;

use crate::files::{Served, attributes, files, get, path, read};

#[test]
fn every_link_of_the_files_resolves() {
    let mut broken = Vec::new();
    for file in files() {
        let text = read(&file);
        let links = Parser::new(&text).filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            _ => None,
        });
        for link in links.filter(|link| !link.starts_with("https://")) {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if target.is_empty() {
                path(&file)
            } else {
                path(&file).parent().unwrap_or(Path::new("")).join(target)
            };
            let is_there = target.exists()
                && (anchor.is_empty()
                    || docs::anchors(&std::fs::read_to_string(&target).unwrap())
                        .iter()
                        .any(|one| one == anchor));
            if !is_there {
                broken.push(format!("{file}: {link}"));
            }
        }
    }
    assert_eq!(broken, [""; 0], "{}", broken.join("\n"));
}

#[tokio::test]
async fn every_link_of_the_pages_resolves() {
    let served = Served::open().await;
    let names = docs::topics().map(|topic| format!("/docs/{}", topic.name));
    let pages: Vec<String> =
        names.chain(["/docs", "/docs/reference", "/docs/search?q=retries"].map(str::to_owned)).collect();
    let mut broken = Vec::new();
    for page in &pages {
        let (status, html) = get(&served.public, page).await;
        assert_eq!(status, 200, "{page}");
        let ids = attributes(&html, "id");
        let unique: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{page} contains an id twice");
        for link in attributes(&html, "href").into_iter().chain(attributes(&html, "src")) {
            if link.starts_with("https://") {
                continue;
            }
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if target.is_empty() { page } else { target };
            let (status, html) = get(&served.public, target).await;
            let has_anchor = anchor.is_empty() || attributes(&html, "id").iter().any(|id| id == anchor);
            if status != 200 || !has_anchor {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert_eq!(broken, [""; 0], "{}", broken.join("\n"));
}
