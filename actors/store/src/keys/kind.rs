//! The kinds of a business's keys. Each comment states the key after the kind, then the value.
//!
//! All kinds are below 0x80: the highest bit marks the pieces of long values. Numbers are free between groups, and a
//! used number is never reused.

/// The first kind after those that the business actor loads in one scan.
pub const HOT_END: u8 = 0x10;

/// Declares each kind with its number and the length of its keys.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident = $number:literal, $width:literal;)*) => {
        $($(#[$about])* pub const $name: u8 = $number;)*

        pub(super) const fn width(kind: u8) -> Option<usize> {
            match kind {
                $($name => Some($width),)*
                _ => None,
            }
        }
    };
}

pub(super) use kinds;

kinds! {
    /// Zeros → `Business`.
    PROFILE = 0x01, 33;
    /// Its id → `Service`.
    SERVICE = 0x02, 33;
    /// Their id → `StaffMember`.
    STAFF = 0x03, 33;
    /// Its id → `WebhookEndpoint`.
    WEBHOOK = 0x04, 33;
    /// The limits that the operator sets: zeros → `Budget`.
    BUDGET = 0x05, 33;
    /// Zeros → `Retention`.
    RETENTION = 0x08, 33;
    /// Its date and zeros → `SpecialDay`.
    SPECIAL_DAY = 0x0a, 33;
    /// The staff member, the start and the id → `BlockedTime`.
    BLOCKED_TIME = 0x0b, 57;
    /// The person's id → `Membership`.
    MEMBERSHIP = 0x0c, 33;
    /// An API key: its id → the 8 bytes of its record's key in the installation.
    KEY = 0x10, 33;
    // 0x20, 0x21 and 0x23 were appointments by id, start and change in format 1 (`format_1.rs`).
    /// Contact, start and id → nothing.
    APPOINTMENT_BY_CONTACT = 0x22, 57;
    /// Start and id → `Appointment`. The start comes first, so that one scan reads busy times and lists.
    APPOINTMENT = 0x24, 41;
    /// Its id → its start, as the 8 bytes of [`super::millis_value`].
    APPOINTMENT_START = 0x25, 33;
    /// The last change and the id → the start, as above. An appointment that never changed after its creation has no
    /// such row: the order of ids is the order of creation.
    APPOINTMENT_BY_UPDATE = 0x26, 41;
    /// Their id → `Contact`.
    CONTACT = 0x30, 33;
    /// A hash of the phone number → the contact's id.
    CONTACT_BY_PHONE = 0x31, 33;
    /// A hash of the email address → the contact's id.
    CONTACT_BY_EMAIL = 0x32, 33;
    /// The last change and the id → nothing.
    CONTACT_BY_UPDATE = 0x33, 41;
    /// The names of consecutive contacts: the first id → `NamesRecord`.
    CONTACT_NAMES = 0x34, 33;
    /// Its id → `CallRecord`.
    CALL = 0x40, 33;
    /// Start and id → `CallRow`.
    CALL_BY_START = 0x41, 41;
    /// Contact, start and id → nothing.
    CALL_BY_CONTACT = 0x42, 57;
    /// The last change and the id → nothing.
    CALL_BY_UPDATE = 0x43, 41;
    /// Its id → `TakenMessage`.
    MESSAGE = 0x48, 33;
    /// Creation and id → nothing.
    MESSAGE_BY_CREATION = 0x49, 41;
    /// The number of the status, creation and id → nothing.
    MESSAGE_BY_STATUS = 0x4a, 42;
    /// Contact, creation and id → nothing.
    MESSAGE_BY_CONTACT = 0x4b, 57;
    /// Call, creation and id → nothing.
    MESSAGE_BY_CALL = 0x4c, 57;
    /// The last change and the id → nothing.
    MESSAGE_BY_UPDATE = 0x4d, 41;
    /// Its id → `Knowledge`.
    KNOWLEDGE = 0x50, 33;
    /// Its id → its bytes, as every attempt sends them.
    EVENT = 0x60, 33;
    /// Endpoint and event.
    DELIVERY = 0x61, 49;
    /// The waiting deliveries: endpoint, due time and event → nothing.
    DELIVERY_DUE = 0x62, 57;
    /// The number of deliveries that have reached an endpoint, 8 bytes.
    DELIVERY_REACHED = 0x63, 33;
    /// Its id → `Mail`. Mails that concern only an account are rows of the installation, also in the next two kinds.
    MAIL = 0x68, 33;
    /// The waiting mails: due time and id → nothing.
    MAIL_DUE = 0x69, 41;
    /// The mails that are sent together: kind, person and id → nothing.
    MAIL_GATHERED = 0x6a, 50;
    /// The person and the number → `Alert`.
    ALERT = 0x6b, 41;
    /// The person's id → `AlertsRead`.
    ALERTS_READ = 0x6c, 33;
    /// Its id → `AuditEntry`.
    AUDIT = 0x70, 33;
    /// The day of steady time and a hash → `IdempotencyRecord`. In the first version, the day is that of the stamp.
    IDEMPOTENCY = 0x78, 53;
    /// A point of steady time, as 8 bytes → the newest id of the audit log at that point. No older resource has a
    /// greater id.
    AGE = 0x79, 25;
    /// A contact that is being erased: its id → `ErasureRecord`.
    ERASURE = 0x7a, 33;
    /// The progress of the current erasure: zeros → `ErasingRecord`.
    ERASING = 0x7b, 33;
    /// An event with erased data, to be wiped: its id → `WipeRecord`.
    WIPE = 0x7c, 33;
    /// The repair of stamps: a number → a part of the map, or its head.
    REPAIR = 0x7f, 21;
}
