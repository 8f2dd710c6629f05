//! Pages of lists for a model.
//!
//! Invariants:
//! - A page has at most [`PAGE_ITEMS`] items, from several bounded scans if needed. With long texts it has
//!   fewer, and the next page continues after the last shown item.
//! - If the scans end before the page is full, the page says that the search is incomplete.

use engine::EngineError;
use engine::business::{Page, PageRequest};

use super::answer::shown;
use super::asking::Asking;
use super::bounds::{PAGE_ITEMS, fitting};
use super::refused::Refused;
use crate::http::cursor::CursorText;
use crate::rest::through::{Through, read_through};

#[derive(Debug)]
pub(super) struct Listed<V> {
    pub(super) items: Vec<V>,
    pub(super) next_cursor: Option<String>,
    /// Whether the scans ended early, so later records may match.
    pub(super) search_incomplete: Option<bool>,
}

/// Reads a page with `read` and shows it with `show`.
pub(super) async fn page<T, V, Fut>(
    asking: &Asking,
    cursor: Option<&CursorText>,
    read: impl Fn(PageRequest) -> Fut,
    show: impl Fn(T) -> Result<V, Refused>,
) -> Result<Listed<V>, Refused>
where
    V: serde::Serialize,
    Fut: Future<Output = Result<Page<T>, EngineError>>,
{
    let after = asking.opened(cursor.map(CursorText::as_str))?;
    let mut limit = PAGE_ITEMS;
    loop {
        let asked = PageRequest { limit, after: after.clone() };
        let Through { items, next, is_incomplete } = read_through(asked, &read).await?;
        let items = items.into_iter().map(&show).collect::<Result<Vec<V>, _>>()?;
        let fit = fitting(&items.iter().map(shown).collect::<Result<Vec<_>, _>>()?);
        if fit < items.len() {
            // Reads again with the smaller limit, so the cursor matches the last shown item.
            limit = fit;
            continue;
        }
        let search_incomplete = is_incomplete.then_some(true);
        let next_cursor = next.map(|position| asking.sealed(&position));
        return Ok(Listed { items, next_cursor, search_incomplete });
    }
}
