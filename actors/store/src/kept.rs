//! The table of the kinds of records that a business has.
//!
//! The table is used for counting, usage (rows and bytes), salvage, verification, repair, exports, imports,
//! erasures and expiry.
//!
//! Invariant: the key and the index rows of a record depend only on the business and the record.

mod counted;
mod kinds;

use domain::{
    Alias, ApiKey, Appointment, BlockedTime, Budget, BudgetKind, Business, BusinessId, CalendarBusy,
    CalendarEvent, CalendarState, CalendarSyncStatus, CalendarWrite, CallRecord, Channel, ConnectedCalendar,
    Contact, ContactId, Conversation, Delivery, Feed, Gap, Knowledge, Membership, NoticeSettings,
    Receptionist, ResourceId, Retention, Service, SpecialDay, StaffMember, TakenMessage, Timestamp,
    WebhookEndpoint, Website,
};
use uuid::Uuid;

pub use self::counted::{COUNTED, Counted, counted};
pub use self::kinds::{Kind, indexed_by, kind, searched_in};
use super::keys::{MessagesOf, kind};
use super::records::{AuditRecord, CallRow, status_number};
use super::{Batch, Key, Record, StoreError, keys};

/// Passes the table to a macro. The kinds in the part `exported` are in the order in which an export writes them.
///
/// An entry of `exported` begins with `Name(Type) "word"`, where the word marks the lines of the records in an export.
/// An entry of `others` begins with the type of the records. Any of these marks may follow, in any order:
///
/// - `dated`: a record is identified by a date, not by an id.
/// - `single`: a business has at most one record.
/// - `personal`: the erasure of a contact changes these records in the stage whose number follows the mark. Stage
///   numbers are stored and must not change. The record of the contact itself is not marked, because it is deleted.
/// - `expires`: the field of `Retention` that follows the mark states when the records expire.
/// - `of_contact`: a record may belong to a contact, whose id is in `contact_id`. The kind of the index by contact
///   follows the mark. The keys of this index end with the last part of the record's key.
/// - `since`: the number after the mark is the format of the store that introduced the kind. A new kind gets the next
///   format number. Earlier versions refuse a store of this format, because they would not count, erase or export the
///   records.
/// - `hot`: the actor of the business has these records in its memory. It loads them in one scan, so the number of
///   their kind is below [`kind::HOT_END`].
///
/// The braces after the marks contain:
///
/// - the kind of the rows, the plural for reports, the budget (if the records count towards one) and the key;
/// - the stamps, which are times that the service sets: first those that every record has, then the optional ones;
/// - after `index`, the function that returns the index rows;
/// - after `in`, the kinds of these index rows. A kind is left out if its rows do not belong to the business, or if
///   their keys do not end with the last part of the record's key;
/// - after `search`, the kind of the rows that contain the search texts.
#[macro_export]
macro_rules! each_kind {
    ($then:ident) => {
        $then! {
            exported {
                Business(Business) "business" [hot] {
                    PROFILE "profiles", |_it, of| keys::profile(of), [created_at, updated_at]
                }
                Retention(Retention) "retention" [single] [hot] {
                    RETENTION "retention settings", |_it, of| keys::retention(of), [],
                    |set| &mut set.at
                }
                Website(Website) "website" [single] [hot] {
                    WEBSITE "settings of the booking page", |_it, of| keys::website(of), []
                }
                Notices(NoticeSettings) "notices" [single] [hot] {
                    NOTICES "settings of notices", |_it, of| keys::notices(of), []
                }
                Receptionist(Receptionist) "receptionist" [single] [hot] [since 10] {
                    RECEPTIONIST "settings of the receptionist", |_it, of| keys::receptionist(of), []
                }
                Service(Service) "service" [hot] {
                    SERVICE "services" Services, |it, of| keys::service(of, it.id),
                    [created_at, updated_at]
                }
                Staff(StaffMember) "staff" [hot] {
                    STAFF "staff members" Staff, |it, of| keys::staff(of, it.id),
                    [created_at, updated_at]
                }
                SpecialDay(SpecialDay) "special_day" [dated] [hot] {
                    SPECIAL_DAY "special days", |it, of| keys::special_day(of, it.date),
                    [created_at, updated_at]
                }
                TimeOff(BlockedTime) "time_off" [hot] {
                    BLOCKED_TIME "times off", |it, of| keys::blocked_time(of, it.key()), [created_at]
                }
                Contact(Contact) "contact" {
                    CONTACT "contacts" Contacts, |it, of| keys::contact(of, it.id),
                    [created_at, updated_at], index contact_rows, search CONTACT_SEARCH
                }
                Appointment(Appointment) "appointment"
                    [of_contact APPOINTMENT_BY_CONTACT] [personal 4] [expires appointments_days] {
                    APPOINTMENT "appointments" Appointments,
                    |it, of| keys::appointment(of, it.starts_at, it.id),
                    [created_at, updated_at], index appointment_rows in [APPOINTMENT_BY_CONTACT]
                }
                Call(CallRecord) "call"
                    [of_contact CALL_BY_CONTACT] [personal 3] [expires calls_days] {
                    CALL "calls" Calls, |it, of| keys::call(of, it.id),
                    [created_at, updated_at], |handled_at| &mut *handled_at,
                    index call_rows in [CALL_BY_START CALL_BY_CONTACT CALL_BY_UPDATE CALL_UNHANDLED],
                    search CALL_SEARCH
                }
                Conversation(Conversation) "conversation"
                    [of_contact CONVERSATION_BY_CONTACT] [personal 9] [expires calls_days] [since 10] {
                    CONVERSATION "conversations" Conversations, |it, of| keys::conversation(of, it.id),
                    [created_at, updated_at], |ended_at| &mut *ended_at,
                    index conversation_rows in [CONVERSATION_BY_UPDATE CONVERSATION_BY_CONTACT CONVERSATION_OPEN
                                                CONVERSATION_ENDED]
                }
                Message(TakenMessage) "message"
                    [of_contact MESSAGE_BY_CONTACT] [personal 2] [expires messages_days] {
                    MESSAGE "messages" Messages, |it, of| keys::message(of, it.id),
                    [created_at, updated_at],
                    index message_rows in [MESSAGE_BY_CREATION MESSAGE_BY_STATUS MESSAGE_BY_CONTACT MESSAGE_BY_CALL
                                           MESSAGE_BY_UPDATE],
                    search MESSAGE_SEARCH
                }
                Knowledge(Knowledge) "knowledge" {
                    KNOWLEDGE "pieces of knowledge" Knowledge, |it, of| keys::knowledge(of, it.id),
                    [created_at, updated_at]
                }
                Webhook(WebhookEndpoint) "webhook" [hot] {
                    WEBHOOK "webhook endpoints", |it, of| keys::webhook(of, it.id),
                    [created_at, updated_at], |disabled_at| &mut *disabled_at, index webhook_rows
                }
            }
            others {
                Budget [hot] { BUDGET "budgets", |_it, of| keys::budget(of), [] }
                Alias [since 8] { ALIAS "merged contacts", |it, of| keys::alias(of, it.from), [], index alias_rows }
                Membership [hot] [since 5] {
                    MEMBERSHIP "memberships", |it, of| keys::membership(of, it.person_id),
                    [created_at, updated_at], index membership_rows
                }
                Feed [since 9] {
                    FEED "feeds", |it, of| keys::feed(of, it.id), [created_at],
                    |revoked_at| &mut *revoked_at, index feed_rows in [FEED_LIVE]
                }
                ConnectedCalendar [hot] [since 10] {
                    CALENDAR "connected calendars", |it, of| keys::calendar(of, it.id),
                    [created_at, updated_at], index calendar_rows
                }
                CalendarState [since 10] {
                    CALENDAR_STATE "states of calendars", |it, of| keys::calendar_state(of, it.calendar_id), [],
                    |last_read_at| &mut *last_read_at, |last_attempt_at| &mut *last_attempt_at
                }
                CalendarBusy [since 10] {
                    CALENDAR_BUSY "busy times of calendars", |it, of| keys::calendar_busy(of, it.calendar_id), []
                }
                CalendarEvent [since 10] {
                    CALENDAR_EVENT "events of calendars",
                    |it, of| keys::calendar_event(of, it.calendar_id, &it.hash), []
                }
                CalendarWrite [since 13] {
                    CALENDAR_WRITE "writes to calendars",
                    |it, of| keys::calendar_write(of, it.calendar_id, it.appointment_id), [],
                    index calendar_write_rows
                }
                Gap [since 10] { GAP "unanswered questions", |it, of| keys::gap(of, it.id), [asked_at] }
                AuditRecord [expires audit_days] {
                    AUDIT "audit entries", |it, of| keys::audit(of, it.entry.id), [entry.at]
                }
            }
        }
    };
}
pub use each_kind;

pub trait Stamped: Record + Clone + PartialEq {
    /// The plural name of this kind of records, for reports.
    const NAME: &'static str;

    /// Returns the stamps, which are the times that the service sets. The time of creation comes first, the time of the
    /// last change second.
    fn stamps(&mut self) -> Vec<&mut Timestamp>;

    fn change(&mut self, at: Timestamp) {
        if let Some(updated_at) = self.stamps().into_iter().nth(1) {
            *updated_at = at;
        }
    }
}

pub trait Kept: Stamped {
    const KIND: u8;
    const BUDGET: Option<BudgetKind> = None;
    /// The kind of the rows that contain the search texts of these records.
    const SEARCH: Option<u8> = None;
    /// The kind of the index by contact. It is `None` if these records belong to no contact.
    const BY_CONTACT: Option<u8> = None;
    /// Some index rows of a record have keys that end with the last part of the record's key. This list contains the
    /// kinds of these index rows.
    const INDEXES: &'static [u8] = &[];

    fn key(&self, of: BusinessId) -> Key;

    /// Returns the text that a search compares with the words of the user. The text is empty if searches do not find
    /// this record.
    fn search_text(&self) -> String {
        String::new()
    }

    fn index(&self, _: BusinessId) -> Vec<IndexRow> {
        Vec::new()
    }

    /// Returns the field with the contact to which the record belongs. Returns `None` if records of this kind belong to
    /// no contact.
    fn contact(&mut self) -> Option<&mut Option<ContactId>> {
        None
    }
}

/// An index row of a record. `name` is for reports, for example `by contact`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow {
    pub name: &'static str,
    pub key: Key,
    pub value: Vec<u8>,
}

impl IndexRow {
    fn new(name: &'static str, key: Key, value: impl Into<Vec<u8>>) -> Self {
        Self { name, key, value: value.into() }
    }
}

pub type OnStamp<'a> = &'a mut dyn FnMut(&mut Timestamp);

macro_rules! declare {
    (
        exported {
            $($_kind:ident($record:ident) $_word:literal $([$($mark:tt)+])* { $($facts:tt)* })*
        }
        others { $($other:ident $([$($other_mark:tt)+])* { $($other_facts:tt)* })* }
    ) => {
        $(declare!(@kind $record [$([$($mark)+])*] { $($facts)* });)*
        $(declare!(@kind $other [$([$($other_mark)+])*] { $($other_facts)* });)*

        pub const KINDS: &[Kind] = &[$(Kind::of::<$record>(),)* $(Kind::of::<$other>(),)*];

        /// One number for each mark in brackets, such as `[hot]` or `[since 10]`. The number of a `since` mark is
        /// its format. The number of any other mark is 0.
        const FORMATS: &[u16] = &[
            $($(declare!(@format $($mark)+),)*)*
            $($(declare!(@format $($other_mark)+),)*)*
        ];
    };
    (@format since $format:literal) => { $format };
    (@format $($_mark:tt)+) => { 0 };
    (@kind $record:ident [$([$($mark:tt)+])*] {
        $kind:ident $name:literal $($budget:ident)?, |$it:ident, $of:ident| $key:expr,
        [$($($stamp:ident).+),*] $(, |$has:ident| $may_have:expr)* $(, index $index:ident $(in [$($indexes:ident)+])?)?
        $(, search $search:ident)?
    }) => {
        impl Stamped for $record {
            const NAME: &'static str = $name;

            fn stamps(&mut self) -> Vec<&mut Timestamp> {
                present([$(Some(&mut self.$($stamp).+),)* $(self.$has.as_mut().map(|$has| $may_have),)*])
            }
        }

        impl Kept for $record {
            const KIND: u8 = kind::$kind;
            $(const BUDGET: Option<BudgetKind> = Some(BudgetKind::$budget);)?
            $(const SEARCH: Option<u8> = Some(kind::$search);)?
            $($(const INDEXES: &'static [u8] = &[$(kind::$indexes),+];)?)?

            fn key(&self, $of: BusinessId) -> Key {
                let $it = self;
                $key
            }

            $(fn index(&self, of: BusinessId) -> Vec<IndexRow> {
                $index(self, of)
            })?

            $(declare!(@search $search);)?
            $(declare!(@mark $($mark)+);)*
        }
    };
    // Any other mark is a compile error.
    (@mark dated) => {};
    (@mark single) => {};
    (@mark personal $_stage:literal) => {};
    (@mark expires $_days:ident) => {};
    (@mark since $_format:literal) => {};
    (@mark hot) => {};
    (@mark of_contact $index:ident) => {
        const BY_CONTACT: Option<u8> = Some(kind::$index);

        fn contact(&mut self) -> Option<&mut Option<ContactId>> {
            Some(&mut self.contact_id)
        }
    };
    (@search $search:ident) => {
        fn search_text(&self) -> String {
            Self::search_text(self) // the function of the domain type
        }
    };
}
each_kind!(declare);

/// The number of the store format that added the newest kind of records.
pub(crate) const FORMAT_OF_KINDS: u16 = {
    let (mut newest, mut at) = (0, 0);
    while at < FORMATS.len() {
        if FORMATS[at] > newest {
            newest = FORMATS[at];
        }
        at += 1;
    }
    newest
};

fn present<const N: usize>(stamps: [Option<&mut Timestamp>; N]) -> Vec<&mut Timestamp> {
    stamps.into_iter().flatten().collect()
}

/// Passes each stamp of a stored record to `stamp`. If a stamp changed, returns the record before and after the change.
pub fn restamped<R: Stamped>(value: &[u8], stamp: OnStamp<'_>) -> Result<Option<(R, R)>, StoreError> {
    let before = R::decode(value)?;
    let mut after = before.clone();
    after.stamps().into_iter().for_each(stamp);
    Ok((after != before).then_some((before, after)))
}

pub fn put<R: Kept>(of: BusinessId, before: Option<&R>, after: &R, batch: &mut Batch) {
    let (key, now) = (after.key(of), after.index(of));
    let mut bytes_before = 0;
    let mut was = Vec::new();
    if let Some(before) = before {
        was = before.index(of);
        bytes_before = before.encode().len();
        let gone = was.iter().map(|row| row.key).filter(|key| now.iter().all(|row| row.key != *key));
        gone.for_each(|key| batch.delete(key));
        if before.key(of) != key {
            batch.delete_whole(before.key(of), bytes_before);
            bytes_before = 0;
        }
    }
    batch.put_over(key, after.encode(), bytes_before);
    for row in now.into_iter().filter(|row| !was.contains(row)) {
        batch.put(row.key, row.value);
    }
}

pub fn delete<R: Kept>(of: BusinessId, gone: &R, batch: &mut Batch) {
    batch.delete_whole(gone.key(of), gone.encode().len());
    gone.index(of).into_iter().for_each(|row| batch.delete(row.key));
}

/// A change to a record's search text.
#[derive(Clone, Debug)]
pub struct SearchChange {
    /// The kind of the rows with the search texts.
    pub rows: u8,
    pub id: Uuid,
    pub is_new: bool,
    /// The new search text. It is `None` if searches no longer find the record.
    pub text: Option<String>,
}

/// Returns the change to the record's search text, if any. A new record counts as a change even if its search text is
/// empty.
pub fn search_change<R: Kept>(before: Option<&R>, after: Option<&R>) -> Option<SearchChange> {
    let rows = R::SEARCH?;
    let text = |record: Option<&R>| record.map(R::search_text).filter(|text| !text.is_empty());
    let key = after.or(before)?.key(BusinessId::INSTALLATION);
    let id = keys::id_at_end::<ContactId>(&key).ok()?.uuid();
    let (is_new, text_before, text) = (before.is_none(), text(before), text(after));
    (is_new || text_before != text).then_some(SearchChange { rows, id, is_new, text })
}

fn webhook_rows(it: &WebhookEndpoint, of: BusinessId) -> Vec<IndexRow> {
    vec![IndexRow::new("in the list of endpoints", keys::endpoint_index(of, it.id), [])]
}

fn membership_rows(it: &Membership, of: BusinessId) -> Vec<IndexRow> {
    vec![IndexRow::new("in the list of its person", keys::member_of(it.person_id, of), [])]
}

/// A revoked feed has no index rows, so a lookup of its token does not find it.
fn feed_rows(it: &Feed, of: BusinessId) -> Vec<IndexRow> {
    if it.revoked_at.is_some() {
        return Vec::new();
    }
    let live = keys::live_feed(of, it.staff_id, it.id);
    vec![
        IndexRow::new("in the list of feeds that are not revoked", live, it.hash),
        IndexRow::new("by token", keys::feed_by_token(&it.hash), keys::feed_value(of, it.id)),
    ]
}

fn calendar_rows(it: &ConnectedCalendar, of: BusinessId) -> Vec<IndexRow> {
    vec![IndexRow::new("in the list of calendars", keys::calendar_index(of, it.id), [])]
}

fn calendar_write_rows(it: &CalendarWrite, of: BusinessId) -> Vec<IndexRow> {
    let (calendar, appointment) = (it.calendar_id, it.appointment_id);
    let by_appointment = keys::calendar_write_of(of, appointment, calendar);
    let mut rows = vec![IndexRow::new("by appointment", by_appointment, [])];
    if let Some(due) = it.due {
        let key = keys::calendar_write_due(of, calendar, due, appointment);
        rows.push(IndexRow::new("in the list of pending writes", key, []));
    }
    if it.status == CalendarSyncStatus::Failed {
        let key = keys::calendar_write_failed(of, calendar, appointment);
        rows.push(IndexRow::new("in the list of failed writes", key, []));
    }
    rows
}

fn appointment_rows(it: &Appointment, of: BusinessId) -> Vec<IndexRow> {
    let start = keys::millis_value(it.starts_at);
    let mut rows = vec![IndexRow::new("by id", keys::appointment_start(of, it.id), start.clone())];
    if let Some(contact) = it.contact_id {
        let key = keys::appointment_by_contact(of, contact, it.starts_at, it.id);
        rows.push(IndexRow::new("by contact", key, []));
    }
    if has_change_row(it) {
        let key = keys::appointment_by_update(of, it.updated_at, it.id);
        rows.push(IndexRow::new("by `updated_at`", key, start));
    }
    rows
}

/// True if the appointment has a row in the index by `updated_at`. An appointment gets this row when it is changed for
/// the first time.
pub fn has_change_row(appointment: &Appointment) -> bool {
    appointment.updated_at != appointment.created_at
}

fn contact_rows(it: &Contact, of: BusinessId) -> Vec<IndexRow> {
    let id = *it.id.uuid().as_bytes();
    let mut rows =
        vec![IndexRow::new("by `updated_at`", keys::contact_by_update(of, it.updated_at, it.id), [])];
    if let Some(phone) = &it.phone {
        rows.push(IndexRow::new("by phone number", keys::contact_by_phone(of, phone), id));
    }
    if let Some(email) = &it.email {
        rows.push(IndexRow::new("by email address", keys::contact_by_email(of, email), id));
    }
    rows
}

fn alias_rows(it: &Alias, of: BusinessId) -> Vec<IndexRow> {
    let mut rows = vec![IndexRow::new("by survivor", keys::alias_of(of, it.into, it.from), [])];
    if it.is_moving {
        let from = *it.from.uuid().as_bytes();
        rows.push(IndexRow::new("of moving records", keys::merging(of, it.into), from));
    }
    rows
}

fn call_rows(it: &CallRecord, of: BusinessId) -> Vec<IndexRow> {
    let (row, by_start) = (CallRow::from(it), keys::call_by_start(of, it.started_at, it.id));
    let mut rows = vec![
        IndexRow::new("by start", by_start, row.encode()),
        IndexRow::new("by `updated_at`", keys::call_by_update(of, it.updated_at, it.id), []),
    ];
    if let Some(contact) = it.contact_id {
        let key = keys::call_by_contact(of, contact, it.started_at, it.id);
        rows.push(IndexRow::new("by contact", key, []));
    }
    if row.is_unhandled() {
        let key = keys::call_unhandled(of, it.started_at, it.id);
        rows.push(IndexRow::new("in the list of unhandled calls", key, []));
    }
    rows
}

fn conversation_rows(it: &Conversation, of: BusinessId) -> Vec<IndexRow> {
    let mut rows =
        vec![IndexRow::new("by `updated_at`", keys::conversation_by_update(of, it.updated_at, it.id), [])];
    if let Some(contact) = it.contact_id {
        rows.push(IndexRow::new(
            "by contact",
            keys::conversation_by_contact(of, contact, it.started_at, it.id),
            [],
        ));
    }
    rows.push(if it.is_unfinished() {
        IndexRow::new("in the list of open conversations", keys::conversation_open(of, it.id), [])
    } else {
        let is_of_website = it.channel == Channel::Website;
        IndexRow::new(
            "in the list of ended conversations",
            keys::conversation_ended(of, is_of_website, it.id),
            [],
        )
    });
    rows
}

fn message_rows(it: &TakenMessage, of: BusinessId) -> Vec<IndexRow> {
    let lists = [
        Some(("by creation", MessagesOf::Business)),
        Some(("by status", MessagesOf::Status(status_number(it.status)))),
        it.contact_id.map(|id| ("by contact", MessagesOf::Contact(id))),
        it.call_id.map(|id| ("by call", MessagesOf::Call(id))),
    ];
    let listed = lists
        .into_iter()
        .flatten()
        .map(|(name, list)| IndexRow::new(name, keys::message_in(of, list, it.created_at, it.id), []));
    let by_change = keys::message_by_update(of, it.updated_at, it.id);
    listed.chain([IndexRow::new("by `updated_at`", by_change, [])]).collect()
}

impl Stamped for ApiKey {
    const NAME: &'static str = "API keys";

    fn stamps(&mut self) -> Vec<&mut Timestamp> {
        present([Some(&mut self.created_at), self.revoked_at.as_mut()])
    }
}

impl Stamped for Delivery {
    const NAME: &'static str = "deliveries";

    fn stamps(&mut self) -> Vec<&mut Timestamp> {
        present([Some(&mut self.created_at), self.last_attempt_at.as_mut()])
    }
}
