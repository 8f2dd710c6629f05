//! Reading responses: one record, a page, or a whole list.

use hyper::Method;
use serde::de::DeserializeOwned;

use super::client::{Answer, Client, ClientError};
use super::record::{One, Page, Record};
use super::request::{Call, Path};
use super::task::{Part, Task};

pub(super) const WALK_PAGES_MAX: usize = 1000;

pub(super) struct Walked {
    /// The rows of all pages, and the end of the last page.
    pub(super) list: Page,
    /// The first page, unchanged.
    pub(super) first: Answer,
    pub(super) pages: usize,
}

/// Reads pages until the list ends or there are enough rows.
pub(super) async fn walk(client: &Client, call: &Call, part: &Part) -> Result<Walked, ClientError> {
    let page = |cursor: Option<String>| async move {
        client.send(Method::GET, &part.target(call, cursor.as_deref()), None).await
    };
    let first = page(None).await?;
    let mut list: Page = read(&first)?;
    let mut pages = 1;
    // A page may be empty although more rows follow.
    while list.has_more && list.data.len() < part.enough {
        if pages == WALK_PAGES_MAX {
            return Err(ClientError::LongList);
        }
        let Some(cursor) = list.next_cursor.take() else {
            return Err(ClientError::NotOfTheForm { status: first.status });
        };
        let page: Page = read(&page(Some(cursor)).await?)?;
        list.data.extend(page.data);
        (list.next_cursor, list.has_more) = (page.next_cursor, page.has_more);
        pages += 1;
    }
    Ok(Walked { list, first, pages })
}

pub(super) async fn records(client: &Client, path: &Path, part: &Part) -> Result<Vec<Record>, ClientError> {
    let call = Task::get(path.clone()).request.call();
    Ok(walk(client, &call, part).await?.list.data)
}

pub(super) async fn one(client: &Client, path: &Path) -> Result<Record, ClientError> {
    read(&client.send(Method::GET, &path.text(), None).await?).map(|one: One| one.data)
}

pub(super) fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    serde_json::from_slice(&answer.body).map_err(|_| ClientError::NotOfTheForm { status: answer.status })
}
