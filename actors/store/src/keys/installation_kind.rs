//! The kinds of the installation's keys. Each comment states the key after the kind, then the value.

/// Zeros → `MetaRecord`.
pub const META: u8 = 0x01;
/// A business: its id → nothing.
pub const BUSINESS_INDEX: u8 = 0x02;
/// The 8 characters of an API key's prefix and zeros → `ApiKey`.
pub const API_KEY: u8 = 0x03;
/// An API key's id → the instant of its last use, as the 8 bytes of [`super::millis_value`].
pub const KEY_USED: u8 = 0x04;
/// A webhook endpoint: business and endpoint → nothing.
pub const ENDPOINT_INDEX: u8 = 0x05;
/// Zeros → `ClockRecord`.
pub const CLOCK: u8 = 0x0c;
/// A conversion of the store: zeros → the format that the present step converts from, as 2 bytes.
pub const UPGRADE: u8 = 0x0e;
/// A repair of stamps: zeros → the instant taken for the present, as the 8 bytes of [`super::millis_value`].
pub const REPAIR: u8 = 0x0d;
/// The progress of background work in idle businesses: zeros → `RoundRecord`.
pub const ROUND: u8 = 0x0f;
/// A business that was deleted and may still have rows: its id → nothing.
pub const ENDING: u8 = 0x10;
/// A business with an erasure or an event to be wiped: its id → nothing.
pub const UNFINISHED: u8 = 0x11;
/// A business that is being imported: its id → the final `Business`. The nil UUID with an empty value means that all of
/// them are valid and durable.
pub const MOVING: u8 = 0x18;
/// A person: their id → `Person`.
pub const PERSON: u8 = 0x30;
/// A hash of a person's e-mail address in lower case → their id.
pub const PERSON_BY_EMAIL: u8 = 0x31;
/// The SHA-256 of the token of a session or a link → the id of its person.
pub const PERSON_BY_TOKEN: u8 = 0x32;
/// A membership: the person's and the business's id → nothing.
pub const MEMBER_OF: u8 = 0x33;
/// An entry of the installation's audit log about accounts, as in a business.
pub const AUDIT: u8 = super::kind::AUDIT;

// 0x68 to 0x6a: mails that concern only an account, as in a business ([`super::kind::MAIL`]).
// 0x78: the idempotency key of a request that creates a business ([`super::kind::IDEMPOTENCY`]).
