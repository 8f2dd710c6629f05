//! Feeds of appointments for calendar services. Only the response that creates a feed contains its address.

use domain::{Conflict, FeedDetail, FeedId, ProblemCode, Refusal, StaffId};
use engine::business::commands::feeds::{CreateFeed, RevokeFeed};
use view::{ListedFeedView, NewFeedView};

use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// A new feed.
    pub(crate) struct FeedBody {
        /// The staff member whose appointments the feed contains. The default is the whole business.
        staff_id: Option<StaffId>,
        /// The content of the events. The default is `services`.
        detail: Option<FeedDetail>,
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<Option<FeedBody>>,
) -> Result<Created<NewFeedView>, ApiError> {
    let Some(origin) = context.engine.people().public_url() else {
        return Err(Refusal::conflict(Conflict::NoPublicUrl, "", ProblemCode::PublicUrlUnset).into());
    };
    let (staff_id, detail) = body.map_or((None, None), |body| (body.staff_id, body.detail));
    let change = CreateFeed { staff_id, detail: detail.unwrap_or(FeedDetail::Services), origin };
    let created: Created<NewFeedView> = context.change(change).await?;
    // The ETag covers the description of the feed, not its address, which later responses omit.
    Ok(created.tagged_as(|shown| &shown.feed))
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<ListedFeedView>, ApiError> {
    let asked = query.open(&context, business.list("operator feeds"))?;
    Ok(asked.listed(business.feeds(None, &asked.page).await?))
}

pub(super) async fn revoke(context: Context, Path(id): Path<FeedId>) -> Result<Gone, ApiError> {
    context.change(RevokeFeed { id }).await
}
