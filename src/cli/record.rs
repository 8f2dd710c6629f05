//! The contents of a response of the service: one record, a page of a list, or a whole list. A [`Record`]
//! keeps the fields in the order of the response.

use std::fmt;

use hyper::Method;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::carry_out::Failure;
use super::client::{Answer, Client};
use super::request::{Call, Path};
use super::task::{Part, Task};
pub(super) use crate::words::one_line;

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct Record(pub(super) IndexMap<String, Value>);

impl Record {
    /// The value at a path such as `name` or `actor.type`.
    pub(super) fn get(&self, path: &str) -> Option<&Value> {
        match path.split_once('.') {
            Some((first, rest)) => self.0.get(first)?.get(rest),
            None => self.0.get(path),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct One<T = Record> {
    pub(super) data: T,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Page {
    pub(super) data: Vec<Record>,
    pub(super) next_cursor: Option<String>,
    pub(super) has_more: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    pub(super) error: ApiError,
}

/// An error response. Its display is `code: message` and an indented line for each detail.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct ApiError {
    pub(super) code: String,
    pub(super) message: String,
    #[serde(default)]
    pub(super) details: Vec<Detail>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Detail {
    pub(super) path: String,
    pub(super) message: String,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", one_line(&self.code), one_line(&self.message))?;
        for detail in &self.details {
            write!(f, "\n  {}: {}", one_line(&detail.path), one_line(&detail.message))?;
        }
        Ok(())
    }
}

pub(super) const WALK_PAGES_MAX: usize = 1000;

pub(super) struct Walked {
    /// The rows of all pages, with the cursor of the last page.
    pub(super) list: Page,
    /// The first page, unchanged.
    pub(super) first: Answer,
    pub(super) pages: usize,
}

/// Reads pages until the list ends or `part.enough` rows are read.
pub(super) async fn walk(client: &Client, call: &Call, part: &Part) -> Result<Walked, Failure> {
    let walked = walk_bounded(client, call, part).await?;
    walked.ok_or_else(|| {
        Failure::new(
            "the list has more than 1000 pages; use a filter, or read it page by page with --limit and --cursor",
        )
    })
}

/// Returns `None` if the list has more than [`WALK_PAGES_MAX`] pages.
async fn walk_bounded(client: &Client, call: &Call, part: &Part) -> Result<Option<Walked>, Failure> {
    let page = |cursor: Option<String>| async move {
        client.send(Method::GET, &part.target(call, cursor.as_deref()), None).await
    };
    let first = page(None).await?;
    let mut list: Page = first.read()?;
    let mut pages = 1;
    // A page may be empty although more rows follow.
    while list.has_more && list.data.len() < part.enough {
        if pages == WALK_PAGES_MAX {
            return Ok(None);
        }
        let cursor = list.next_cursor.take().ok_or_else(|| first.unexpected())?;
        let page: Page = page(Some(cursor)).await?.read()?;
        list.data.extend(page.data);
        (list.next_cursor, list.has_more) = (page.next_cursor, page.has_more);
        pages += 1;
    }
    Ok(Some(Walked { list, first, pages }))
}

/// Returns `None` if the list has more than [`WALK_PAGES_MAX`] pages.
pub(super) async fn records(
    client: &Client,
    path: &Path,
    part: &Part,
) -> Result<Option<Vec<Record>>, Failure> {
    let call = Task::get(path.clone()).request.call();
    Ok(walk_bounded(client, &call, part).await?.map(|walked| walked.list.data))
}

pub(super) async fn one(client: &Client, path: &Path) -> Result<Record, Failure> {
    client.send(Method::GET, &path.text(), None).await?.read().map(|one: One| one.data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_the_order_of_its_fields() {
        let text = r#"{"z":1,"a":{"type":"operator"},"m":null}"#;
        let record: Record = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
        assert_eq!(record.get("a.type"), Some(&Value::from("operator")));
        assert_eq!(record.get("a.id"), None);
        assert_eq!(record.get("z.id"), None);
        assert_eq!(record.get("b"), None);
    }

    #[test]
    fn a_refusal_has_one_line_and_an_indented_line_for_each_detail() {
        let refused: ErrorBody = serde_json::from_str(
            r#"{"error":{"code":"invalid_request","message":"the request is invalid",
                "details":[{"path":"name","message":"is required"},{"path":"hours[0].day","message":"no\u001b[2Jday"}]}}"#,
        )
        .unwrap();
        assert_eq!(
            refused.error.to_string(),
            "invalid_request: the request is invalid\n  name: is required\n  hours[0].day: no\\u{1b}[2Jday"
        );
        let bare: ErrorBody =
            serde_json::from_str(r#"{"error":{"code":"conflict","message":"it is taken"}}"#).unwrap();
        assert_eq!(bare.error.to_string(), "conflict: it is taken");
    }

    #[test]
    fn text_cannot_control_the_terminal() {
        assert_eq!(one_line("Zoë 东京"), "Zoë 东京");
        assert_eq!(one_line("a\nb\r\t\u{9b}0m\u{202e}"), "a\\nb\\r\\t\\u{9b}0m\\u{202e}");
    }
}
