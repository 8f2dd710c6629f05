//! The records that a change writes, and the keys each one stands under.
//!
//! One list of [`Write`]s is both: encoded for the store, and applied to the actor's memory.

use chrono::NaiveDate;

use crate::delivery::{EndpointKey, write_delivery};
use crate::domain::{
    ApiKey, Appointment, BlockedKey, BlockedTime, Budget, Business, BusinessId, CallRecord, Contact,
    ContactId, Delivery, Knowledge, KnowledgeId, Membership, PersonId, ResourceId, Retention, Service,
    ServiceId, SpecialDay, StaffId, StaffMember, TakenMessage, Timestamp, WebhookEndpoint, WebhookId,
};
use crate::store::keys::MessagesOf;
use crate::store::records::{CallRow, status_number};
use crate::store::{Batch, Key, Record, Tombstone, keys};

/// One record as it shall be, with what it was where the keys depend on it.
#[derive(Clone, Debug)]
pub enum Write {
    /// The profile.
    Business(Business),
    /// What the operator allows it to keep.
    Budget(Budget),
    /// A service.
    Service(Service),
    /// A staff member.
    Staff(StaffMember),
    /// A key; it stands with the keys of all businesses, by its prefix.
    ApiKey(ApiKey),
    /// An appointment.
    Appointment {
        /// As it was, or `None` for a new one.
        before: Option<Appointment>,
        /// As it shall be.
        after: Appointment,
    },
    /// A contact.
    Contact {
        /// As it was, or `None` for a new one.
        before: Option<Contact>,
        /// As it shall be.
        after: Contact,
    },
    /// A webhook endpoint.
    Webhook(WebhookEndpoint),
    /// A webhook endpoint that is no more. Its row in the list of all stays until its deliveries are deleted.
    NoWebhook(WebhookId),
    /// What came of a delivery.
    Delivery {
        /// To which endpoint.
        endpoint: WebhookId,
        /// As it shall be.
        delivery: Delivery,
        /// When it had been due.
        due_before: Option<Timestamp>,
    },
    /// A call.
    Call {
        /// As it was, or `None` for a new one.
        before: Option<CallRecord>,
        /// As it shall be.
        after: CallRecord,
    },
    /// A message.
    Message {
        /// As it was, or `None` for a new one.
        before: Option<TakenMessage>,
        /// As it shall be.
        after: TakenMessage,
    },
    /// A piece of knowledge.
    Knowledge {
        /// How long its value in the store was, or `None` for a new one.
        bytes_before: Option<usize>,
        /// As it shall be.
        after: Knowledge,
    },
    /// A piece of knowledge that is no more.
    NoKnowledge {
        /// Which.
        id: KnowledgeId,
        /// How long its value in the store is.
        bytes: usize,
    },
    /// A service that is no more.
    NoService(ServiceId),
    /// A staff member who is no more; what blocks their time goes with them, each by itself.
    NoStaff(StaffId),
    /// A contact who was erased.
    NoContact(Contact),
    /// A contact who was erased, and of whom nobody knows any more what they were: where they are listed is looked for by
    /// the erasing.
    NoUnreadContact(ContactId),
    /// An appointment that is kept no longer.
    NoAppointment(Appointment),
    /// A call that is kept no longer.
    NoCall(CallRecord),
    /// A message that is kept no longer.
    NoMessage(TakenMessage),
    /// For how long things are kept.
    Retention(Retention),
    /// The business is no more: it has no profile, is in no list, and its endpoints are none.
    NoBusiness,
    /// Rows that nothing is counted by and no memory holds.
    Rows(Batch),
    /// A special day, in place of what the date was before.
    SpecialDay(SpecialDay),
    /// A date that is as the week has it again.
    NoSpecialDay(NaiveDate),
    /// A blocked time; it never changes.
    BlockedTime(BlockedTime),
    /// A blocked time that is no more.
    NoBlockedTime(BlockedKey),
    /// A membership; it stands with the business, and in the list of its person's.
    Membership(Membership),
    /// The membership of this person is no more, which was offered at that instant. What follows bears a later stamp, so
    /// one that is offered again is told from it.
    NoMembership(PersonId, Timestamp),
}

impl Write {
    /// Adds the record and its index rows to a batch of the business.
    pub(crate) fn encode(&self, of: BusinessId, batch: &mut Batch) {
        match self {
            Self::Business(business) => batch.put(keys::profile(of), business.encode()),
            Self::Budget(budget) => batch.put(keys::budget(of), budget.encode()),
            Self::Service(service) => batch.put(keys::service(of, service.id), service.encode()),
            Self::Staff(staff) => batch.put(keys::staff(of, staff.id), staff.encode()),
            Self::ApiKey(key) => {
                let prefix = keys::api_key_prefix(key);
                batch.put(keys::api_key(prefix), key.encode());
                batch.put(keys::key(of, key.id), prefix.to_vec());
                if key.revoked_at.is_some() {
                    batch.bury(Tombstone::RevokedKey(key.id));
                }
            }
            Self::Appointment { before, after } => appointment(of, before.as_ref(), after, batch),
            Self::Contact { before, after } => contact(of, before.as_ref(), after, batch),
            Self::Webhook(endpoint) => {
                batch.put(keys::webhook(of, endpoint.id), endpoint.encode());
                batch.put(keys::endpoint_index(of, endpoint.id), Vec::new());
            }
            Self::NoWebhook(id) => batch.delete(keys::webhook(of, *id)),
            Self::Delivery { endpoint, delivery, due_before } => {
                write_delivery(
                    batch,
                    EndpointKey { business: of, endpoint: *endpoint },
                    delivery,
                    *due_before,
                );
            }
            Self::Call { before, after } => call(of, before.as_ref(), after, batch),
            Self::Message { before, after } => message(of, before.as_ref(), after, batch),
            Self::Knowledge { bytes_before, after } => {
                batch.put_over(keys::knowledge(of, after.id), after.encode(), bytes_before.unwrap_or(0));
            }
            Self::NoKnowledge { id, bytes } => batch.delete_whole(keys::knowledge(of, *id), *bytes),
            Self::NoService(id) => batch.delete(keys::service(of, *id)),
            Self::NoStaff(id) => batch.delete(keys::staff(of, *id)),
            Self::NoContact(gone) => {
                batch.bury(Tombstone::ErasedContact(of, gone.id));
                batch.delete(keys::contact(of, gone.id));
                delete_all(contact_rows(of, gone), batch);
            }
            Self::NoUnreadContact(id) => {
                batch.bury(Tombstone::ErasedContact(of, *id));
                batch.delete(keys::contact(of, *id));
            }
            Self::NoAppointment(gone) => {
                batch.delete(keys::appointment(of, gone.starts_at, gone.id));
                batch.delete(keys::appointment_start(of, gone.id));
                delete_all(appointment_rows(of, gone), batch);
            }
            Self::NoCall(gone) => {
                batch.delete_whole(keys::call(of, gone.id), gone.encode().len());
                delete_all(call_rows(of, gone).map(|(key, _)| key), batch);
            }
            Self::NoMessage(gone) => {
                batch.delete_whole(keys::message(of, gone.id), gone.encode().len());
                delete_all(message_rows(of, gone), batch);
            }
            Self::Retention(retention) => batch.put(keys::retention(of), retention.encode()),
            Self::NoBusiness => {
                batch.bury(Tombstone::EndedBusiness(of));
                batch.put(keys::ending(of), Vec::new());
                batch.delete(keys::profile(of));
                batch.delete(keys::business_index(of));
            }
            Self::Rows(rows) => batch.append(rows.clone()),
            Self::SpecialDay(day) => batch.put(keys::special_day(of, day.date), day.encode()),
            Self::NoSpecialDay(date) => batch.delete(keys::special_day(of, *date)),
            Self::BlockedTime(time) => batch.put(keys::blocked_time(of, time.key()), time.encode()),
            Self::NoBlockedTime(key) => batch.delete(keys::blocked_time(of, *key)),
            Self::Membership(membership) => {
                batch.put(keys::membership(of, membership.person_id), membership.encode());
                batch.put(keys::member_of(membership.person_id, of), Vec::new());
            }
            Self::NoMembership(id, offered) => {
                batch.bury(Tombstone::RemovedPerson(of, *id, *offered));
                batch.delete(keys::membership(of, *id));
                batch.delete(keys::member_of(*id, of));
            }
        }
    }
}

/// Whether an appointment has a row in the index of changes: not while its last change bears the stamp of its creation.
pub(crate) fn has_change_row(appointment: &Appointment) -> bool {
    appointment.updated_at != appointment.created_at
}

fn delete_all(rows: impl IntoIterator<Item = Key>, batch: &mut Batch) {
    rows.into_iter().for_each(|key| batch.delete(key));
}

/// Deletes the index rows of a record as it was that are none of it as it shall be.
fn delete_stale(
    before: impl IntoIterator<Item = Key>,
    after: impl IntoIterator<Item = Key>,
    batch: &mut Batch,
) {
    let after: Vec<Key> = after.into_iter().collect();
    delete_all(before.into_iter().filter(|row| !after.contains(row)), batch);
}

/// The index rows of an appointment whose keys depend on more than its id.
fn appointment_rows(of: BusinessId, a: &Appointment) -> impl Iterator<Item = Key> {
    let by_update = has_change_row(a).then(|| keys::appointment_by_update(of, a.updated_at, a.id));
    let by_contact = a.contact_id.map(|contact| keys::appointment_by_contact(of, contact, a.starts_at, a.id));
    [by_update, by_contact].into_iter().flatten()
}

fn appointment(of: BusinessId, before: Option<&Appointment>, after: &Appointment, batch: &mut Batch) {
    if let Some(before) = before {
        delete_stale(appointment_rows(of, before), appointment_rows(of, after), batch);
        if before.starts_at != after.starts_at {
            batch.delete(keys::appointment(of, before.starts_at, before.id));
        }
    }
    // What the list by change stands on.
    assert!(
        after.id.minted_at() >= after.created_at,
        "appointment {} was minted before its creation",
        after.id
    );
    let start = || keys::millis_value(after.starts_at);
    batch.put(keys::appointment(of, after.starts_at, after.id), after.encode());
    if has_change_row(after) {
        batch.put(keys::appointment_by_update(of, after.updated_at, after.id), start());
    }
    if before.is_none_or(|before| before.starts_at != after.starts_at) {
        batch.put(keys::appointment_start(of, after.id), start());
        if let Some(contact) = after.contact_id {
            batch.put(keys::appointment_by_contact(of, contact, after.starts_at, after.id), Vec::new());
        }
    }
}

/// The index rows of a contact.
fn contact_rows(of: BusinessId, contact: &Contact) -> impl Iterator<Item = Key> {
    let phone = contact.phone.as_deref().map(|phone| keys::contact_by_phone(of, phone));
    let email = contact.email.as_deref().map(|email| keys::contact_by_email(of, email));
    let by_update = keys::contact_by_update(of, contact.updated_at, contact.id);
    [Some(by_update), phone, email].into_iter().flatten()
}

fn contact(of: BusinessId, before: Option<&Contact>, after: &Contact, batch: &mut Batch) {
    if let Some(before) = before {
        delete_all(contact_rows(of, before), batch);
    }
    batch.put(keys::contact(of, after.id), after.encode());
    batch.put(keys::contact_by_update(of, after.updated_at, after.id), Vec::new());
    let phone = after.phone.as_deref().map(|phone| keys::contact_by_phone(of, phone));
    let email = after.email.as_deref().map(|email| keys::contact_by_email(of, email));
    for row in [phone, email].into_iter().flatten() {
        batch.put(row, after.id.uuid().as_bytes().to_vec());
    }
}

/// The index rows of a call.
fn call_rows(of: BusinessId, call: &CallRecord) -> impl Iterator<Item = (Key, Vec<u8>)> {
    let by_start = (keys::call_by_start(of, call.started_at, call.id), CallRow::from(call).encode());
    let by_update = (keys::call_by_update(of, call.updated_at, call.id), Vec::new());
    let by_contact = call
        .contact_id
        .map(|contact| (keys::call_by_contact(of, contact, call.started_at, call.id), Vec::new()));
    [Some(by_start), Some(by_update), by_contact].into_iter().flatten()
}

fn call(of: BusinessId, before: Option<&CallRecord>, after: &CallRecord, batch: &mut Batch) {
    let keys_of = |call| call_rows(of, call).map(|(key, _)| key);
    if let Some(before) = before {
        delete_stale(keys_of(before), keys_of(after), batch);
    }
    let bytes_before = before.map_or(0, |before| before.encode().len());
    batch.put_over(keys::call(of, after.id), after.encode(), bytes_before);
    for (key, value) in call_rows(of, after) {
        batch.put(key, value);
    }
}

/// The index rows of a message.
fn message_rows(of: BusinessId, message: &TakenMessage) -> impl Iterator<Item = Key> {
    let lists = [
        Some(MessagesOf::Business),
        Some(MessagesOf::Status(status_number(message.status))),
        message.contact_id.map(MessagesOf::Contact),
        message.call_id.map(MessagesOf::Call),
    ];
    let (created_at, updated_at, id) = (message.created_at, message.updated_at, message.id);
    let listed = lists.into_iter().flatten();
    let listed = listed.map(move |list| keys::message_in(of, list, created_at, id));
    listed.chain([keys::message_by_update(of, updated_at, id)])
}

fn message(of: BusinessId, before: Option<&TakenMessage>, after: &TakenMessage, batch: &mut Batch) {
    let before_rows: Vec<Key> = before.map_or_else(Vec::new, |before| message_rows(of, before).collect());
    delete_stale(before_rows.iter().copied(), message_rows(of, after), batch);
    let bytes_before = before.map_or(0, |before| before.encode().len());
    batch.put_over(keys::message(of, after.id), after.encode(), bytes_before);
    for row in message_rows(of, after).filter(|row| !before_rows.contains(row)) {
        batch.put(row, Vec::new());
    }
}
