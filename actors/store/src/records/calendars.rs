//! Feeds of appointments for calendar services.

use domain::Feed;

use crate::codec::record;

record!(Feed, "feed", { 1: id, staff_id, detail, hash, created_by, created_at, revoked_at });

#[cfg(test)]
mod tests {
    use domain::{FeedDetail, KeyCreator, Timestamp};

    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;

    #[test]
    fn a_feed_has_these_bytes() {
        let feed = Feed {
            id: id_of([0xa1; 16]),
            staff_id: Some(id_of([0xa2; 16])),
            detail: FeedDetail::Contacts,
            hash: [0xa3; 32],
            created_by: KeyCreator::Person(id_of([0xa4; 16])),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            revoked_at: Some(Timestamp::from_millis(1_772_442_000_001)),
        };
        let [id, staff, hash, person] = ["a1", "a2", "a3a3", "a4"].map(|byte| byte.repeat(16));
        let (created, revoked) = ("fd00358d5b39030000", "fd02358d5b39030000");
        check(&feed, &format!("01{id}01{staff}03{hash}01{person}{created}01{revoked}"));
        let of_business = Feed {
            staff_id: None,
            detail: FeedDetail::Times,
            created_by: KeyCreator::Operator,
            revoked_at: None,
            ..feed.clone()
        };
        check(&of_business, &format!("01{id}0001{hash}00{created}00"));
        check(
            &Feed { detail: FeedDetail::Services, ..of_business },
            &format!("01{id}0002{hash}00{created}00"),
        );
        check_damage(&feed, |bytes| replace(bytes, b"\xa2\x03\xa3", b"\xa2\x04\xa3"));
    }
}
