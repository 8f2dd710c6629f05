//! The kinds of a business's keys. A key contains the number of its kind, followed by the parameters of the kind's
//! function. The comment of a kind describes the row and its value. In short comments, the value follows an arrow.
//!
//! All numbers are below 0x80, because the highest bit marks the pieces of long values. A number never gets another
//! meaning.

use chrono::NaiveDate;
use domain::{
    AppointmentId, AuditId, BusinessId, CalendarId, CallId, ContactId, ConversationId, EventId, FeedId,
    GapId, KeyId, KnowledgeId, MailId, MessageId, PersonId, ServiceId, StaffId, SteadyTime, Timestamp,
    WebhookId,
};

use super::parts::key_of;
use crate::Key;

/// The business actor loads all kinds below this number in one scan.
pub const HOT_END: u8 = 0x10;

/// The kinds of the rows about unfinished work. A business with such a row is in the installation's list of unfinished
/// businesses.
pub const UNFINISHED: [u8; 5] = [ERASURE, MERGING, REMINDING, WIPE, CONVERSATION_OPEN];

/// Declares kinds of keys. The first word says whether the keys belong to a business or to the installation. A kind
/// has a number, the length of its keys in bytes and, in most cases, a function that builds a key. The parameters
/// of the function follow the number of the kind in the key. If there are no parameters, 16 zero bytes follow the
/// number.
macro_rules! kinds {
    (
        $of:ident
        $($(#[$about:meta])* $name:ident = $number:literal, $width:literal
            $(, fn $key:ident($($part:ident: $type:ty),*))?;)*
    ) => {
        $($(#[$about])* pub const $name: u8 = $number;)*

        pub(super) const fn width(kind: u8) -> Option<usize> {
            match kind {
                $($name => Some($width),)*
                _ => None,
            }
        }

        pub(super) mod functions {
            use super::*;

            $($($crate::keys::kind::kinds!(@key $of $name $key($($part: $type),*));)?)*
        }
    };
    (@key business $name:ident $key:ident($($part:ident: $type:ty),*)) => {
        pub fn $key(business: BusinessId, $($part: $type),*) -> Key {
            key_of(business, $name, &[$(&$part),*])
        }
    };
    (@key installation $name:ident $key:ident($($part:ident: $type:ty),*)) => {
        pub fn $key($($part: $type),*) -> Key {
            key_of(BusinessId::INSTALLATION, $name, &[$(&$part),*])
        }
    };
}

pub(super) use kinds;

kinds! {
    business
    PROFILE = 0x01, 33, fn profile(); // → `Business`
    SERVICE = 0x02, 33, fn service(id: ServiceId); // → `Service`
    STAFF = 0x03, 33, fn staff(id: StaffId); // → `StaffMember`
    WEBHOOK = 0x04, 33, fn webhook(id: WebhookId); // → `WebhookEndpoint`
    BUDGET = 0x05, 33, fn budget(); // The limits that the operator sets: zeros → `Budget`
    RETENTION = 0x08, 33, fn retention(); // → `Retention`
    RECEPTIONIST = 0x09, 33, fn receptionist(); // The settings of the receptionist: zeros → `Receptionist`
    SPECIAL_DAY = 0x0a, 33, fn special_day(date: NaiveDate); // → `SpecialDay`
    /// A blocked time. The key ends with the staff member, the start and the id. The value is the `BlockedTime`.
    BLOCKED_TIME = 0x0b, 57;
    MEMBERSHIP = 0x0c, 33, fn membership(person: PersonId); // → `Membership`
    WEBSITE = 0x0d, 33, fn website(); // The settings of the booking page: zeros → `Website`
    NOTICES = 0x0e, 33, fn notices(); // The settings of notices: zeros → `NoticeSettings`
    CALENDAR = 0x0f, 33, fn calendar(id: CalendarId); // → `ConnectedCalendar`
    KEY = 0x10, 33, fn key(id: KeyId); // An API key: its id → the 8 bytes of its record's key in the installation
    FEED = 0x11, 33, fn feed(id: FeedId); // → `Feed`
    /// An entry of the list of feeds that are not revoked. The key ends with the id of the staff member (zeros for a
    /// feed of the whole business) and the id of the feed. The value is the SHA-256 of the feed's token.
    FEED_LIVE = 0x12, 49;
    CALENDAR_STATE = 0x13, 33, fn calendar_state(id: CalendarId); // The state of the reads: the id → `CalendarState`
    /// The busy times of all events of a calendar. The value is the `CalendarBusy`.
    CALENDAR_BUSY = 0x14, 33, fn calendar_busy(id: CalendarId);
    /// An event of a connected calendar. The key ends with the calendar and a hash that identifies the event
    /// (`CalendarEvent::hash`). The value is the `CalendarEvent`.
    CALENDAR_EVENT = 0x15, 49;
    /// The copy of an appointment in a calendar. The value is the `CalendarWrite`.
    CALENDAR_WRITE = 0x16, 49, fn calendar_write(calendar: CalendarId, appointment: AppointmentId);
    /// An entry of the index with which the writes of an appointment are found. The value is empty.
    CALENDAR_WRITE_OF = 0x17, 49, fn calendar_write_of(appointment: AppointmentId, calendar: CalendarId);
    /// An entry of the list of pending writes, which is sorted by calendar and due time. The value is empty.
    CALENDAR_WRITE_DUE = 0x18, 57,
        fn calendar_write_due(calendar: CalendarId, due: SteadyTime, appointment: AppointmentId);
    /// An entry of the list of failed writes. The value is empty.
    CALENDAR_WRITE_FAILED = 0x19, 49,
        fn calendar_write_failed(calendar: CalendarId, appointment: AppointmentId);
    // In format 1, the kinds 0x20, 0x21 and 0x23 were appointments by id, by start and by last change (`earlier.rs`).
    /// An entry of the index of appointments by contact. The value is empty.
    APPOINTMENT_BY_CONTACT = 0x22, 57,
        fn appointment_by_contact(contact: ContactId, starts_at: Timestamp, id: AppointmentId);
    /// An appointment. The value is the `Appointment`. The keys sort by start, so that one scan can read busy times and
    /// lists.
    APPOINTMENT = 0x24, 41, fn appointment(starts_at: Timestamp, id: AppointmentId);
    /// An entry of the index of appointments by id. The value is the start, as the 8 bytes of [`super::millis_value`].
    APPOINTMENT_START = 0x25, 33, fn appointment_start(id: AppointmentId);
    /// An entry of the index of appointments by last change. The value is the start, as 8 bytes. An appointment that
    /// was never changed has no entry, because its id already contains the time of its creation.
    APPOINTMENT_BY_UPDATE = 0x26, 41, fn appointment_by_update(updated_at: Timestamp, id: AppointmentId);
    LINKS = 0x28, 33, fn links(appointment: AppointmentId); // The manage links of an appointment: its id → `LinksRecord`
    LINK = 0x29, 49, fn link(hash: &[u8; 32]); // A manage link: the SHA-256 of its token → `LinkRecord`
    CONTACT = 0x30, 33, fn contact(id: ContactId); // → `Contact`
    /// An entry of the index of contacts by phone number. The key contains a hash of the number. The value is the
    /// contact's id. The caller compares the numbers, because two numbers may have the same hash.
    CONTACT_BY_PHONE = 0x31, 33, fn contact_by_phone(phone: &str);
    /// An entry of the index of contacts by email address. The key contains a hash of the address. The value is the
    /// contact's id. The caller compares the addresses, because two addresses may have the same hash.
    CONTACT_BY_EMAIL = 0x32, 33, fn contact_by_email(email: &str);
    CONTACT_BY_UPDATE = 0x33, 41, fn contact_by_update(updated_at: Timestamp, id: ContactId); // → nothing
    // Before format 9, the kind 0x34 was an index of names (`earlier.rs`).
    /// The search texts ([`domain::Search`]) of several contacts. The key ends with the last of their ids. The value is
    /// the `SearchRecord`.
    CONTACT_SEARCH = 0x35, 33;
    ALIAS = 0x36, 33, fn alias(from: ContactId); // A merged contact: its id → `Alias`
    /// An entry of the list of the contacts that were merged into one contact. The value is empty.
    ALIAS_OF = 0x37, 49, fn alias_of(into: ContactId, from: ContactId);
    /// An unfinished merge, which moves the records of a merged contact to `into` in steps. The value is the id of the
    /// merged contact.
    MERGING = 0x38, 33, fn merging(into: ContactId);
    /// An unfinished import of contacts. The value is the id of the first contact of the import.
    CONTACT_IMPORT = 0x39, 33, fn contact_import();
    CALL = 0x40, 33, fn call(id: CallId); // → `CallRecord`
    CALL_BY_START = 0x41, 41, fn call_by_start(started_at: Timestamp, id: CallId); // → `CallRow`
    CALL_BY_CONTACT = 0x42, 57, fn call_by_contact(contact: ContactId, started_at: Timestamp, id: CallId); // → nothing
    CALL_BY_UPDATE = 0x43, 41, fn call_by_update(updated_at: Timestamp, id: CallId); // → nothing
    CALL_SEARCH = 0x44, 33; // The search texts of several calls, like `CONTACT_SEARCH`
    /// An entry of the list of unhandled calls ([`crate::records::CallRow::is_unhandled`]). The value is empty.
    CALL_UNHANDLED = 0x45, 41, fn call_unhandled(started_at: Timestamp, id: CallId);
    MESSAGE = 0x48, 33, fn message(id: MessageId); // → `TakenMessage`
    /// An entry of the index of messages by time of creation. The key ends with the time and the id. The value is
    /// empty.
    MESSAGE_BY_CREATION = 0x49, 41;
    /// An entry of the index of messages by status. The key ends with the number of the status, the time of creation
    /// and the id. The value is empty.
    MESSAGE_BY_STATUS = 0x4a, 42;
    /// An entry of the index of messages by contact. The key ends with the contact, the time of creation and the id.
    /// The value is empty.
    MESSAGE_BY_CONTACT = 0x4b, 57;
    /// An entry of the index of messages by call. The key ends with the call, the time of creation and the id. The
    /// value is empty.
    MESSAGE_BY_CALL = 0x4c, 57;
    MESSAGE_BY_UPDATE = 0x4d, 41, fn message_by_update(updated_at: Timestamp, id: MessageId); // → nothing
    MESSAGE_SEARCH = 0x4e, 33; // The search texts of several messages, like `CONTACT_SEARCH`
    KNOWLEDGE = 0x50, 33, fn knowledge(id: KnowledgeId); // → `Knowledge`
    CONVERSATION = 0x54, 33, fn conversation(id: ConversationId); // → `Conversation`
    CONVERSATION_BY_UPDATE = 0x55, 41,
        fn conversation_by_update(updated_at: Timestamp, id: ConversationId); // → nothing
    CONVERSATION_BY_CONTACT = 0x56, 57,
        fn conversation_by_contact(contact: ContactId, started_at: Timestamp, id: ConversationId); // → nothing
    /// An entry of the list of open conversations. The value is empty.
    CONVERSATION_OPEN = 0x57, 33, fn conversation_open(id: ConversationId);
    /// An entry of the list of ended conversations. The key ends with a channel byte and the id. The byte is 0 for a
    /// chat of the website and 1 for any other channel. The value is empty. If the budget has no room for a new
    /// conversation, the first conversation of this list is deleted.
    CONVERSATION_ENDED = 0x58, 34;
    GAP = 0x5a, 33, fn gap(id: GapId); // A question that the receptionist could not answer: its id → `Gap`
    EVENT = 0x60, 33, fn event(id: EventId); // → the bytes that every attempt sends
    /// The delivery of an event to an endpoint. The value is the `Delivery`.
    DELIVERY = 0x61, 49, fn delivery(endpoint: WebhookId, event: EventId);
    /// An entry of the list of waiting deliveries, which is sorted by endpoint and due time. The value is empty.
    DELIVERY_DUE = 0x62, 57, fn delivery_due(endpoint: WebhookId, due: Timestamp, event: EventId);
    /// The number of successful deliveries to an endpoint. The value has 8 bytes.
    DELIVERY_REACHED = 0x63, 33, fn delivery_reached(endpoint: WebhookId);
    /// A mail. The value is the `Mail`. Mails that concern only an account are rows of the installation.
    MAIL = 0x68, 33, fn mail(id: MailId);
    MAIL_DUE = 0x69, 41, fn mail_due(due: Timestamp, id: MailId); // The waiting mails: due time and id → nothing
    /// An entry of the list of mails that are sent together. The key ends with the kind of mail, the person and the
    /// mail's id. The value is empty.
    MAIL_GATHERED = 0x6a, 50;
    ALERT = 0x6b, 41, fn alert(person: PersonId, number: u64); // The person and the number → `Alert`
    ALERTS_READ = 0x6c, 33, fn alerts_read(person: PersonId); // → `AlertsRead`
    /// An entry of the list of notices about an appointment. The key contains the id of the notice's mail. The value is
    /// empty.
    NOTICE_OF = 0x6d, 49, fn notice_of(appointment: AppointmentId, id: MailId);
    NOTICE_WAITS = 0x6e, 33, fn notice_waits(id: MailId); // A notice that waits: the id of its mail → nothing
    /// The consent for an email address or a phone number. The key contains a keyed hash of the address or number. The
    /// value is the `ConsentRecord`.
    CONSENT = 0x6f, 49, fn consent(hash: &[u8; 32]);
    AUDIT = 0x70, 33, fn audit(id: AuditId); // → `AuditEntry`
    /// An idempotency key. The row's key contains a hash and the number of a day of the steady clock
    /// ([`domain::SteadyTime`]). The value is the `IdempotencyRecord`.
    IDEMPOTENCY = 0x78, 53, fn idempotency(day: u32, hash: &[u8; 32]);
    /// An age mark. The key ends with a time of the steady clock. The value is the id of the newest audit entry at this
    /// time. No record of the business had a greater id then. So each record with this id or a smaller id is at least
    /// as old as the mark.
    AGE = 0x79, 25, fn age(at: SteadyTime);
    ERASURE = 0x7a, 33, fn erasure(contact: ContactId); // A contact that is being erased: its id → `ErasureRecord`
    ERASING = 0x7b, 33, fn erasing(); // The progress of the current erasure: zeros → `ErasingRecord`
    WIPE = 0x7c, 33, fn wipe(event: EventId); // An event with erased data, to be wiped: its id → `WipeRecord`
    REMINDING = 0x7d, 33, fn reminding(); // The settings of notices have changed, so reminders may be missing: zeros → nothing
    REPAIR = 0x7f, 21, fn repair_part(number: u32); // The map of times of a repair: a number → a part, or the head for 0
}
