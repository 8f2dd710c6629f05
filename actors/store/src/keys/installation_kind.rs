//! The kinds of the installation's keys. [`super::kind`] explains the form of the comments.

use domain::{BusinessId, CalendarId, FeedId, KeyId, PersonId, WebhookId};

use super::kind::kinds;
use super::parts::key_of;
use crate::Key;

kinds! {
    installation
    META = 0x01, 33, fn meta(); // → `MetaRecord`
    BUSINESS_INDEX = 0x02, 33, fn business_index(id: BusinessId); // → nothing
    /// An API key. The row's key ends with the last 8 characters of the API key's prefix, followed by zeros. The
    /// value is the `ApiKey`.
    API_KEY = 0x03, 33;
    /// The last use of an API key. The value is the instant, as the 8 bytes of [`super::millis_value`].
    KEY_USED = 0x04, 33, fn key_used(id: KeyId);
    ENDPOINT_INDEX = 0x05, 49, fn endpoint_index(business: BusinessId, endpoint: WebhookId); // → nothing
    CLOCK = 0x0c, 33, fn clock(); // → `ClockRecord`
    /// An unfinished conversion of the store to a newer format. The value is the format from which the current step
    /// converts, as 2 bytes.
    UPGRADE = 0x0e, 33, fn upgrade();
    /// An unfinished repair of timestamps. The value is the time at which the repair began, encoded by
    /// [`super::millis_value`].
    REPAIR = 0x0d, 33, fn repair();
    ROUND = 0x0f, 33, fn round(); // The progress of background work in idle businesses: zeros → `RoundRecord`
    /// A deleted business that may still have rows. The value is empty.
    ENDING = 0x10, 33, fn ending(business: BusinessId);
    /// A business with rows about unfinished work ([`super::kind::UNFINISHED`]). The value is empty.
    UNFINISHED = 0x11, 33, fn unfinished(business: BusinessId);
    /// A business that is being imported. The value is its final `Business`. The row with the nil UUID and an empty
    /// value means that all imported businesses are valid and durable.
    MOVING = 0x18, 33, fn moving(business: BusinessId);
    /// The owner of a slug. A slug is the name of a booking page in its URL. The key contains a hash of the slug. The
    /// value is the `SlugOwner`. The caller compares the slugs, because two slugs may have the same hash.
    SLUG = 0x20, 33, fn slug(slug: &str);
    /// The counts for a limit, for example on notices, codes or model tokens. The key contains a keyed hash of the
    /// limit, the business and the limited address, if any. The value is the `NoticeCountRecord`.
    NOTICE_COUNT = 0x21, 49, fn notice_count(hash: &[u8; 32]);
    /// A feed that is not revoked. The key contains the SHA-256 of the feed's token. The value contains the ids of
    /// the business and of the feed.
    FEED_BY_TOKEN = 0x22, 49, fn feed_by_token(hash: &[u8; 32]);
    /// The time of the last request for a feed. The value is the instant, as the 8 bytes of [`super::millis_value`].
    FEED_FETCHED = 0x23, 49, fn feed_fetched(business: BusinessId, id: FeedId);
    /// An entry of the list of all calendars. The value is empty. The entry of a disconnected calendar stays until the
    /// rows of its events are deleted.
    CALENDAR_INDEX = 0x24, 49, fn calendar_index(business: BusinessId, id: CalendarId);
    PERSON = 0x30, 33, fn person(id: PersonId); // → `Person`
    /// An entry of the index of people by email address. The key contains a hash of the address in lower case. The
    /// value is the person's id. The caller compares the addresses, because two addresses may have the same hash.
    PERSON_BY_EMAIL = 0x31, 33, fn person_by_email(email: &str);
    /// An entry of the index of people by token. The key contains the SHA-256 of the token of a session or a link. The
    /// value is the person's id.
    PERSON_BY_TOKEN = 0x32, 49, fn person_by_token(hash: &[u8; 32]);
    MEMBER_OF = 0x33, 49, fn member_of(person: PersonId, business: BusinessId); // → nothing
}

/// An entry in the installation's audit log about an account. The keys and values have the same layout as the audit
/// entries of a business.
pub const AUDIT: u8 = super::kind::AUDIT;

// The kinds 0x68 to 0x6a contain mails that concern only an account, in the layout of [`super::kind::MAIL`]. The kind
// 0x78 contains idempotency keys of requests that create a business, see [`super::kind::IDEMPOTENCY`].
