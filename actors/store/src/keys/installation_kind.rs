//! The kinds of the installation's keys.

/// What the store is: the rest is zero → `MetaRecord`.
pub const META: u8 = 0x01;
/// A business: its id → nothing.
pub const BUSINESS_INDEX: u8 = 0x02;
/// A key: the 8 characters of its prefix and zeros → `ApiKey`.
pub const API_KEY: u8 = 0x03;
/// A key: its id → when it was last used, as the 8 bytes of [`super::millis_value`].
pub const KEY_USED: u8 = 0x04;
/// The webhook endpoints of all businesses, by business and endpoint; empty values.
pub const ENDPOINT_INDEX: u8 = 0x05;
/// How far steady time has come: the rest is zero → `ClockRecord`.
pub const CLOCK: u8 = 0x0c;
/// That the store is being converted: the rest is zero → the format that the step under way converts from, as 2 bytes.
pub const UPGRADE: u8 = 0x0e;
/// That stamps are being repaired: the rest is zero → the instant taken for the present, as the 8 bytes of
/// [`super::millis_value`].
pub const REPAIR: u8 = 0x0d;
/// How far the round through the businesses that nobody uses has come: the rest is zero → `RoundRecord`.
pub const ROUND: u8 = 0x0f;
/// A business that was ended and of which rows may be left: its id → nothing.
pub const ENDING: u8 = 0x10;
/// A business in which somebody is being erased, or an event is to be wiped: its id → nothing.
pub const UNFINISHED: u8 = 0x11;
/// A business that is being imported: its id → `Business`, as it will be. Under the nil UUID, with an empty value: that
/// all of them are good and on the disk.
pub const MOVING: u8 = 0x18;
/// A person: their id → `Person`.
pub const PERSON: u8 = 0x30;
/// A hash of their e-mail address in lower case → their id.
pub const PERSON_BY_EMAIL: u8 = 0x31;
/// The SHA-256 of the token of a session or a link → the id of its person.
pub const PERSON_BY_TOKEN: u8 = 0x32;
/// A membership of a person: their id and that of the business → nothing.
pub const MEMBER_OF: u8 = 0x33;
/// An entry of the installation's audit log, as among the rows of a business: what concerns accounts.
pub const AUDIT: u8 = super::kind::AUDIT;

// 0x68 to 0x6a: mails that concern an account alone, as among the rows of a business ([`super::kind::MAIL`]).
// 0x78: an idempotency key of a request that creates a business, as among the rows of a business
// ([`super::kind::IDEMPOTENCY`]).
