//! Reads a page with several scans, since a scan reads a bounded number of rows and may end before the page
//! is full.

use engine::EngineError;
use engine::business::{Page, PageRequest};

/// The maximum number of scans per page. If the page is not full after this number of scans, it is marked as
/// incomplete.
pub(crate) const READS_MAX: usize = 16;

pub(crate) struct Through<T> {
    pub(crate) items: Vec<T>,
    /// The position after the last item, if the list has more.
    pub(crate) next: Option<Vec<u8>>,
    /// True if the page is not full although more matching items may follow.
    pub(crate) is_incomplete: bool,
}

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
