//! Pages of lists for a model.
//!
//! What always holds: a page has up to [`PAGE_ITEMS`] items, though a bounded scan may find them in several reads; it
//! is shorter where its texts are long, and then goes on right behind the last item that it shows. Where the reads end
//! before the page is full, it says that the search is incomplete.

use engine::EngineError;
use engine::business::{Page, PageRequest};
use serde_json::Value;

use super::answer::without_nulls;
use super::asking::Asking;
use super::bounds::{PAGE_ITEMS, fitting};
use super::refused::Refused;
use crate::rest::error::ApiError;
use crate::rest::through::{Through, read_through};

/// Part of a list, as it is shown.
#[derive(Debug)]
pub(super) struct Listed<V> {
    pub(super) items: Vec<V>,
    /// Where it goes on.
    pub(super) next_cursor: Option<String>,
    /// True when the search has ended early: what is asked for may stand further on.
    pub(super) search_incomplete: Option<bool>,
}

/// A page of a list, read by `read` and shown by `show`.
pub(super) async fn page<T, V, Fut>(
    asking: &Asking,
    cursor: Option<&str>,
    read: impl Fn(PageRequest) -> Fut,
    show: impl Fn(T) -> Result<V, Refused>,
) -> Result<Listed<V>, Refused>
where
    V: serde::Serialize,
    Fut: Future<Output = Result<Page<T>, EngineError>>,
{
    let after = asking.opened(cursor)?;
    let mut limit = PAGE_ITEMS;
    loop {
        let asked = PageRequest { limit, after: after.clone() };
        let Through { items, next, is_incomplete } = read_through(asked, &read).await?;
        let items = items.into_iter().map(&show).collect::<Result<Vec<V>, _>>()?;
        let fit = fitting(&rendered(&items)?);
        if fit < items.len() {
            // Read again up to what fits, so that the next page begins right there.
            limit = fit;
            continue;
        }
        let search_incomplete = is_incomplete.then_some(true);
        let next_cursor = next.map(|position| asking.sealed(&position));
        return Ok(Listed { items, next_cursor, search_incomplete });
    }
}

fn rendered<V: serde::Serialize>(items: &[V]) -> Result<Vec<Value>, Refused> {
    let render = |item: &V| {
        let mut value =
            serde_json::to_value(item).map_err(|error| Refused::Fault(ApiError::internal(error)))?;
        without_nulls(&mut value);
        Ok(value)
    };
    items.iter().map(render).collect()
}
