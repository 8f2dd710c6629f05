//! The records that a change writes, and their keys. One list of [`Write`]s is encoded for the store and
//! applied to the memory of the actor.

use chrono::NaiveDate;
use domain::{
    Alias, ApiKey, Appointment, BlockedKey, Business, BusinessId, CalendarBusy, CalendarState, CalendarWrite,
    CallRecord, ConnectedCalendar, Contact, ContactId, Delivery, Feed, Membership, NoticeSettings, PersonId,
    ResourceId, Retention, Service, ServiceId, StaffId, StaffMember, TakenMessage, Timestamp,
    WebhookEndpoint, WebhookId,
};
use store::kept::{Kept, SearchChange};
use store::{Batch, Record, Tombstone, kept, keys};

use super::hot::{Held, Hot};
use crate::delivery::{EndpointKey, write_delivery};

/// An upper bound for the encoded size of a [`CalendarState`], whose texts have maximum lengths.
const CALENDAR_STATE_BYTES_MAX: usize = 8 << 10;

/// A record in its new state, or a deletion if the name of the variant begins with `No`. `before` is the old state of
/// the record, or `None` if the record is new.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a change has few writes, and most of them are records")]
pub enum Write {
    Business(Business),
    Service(Service),
    Staff(StaffMember),
    /// An API key. Its record belongs to the installation and is stored under the prefix of the API key.
    ApiKey(ApiKey),
    Appointment {
        before: Option<Appointment>,
        after: Appointment,
    },
    Contact {
        before: Option<Contact>,
        after: Contact,
    },
    Webhook(WebhookEndpoint),
    /// A deleted endpoint. Its row in the installation's list of endpoints stays until its deliveries are deleted.
    NoWebhook(WebhookId),
    Delivery {
        endpoint: WebhookId,
        delivery: Delivery,
        due_before: Option<Timestamp>,
    },
    Call {
        before: Option<CallRecord>,
        after: CallRecord,
    },
    Message {
        before: Option<TakenMessage>,
        after: TakenMessage,
    },
    NoService(ServiceId),
    NoStaff(StaffId),
    NoContact(Contact),
    /// A contact that is merged into another contact.
    Merged(Contact, Alias),
    /// Erases a contact that cannot be decoded. Its index rows are unknown, so the erasure job searches for them.
    NoUndecodableContact(ContactId),
    NoAppointment(Appointment),
    Retention(Retention),
    Notices(NoticeSettings),
    NoBusiness,
    /// Rows of records that the actor does not keep in memory.
    Rows(Batch),
    /// The rows of a record, and the change to its search text. `held` is the record if the actor keeps records of its
    /// kind in memory. `is_new` is true if the store is known to have no earlier version of the record.
    Kept {
        rows: Batch,
        search: Option<SearchChange>,
        held: Option<Held>,
        is_new: bool,
    },
    NoSpecialDay(NaiveDate),
    NoBlockedTime(BlockedKey),
    Feed {
        before: Option<Feed>,
        after: Feed,
    },
    Calendar {
        before: Option<ConnectedCalendar>,
        after: ConnectedCalendar,
    },
    /// Deletes a calendar. Its row in the installation's list of calendars stays until the rows of its events are
    /// deleted, so a restarted service can continue the deletion.
    NoCalendar(ConnectedCalendar),
    CalendarState {
        before: Option<CalendarState>,
        after: CalendarState,
    },
    /// The new busy times of a staff member's calendar. `bytes_before` is the size of the row with the previous busy
    /// times.
    CalendarBusy {
        staff: StaffId,
        busy: CalendarBusy,
        bytes_before: usize,
    },
    /// The state of an appointment's copy in a calendar. `after` is `None` if the row of this state is deleted.
    WrittenAppointment {
        before: Option<CalendarWrite>,
        after: Option<CalendarWrite>,
    },
    Membership(Membership),
    /// Deletes the membership that was offered at this time. A later membership of the same person has a later time.
    NoMembership(PersonId, Timestamp),
}

impl Write {
    pub(crate) fn put<R: Kept>(of: BusinessId, before: Option<&R>, after: &R) -> Self {
        let mut rows = Batch::default();
        kept::put(of, before, after, &mut rows);
        let search = kept::search_change(before, Some(after));
        Self::Kept { rows, search, held: None, is_new: before.is_none() }
    }

    pub(crate) fn delete<R: Kept>(of: BusinessId, gone: &R) -> Self {
        let mut rows = Batch::default();
        kept::delete(of, gone, &mut rows);
        Self::Kept { rows, search: kept::search_change(Some(gone), None), held: None, is_new: false }
    }

    /// Like [`Write::put`], for a record that the actor keeps in memory.
    pub(crate) fn hot<R>(of: BusinessId, before: Option<&R>, after: R) -> Self
    where
        R: Hot + Send + Sync + 'static,
    {
        let mut rows = Batch::default();
        kept::put(of, before, &after, &mut rows);
        let search = kept::search_change(before, Some(&after));
        Self::Kept { rows, search, held: Some(Held::new(after)), is_new: false }
    }

    pub(crate) fn search_change(&self) -> Option<SearchChange> {
        match self {
            Self::Contact { before, after } => kept::search_change(before.as_ref(), Some(after)),
            Self::Call { before, after } => kept::search_change(before.as_ref(), Some(after)),
            Self::Message { before, after } => kept::search_change(before.as_ref(), Some(after)),
            Self::NoContact(gone) | Self::Merged(gone, _) => kept::search_change(Some(gone), None),
            Self::NoUndecodableContact(id) => {
                let rows = keys::kind::CONTACT_SEARCH;
                Some(SearchChange { rows, id: id.uuid(), is_new: false, text: None })
            }
            Self::Kept { search, .. } => search.clone(),
            _ => None,
        }
    }

    pub(crate) fn encode(&self, of: BusinessId, batch: &mut Batch) {
        match self {
            Self::Business(business) => kept::put(of, None, business, batch),
            Self::Service(service) => kept::put(of, None, service, batch),
            Self::Staff(member) => kept::put(of, None, member, batch),
            Self::ApiKey(key) => {
                let prefix = keys::api_key_prefix(key);
                batch.put(keys::api_key(prefix), key.encode());
                batch.put(keys::key(of, key.id), prefix.to_vec());
                if key.revoked_at.is_some() {
                    batch.add_tombstone(Tombstone::RevokedKey(key.id));
                }
            }
            Self::Appointment { before, after } => {
                // An appointment that was never changed is listed by its id. A list of the changes since an instant
                // skips ids whose time is before the instant. If the time in an id were before the creation of the
                // appointment, the list could skip an appointment that was created after the instant.
                assert!(
                    after.id.minted_at() >= after.created_at,
                    "the id of appointment {} contains a time before its creation",
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
                batch.add_tombstone(Tombstone::ErasedContact(of, gone.id));
                kept::delete(of, gone, batch);
            }
            Self::Merged(gone, alias) => {
                kept::delete(of, gone, batch);
                kept::put(of, None, alias, batch);
                batch.put(keys::unfinished(of), Vec::new());
            }
            Self::NoUndecodableContact(id) => {
                batch.add_tombstone(Tombstone::ErasedContact(of, *id));
                batch.delete(keys::contact(of, *id));
            }
            Self::NoAppointment(gone) => kept::delete(of, gone, batch),
            Self::Notices(settings) => kept::put(of, None, settings, batch),
            Self::Retention(retention) => kept::put(of, None, retention, batch),
            Self::NoBusiness => {
                batch.add_tombstone(Tombstone::EndedBusiness(of));
                batch.put(keys::ending(of), Vec::new());
                batch.delete(keys::profile(of));
                batch.delete(keys::business_index(of));
            }
            Self::Rows(rows) | Self::Kept { rows, .. } => batch.append(rows.clone()),
            Self::NoSpecialDay(date) => batch.delete(keys::special_day(of, *date)),
            Self::NoBlockedTime(key) => batch.delete(keys::blocked_time(of, *key)),
            Self::Feed { before, after } => {
                kept::put(of, before.as_ref(), after, batch);
                if after.revoked_at.is_some() {
                    batch.add_tombstone(Tombstone::RevokedFeed(after.id));
                }
            }
            Self::Calendar { before, after } => kept::put(of, before.as_ref(), after, batch),
            Self::NoCalendar(gone) => {
                batch.delete_whole(keys::calendar(of, gone.id), gone.encode().len());
                batch.delete_whole(keys::calendar_state(of, gone.id), CALENDAR_STATE_BYTES_MAX);
            }
            Self::CalendarState { before, after } => kept::put(of, before.as_ref(), after, batch),
            Self::CalendarBusy { busy, bytes_before, .. } => {
                batch.put_over(keys::calendar_busy(of, busy.calendar_id), busy.encode(), *bytes_before);
            }
            Self::WrittenAppointment { before, after: Some(after) } => {
                kept::put(of, before.as_ref(), after, batch);
            }
            Self::WrittenAppointment { before, after: None } => {
                before.iter().for_each(|gone| kept::delete(of, gone, batch));
            }
            Self::Membership(membership) => kept::put(of, None, membership, batch),
            Self::NoMembership(id, offered) => {
                batch.add_tombstone(Tombstone::RemovedPerson(of, *id, *offered));
                batch.delete(keys::membership(of, *id));
                batch.delete(keys::member_of(*id, of));
            }
        }
    }
}
