//! Reads feeds.

use domain::{BusinessId, Feed, FeedId, KeyCreator, Membership, Person, Timestamp};
use store::keys::kind;
use store::{Order, Record, StoreError, keys};
use view::{FeedView, KeyCreatorView, ListedFeedView};

use super::{Page, PageRequest, collect};
use crate::business::BusinessHandle;
use crate::error::Result;
use crate::key_usage::last_used;
use crate::scans::Reader;

impl BusinessHandle {
    /// The feeds in the order of creation, including revoked feeds. If `seen_by` is set, the list contains only the
    /// feeds that this member may manage.
    pub async fn feeds(
        &self,
        seen_by: Option<&Membership>,
        page: &PageRequest,
    ) -> Result<Page<ListedFeedView>> {
        self.businesses.key_usage.write(&self.shared().store).await?;
        let (of, seen_by) = (self.id, seen_by.cloned());
        self.list(page, move |reader, page| {
            collect(reader, keys::of_kind(of, kind::FEED), Order::Ascending, page, |_, value| {
                let feed = Feed::decode(value)?;
                let is_seen = seen_by.as_ref().is_none_or(|who| who.sees_calendars_of(feed.staff_id));
                is_seen.then(|| shown(reader, of, &feed)).transpose()
            })
        })
        .await
    }

    pub(crate) fn note_fetched(&self, id: FeedId, now: Timestamp) {
        self.businesses.key_usage.note(keys::feed_fetched(self.id, id), now);
    }

    pub async fn feed(&self, id: FeedId) -> Result<Option<ListedFeedView>> {
        self.read(|store| {
            let feed = store.get::<Feed>(&keys::feed(self.id, id))?;
            feed.map(|feed| shown(&Reader::unbounded(store), self.id, &feed)).transpose()
        })
        .await
    }
}

fn shown(reader: &Reader<'_>, of: BusinessId, feed: &Feed) -> Result<ListedFeedView, StoreError> {
    let creator = match feed.created_by {
        KeyCreator::Operator => None,
        KeyCreator::Person(id) => reader.find::<Person>(&keys::person(id))?,
    };
    let created_by = KeyCreatorView::new(feed.created_by, creator.map(|person| person.name));
    Ok(ListedFeedView {
        feed: FeedView::new(feed, created_by),
        last_fetched_at: last_used(reader, &keys::feed_fetched(of, feed.id))?,
        revoked_at: feed.revoked_at,
    })
}
