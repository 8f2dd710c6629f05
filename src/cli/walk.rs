//! Reading answers: one record, a page, a whole list.

use hyper::Method;
use serde::de::DeserializeOwned;

use super::client::{Answer, Client, ClientError};
use super::record::{One, Page, Record};
use super::request::{Call, Path};
use super::task::{Part, Task};

/// The most pages that a command gathers, to the end of a list when it is not told a limit, else to the first row.
pub(super) const WALK_PAGES_MAX: usize = 1000;

/// Why a list could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum WalkError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the list has more than {WALK_PAGES_MAX} pages; narrow it, or walk it with --limit and --cursor")]
    TooLong,
}

/// Some pages of a list.
pub(super) struct Walked {
    /// The rows of all of them, and where they end.
    pub(super) list: Page,
    /// The first page as it came.
    pub(super) first: Answer,
    /// How many there were.
    pub(super) pages: usize,
}

/// Reads the part of a list that is asked for: up to its end, or until it has enough rows.
pub(super) async fn walk(client: &Client, call: &Call, part: &Part) -> Result<Walked, WalkError> {
    let page = |cursor: Option<String>| async move {
        client.send(Method::GET, &part.target(call, cursor.as_deref()), None).await
    };
    let first = page(None).await?;
    let mut list: Page = read(&first)?;
    let mut pages = 1;
    // A page may be empty though there is more behind it.
    while list.has_more && list.data.len() < part.enough {
        if pages == WALK_PAGES_MAX {
            return Err(WalkError::TooLong);
        }
        let Some(cursor) = list.next_cursor.take() else {
            return Err(ClientError::NotOfTheForm { status: first.status }.into());
        };
        let page: Page = read(&page(Some(cursor)).await?)?;
        list.data.extend(page.data);
        (list.next_cursor, list.has_more) = (page.next_cursor, page.has_more);
        pages += 1;
    }
    Ok(Walked { list, first, pages })
}

/// The records of a part of the list at a path.
pub(super) async fn records(client: &Client, path: &Path, part: &Part) -> Result<Vec<Record>, WalkError> {
    let call = Task::get(path.clone()).request.call();
    Ok(walk(client, &call, part).await?.list.data)
}

/// The record at a path.
pub(super) async fn one(client: &Client, path: &Path) -> Result<Record, ClientError> {
    let call = Task::get(path.clone()).request.call();
    read::<One>(&client.send(Method::GET, &call.path, None).await?).map(|one| one.data)
}

/// An answer of this form.
pub(super) fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    serde_json::from_slice(&answer.body).map_err(|_| ClientError::NotOfTheForm { status: answer.status })
}
