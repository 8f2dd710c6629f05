//! The records that a change writes, and the keys each one stands under.
//!
//! One list of [`Write`]s is both: encoded for the store, and applied to the actor's memory.

use crate::delivery::{EndpointKey, write_delivery};
use crate::domain::{
    ApiKey, Appointment, Budget, Business, BusinessId, CallRecord, Contact, Delivery, Knowledge, KnowledgeId,
    Membership, PersonId, ResourceId, Service, ServiceId, StaffId, StaffMember, TakenMessage, Timestamp,
    WebhookEndpoint, WebhookId,
};
use crate::store::keys::MessagesOf;
use crate::store::records::{CallRow, status_number};
use crate::store::{Batch, Record, Tombstone, keys};

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
    /// A call; it never changes.
    Call(CallRecord),
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
    /// A staff member who is no more.
    NoStaff(StaffId),
    /// A membership; it stands with the business, and in the list of its person's.
    Membership(Membership),
    /// The membership of this person is no more.
    NoMembership(PersonId),
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
            Self::Call(new) => call(of, new, batch),
            Self::Message { before, after } => message(of, before.as_ref(), after, batch),
            Self::Knowledge { bytes_before, after } => {
                batch.put_over(keys::knowledge(of, after.id), after.encode(), bytes_before.unwrap_or(0));
            }
            Self::NoKnowledge { id, bytes } => batch.delete_whole(keys::knowledge(of, *id), *bytes),
            Self::NoService(id) => batch.delete(keys::service(of, *id)),
            Self::NoStaff(id) => batch.delete(keys::staff(of, *id)),
            Self::Membership(membership) => {
                batch.put(keys::membership(of, membership.person_id), membership.encode());
                batch.put(keys::member_of(membership.person_id, of), Vec::new());
            }
            Self::NoMembership(id) => {
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

fn appointment(of: BusinessId, before: Option<&Appointment>, after: &Appointment, batch: &mut Batch) {
    if let Some(before) = before {
        if has_change_row(before) {
            batch.delete(keys::appointment_by_update(of, before.updated_at, before.id));
        }
        if before.starts_at != after.starts_at {
            batch.delete(keys::appointment(of, before.starts_at, before.id));
            batch.delete(keys::appointment_by_contact(of, before.contact_id, before.starts_at, before.id));
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
        batch.put(keys::appointment_by_contact(of, after.contact_id, after.starts_at, after.id), Vec::new());
    }
}

fn contact(of: BusinessId, before: Option<&Contact>, after: &Contact, batch: &mut Batch) {
    let phone = |contact: &Contact| contact.phone.as_deref().map(|phone| keys::contact_by_phone(of, phone));
    let email = |contact: &Contact| contact.email.as_deref().map(|email| keys::contact_by_email(of, email));
    if let Some(before) = before {
        batch.delete(keys::contact_by_update(of, before.updated_at, before.id));
        for stale in [phone(before), email(before)].into_iter().flatten() {
            batch.delete(stale);
        }
    }
    batch.put(keys::contact(of, after.id), after.encode());
    batch.put(keys::contact_by_update(of, after.updated_at, after.id), Vec::new());
    for row in [phone(after), email(after)].into_iter().flatten() {
        batch.put(row, after.id.uuid().as_bytes().to_vec());
    }
}

fn call(of: BusinessId, new: &CallRecord, batch: &mut Batch) {
    batch.put(keys::call(of, new.id), new.encode());
    batch.put(keys::call_by_start(of, new.started_at, new.id), CallRow::from(new).encode());
    batch.put(keys::call_by_update(of, new.updated_at, new.id), Vec::new());
    if let Some(contact) = new.contact_id {
        batch.put(keys::call_by_contact(of, contact, new.started_at, new.id), Vec::new());
    }
}

fn message(of: BusinessId, before: Option<&TakenMessage>, after: &TakenMessage, batch: &mut Batch) {
    let by_status = |message: &TakenMessage| {
        let list = MessagesOf::Status(status_number(message.status));
        keys::message_in(of, list, message.created_at, message.id)
    };
    if let Some(before) = before {
        batch.delete(keys::message_by_update(of, before.updated_at, before.id));
        batch.delete(by_status(before));
    } else {
        let lists = [
            Some(MessagesOf::Business),
            after.contact_id.map(MessagesOf::Contact),
            after.call_id.map(MessagesOf::Call),
        ];
        for list in lists.into_iter().flatten() {
            batch.put(keys::message_in(of, list, after.created_at, after.id), Vec::new());
        }
    }
    batch.put(keys::message(of, after.id), after.encode());
    batch.put(by_status(after), Vec::new());
    batch.put(keys::message_by_update(of, after.updated_at, after.id), Vec::new());
}
