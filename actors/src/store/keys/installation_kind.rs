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
/// A business that is being imported: its id → `Business`, as it will be. Under the nil UUID, with an empty value: that
/// all of them are good and on the disk.
pub const MOVING: u8 = 0x18;

// 0x68 to 0x6a: mails that concern an account alone, as among the rows of a business ([`super::kind::MAIL`]).
// 0x78: an idempotency key of a request that creates a business, as among the rows of a business
// ([`super::kind::IDEMPOTENCY`]).
