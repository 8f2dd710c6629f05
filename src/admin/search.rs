//! The search in the records of a business.

use view::FoundView;

use crate::query_object;
use crate::rest::prelude::*;
use crate::rest::values::search::SearchWords;

query_object! {
    /// A search.
    pub(crate) struct SearchQuery {
        /// The words, in any order.
        q: SearchWords,
    }
}

pub(super) async fn find(
    _: Context,
    Query(query): Query<SearchQuery>,
    business: Business,
) -> Result<Listed<FoundView>, ApiError> {
    Ok(Listed::whole(business.search(&query.q.search()).await?))
}
