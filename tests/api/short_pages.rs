//! Tests of lists that have more rows than one request may read. A page may be short or empty although more
//! items follow.

use serde_json::{Value, json};

use crate::harness::{Api, Salon, Server, ids};

/// The number of rows that one request reads.
const ROWS: usize = 16;

/// Creates 40 calls, one minute apart, and 40 contacts. Returns the only call with the outcome `spam` (the fifth call)
/// and the only contact with the name `Zoë` (the third contact).
async fn many(salon: &Salon) -> (Value, Value) {
    let (mut spam, mut zoe) = (Value::Null, Value::Null);
    for number in 0..40 {
        let outcome = if number == 4 { "spam" } else { "other" };
        let started = format!("2026-03-01T09:{number:02}:00Z");
        let call = salon.record_call(json!({ "started_at": started, "outcome": outcome })).await;
        let name = if number == 2 { "Zo\u{eb}".to_owned() } else { format!("Contact {number}") };
        let contact = salon.contact(json!({ "name": name, "email": format!("c{number}@b") })).await;
        if number == 4 {
            spam = call;
        } else if number == 2 {
            zoe = contact;
        }
    }
    (spam, zoe)
}

/// Reads a list to its end. Also returns the number of empty pages that had a next page.
async fn walk(api: &Api, path: &str, limit: usize) -> (Vec<Value>, usize) {
    let join = if path.contains('?') { '&' } else { '?' };
    let (mut all, mut empty, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = api.get(&format!("{path}{join}limit={limit}{cursor}")).await;
        empty += usize::from(page.list().is_empty() && page.body["has_more"] == true);
        all.extend(page.list());
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (all, empty),
        }
    }
}

#[tokio::test]
async fn an_empty_page_may_have_a_next_page() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let (spam, _) = many(&salon).await;
    let changed = "updated_since=2000-01-01T00:00:00Z";
    let first = salon.get("/calls?outcome=spam").await;
    assert!(first.list().is_empty() && first.body["has_more"] == true, "{first}");
    for path in [format!("/calls?outcome=spam&{changed}"), "/calls?outcome=spam".into()] {
        for limit in [1, 100] {
            let (found, empty) = walk(&salon.api, &path, limit).await;
            assert_eq!(found, std::slice::from_ref(&spam), "{path}");
            assert!(empty > 0, "{path}");
        }
        let other = salon.get(&path).await.body["next_cursor"].as_str().unwrap().to_owned();
        salon.get(&format!("/calls?cursor={other}")).await.invalid_at(&["cursor"]);
        salon.get(&format!("/calls?outcome=hangup&cursor={other}")).await.invalid_at(&["cursor"]);
    }
    for path in [format!("/calls?outcome=hangup&{changed}"), "/calls?outcome=hangup".into()] {
        let (found, empty) = walk(&salon.api, &path, 50).await;
        assert!(found.is_empty() && empty >= 2, "{path}");
    }
}

#[tokio::test]
async fn a_page_ends_at_the_row_limit_and_all_pages_show_every_record() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let (_, zoe) = many(&salon).await;
    for path in ["/calls", "/contacts", "/contacts?q=contact", "/contacts?updated_since=2000-01-01T00:00:00Z"]
    {
        let first =
            salon.get(&format!("{path}{}limit=100", if path.contains('?') { '&' } else { '?' })).await;
        assert!((1..ROWS).contains(&first.list().len()) && first.body["has_more"] == true, "{first}");
        let (whole, _) = walk(&salon.api, path, 100).await;
        assert_eq!(whole.len(), if path.ends_with("contact") { 39 } else { 40 });
        assert_eq!(ids(&walk(&salon.api, path, 3).await.0), ids(&whole), "{path}");
    }
    assert_eq!(walk(&salon.api, "/contacts?q=zo%C3%AB", 10).await.0, [zoe]);
    // Pages of the operator API may also be short or empty.
    let (entries, _) = walk(&salon.operator, "/audit", 100).await;
    assert!(entries.len() > 80);
    assert_eq!(ids(&walk(&salon.operator, "/audit", 7).await.0), ids(&entries));
    assert_eq!(walk(&server.operator, "/businesses", 100).await.0.len(), 1);
}
