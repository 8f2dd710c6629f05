//! The kinds of a business's keys, all below 0x80: the bit above marks the pieces of long values. Numbers are left
//! free between groups; one that was used is never used again.

/// The first kind behind those that the business actor loads in one scan.
pub const HOT_END: u8 = 0x10;

/// Declares the kinds: the number of each, and the length of its keys.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident = $number:literal, $width:literal;)*) => {
        $($(#[$about])* pub const $name: u8 = $number;)*

        /// The length of the keys of a kind; none for an unknown kind.
        pub(super) const fn width(kind: u8) -> Option<usize> {
            match kind {
                $($name => Some($width),)*
                _ => None,
            }
        }
    };
}

kinds! {
    /// The profile: the rest is zero → `Business`.
    PROFILE = 0x01, 33;
    /// A service: its id → `Service`.
    SERVICE = 0x02, 33;
    /// A staff member: their id → `StaffMember`.
    STAFF = 0x03, 33;
    /// A webhook endpoint: its id → `WebhookEndpoint`.
    WEBHOOK = 0x04, 33;
    /// What the operator allows the business to keep: the rest is zero → `Budget`.
    BUDGET = 0x05, 33;
    /// How long the business keeps what has happened: the rest is zero → `Retention`.
    RETENTION = 0x08, 33;
    /// A special day: its date and zeros → `SpecialDay`.
    SPECIAL_DAY = 0x0a, 33;
    /// A blocked time of a staff member: whose, its start and its id → `BlockedTime`.
    BLOCKED_TIME = 0x0b, 57;
    /// A membership: its person's id → `Membership`.
    MEMBERSHIP = 0x0c, 33;
    /// A key of the business: its id → the 8 bytes under which the installation keeps it.
    KEY = 0x10, 33;
    // 0x20, 0x21 and 0x23 were an appointment by id, by start and by change in stores of format 1 (`format_1.rs`).
    /// Its contact, start and id → nothing.
    APPOINTMENT_BY_CONTACT = 0x22, 57;
    /// An appointment: its start and id → `Appointment`. It stands where it starts, so that busy times and lists are
    /// read in one scan.
    APPOINTMENT = 0x24, 41;
    /// Its id → its start, as the 8 bytes of [`super::millis_value`].
    APPOINTMENT_START = 0x25, 33;
    /// When it last changed and its id → its start, as above. One whose last change bears the stamp of its
    /// creation has no such row: the order of ids is the order of creation.
    APPOINTMENT_BY_UPDATE = 0x26, 41;
    /// A contact: their id → `Contact`.
    CONTACT = 0x30, 33;
    /// A hash of their phone number → their id.
    CONTACT_BY_PHONE = 0x31, 33;
    /// A hash of their email address → their id.
    CONTACT_BY_EMAIL = 0x32, 33;
    /// When they last changed and their id → nothing.
    CONTACT_BY_UPDATE = 0x33, 41;
    /// The names of some contacts that follow each other: the id from which on → `NamesRecord`.
    CONTACT_NAMES = 0x34, 33;
    /// A call: its id → `CallRecord`.
    CALL = 0x40, 33;
    /// Its start and id → `CallRow`.
    CALL_BY_START = 0x41, 41;
    /// Its contact, start and id → nothing.
    CALL_BY_CONTACT = 0x42, 57;
    /// When it last changed and its id → nothing.
    CALL_BY_UPDATE = 0x43, 41;
    /// A message: its id → `TakenMessage`.
    MESSAGE = 0x48, 33;
    /// When it was taken and its id → nothing.
    MESSAGE_BY_CREATION = 0x49, 41;
    /// The number of its status, when it was taken and its id → nothing.
    MESSAGE_BY_STATUS = 0x4a, 42;
    /// Its contact, when it was taken and its id → nothing.
    MESSAGE_BY_CONTACT = 0x4b, 57;
    /// Its call, when it was taken and its id → nothing.
    MESSAGE_BY_CALL = 0x4c, 57;
    /// When it last changed and its id → nothing.
    MESSAGE_BY_UPDATE = 0x4d, 41;
    /// A piece of knowledge: its id → `Knowledge`.
    KNOWLEDGE = 0x50, 33;
    /// An event: its id → its bytes, as every attempt sends them.
    EVENT = 0x60, 33;
    /// A delivery, by endpoint and event.
    DELIVERY = 0x61, 49;
    /// The deliveries that wait, by endpoint and due time; empty values.
    DELIVERY_DUE = 0x62, 57;
    /// How often anything has reached an endpoint.
    DELIVERY_REACHED = 0x63, 33;
    /// A mail: its id → `Mail`. What concerns an account alone stands under the installation, in this kind and the next two.
    MAIL = 0x68, 33;
    /// The mails that wait, by due time; empty values.
    MAIL_DUE = 0x69, 41;
    /// The mails that wait to be sent as one, by kind and person; empty values.
    MAIL_GATHERED = 0x6a, 50;
    /// An alert: its person and its number → `Alert`.
    ALERT = 0x6b, 41;
    /// Up to where a person has read all alerts: their id → `AlertsRead`.
    ALERTS_READ = 0x6c, 33;
    /// An entry of the audit log: its id → `AuditEntry`.
    AUDIT = 0x70, 33;
    /// An idempotency key: its day of steady time and a hash → `IdempotencyRecord`. Records of the first version stand
    /// under the day of their stamp.
    IDEMPOTENCY = 0x78, 53;
    /// A point of steady time, as 8 bytes → the newest id of the audit log by then. What was made until then has an id
    /// no greater.
    AGE = 0x79, 25;
    /// A contact that is being erased: their id → `ErasureRecord`.
    ERASURE = 0x7a, 33;
    /// How far the erasing has come that is under way: the rest is zero → `ErasingRecord`.
    ERASING = 0x7b, 33;
    /// An event that tells of somebody who was erased, and is to be wiped: its id → `WipeRecord`.
    WIPE = 0x7c, 33;
    /// How stamps are being repaired: a number → a part of the map, or its head.
    REPAIR = 0x7f, 21;
}
