//! Tests with damaged rows of feeds.

use domain::{Feed, FeedDetail, KeyCreator};

use super::*;

impl Map {
    /// Adds a feed of a staff member.
    fn feed(&mut self) -> Feed {
        let feed = Feed {
            id: other(),
            staff_id: Some(keys::id_at_end(&self.first(kind::STAFF)).unwrap()),
            detail: FeedDetail::Services,
            hash: [9; 32],
            created_by: KeyCreator::Operator,
            created_at: Timestamp::from_millis(1),
            revoked_at: None,
        };
        let mut rows = store::Batch::default();
        store::kept::put(self.of(), None, &feed, &mut rows);
        for (key, value) in rows.writes() {
            self.put(key, value.unwrap().to_vec());
        }
        self.put(&keys::feed_fetched(self.of(), feed.id), keys::millis_value(Timestamp::from_millis(2)));
        feed
    }
}

const DAMAGES: &[Damage] = &[
    (
        "a feed of a missing staff member",
        |m| {
            let feed = m.feed();
            let created_by = KeyCreator::Person(uuid::Uuid::nil().into());
            let lost = Feed { staff_id: Some(other()), created_by, ..feed };
            m.put(&keys::feed(m.of(), lost.id), lost.encode());
        },
        "the staff member that it names is missing",
    ),
    (
        "a feed that its token does not find",
        |m| {
            let feed = m.feed();
            m.remove(&keys::feed_by_token(&feed.hash));
        },
        "its index row by token is missing",
    ),
    (
        "a feed that is not in the list of feeds that are not revoked",
        |m| {
            m.feed();
            m.remove(&m.first(kind::FEED_LIVE));
        },
        "is missing",
    ),
    (
        "a revoked feed whose token still works",
        |m| {
            let feed = m.feed();
            m.edit::<Feed>(&keys::feed(m.of(), feed.id), |feed| feed.revoked_at = Some(feed.created_at));
            m.remove(&m.first(kind::FEED_LIVE));
        },
        "no record has this index row",
    ),
    (
        "a listed feed that does not exist",
        |m| {
            m.feed();
            m.remove(&m.first(kind::FEED));
        },
        "no record has this index row",
    ),
    (
        "a request for a missing feed",
        |m| m.put(&keys::feed_fetched(m.of(), other()), vec![0; 8]),
        "the feed that it names is missing",
    ),
];

#[tokio::test]
async fn damage_to_feeds_is_found_and_named() {
    let good = good().await;
    let mut with_feed = good.clone();
    with_feed.feed();
    let report = check(&with_feed).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    each_is_found(&good, DAMAGES);
}
