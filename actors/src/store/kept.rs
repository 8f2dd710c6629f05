//! The records that a business keeps, kind by kind: where each stands, by which rows it is found, and of which part of the
//! budget it takes.
//!
//! What always holds: where a record stands and by which rows it is found follows from the record alone. So what writes
//! records, what counts them, what repairs their stamps and what verifies a store need not know the kinds.

use super::keys::{MessagesOf, kind};
use super::records::{CallRow, status_number};
use super::{Batch, Key, Record, keys};
use crate::domain::{
    Appointment, BlockedTime, BudgetKind, Business, BusinessId, CallRecord, Contact, Knowledge, Membership,
    ResourceId, Retention, Service, SpecialDay, StaffMember, TakenMessage, WebhookEndpoint,
};

/// A record that a business keeps.
pub trait Kept: Record {
    /// Its kind of rows.
    const KIND: u8;
    /// The part of the budget that it takes of, if any.
    const BUDGET: Option<BudgetKind> = None;

    /// Where it stands.
    fn key(&self, of: BusinessId) -> Key;

    /// The rows by which it is found.
    fn index(&self, _: BusinessId) -> Vec<IndexRow> {
        Vec::new()
    }
}

/// A row by which a record is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow {
    /// How it is found by it: `by contact`.
    pub name: &'static str,
    /// Where the row stands.
    pub key: Key,
    /// What it says.
    pub value: Vec<u8>,
}

impl IndexRow {
    fn new(name: &'static str, key: Key, value: impl Into<Vec<u8>>) -> Self {
        Self { name, key, value: value.into() }
    }
}

/// Writes a record in place of what it was before, with the rows by which it is found.
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

/// Deletes a record and the rows by which it is found.
pub fn delete<R: Kept>(of: BusinessId, gone: &R, batch: &mut Batch) {
    batch.delete_whole(gone.key(of), gone.encode().len());
    gone.index(of).into_iter().for_each(|row| batch.delete(row.key));
}

/// Implements [`Kept`] for records that no other row leads to.
macro_rules! kept {
    ($($type:ty: $kind:ident $($budget:ident)?, |$it:ident, $of:ident| $key:expr;)*) => {$(
        impl Kept for $type {
            const KIND: u8 = kind::$kind;
            $(const BUDGET: Option<BudgetKind> = Some(BudgetKind::$budget);)?

            fn key(&self, $of: BusinessId) -> Key {
                let $it = self;
                $key
            }
        }
    )*};
}

kept! {
    Business: PROFILE, |_it, of| keys::profile(of);
    Retention: RETENTION, |_it, of| keys::retention(of);
    Service: SERVICE Services, |it, of| keys::service(of, it.id);
    StaffMember: STAFF Staff, |it, of| keys::staff(of, it.id);
    SpecialDay: SPECIAL_DAY, |it, of| keys::special_day(of, it.date);
    BlockedTime: BLOCKED_TIME, |it, of| keys::blocked_time(of, it.key());
    Knowledge: KNOWLEDGE Knowledge, |it, of| keys::knowledge(of, it.id);
}

impl Kept for WebhookEndpoint {
    const KIND: u8 = kind::WEBHOOK;

    fn key(&self, of: BusinessId) -> Key {
        keys::webhook(of, self.id)
    }

    fn index(&self, of: BusinessId) -> Vec<IndexRow> {
        vec![IndexRow::new("in the list of endpoints", keys::endpoint_index(of, self.id), [])]
    }
}

impl Kept for Membership {
    const KIND: u8 = kind::MEMBERSHIP;

    fn key(&self, of: BusinessId) -> Key {
        keys::membership(of, self.person_id)
    }

    fn index(&self, of: BusinessId) -> Vec<IndexRow> {
        vec![IndexRow::new("in the list of its person", keys::member_of(self.person_id, of), [])]
    }
}

impl Kept for Appointment {
    const KIND: u8 = kind::APPOINTMENT;
    const BUDGET: Option<BudgetKind> = Some(BudgetKind::Appointments);

    fn key(&self, of: BusinessId) -> Key {
        keys::appointment(of, self.starts_at, self.id)
    }

    fn index(&self, of: BusinessId) -> Vec<IndexRow> {
        let start = keys::millis_value(self.starts_at);
        let mut rows = vec![IndexRow::new("by id", keys::appointment_start(of, self.id), start.clone())];
        if let Some(contact) = self.contact_id {
            let key = keys::appointment_by_contact(of, contact, self.starts_at, self.id);
            rows.push(IndexRow::new("by contact", key, []));
        }
        if has_change_row(self) {
            let key = keys::appointment_by_update(of, self.updated_at, self.id);
            rows.push(IndexRow::new("by change", key, start));
        }
        rows
    }
}

/// Whether an appointment has a row in the index of changes: not while its last change bears the stamp of its creation.
pub fn has_change_row(appointment: &Appointment) -> bool {
    appointment.updated_at != appointment.created_at
}

impl Kept for Contact {
    const KIND: u8 = kind::CONTACT;
    const BUDGET: Option<BudgetKind> = Some(BudgetKind::Contacts);

    fn key(&self, of: BusinessId) -> Key {
        keys::contact(of, self.id)
    }

    fn index(&self, of: BusinessId) -> Vec<IndexRow> {
        let id = *self.id.uuid().as_bytes();
        let mut rows =
            vec![IndexRow::new("by change", keys::contact_by_update(of, self.updated_at, self.id), [])];
        if let Some(phone) = &self.phone {
            rows.push(IndexRow::new("by phone number", keys::contact_by_phone(of, phone), id));
        }
        if let Some(email) = &self.email {
            rows.push(IndexRow::new("by email address", keys::contact_by_email(of, email), id));
        }
        rows
    }
}

impl Kept for CallRecord {
    const KIND: u8 = kind::CALL;
    const BUDGET: Option<BudgetKind> = Some(BudgetKind::Calls);

    fn key(&self, of: BusinessId) -> Key {
        keys::call(of, self.id)
    }

    fn index(&self, of: BusinessId) -> Vec<IndexRow> {
        let by_start = keys::call_by_start(of, self.started_at, self.id);
        let mut rows = vec![
            IndexRow::new("by start", by_start, CallRow::from(self).encode()),
            IndexRow::new("by change", keys::call_by_update(of, self.updated_at, self.id), []),
        ];
        if let Some(contact) = self.contact_id {
            let key = keys::call_by_contact(of, contact, self.started_at, self.id);
            rows.push(IndexRow::new("by contact", key, []));
        }
        rows
    }
}

impl Kept for TakenMessage {
    const KIND: u8 = kind::MESSAGE;
    const BUDGET: Option<BudgetKind> = Some(BudgetKind::Messages);

    fn key(&self, of: BusinessId) -> Key {
        keys::message(of, self.id)
    }

    fn index(&self, of: BusinessId) -> Vec<IndexRow> {
        let lists = [
            Some(("by creation", MessagesOf::Business)),
            Some(("by status", MessagesOf::Status(status_number(self.status)))),
            self.contact_id.map(|id| ("by contact", MessagesOf::Contact(id))),
            self.call_id.map(|id| ("by call", MessagesOf::Call(id))),
        ];
        let listed = lists.into_iter().flatten().map(|(name, list)| {
            IndexRow::new(name, keys::message_in(of, list, self.created_at, self.id), [])
        });
        let by_change = keys::message_by_update(of, self.updated_at, self.id);
        listed.chain([IndexRow::new("by change", by_change, [])]).collect()
    }
}

/// A kind of rows of which a business keeps so many.
#[derive(Clone, Copy)]
pub struct Counted {
    /// The kind of rows.
    pub kind: u8,
    /// The part of the budget that they take of.
    pub budget: BudgetKind,
    /// Whether such a row decodes; none for API keys, whose records stand with those of all businesses.
    pub decodes: Option<fn(&[u8]) -> bool>,
}

impl Counted {
    const fn of<R: Kept>() -> Self {
        let Some(budget) = R::BUDGET else { panic!("such records take of no budget") };
        Self { kind: R::KIND, budget, decodes: Some(|row| R::decode(row).is_ok()) }
    }
}

/// The kinds of rows that are counted, in the order of their keys.
pub const COUNTED: [Counted; 8] = [
    Counted::of::<Service>(),
    Counted::of::<StaffMember>(),
    Counted { kind: kind::KEY, budget: BudgetKind::Keys, decodes: None },
    Counted::of::<Appointment>(),
    Counted::of::<Contact>(),
    Counted::of::<CallRecord>(),
    Counted::of::<TakenMessage>(),
    Counted::of::<Knowledge>(),
];

/// The kind of rows that is counted, with its place among all.
pub fn counted(kind: u8) -> Option<(usize, Counted)> {
    COUNTED.into_iter().enumerate().find(|(_, counted)| counted.kind == kind)
}
