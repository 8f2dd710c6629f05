//! Feeds: addresses from which calendar services fetch the appointments of a staff member or of a business.

use chrono::TimeDelta;

use crate::words::words;
use crate::{Editor, FeedId, KeyCreator, Membership, Role, SERVICE_MINUTES, StaffId, Timestamp};

/// The maximum number of feeds that show the appointments of the whole business. It is also the maximum number of feeds
/// for each staff member. Revoked feeds do not count.
pub const FEEDS_MAX: usize = 10;
/// The maximum number of appointments in a feed.
pub const FEED_APPOINTMENTS_MAX: usize = 5_000;

/// An appointment stays in a feed until this long after its end.
const FEED_PAST: TimeDelta = TimeDelta::days(30);
/// A feed contains an appointment only if the appointment starts within this time from now.
const FEED_AHEAD: TimeDelta = TimeDelta::days(400);

words! {
    FeedDetail {
        /// Only the times.
        Times = "times",
        /// The times with the names of the service and the staff member.
        Services = "services",
        /// Like `services`, plus the name and the phone number of the contact and a link to the dashboard.
        Contacts = "contacts",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    pub id: FeedId,
    /// The staff member whose appointments the feed contains. It is `None` for a feed of the whole business.
    pub staff_id: Option<StaffId>,
    pub detail: FeedDetail,
    /// The SHA-256 of the token in the feed's address.
    pub hash: [u8; 32],
    pub created_by: KeyCreator,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

impl Feed {
    /// Returns the range of time in which every appointment of a feed starts.
    pub fn starts(now: Timestamp) -> (Timestamp, Timestamp) {
        (now - FEED_PAST - TimeDelta::minutes(i64::from(*SERVICE_MINUTES.end())), now + FEED_AHEAD)
    }

    /// Whether a feed contains an appointment that ends at `ends_at`. The caller has checked that the appointment is
    /// active and that its start is in the range [`Self::starts`].
    pub fn is_recent(ends_at: Timestamp, now: Timestamp) -> bool {
        ends_at >= now - FEED_PAST
    }

    /// Whether the creator of the feed may still have this feed. `membership` is the creator's present membership in
    /// the business. If the result is false, the caller revokes the feed.
    pub fn is_kept_by(&self, membership: Option<&Membership>) -> bool {
        membership
            .is_some_and(|membership| membership.is_active() && membership.sees_calendars_of(self.staff_id))
    }
}

impl Membership {
    /// Whether the person may manage the feeds and calendars of a staff member, or of the business (`None`).
    pub fn sees_calendars_of(&self, staff: Option<StaffId>) -> bool {
        self.role != Role::Member || (staff.is_some() && self.staff_id == staff)
    }
}

impl Editor<'_> {
    /// See [`Membership::sees_calendars_of`].
    pub fn sees_calendars_of(&self, staff: Option<StaffId>) -> bool {
        match self {
            Self::Operator => true,
            Self::Member(membership) => membership.sees_calendars_of(staff),
        }
    }
}
