//! Reading lists through: a bounded scan may end a page early, though there is more behind it.

use engine::EngineError;
use engine::business::{Page, PageRequest};

/// How many reads of a bounded scan make a page, before the search is left incomplete.
pub(crate) const READS_MAX: usize = 16;

/// Part of a list that was read through.
pub(crate) struct Through<T> {
    pub(crate) items: Vec<T>,
    /// The position behind them, if there is more.
    pub(crate) next: Option<Vec<u8>>,
    /// Whether the reads have ended before so many were found as were wanted: what is asked for may stand further on.
    pub(crate) is_incomplete: bool,
}

/// So many items of a list, or as many as the reads find.
///
/// # Errors
/// That of a read.
pub(crate) async fn read_through<T, Fut>(
    page: PageRequest,
    read: impl Fn(PageRequest) -> Fut,
) -> Result<Through<T>, EngineError>
where
    Fut: Future<Output = Result<Page<T>, EngineError>>,
{
    let PageRequest { limit, mut after } = page;
    let mut items = Vec::new();
    for _ in 0..READS_MAX {
        let page = read(PageRequest { limit: limit - items.len(), after: after.take() }).await?;
        items.extend(page.items);
        if items.len() == limit || page.next.is_none() {
            return Ok(Through { items, next: page.next, is_incomplete: false });
        }
        after = page.next;
    }
    Ok(Through { items, next: after, is_incomplete: true })
}
