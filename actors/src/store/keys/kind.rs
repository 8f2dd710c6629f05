//! The kinds of a business's keys, all below 0x80: the bit above marks the pieces of long values. Numbers are left
//! free between groups; one that was used is never used again.

/// The profile: the rest is zero → `Business`.
pub const PROFILE: u8 = 0x01;
/// A service: its id → `Service`.
pub const SERVICE: u8 = 0x02;
/// A staff member: their id → `StaffMember`.
pub const STAFF: u8 = 0x03;
/// A webhook endpoint: its id → `WebhookEndpoint`.
pub const WEBHOOK: u8 = 0x04;
/// What the operator allows the business to keep: the rest is zero → `Budget`.
pub const BUDGET: u8 = 0x05;
/// How long the business keeps what has happened: the rest is zero → `Retention`.
pub const RETENTION: u8 = 0x08;
/// A special day: its date and zeros → `SpecialDay`.
pub const SPECIAL_DAY: u8 = 0x0a;
/// A blocked time of a staff member: whose, its start and its id → `BlockedTime`.
pub const BLOCKED_TIME: u8 = 0x0b;
/// A membership: its person's id → `Membership`.
pub const MEMBERSHIP: u8 = 0x0c;
/// The first kind behind those that the business actor loads in one scan.
pub const HOT_END: u8 = 0x10;
/// A key of the business: its id → the 8 bytes under which the installation keeps it.
pub const KEY: u8 = 0x10;
// 0x20, 0x21 and 0x23 were an appointment by id, by start and by change in stores of format 1 (`format_1.rs`).
/// Its contact, start and id → nothing.
pub const APPOINTMENT_BY_CONTACT: u8 = 0x22;
/// An appointment: its start and id → `Appointment`. It stands where it starts, so that busy times and lists are
/// read in one scan.
pub const APPOINTMENT: u8 = 0x24;
/// Its id → its start, as the 8 bytes of [`super::millis_value`].
pub const APPOINTMENT_START: u8 = 0x25;
/// When it last changed and its id → its start, as above. One whose last change bears the stamp of its
/// creation has no such row: the order of ids is the order of creation.
pub const APPOINTMENT_BY_UPDATE: u8 = 0x26;
/// A contact: their id → `Contact`.
pub const CONTACT: u8 = 0x30;
/// A hash of their phone number → their id.
pub const CONTACT_BY_PHONE: u8 = 0x31;
/// A hash of their email address → their id.
pub const CONTACT_BY_EMAIL: u8 = 0x32;
/// When they last changed and their id → nothing.
pub const CONTACT_BY_UPDATE: u8 = 0x33;
/// The names of some contacts that follow each other: the id from which on → `NamesRecord`.
pub const CONTACT_NAMES: u8 = 0x34;
/// A call: its id → `CallRecord`.
pub const CALL: u8 = 0x40;
/// Its start and id → `CallRow`.
pub const CALL_BY_START: u8 = 0x41;
/// Its contact, start and id → nothing.
pub const CALL_BY_CONTACT: u8 = 0x42;
/// When it last changed and its id → nothing.
pub const CALL_BY_UPDATE: u8 = 0x43;
/// A message: its id → `TakenMessage`.
pub const MESSAGE: u8 = 0x48;
/// When it was taken and its id → nothing.
pub const MESSAGE_BY_CREATION: u8 = 0x49;
/// The number of its status, when it was taken and its id → nothing.
pub const MESSAGE_BY_STATUS: u8 = 0x4a;
/// Its contact, when it was taken and its id → nothing.
pub const MESSAGE_BY_CONTACT: u8 = 0x4b;
/// Its call, when it was taken and its id → nothing.
pub const MESSAGE_BY_CALL: u8 = 0x4c;
/// When it last changed and its id → nothing.
pub const MESSAGE_BY_UPDATE: u8 = 0x4d;
/// A piece of knowledge: its id → `Knowledge`.
pub const KNOWLEDGE: u8 = 0x50;
/// An event: its id → its bytes, as every attempt sends them.
pub const EVENT: u8 = 0x60;
/// A delivery, by endpoint and event.
pub const DELIVERY: u8 = 0x61;
/// The deliveries that wait, by endpoint and due time; empty values.
pub const DELIVERY_DUE: u8 = 0x62;
/// How often anything has reached an endpoint.
pub const DELIVERY_REACHED: u8 = 0x63;
/// A mail: its id → `Mail`. What concerns an account alone stands under the installation, in this kind and the next two.
pub const MAIL: u8 = 0x68;
/// The mails that wait, by due time; empty values.
pub const MAIL_DUE: u8 = 0x69;
/// The mails that wait to be sent as one, by kind and person; empty values.
pub const MAIL_GATHERED: u8 = 0x6a;
/// An entry of the audit log: its id → `AuditEntry`.
pub const AUDIT: u8 = 0x70;
/// An idempotency key: its day of steady time and a hash → `IdempotencyRecord`. Records of the first version stand
/// under the day of their stamp.
pub const IDEMPOTENCY: u8 = 0x78;
/// A point of steady time, as 8 bytes → the newest id of the audit log by then. What was made until then has an id
/// no greater.
pub const AGE: u8 = 0x79;
/// A contact that is being erased: their id → `ErasureRecord`.
pub const ERASURE: u8 = 0x7a;
/// How far the erasing has come that is under way: the rest is zero → `ErasingRecord`.
pub const ERASING: u8 = 0x7b;
/// An event that tells of somebody who was erased, and is to be wiped: its id → `WipeRecord`.
pub const WIPE: u8 = 0x7c;
/// How stamps are being repaired: a number → a part of the map, or its head.
pub const REPAIR: u8 = 0x7f;
