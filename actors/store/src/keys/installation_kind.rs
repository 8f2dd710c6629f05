//! The kinds of the installation's keys. The comments have the form of [`super::kind`].

use domain::{BusinessId, KeyId, PersonId, WebhookId};

use super::kind::kinds;
use super::parts::key_of;
use crate::Key;

kinds! {
    installation
    META = 0x01, 33, fn meta(); // → `MetaRecord`
    BUSINESS_INDEX = 0x02, 33, fn business_index(id: BusinessId); // → nothing
    /// The last 8 characters of an API key's prefix, and zeros → `ApiKey`.
    API_KEY = 0x03, 33;
    /// An API key's id → the instant of its last use, as the 8 bytes of [`super::millis_value`].
    KEY_USED = 0x04, 33, fn key_used(id: KeyId);
    ENDPOINT_INDEX = 0x05, 49, fn endpoint_index(business: BusinessId, endpoint: WebhookId); // → nothing
    CLOCK = 0x0c, 33, fn clock(); // → `ClockRecord`
    /// A conversion of the store: zeros → the format that the current step converts from, as 2 bytes.
    UPGRADE = 0x0e, 33, fn upgrade();
    /// A repair of stamps: zeros → the time at which the repair began, by [`super::millis_value`].
    REPAIR = 0x0d, 33, fn repair();
    ROUND = 0x0f, 33, fn round(); // The progress of background work in idle businesses: zeros → `RoundRecord`
    /// A business that was deleted and may still have rows: its id → nothing.
    ENDING = 0x10, 33, fn ending(business: BusinessId);
    /// A business with an unfinished erasure or merge, or with events to be wiped: its id → nothing.
    UNFINISHED = 0x11, 33, fn unfinished(business: BusinessId);
    /// A business that is being imported: its id → the final `Business`. The nil UUID with an empty value
    /// means that all imported businesses are valid and durable.
    MOVING = 0x18, 33, fn moving(business: BusinessId);
    /// A hash of the slug of a booking page → `SlugOwner`. The slug is compared with that of the owner.
    SLUG = 0x20, 33, fn slug(slug: &str);
    /// A keyed hash of a limit on notices and of what it limits → `NoticeCountRecord`.
    NOTICE_COUNT = 0x21, 49, fn notice_count(hash: &[u8; 32]);
    PERSON = 0x30, 33, fn person(id: PersonId); // → `Person`
    /// A hash of the e-mail address in lower case → the person's id. The caller compares the address.
    PERSON_BY_EMAIL = 0x31, 33, fn person_by_email(email: &str);
    /// The SHA-256 of the token of a session or a link → the id of its person.
    PERSON_BY_TOKEN = 0x32, 49, fn person_by_token(hash: &[u8; 32]);
    MEMBER_OF = 0x33, 49, fn member_of(person: PersonId, business: BusinessId); // → nothing
}

/// An entry of the installation's audit log, about an account. It has the layout of a business's entries.
pub const AUDIT: u8 = super::kind::AUDIT;

// 0x68 to 0x6a are mails that concern only an account, in the layout of [`super::kind::MAIL`]. 0x78 is the
// idempotency key of a request that creates a business ([`super::kind::IDEMPOTENCY`]).
