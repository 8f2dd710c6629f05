//! The records that a change writes, and the keys each one stands under.
//!
//! One list of [`Write`]s is both: encoded for the store, and applied to the actor's memory.

use chrono::NaiveDate;
use domain::{
    ApiKey, Appointment, BlockedKey, BlockedTime, Budget, Business, BusinessId, CallRecord, Contact,
    ContactId, Delivery, Membership, PersonId, ResourceId, Retention, Service, ServiceId, SpecialDay,
    StaffId, StaffMember, TakenMessage, Timestamp, WebhookEndpoint, WebhookId,
};
use store::kept::Kept;
use store::{Batch, Record, Tombstone, kept, keys};

use crate::delivery::{EndpointKey, write_delivery};

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
    /// For how long things are kept.
    Retention(Retention),
    /// The business is no more: it has no profile, is in no list, and its endpoints are none.
    NoBusiness,
    /// Rows that no memory holds.
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
    /// A record that no memory holds, in place of what it was before.
    pub(crate) fn put<R: Kept>(of: BusinessId, before: Option<&R>, after: &R) -> Self {
        let mut rows = Batch::default();
        kept::put(of, before, after, &mut rows);
        Self::Rows(rows)
    }

    /// The deletion of a record that no memory holds.
    pub(crate) fn delete<R: Kept>(of: BusinessId, gone: &R) -> Self {
        let mut rows = Batch::default();
        kept::delete(of, gone, &mut rows);
        Self::Rows(rows)
    }

    /// Adds the record and its index rows to a batch of the business.
    pub(crate) fn encode(&self, of: BusinessId, batch: &mut Batch) {
        match self {
            Self::Business(business) => kept::put(of, None, business, batch),
            Self::Budget(budget) => batch.put(keys::budget(of), budget.encode()),
            Self::Service(service) => kept::put(of, None, service, batch),
            Self::Staff(member) => kept::put(of, None, member, batch),
            Self::ApiKey(key) => {
                let prefix = keys::api_key_prefix(key);
                batch.put(keys::api_key(prefix), key.encode());
                batch.put(keys::key(of, key.id), prefix.to_vec());
                if key.revoked_at.is_some() {
                    batch.bury(Tombstone::RevokedKey(key.id));
                }
            }
            Self::Appointment { before, after } => {
                // What the list by change stands on.
                assert!(
                    after.id.minted_at() >= after.created_at,
                    "appointment {} was minted before its creation",
                    after.id
                );
                kept::put(of, before.as_ref(), after, batch);
            }
            Self::Contact { before, after } => kept::put(of, before.as_ref(), after, batch),
            Self::Webhook(endpoint) => kept::put(of, None, endpoint, batch),
            Self::NoWebhook(id) => batch.delete(keys::webhook(of, *id)),
            Self::Delivery { endpoint, delivery, due_before } => {
                write_delivery(
                    batch,
                    EndpointKey { business: of, endpoint: *endpoint },
                    delivery,
                    *due_before,
                );
            }
            Self::Call { before, after } => kept::put(of, before.as_ref(), after, batch),
            Self::Message { before, after } => kept::put(of, before.as_ref(), after, batch),
            Self::NoService(id) => batch.delete(keys::service(of, *id)),
            Self::NoStaff(id) => batch.delete(keys::staff(of, *id)),
            Self::NoContact(gone) => {
                batch.bury(Tombstone::ErasedContact(of, gone.id));
                kept::delete(of, gone, batch);
            }
            Self::NoUnreadContact(id) => {
                batch.bury(Tombstone::ErasedContact(of, *id));
                batch.delete(keys::contact(of, *id));
            }
            Self::NoAppointment(gone) => kept::delete(of, gone, batch),
            Self::Retention(retention) => kept::put(of, None, retention, batch),
            Self::NoBusiness => {
                batch.bury(Tombstone::EndedBusiness(of));
                batch.put(keys::ending(of), Vec::new());
                batch.delete(keys::profile(of));
                batch.delete(keys::business_index(of));
            }
            Self::Rows(rows) => batch.append(rows.clone()),
            Self::SpecialDay(day) => kept::put(of, None, day, batch),
            Self::NoSpecialDay(date) => batch.delete(keys::special_day(of, *date)),
            Self::BlockedTime(time) => kept::put(of, None, time, batch),
            Self::NoBlockedTime(key) => batch.delete(keys::blocked_time(of, *key)),
            Self::Membership(membership) => kept::put(of, None, membership, batch),
            Self::NoMembership(id, offered) => {
                batch.bury(Tombstone::RemovedPerson(of, *id, *offered));
                batch.delete(keys::membership(of, *id));
                batch.delete(keys::member_of(*id, of));
            }
        }
    }
}
