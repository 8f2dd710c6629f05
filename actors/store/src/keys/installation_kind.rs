//! The kinds of the installation's keys. Each comment states the key after the kind, then the value.

use super::kind::kinds;

kinds! {
    /// Zeros → `MetaRecord`.
    META = 0x01, 33;
    /// A business: its id → nothing.
    BUSINESS_INDEX = 0x02, 33;
    /// The 8 characters of an API key's prefix and zeros → `ApiKey`.
    API_KEY = 0x03, 33;
    /// An API key's id → the instant of its last use, as the 8 bytes of [`super::millis_value`].
    KEY_USED = 0x04, 33;
    /// A webhook endpoint: business and endpoint → nothing.
    ENDPOINT_INDEX = 0x05, 49;
    /// Zeros → `ClockRecord`.
    CLOCK = 0x0c, 33;
    /// A conversion of the store: zeros → the format that the present step converts from, as 2 bytes.
    UPGRADE = 0x0e, 33;
    /// A repair of stamps: zeros → the instant that is used as the present, as the 8 bytes of
    /// [`super::millis_value`].
    REPAIR = 0x0d, 33;
    /// The progress of background work in idle businesses: zeros → `RoundRecord`.
    ROUND = 0x0f, 33;
    /// A business that was deleted and may still have rows: its id → nothing.
    ENDING = 0x10, 33;
    /// A business with an erasure or an event to be wiped: its id → nothing.
    UNFINISHED = 0x11, 33;
    /// A business that is being imported: its id → the final `Business`. A row with the nil UUID and an empty
    /// value means that all records of the import are valid and durable.
    MOVING = 0x18, 33;
    /// A person: their id → `Person`.
    PERSON = 0x30, 33;
    /// A hash of a person's e-mail address in lower case → their id.
    PERSON_BY_EMAIL = 0x31, 33;
    /// The SHA-256 of the token of a session or a link → the id of its person.
    PERSON_BY_TOKEN = 0x32, 49;
    /// A membership: the person's and the business's id → nothing.
    MEMBER_OF = 0x33, 49;
}

/// An entry of the installation's audit log about accounts, as in a business.
pub const AUDIT: u8 = super::kind::AUDIT;

// 0x68 to 0x6a: mails that concern only an account, as in a business ([`super::kind::MAIL`]).
// 0x78: the idempotency key of a request that creates a business ([`super::kind::IDEMPOTENCY`]).
