//! Feeds of appointments for calendar services.

use domain::{Feed, FeedDetail, FeedId, StaffId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::KeyCreatorView;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FeedFields")]
pub struct FeedView {
    /// The feed's id.
    pub id: FeedId,
    /// The staff member whose appointments the feed contains; null for the whole business.
    pub staff_id: Option<StaffId>,
    /// The content of the events. `times`: only the times; `services`: also the names of service and staff
    /// member; `contacts`: also the contact's name and phone number, and a link to the dashboard.
    pub detail: FeedDetail,
    /// The creator of the feed.
    pub created_by: KeyCreatorView,
    /// The time of creation.
    pub created_at: Timestamp,
}

impl FeedView {
    pub fn new(feed: &Feed, created_by: KeyCreatorView) -> Self {
        let Feed { id, staff_id, detail, created_at, .. } = *feed;
        Self { id, staff_id, detail, created_by, created_at }
    }
}

/// A feed in a list. Only the response to the creation of a feed contains its address.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Feed")]
pub struct ListedFeedView {
    #[serde(flatten)]
    pub feed: FeedView,
    /// The time of the last request for the feed, to the minute.
    pub last_fetched_at: Option<Timestamp>,
    /// The time of the revocation.
    pub revoked_at: Option<Timestamp>,
}

/// A feed that was just created. Only this response contains its address. If the request is repeated, the response does
/// not contain it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewFeed")]
pub struct NewFeedView {
    /// The fields without the address. The entity tag depends only on them.
    #[serde(flatten)]
    pub feed: FeedView,
    /// The address of the feed; null in a repeated response, because only the hash of its token is stored.
    pub url: Option<String>,
}
